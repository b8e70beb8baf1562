// Runs of programs on simulated hosts, with everything that is heard of them.
#ifndef TOOLS_APP_RUNS_H_
#define TOOLS_APP_RUNS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/duration.h"
#include "tools/app/broker.h"

namespace cm::app {

inline constexpr const char* kPassiveHost = "10.0.1.1";
inline constexpr const char* kActiveHost = "10.0.0.1";

// Whether PATH leads to a program of that name.
bool IsInstalled(const std::string& program);

// The words of a command for a program of that side, one of several words in single quotes; PASSIVE
// and ACTIVE stand for the addresses of the hosts.
ProgramToRun Words(uint8_t side, std::string_view text);

struct Ran {
  Report report;
  std::vector<std::string> output;  // "active| line", in the order of printing
  std::vector<std::string> trace;
  std::string problem;  // why nothing was run; empty: it was
};

struct RunOptions {
  std::string script = {};  // faults, as script.h says
  uint64_t seed = 0;
  std::vector<uint8_t> staying = {};  // sides whose programs serve for ever
  Duration limit = Duration::Seconds(600);
  Duration patience = Duration::Seconds(60);
  uint64_t bandwidth = 0;
  bool own_tmp = false;
  std::string_view topology = "two-kernels";
  uint64_t instructions = 0;  // a second; 0: computation costs nothing
  std::string object = {};    // see Setting
};

Ran RunPrograms(std::vector<ProgramToRun> programs, const RunOptions& options);

}  // namespace cm::app

#endif  // TOOLS_APP_RUNS_H_
