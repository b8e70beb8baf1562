// The kernel objects of a process, and the object that it destroyed last: explains crashes and
// leaks.
#ifndef TOOLS_APP_OPEN_RESOURCES_H_
#define TOOLS_APP_OPEN_RESOURCES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/base/duration.h"
#include "sim/uapi/request.h"

namespace cm::app {

// An event that a program has fetched.
struct HeldEvent {
  uint32_t type = 0;
  uint32_t id = 0;  // the kernel's
  Instant at;       // when it was fetched
};

class OpenResources {
 public:
  // A request of the process itself, with its answer.
  void Asked(const sim::uapi::Request& request, const sim::uapi::Answer& answer);
  // A request of the process, or of another process of its program. Returns the ids lost with their
  // event channel.
  std::vector<uint32_t> GivenUp(const sim::uapi::Request& request, const sim::uapi::Answer& answer);
  // The event at that address of the program is not acknowledged.
  void Holds(uint64_t address, const HeldEvent& event);
  // Returns the event type if the event was acknowledged before.
  std::optional<uint32_t> Acknowledges(uint64_t event);

  // The unacknowledged events, by address.
  const std::map<uint64_t, HeldEvent>& held() const { return held_; }
  // "1 event channel, 2 completion queues": remaining objects that are harmless.
  std::string Open() const;
  // ", right after it has destroyed id 0: ...", "; the last id that it has destroyed is 0": a
  // possible reason of a crash; empty when none is known.
  std::string BeforeCrash() const;

 private:
  std::map<uint32_t, uint32_t> ids_;  // id to file
  std::set<uint32_t> files_;
  std::set<uint32_t> queues_;  // completion queues
  std::map<uint64_t, HeldEvent> held_;
  std::map<uint64_t, uint32_t> acknowledged_;  // types
  std::optional<uint32_t> first_file_;
  std::optional<uint32_t> destroyed_;
  std::string just_;  // the object that its last request released
};

}  // namespace cm::app

#endif  // TOOLS_APP_OPEN_RESOURCES_H_
