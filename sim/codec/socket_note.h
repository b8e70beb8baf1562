// What a program's socket of TCP or UDP sends to another host, for captures.
#ifndef SIM_CODEC_SOCKET_NOTE_H_
#define SIM_CODEC_SOCKET_NOTE_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/duration.h"
#include "model/mad/messages.h"

namespace cm::sim {

struct SocketEnd {
  mad::Gid address{};  // one of IPv4 is mapped into IPv6
  uint16_t port = 0;   // 0: not known
  friend auto operator<=>(const SocketEnd&, const SocketEnd&) = default;
};

struct SocketNote {
  enum class What : uint8_t {
    kSyn,
    kSynAck,
    kRefusal,  // the answer to a SYN in place of SYN+ACK
    kData,
    kFin,
    kClose,  // of a descriptor: a FIN where nothing is sent after it
    kReset,  // what has arrived finds no socket
    kDatagram,
  };
  What what = What::kData;
  Instant at;                      // of sending
  std::optional<Instant> arrives;  // empty: it is lost
  SocketEnd from;
  SocketEnd to;
  uint64_t socket = 0;  // of the sender: equal for one socket
  uint64_t number = 0;  // of the message among those of its socket; the same when it is sent again
  std::vector<uint8_t> bytes;
};

}  // namespace cm::sim

#endif  // SIM_CODEC_SOCKET_NOTE_H_
