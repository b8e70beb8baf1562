// The suite in guests: distributes sequences in batches, collects their results.
//
// 1. Each batch begins with a fresh snapshot. The guests work concurrently, each on the network
//    that its batch needs.
// 2. A sequence that fails is run again alone in a fresh guest; if it passes there, its finding is
//    reported as depending on the sequence before it.
// 3. Sequences that a guest did not finish in time are inconclusive; those that it finished count.
//    One during which the kernel of its guest failed has failed. A guest that reports a changed
//    network is restored, and the batch goes on.
// 4. Nothing is lost when this process is killed: each sequence's result is on disk, see journal.h.
#ifndef HW_TESTS_LAB_SUITE_RUN_H_
#define HW_TESTS_LAB_SUITE_RUN_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/runner/verdict.h"
#include "hw_tests/lab/guest.h"
#include "hw_tests/lab/image.h"
#include "hw_tests/lab/problem.h"

namespace lab {

// Sequences that share a network.
struct Part {
  Topology topology = Topology::kPair;
  std::vector<uint64_t> numbers;
};

struct SuiteSettings {
  std::filesystem::path program;  // cmcheck; it needs nothing beyond the guest's files
  std::string arguments;          // of its `run`, for a shell, without the numbers
  std::filesystem::path given;    // /host/given in guests; empty: none
  std::filesystem::path library;  // /host/librdmacm.so in guests; empty: none
  std::string campaign;           // identity of the run in a journal
  std::vector<Part> parts;
  std::filesystem::path folder;  // receives conversations/, kernel logs and output of the guests
  int guests = 2;
  size_t batch = 25;
  std::chrono::seconds batch_limit = std::chrono::minutes(10);  // of the wall clock
};

struct SuiteEnd {
  std::map<uint64_t, cm::SequenceResult> results;
  int restored = 0;  // guests, besides the fresh start of each batch
  bool cancelled = false;
};

// Calls `on_result` for each sequence when its result arrives; in any order, one call at a time.
Outcome<SuiteEnd> RunSuite(const Image& image, const SuiteSettings& settings,
                           const std::function<void(const cm::SequenceResult&)>& on_result,
                           const Caller& caller);

}  // namespace lab

#endif  // HW_TESTS_LAB_SUITE_RUN_H_
