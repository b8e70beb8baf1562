// A process of a program with its connections to the machine under it.
#ifndef TOOLS_APP_PROCESS_H_
#define TOOLS_APP_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/uapi/asker.h"
#include "sim/uapi/framing.h"
#include "sim/uapi/level.h"
#include "sim/uapi/request.h"
#include "tools/app/belongings.h"
#include "tools/app/program.h"

namespace cm::app {

// A thread, and what it has asked last.
struct Thread {
  explicit Thread(int socket, sim::uapi::Asker who) : connection(socket), asker(who) {}

  sim::uapi::Connection connection;
  sim::uapi::Asker asker;
  pid_t number = 0;  // the system's; 0 before its Hello
  sim::uapi::Request request;
  bool waits = false;      // the machine has not answered it
  bool spins = false;      // it has asked too often for nothing new, and is answered later
  bool may_go_on = false;  // a spinning one: something has happened since
  int in_vain = 0;         // how often in turn it has been answered nothing new
  uint32_t fetched = 0;    // events that it has fetched of the id that it has destroyed last
  std::string last;        // what it has asked and was answered, in words
};

// A pipe of the program's that it polls.
struct Watched {
  std::unique_ptr<sim::uapi::Level> level;
  sim::uapi::Request readable;
  bool is_readable = false;
};

struct Process {
  // A program's first.
  Process(std::string known_as, Program started, uint8_t on, uint32_t count, int socket)
      : name(std::move(known_as)),
        program(std::move(started)),
        pid(program->process()),
        side(on),
        number(count),
        first(count),
        listening(socket) {}
  // One that another has started.
  Process(const Process& parent, std::string known_as, pid_t process, uint32_t count)
      : name(std::move(known_as)),
        pid(process),
        side(parent.side),
        number(count),
        first(parent.first) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  // For what is asked about it and not by it.
  sim::uapi::Asker Watcher() const { return {.process = number, .thread = UINT32_MAX}; }

  std::string name;
  std::optional<Program> program;  // none when another program has started it
  pid_t pid;
  uint8_t side;
  uint32_t number;     // of the machine
  uint32_t first;      // that of its program's first process
  int listening = -1;  // of a first process: for its children, too
  bool gone = false;
  bool host_has_crashed = false;
  uint32_t children = 0;  // that ever asked for something
  uint32_t threads_ever = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  std::map<uint64_t, Watched> watches;
  Belongings belongings;
};

}  // namespace cm::app

#endif  // TOOLS_APP_PROCESS_H_
