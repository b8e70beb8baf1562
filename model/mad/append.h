// Appends headers to the bytes of a frame: for the sources that fill in whole packets.
#ifndef MODEL_MAD_APPEND_H_
#define MODEL_MAD_APPEND_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/mad/field.h"
#include "model/mad/icrc.h"
#include "model/mad/packet.h"

namespace cm::mad::internal {

template <typename M>
void Append(const M& layer, std::vector<uint8_t>* bytes) {
  bytes->resize(bytes->size() + kSize<M>);
  Put(layer, bytes->data() + bytes->size() - kSize<M>);
}

// With protocol, length and checksum; `length` is that of what follows the header.
inline void AppendIp(Ipv4 ip, uint8_t protocol, size_t length, std::vector<uint8_t>* bytes) {
  ip.protocol = protocol;
  ip.total_length = static_cast<uint16_t>(kSize<Ipv4> + length);
  std::array<uint8_t, kSize<Ipv4>> header{};
  Put(ip, header.data());
  ip.checksum = ChecksumOf(std::span<const uint8_t, kSize<Ipv4>>(header));
  Append(ip, bytes);
}

inline void AppendIp(Ipv6 ip, uint8_t protocol, size_t length, std::vector<uint8_t>* bytes) {
  ip.next_header = protocol;
  ip.payload_length = static_cast<uint16_t>(length);
  Append(ip, bytes);
}

}  // namespace cm::mad::internal

#endif  // MODEL_MAD_APPEND_H_
