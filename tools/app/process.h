// A process of a program: its threads, and the pipes that it polls.
#ifndef TOOLS_APP_PROCESS_H_
#define TOOLS_APP_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "sim/uapi/asker.h"
#include "sim/uapi/framing.h"
#include "sim/uapi/request.h"
#include "tools/app/open_resources.h"
#include "tools/app/program.h"
#include "tools/app/watches.h"

namespace cm::app {

// A thread and its last request.
struct Thread {
  explicit Thread(int socket, sim::uapi::Asker who) : connection(socket), asker(who) {}

  std::shared_ptr<void> line;  // gives it back
  sim::uapi::Connection connection;
  sim::uapi::Asker asker;
  pid_t number = 0;  // the system's; 0 before its Hello
  sim::uapi::Request request;
  uint32_t written = 0;          // bytes ever in memory, before descriptors were looked at
  bool sleeps = false;           // all have slept since it was last heard or answered
  bool waits = false;            // its request is not answered yet
  bool spins = false;            // it polls memory, and is answered later
  bool may_go_on = false;        // while it spins: something has happened since
  bool answered = false;         // and has not asked again: others may look for what it does
  bool ready = false;            // while it spins: it goes on when it is its turn
  Instant since;                 // then, and not before this
  sim::uapi::Answer held;        // its answer then
  std::optional<uint64_t> rank;  // those with a lower one go on first; empty until it could go on
  uint64_t calls = 0;            // its requests that others may see
  bool foretold = false;         // it has the answer to its request already
  std::vector<sim::uapi::Foreseen> foreseen;  // with its last answer
  size_t come_true = 0;                       // of these
  Instant foreseen_at;
  std::string polls;       // its last request, if that had no result
  uint32_t fetched = 0;    // events fetched of the id that it destroyed last
  uint32_t destroyed = 0;  // that id
  HeldEvent event;         // that it fetched last
  std::string last;        // its last request and answer as text
};

struct Process {
  // The first process of a program.
  Process(std::string known_as, Program started, uint8_t on, uint32_t count, int socket)
      : name(std::move(known_as)),
        program(std::move(started)),
        pid(program->process()),
        side(on),
        number(count),
        first(count),
        listening(socket) {}
  // None, on a host without a program: processes that others start there connect to its socket.
  Process(std::string known_as, uint8_t on, uint32_t count, int socket)
      : name(std::move(known_as)),
        pid(0),
        side(on),
        number(count),
        first(count),
        listening(socket),
        gone(true) {}
  // A process started by another one.
  Process(const Process& parent, std::string known_as, pid_t process, uint32_t count)
      : name(std::move(known_as)),
        pid(process),
        side(parent.side),
        number(count),
        first(parent.first) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  // For requests about the process, not by it.
  sim::uapi::Asker Watcher() const { return {.process = number, .thread = UINT32_MAX}; }

  std::string name;
  std::optional<Program> program;  // empty when another process started it
  pid_t pid;
  uint8_t side;
  uint32_t number;     // on the machine
  uint32_t first;      // number of its program's first process
  int listening = -1;  // of a first process; its children use it, too
  bool gone = false;
  bool host_has_crashed = false;
  uint32_t children = 0;  // that have sent a request
  uint32_t threads_ever = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  Watches watches;
  // Of completion channels, of which some programs have thousands. They are looked at again when
  // the machine's count of changes is another one than when all were in their right state.
  Watches completion_watches;
  std::optional<uint64_t> completions_seen;
  OpenResources belongings;
};

// The name of decisions of the order: the thread's; without one, the process's.
std::string DecisionName(const Process& process, const Thread* thread);

}  // namespace cm::app

#endif  // TOOLS_APP_PROCESS_H_
