// Runs programs on the hosts of two kernels, for tests.
#ifndef TOOLS_APP_RUN_PROGRAMS_H_
#define TOOLS_APP_RUN_PROGRAMS_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "model/base/sanitized.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/app/broker.h"
#include "tools/app/program.h"
#include "tools/app/script.h"

namespace cm::app {

inline constexpr const char* kPassiveHost = "10.0.1.1";
inline constexpr const char* kActiveHost = "10.0.0.1";

class Programs : public testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitized || kThreadSanitized)
      GTEST_SKIP() << "programs without a sanitizer cannot load an object that has one";
  }
};

inline bool IsInstalled(const std::string& program) {
  std::istringstream folders(std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access(folder.append("/").append(program).c_str(), X_OK) == 0) return true;
  return false;
}

inline ProgramToRun Words(uint8_t side, const std::string& text) {
  ProgramToRun program{.side = side, .words = {}};
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "PASSIVE") word = kPassiveHost;
    if (word == "ACTIVE") word = kActiveHost;
    program.words.push_back(word);
  }
  return program;
}

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

struct Ran {
  Report report;
  std::vector<std::string> output;
  std::vector<std::string> trace;
};

inline Ran RunAll(std::vector<ProgramToRun> programs, const std::string& script = "",
                  uint64_t seed = 0, std::vector<uint8_t> staying = {},
                  Duration limit = Duration::Seconds(600)) {
  Ran ran;
  Setting setting{.topology = FindTopology("two-kernels"),
                  .profile = *FindProfile("6.1-rxe"),
                  .seed = seed,
                  .programs = std::move(programs),
                  .staying_sides = std::move(staying),
                  .script = {},
                  .limit = limit};
  auto happenings = ReadScript(script, setting.topology);
  if (auto* problem = std::get_if<std::string>(&happenings)) {
    ADD_FAILURE() << *problem;
    return ran;
  }
  setting.script = std::get<std::vector<Happening>>(std::move(happenings));
  setting.hears = [&ran](std::string_view who, std::string_view line) {
    ran.output.push_back(std::string(who) + "| " + std::string(line));
  };
  setting.traces = [&ran](std::string_view line) { ran.trace.emplace_back(line); };
  auto report = Run(setting);
  if (auto* problem = std::get_if<std::string>(&report))
    ADD_FAILURE() << *problem;
  else
    ran.report = std::get<Report>(std::move(report));
  return ran;
}

}  // namespace cm::app

#endif  // TOOLS_APP_RUN_PROGRAMS_H_
