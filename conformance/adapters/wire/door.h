// Where Ethernet frames go out and come in, with the time of that place.
#ifndef CONFORMANCE_ADAPTERS_WIRE_DOOR_H_
#define CONFORMANCE_ADAPTERS_WIRE_DOOR_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/driver/driver.h"
#include "model/base/duration.h"

namespace cm::live {

using Bytes = std::vector<uint8_t>;

class Door {
 public:
  virtual ~Door() = default;
  virtual Instant Now() = 0;
  // A frame that cannot be sent is lost, as on any wire.
  virtual void Send(std::span<const uint8_t> frame) = 0;
  // The next frame, if one comes until then. Never one of ours.
  virtual std::optional<Bytes> Receive(Instant until) = 0;
  // What carries out the lines of the peer's application; null where the peer is what it is.
  virtual Driver* application() { return nullptr; }
  // Whether it has a time of its own, so that a wait of it goes on while frames are received.
  virtual bool application_is_apart() const { return false; }
};

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_DOOR_H_
