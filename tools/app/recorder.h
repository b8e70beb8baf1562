// What a conversation of a run is made of: requests about connections, in the order in which the
// kernel carried them out; what programs tell of events; faults; messages. See conversation.h.
#ifndef TOOLS_APP_RECORDER_H_
#define TOOLS_APP_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/fault.h"
#include "sim/fabric/fabric.h"
#include "sim/uapi/asker.h"
#include "sim/uapi/request.h"

namespace cm::app {

namespace noted {

// A request was carried out.
struct Answered {
  sim::uapi::Request request;
  sim::uapi::Answer answer;
};
// The library has returned an event to its caller, or is given it back.
struct Told {
  bool returned = false;
  uint32_t type = 0;  // of the event; when it is returned
  uint64_t event = 0;
};
// All that the process had is closed.
struct Ended {};
// At the end of the run the thread still waits for an event of the file.
struct Waits {
  uint32_t file = 0;
};
struct Injected {
  std::optional<Fault> fault;  // empty: everything heals
};
struct Sent {
  sim::WireNote message;
};

}  // namespace noted

struct Note {
  Instant at;
  uint8_t side = 0;
  sim::uapi::Asker who = {.process = UINT32_MAX};  // so of faults and messages
  std::variant<noted::Answered, noted::Told, noted::Ended, noted::Waits, noted::Injected,
               noted::Sent>
      what;
};

class Recorder {
 public:
  // Called after each request that is noted: messages that it has sent come next.
  void WatchWith(std::function<void()> watch) { watch_ = std::move(watch); }

  // Requests of other kinds are only counted.
  void Answered(Instant at, uint8_t side, sim::uapi::Asker who, const sim::uapi::Request& request,
                const sim::uapi::Answer& answer);
  // Op::kHold or Op::kAcknowledge.
  void Told(Instant at, uint8_t side, sim::uapi::Asker who, const sim::uapi::Request& request);
  void Ended(Instant at, uint8_t side, uint32_t process);
  void Waits(Instant at, uint8_t side, sim::uapi::Asker who, const sim::uapi::Request& request);
  void Injected(Instant at, std::optional<Fault> fault);
  void Sent(const sim::WireNote& message);
  // Of several events of one instant, from 0: the one that came first.
  void IsFirst(uint64_t event);
  // The name of the process in all messages.
  void Names(uint32_t process, const std::string& name) { names_[process] = name; }

  const std::vector<Note>& notes() const { return notes_; }
  const std::vector<uint64_t>& order() const { return order_; }
  const std::map<uint32_t, std::string>& names() const { return names_; }
  // Requests that are not noted, by the name of their function.
  const std::map<std::string, uint64_t>& others() const { return others_; }
  // From when on notes are left out, because there are too many.
  std::optional<Instant> full() const { return full_; }

 private:
  // Of about half a kilobyte each.
  static constexpr size_t kMost = 60'000;
  static constexpr size_t kMostInOrder = 1'000'000;  // instants with several events

  void Add(Note note);

  std::function<void()> watch_;
  std::vector<Note> notes_;
  std::vector<uint64_t> order_;
  std::map<uint32_t, std::string> names_;
  std::map<std::string, uint64_t> others_;
  std::set<sim::uapi::Asker> bound_;  // those whose last command has bound an id
  std::optional<Instant> full_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_RECORDER_H_
