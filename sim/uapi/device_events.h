// What happens to devices and to objects there, as far as those are told who have opened them:
// asynchronous events.
#ifndef SIM_UAPI_DEVICE_EVENTS_H_
#define SIM_UAPI_DEVICE_EVENTS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "sim/uapi/asker.h"
#include "sim/uapi/request.h"
#include "sim/verbs/verbs.h"
#include "sim/world/world.h"

namespace cm::sim::uapi {

// An event is noticed when somebody asks whether there is one: whoever carries programs asks after
// every step of the world.
class DeviceEvents {
 public:
  explicit DeviceEvents(World* world) : world_(world) {}

  Outcome Carry(uint32_t process, uint8_t kernel, const Request& request);
  // All that the process has opened is closed.
  void Forget(uint32_t process);

  // What has happened to an object of a process. Objects have numbers that are never used again.
  void Tell(uint32_t process, const ToldRecord& told, uint32_t object, ObjectEvent what);
  // Nothing more is told of an object that goes. -> how many events of it were taken
  // source: linux 6.1 uverbs_main.c ib_uverbs_release_uevent
  uint32_t Release(uint32_t object);

 private:
  // source: <infiniband/verbs.h> enum ibv_event_type; and those of objects
  enum class Type : uint8_t { kDeviceFatal = 8, kPortActive = 9, kPortErr = 10, kGidChange = 18 };

  struct Event {
    Type type = Type::kDeviceFatal;
    uint32_t object = 0;  // 0: it is of none
    uint64_t name = 0;    // what its owner calls it; of none, the number of a port
  };

  struct Port {
    bool up = true;
    uint32_t fail_overs = 0;
  };

  struct Opened {
    uint32_t process = 0;
    uint8_t device = 0;
    bool gone = false;        // for good: when it is back it is another one
    std::vector<Port> ports;  // as they were when they were looked at last
    std::deque<Event> unread;
  };

  Outcome Open(uint32_t process, uint8_t kernel, uint32_t index);
  Outcome Take(Opened* opened);
  Port Look(uint8_t port) const;
  void Note(Opened* opened) const;

  World* world_;
  std::map<uint32_t, Opened> opened_;
  std::map<uint32_t, uint32_t> taken_;  // how many events of an object
  uint32_t last_number_ = 0;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_DEVICE_EVENTS_H_
