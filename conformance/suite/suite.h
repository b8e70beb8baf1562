// The properties as a GoogleTest program that takes the implementation by flag.
//
//   bazel test //conformance:properties_test
//   bazel test --config=hw //hw_tests:properties_test
//   bazel test --config=hw //hw_tests/... --test_env=RDMA_CM_SITE=/home/me/rack7.json
//   bazel run //conformance:properties_test -- --impl dl:/path/libmine.so --sequences 500
//
// 1. One campaign is run; each property is a test of its own over the campaign's result.
// 2. rapidcheck draws conversations from the same generator, and shrinks them its own way.
// 3. Without an implementation the program fails with a message; it never passes.
#ifndef CONFORMANCE_SUITE_SUITE_H_
#define CONFORMANCE_SUITE_SUITE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "conformance/driver/implementation.h"

namespace cm {

struct SuiteFlags {
  std::string impl = "sim";  // or dl, dl:PATH
  std::string defect;        // of sim
  std::string profile = "6.1-rxe";
  std::string topology;  // empty: all of them
  std::string site;      // file of the two hosts of MakeNodes, which are the topology then
  std::string allow;     // what may be done to them
  uint64_t seed = 1;
  uint64_t sequences = 2000;
  int calls = 20;
};

// An implementation, or the reason why there is none, in one line.
using MakeImplementation =
    std::function<std::variant<std::unique_ptr<Implementation>, std::string>(const SuiteFlags&)>;

// For a shared object on this machine, or the simulator.
std::variant<std::unique_ptr<Implementation>, std::string> MakeSimOrDl(const SuiteFlags& flags);

// For two hosts of a site. source: docs/nodes.md
std::variant<std::unique_ptr<Implementation>, std::string> MakeNodes(const SuiteFlags& flags);

// The main function: reads the flags, registers the tests, runs them.
int RunSuite(int argc, char** argv, SuiteFlags defaults, const MakeImplementation& make);

}  // namespace cm

#endif  // CONFORMANCE_SUITE_SUITE_H_
