// Runs programs on the hosts of a simulated world, and the world only while all of them sleep.
//
// 1. Programs start one after another, each when all threads of those before it sleep.
// 2. While any thread runs, virtual time stands. When all sleep, one of them goes on; when none
//    can, the next thing happens: in the world, by the script, or somebody has slept enough.
// 3. A thread that sleeps in a system call with a limit in the system's time is waited for when
//    nothing else can happen; virtual time passes with the system's then.
// 4. When nothing can happen at all, or virtual time has reached its limit, all are ended, and the
//    report says who waits for what.
#ifndef TOOLS_APP_BROKER_H_
#define TOOLS_APP_BROKER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/app/program.h"
#include "tools/app/script.h"

namespace cm::app {

struct Setting {
  TopologyRef topology;
  Profile profile;
  uint64_t seed = 0;
  std::vector<ProgramToRun> programs;
  // They serve for ever: ended when nothing can happen any more and all others have ended, which is
  // as it should be.
  std::vector<uint8_t> staying_sides;
  std::vector<Happening> script;
  Duration limit = Duration::Seconds(600);  // of virtual time
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(std::string_view who, std::string_view line)> hears;  // what programs print
  std::function<void(std::string_view line)> traces;                       // may be empty
};

struct EndOfProgram {
  std::string name;
  bool ended = false;    // by itself
  int status = 0;        // as wait(2) has it
  bool stays = false;    // it was not to end
  bool crashed = false;  // with its host
};

struct Report {
  std::vector<EndOfProgram> programs;
  std::vector<std::string> misbehaviour;  // a line each
  std::vector<std::string> left_open;     // the same, of what is not held against it
  std::vector<std::string> waiting;       // who waited for what when it ended without their end
  std::vector<std::string> idle;          // lines of the script of which nothing has come
  std::vector<std::string> last;          // lines of the conversation
  uint64_t digest = 0;                    // of all of it
  Instant ended;
  bool interrupted = false;
  bool at_limit = false;
  bool in_real_time = false;  // somebody was waited for in the system's time

  // All programs that were to end have done so by themselves, with exit code 0, and all of them
  // have behaved.
  bool clean() const;
};

// Otherwise why it could not begin.
std::variant<Report, std::string> Run(const Setting& setting);

}  // namespace cm::app

#endif  // TOOLS_APP_BROKER_H_
