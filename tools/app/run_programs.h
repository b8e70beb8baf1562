// Runs programs on the hosts of two kernels, for tests.
#ifndef TOOLS_APP_RUN_PROGRAMS_H_
#define TOOLS_APP_RUN_PROGRAMS_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "model/base/sanitized.h"
#include "tools/app/broker.h"
#include "tools/app/runs.h"

namespace cm::app {

class Programs : public testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitized || kThreadSanitized)
      GTEST_SKIP() << "programs without a sanitizer cannot load an object that has one";
  }
};

// The path of a program of the distribution.
inline ProgramToRun Stock(uint8_t side, const std::string& text) {
  ProgramToRun program = Words(side, text);
  if (!IsInstalled(program.words[0]))
    ADD_FAILURE() << program.words[0] << " is not installed: it is in the package rdmacm-utils, "
                  << "which tools/setup.sh installs";
  return program;
}

// The path of a program of the tests.
inline ProgramToRun Beside(uint8_t side, const std::string& text) {
  ProgramToRun program = Words(side, text);
  std::vector<char> here(4096);
  if (getcwd(here.data(), here.size()) == nullptr) ADD_FAILURE() << "no folder";
  program.words[0] = std::string(here.data()) + "/tools/app/" + program.words[0];
  return program;
}

inline Ran RunAll(std::vector<ProgramToRun> programs, const std::string& script = "",
                  uint64_t seed = 0, std::vector<uint8_t> staying = {},
                  Duration limit = Duration::Seconds(600), uint64_t bandwidth = 0) {
  Ran ran = RunPrograms(std::move(programs), {.script = script,
                                              .seed = seed,
                                              .staying = std::move(staying),
                                              .limit = limit,
                                              .bandwidth = bandwidth});
  if (!ran.problem.empty()) ADD_FAILURE() << ran.problem;
  return ran;
}

}  // namespace cm::app

#endif  // TOOLS_APP_RUN_PROGRAMS_H_
