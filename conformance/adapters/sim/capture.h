// The wire messages of a conversation on the simulator, as a capture file for Wireshark.
#ifndef CONFORMANCE_ADAPTERS_SIM_CAPTURE_H_
#define CONFORMANCE_ADAPTERS_SIM_CAPTURE_H_

#include <cstddef>
#include <string>
#include <variant>

#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"

namespace cm {

struct CaptureOptions {
  bool with_lost = true;  // with lost messages: as seen by the senders
};

struct Capture {
  std::string file;  // libpcap's format, nanoseconds of virtual time since the epoch
  size_t frames = 0;
  size_t lost = 0;  // of the frames that were sent
};

// The capture, or the error in one line.
std::variant<Capture, std::string> CaptureOf(const Conversation& conversation,
                                             const Profile& profile, CaptureOptions options);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_SIM_CAPTURE_H_
