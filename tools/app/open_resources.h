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

#include "sim/uapi/request.h"

namespace cm::app {

class OpenResources {
 public:
  // A request of the process itself, with its answer.
  void Asked(const sim::uapi::Request& request, const sim::uapi::Answer& answer);
  // A request of the process, or of another process of its program. Returns the ids lost with their
  // event channel.
  std::vector<uint32_t> GivenUp(const sim::uapi::Request& request, const sim::uapi::Answer& answer);
  // Types of the events that are not acknowledged, and of those that are.
  void Holds(uint64_t event, uint32_t type);
  // Returns the event type if the event was acknowledged before.
  std::optional<uint32_t> Acknowledges(uint64_t event);

  // Types of the unacknowledged events, by address.
  const std::map<uint64_t, uint32_t>& held() const { return held_; }
  // "1 event channel, 2 completion queues": remaining objects that are harmless.
  std::string Open() const;
  // ", right after it has destroyed id 0: ...", "; the last id that it has destroyed is 0": a
  // possible reason of a crash; empty when none is known.
  std::string BeforeCrash() const;

 private:
  std::map<uint32_t, uint32_t> ids_;  // id to file
  std::set<uint32_t> files_;
  std::set<uint32_t> queues_;  // completion queues
  std::map<uint64_t, uint32_t> held_;
  std::map<uint64_t, uint32_t> acknowledged_;
  std::optional<uint32_t> first_file_;
  std::optional<uint32_t> destroyed_;
  std::string just_;  // the object that its last request released
};

}  // namespace cm::app

#endif  // TOOLS_APP_OPEN_RESOURCES_H_
