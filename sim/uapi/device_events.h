// Asynchronous events of devices and of their objects, for the processes that have opened the
// devices.
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

// Events are detected when they are polled for: the owner of the programs polls after each step of
// the world.
class DeviceEvents {
 public:
  explicit DeviceEvents(World* world) : world_(world) {}

  Outcome Carry(uint32_t process, uint8_t kernel, const Request& request);
  // Closes all that the process has opened.
  void Forget(uint32_t process);

  // Reports an event of a process's object. Object numbers are unique.
  void Tell(uint32_t process, const ToldRecord& told, uint32_t object, ObjectEvent what);
  // Discards the pending events of a destroyed object. Returns the number of its events that were
  // taken. source: linux 6.1 uverbs_main.c ib_uverbs_release_uevent
  uint32_t Release(uint32_t object);
  // Whether an event of it was taken.
  bool HasTaken(uint32_t object) const { return taken_.contains(object); }

 private:
  // source: <infiniband/verbs.h> enum ibv_event_type; and those of objects
  enum class Type : uint8_t { kDeviceFatal = 8, kPortActive = 9, kPortErr = 10, kGidChange = 18 };

  struct Event {
    Type type = Type::kDeviceFatal;
    uint32_t object = 0;  // 0: no object
    uint64_t name = 0;    // the owner's name for it; without an object, the port number
  };

  struct Port {
    bool up = true;
    uint32_t fail_overs = 0;
  };

  struct Opened {
    uint32_t process = 0;
    uint8_t device = 0;
    bool gone = false;        // permanently: a device that comes back is a new one
    std::vector<Port> ports;  // their state at the last check
    std::deque<Event> unread;
  };

  Outcome Open(uint32_t process, uint8_t kernel, uint32_t index);
  Outcome Take(Opened* opened);
  Port Look(uint8_t port) const;
  void Note(Opened* opened) const;

  World* world_;
  std::map<uint32_t, Opened> opened_;
  std::map<uint32_t, uint32_t> taken_;  // number of events taken, by object
  uint32_t last_number_ = 0;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_DEVICE_EVENTS_H_
