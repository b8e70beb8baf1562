// Runs programs on the hosts of a simulated world; the world runs only while all of them sleep.
//
// 1. Programs start one after another, each when all threads of those before it sleep.
// 2. While any thread runs, the world stands. When all sleep, one of them is woken; when none can
//    be, the next thing happens: in the world, by the script, or a sleep ends. The seed draws the
//    order where there is a choice. A thread that runs
//    or polls spends virtual time, and sleeps when it has spent a slice of it.
// 3. When nothing else can happen, the broker waits for a thread that sleeps in a system call with
//    a limit in the system's time; virtual time passes with it then.
// 4. When nothing can happen at all, or virtual time has reached its limit, all programs are
//    killed, and the report names each waiting thread and what it waits for.
#ifndef TOOLS_APP_BROKER_H_
#define TOOLS_APP_BROKER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology_ref.h"
#include "sim/codec/socket_note.h"
#include "sim/fabric/fabric.h"
#include "sim/uapi/shared_time.h"
#include "tools/app/order.h"
#include "tools/app/program.h"
#include "tools/app/recorder.h"
#include "tools/app/script.h"

namespace cm::app {

struct Setting {
  TopologyRef topology;
  Profile profile;
  // 0: the usual latencies and order of threads. Any other seed draws them; see latencies.h.
  uint64_t seed = 0;
  std::optional<Deviations> order;  // in place of what the seed draws; see order.h
  std::vector<ProgramToRun> programs;
  // These programs serve for ever: they are killed when nothing can happen any more and all others
  // have ended, which is no error.
  std::vector<uint8_t> staying_sides;
  bool own_tmp = false;  // each host has a /tmp of its own, which is empty
  std::vector<Happening> script;
  Duration limit = Duration::Seconds(600);  // of virtual time
  // Programs that run, or sleep in the system's time, and do nothing else for so much of that count
  // as doing so for ever.
  Duration patience = Duration::Seconds(60);
  uint64_t bandwidth = 0;  // bits a second of each device; 0: the usual ones
  // About what a server of today takes; kinder to our own processor than what it really takes.
  sim::uapi::Costs costs = {
      .reading = 100, .look = 500, .request = 500, .sending = 5'000, .kibibyte = 200};
  std::string object;  // for tests, in place of the one that programs load
  const std::atomic<bool>* interrupted = nullptr;
  // Lines that programs print.
  std::function<void(std::string_view who, std::string_view line)> hears;
  std::function<void(std::string_view line)> traces;  // may be empty
  // Messages on the wire, in order. May be empty.
  std::function<void(const sim::WireNote& note)> on_wire;
  // Messages of the CM that interfaces receive, and what programs' own sockets send to other hosts,
  // whose instants may be later than those of the next. May be empty.
  std::function<void(const sim::WireArrival& arrival)> on_arrival;
  std::function<void(sim::SocketNote note)> on_socket;
  // Takes down what a conversation is made of; see conversation.h. May be null.
  Recorder* recorder = nullptr;
};

struct EndOfProgram {
  std::string name;
  bool ended = false;    // by itself
  int status = 0;        // as of wait(2)
  bool stays = false;    // it was not expected to end
  bool crashed = false;  // its host crashed
};

struct Report {
  std::vector<EndOfProgram> programs;
  std::vector<std::string> misbehaviour;  // a line each
  std::vector<std::string> left_open;     // the same, but harmless
  std::vector<std::string> waiting;       // waiting threads, when the run ended before the programs
  std::vector<std::string> idle;          // script lines without effect
  std::vector<std::string> last;          // lines of the conversation
  uint64_t digest = 0;                    // of the whole conversation
  Instant ended;
  std::string latencies;               // that the seed has drawn
  Deviations deviations;               // from the usual order
  std::optional<Instant> after_limit;  // when it would have gone on
  bool kernel_after_limit = false;     // with a message or a timer of a kernel
  bool interrupted = false;
  bool at_limit = false;
  bool in_real_time = false;     // the run waited in the system's time
  bool socket_was_full = false;  // a program left more unread than the system's buffers hold

  // True when all programs that were to end have exited with code 0, and no program has misbehaved.
  bool clean() const;
};

// The report, or the reason why the run could not start.
std::variant<Report, std::string> Run(const Setting& setting);

}  // namespace cm::app

#endif  // TOOLS_APP_BROKER_H_
