// The invariant CRC of RoCEv2: of a packet from its IP header to its last byte before the CRC;
// fields that routers may change count as ones.
// source: linux 6.1 rxe_icrc.c rxe_icrc_hdr; ibta annex 17, 17.3.3
#ifndef MODEL_MAD_ICRC_H_
#define MODEL_MAD_ICRC_H_

#include <cstdint>
#include <span>

namespace cm::mad {

// CRC-32 of Ethernet over `bytes`, going on from `state`: all ones at the beginning, complemented
// at the end.
uint32_t Crc32(uint32_t state, std::span<const uint8_t> bytes);

// The CRC of a packet that begins with an IPv4 header without options or with an IPv6 header
// without extensions, then UDP and BTH; the last bytes are its payload. As Icrc::value has it: the
// byte that is sent first is the most significant.
uint32_t IcrcOf(std::span<const uint8_t> packet);

// The correct checksum of an IPv4 header, whatever it contains. source: rfc 791, 3.1
uint16_t ChecksumOf(std::span<const uint8_t, 20> ipv4);

}  // namespace cm::mad

#endif  // MODEL_MAD_ICRC_H_
