// A packet between two queue pairs in RoCEv2, as a frame of Ethernet: what captures have besides
// messages of the CM.
#ifndef MODEL_MAD_DATA_PACKET_H_
#define MODEL_MAD_DATA_PACKET_H_

#include <cstdint>
#include <variant>
#include <vector>

#include "model/mad/packet.h"

namespace cm::mad {

// source: IBA 9.2; the first bits of an opcode are the transport: 0 reliable connection, 3 datagram
enum class DataOpcode : uint8_t {
  kSendFirst = 0x00,
  kSendMiddle = 0x01,
  kSendLast = 0x02,
  kSendLastImmediate = 0x03,
  kSendOnly = 0x04,
  kSendOnlyImmediate = 0x05,
  kWriteFirst = 0x06,
  kWriteMiddle = 0x07,
  kWriteLast = 0x08,
  kWriteLastImmediate = 0x09,
  kWriteOnly = 0x0a,
  kWriteOnlyImmediate = 0x0b,
  kReadRequest = 0x0c,
  kReadFirst = 0x0d,
  kReadMiddle = 0x0e,
  kReadLast = 0x0f,
  kReadOnly = 0x10,
  kAcknowledge = 0x11,
  kAtomicAcknowledge = 0x12,
  kCompareAndSwap = 0x13,
  kFetchAndAdd = 0x14,
  kDatagram = 0x64,
  kDatagramImmediate = 0x65,
};

struct DataPacket {
  Ethernet ethernet;
  std::variant<Ipv4, Ipv6> ip;
  Bth bth;
  std::vector<uint8_t> rest;  // extended headers and payload
};

// The whole frame: with types, lengths, checksum and CRC, and padded to four bytes.
std::vector<uint8_t> Seal(DataPacket packet);

}  // namespace cm::mad

#endif  // MODEL_MAD_DATA_PACKET_H_
