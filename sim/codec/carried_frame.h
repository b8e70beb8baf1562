// A frame on its way between two devices: what captures are made of.
#ifndef SIM_CODEC_CARRIED_FRAME_H_
#define SIM_CODEC_CARRIED_FRAME_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/duration.h"

namespace cm::sim {

struct CarriedFrame {
  Instant shown;  // in a capture of all hosts
  Instant sent;
  std::optional<Instant> arrives;  // empty: the receiver does not see it
  std::optional<Instant> again;    // the second time, where it is doubled
  uint8_t from = 0;
  uint8_t to = 0;
  bool corrupt = false;  // the bytes have a wrong CRC, which it got on its way
  bool doubled = false;
  std::vector<uint8_t> bytes;
};

}  // namespace cm::sim

#endif  // SIM_CODEC_CARRIED_FRAME_H_
