// What happens to devices, as far as those are told who have opened them: asynchronous events.
#ifndef SIM_UAPI_DEVICE_EVENTS_H_
#define SIM_UAPI_DEVICE_EVENTS_H_

#include <cstdint>
#include <deque>
#include <map>

#include "sim/uapi/asker.h"
#include "sim/uapi/request.h"
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

 private:
  // source: <infiniband/verbs.h> enum ibv_event_type
  enum class Type : uint8_t { kDeviceFatal = 8, kPortActive = 9, kPortErr = 10, kGidChange = 18 };

  struct Opened {
    uint32_t process = 0;
    uint8_t device = 0;
    bool gone = false;  // for good: when it is back it is another one
    bool up = true;
    uint32_t fail_overs = 0;
    std::deque<Type> unread;
  };

  Outcome Open(uint32_t process, uint8_t kernel, uint32_t index);
  void Note(Opened* opened) const;

  World* world_;
  std::map<uint32_t, Opened> opened_;
  uint32_t last_number_ = 0;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_DEVICE_EVENTS_H_
