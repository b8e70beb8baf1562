// The IP packet in a captured frame, without the link's headers and trailers: any number of VLAN
// tags, the header of a Linux cooked capture, padding, a frame check sequence.
#ifndef MODEL_CAPTURE_IP_PACKET_H_
#define MODEL_CAPTURE_IP_PACKET_H_

#include <cstdint>
#include <optional>
#include <span>

#include "model/mad/frame.h"

namespace cm::wire {

// The captured part of the packet, a part of `frame`; empty where the frame has none.
std::optional<std::span<const uint8_t>> IpPacketIn(std::span<const uint8_t> frame,
                                                   mad::LinkType link);

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_IP_PACKET_H_
