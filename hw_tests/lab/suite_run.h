// The suite in guests: hands out sequences in batches, brings their results back.
//
// 1. Each batch begins with a fresh snapshot. The guests work side by side, each on the network
// that
//    its batch wants.
// 2. A sequence that fails is run again alone in a fresh guest; if it passes there, what it found
// is
//    reported as depending on the sequence before it.
// 3. What a guest did not finish in time is inconclusive; what it had finished counts. A guest that
//    says that its network is not as it was is restored, and the batch goes on.
// 4. Nothing is lost when this process is killed: each sequence's result is on disk, see journal.h.
#ifndef HW_TESTS_LAB_SUITE_RUN_H_
#define HW_TESTS_LAB_SUITE_RUN_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
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
  std::filesystem::path program;  // cmcheck; it needs nothing that the guest has not
  std::string arguments;          // of its `run`, for a shell, without the numbers
  std::filesystem::path given;    // what guests find as /host/given; empty: nothing
  std::string campaign;           // what the journal of such a run is kept under
  std::vector<Part> parts;
  std::filesystem::path folder;  // gets conversations/, kernel logs and what the guests printed
  int guests = 2;
  size_t batch = 25;
  std::chrono::seconds batch_limit = std::chrono::minutes(10);  // of the wall clock
};

struct SuiteEnd {
  std::map<uint64_t, cm::SequenceResult> results;
  int restored = 0;  // guests, besides the fresh start of each batch
  bool cancelled = false;
};

// `on_result` hears of each sequence as it comes back; not in order, one call at a time.
Outcome<SuiteEnd> RunSuite(const Image& image, const SuiteSettings& settings,
                           const std::function<void(const cm::SequenceResult&)>& on_result,
                           const Caller& caller);

}  // namespace lab

#endif  // HW_TESTS_LAB_SUITE_RUN_H_
