// Work requests, memory regions and completions.
#ifndef MODEL_VOCABULARY_WORK_H_
#define MODEL_VOCABULARY_WORK_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/base/inline_vector.h"
#include "model/vocabulary/names.h"

namespace cm {

// struct ibv_sge: an element in a region. It may reach beyond the region's end, which is refused.
struct Sge {
  MrRef mr;
  uint32_t offset = 0;
  uint32_t length = 0;
  friend constexpr bool operator==(const Sge&, const Sge&) = default;
};
// The remote range of a read or a write: within a region of the peer's.
struct RemotePlace {
  MrRef mr;
  uint32_t offset = 0;
  friend constexpr bool operator==(const RemotePlace&, const RemotePlace&) = default;
};
// The maximum that a conversation can express; its queues hold fewer.
using Sges = InlineVector<Sge, 4>;

constexpr uint32_t LengthOf(const Sges& sges) {
  uint32_t length = 0;
  for (const Sge& sge : sges) length += sge.length;
  return length;
}

// The depth of a queue pair or a shared receive queue of a conversation.
struct QueueLimits {
  static constexpr uint32_t kWork = 7;  // requests of one queue, and completions of its CQ
  static constexpr uint32_t kSges = 2;
  static constexpr uint32_t kInline = 32;  // bytes
};

// source: <infiniband/verbs.h> enum ibv_send_flags
inline constexpr uint8_t kSignaled = 2;
inline constexpr uint8_t kSolicited = 4;
inline constexpr uint8_t kInline = 8;

// The maximum length of a region's memory.
inline constexpr uint32_t kLongestRegion = 4096;

// source: <infiniband/verbs.h> enum ibv_wc_status
enum class WcStatus : uint8_t {
  kSuccess = 0,
  kLocLen = 1,
  kLocQpOp = 2,
  kLocProt = 4,
  kWrFlush = 5,
  kLocAccess = 8,
  kRemInvReq = 9,
  kRemAccess = 10,
  kRemOp = 11,
  kRetryExc = 12,
  kRnrRetryExc = 13,
  kGeneral = 21,
};
// source: <infiniband/verbs.h> enum ibv_wc_opcode
enum class WcOpcode : uint8_t { kSend = 0, kWrite = 1, kRead = 2, kReceive = 128 };

// "IBV_WC_SUCCESS"; "IBV_WC_UNKNOWN" for one that conversations do not have.
std::string_view ToString(WcStatus status);
std::optional<WcStatus> ParseWcStatus(std::string_view name);
// "IBV_WC_SEND"
std::string_view ToString(WcOpcode opcode);
std::optional<WcOpcode> ParseWcOpcode(std::string_view name);

// struct ibv_wc. Opcode, length and bytes are valid when the status is success; the length if data
// was received or read.
struct Completion {
  WcStatus status = WcStatus::kSuccess;
  WcOpcode opcode = WcOpcode::kSend;
  uint16_t context = 0;  // wr_id
  uint32_t length = 0;
  uint32_t bytes = 0;  // content of the buffers of a receive or a read, see BytesDigest
  friend constexpr bool operator==(const Completion&, const Completion&) = default;
};

// The initial content of the buffer of a region of this name.
constexpr uint8_t PatternAt(std::string_view region, uint32_t offset) {
  uint32_t seed = 1;
  for (const char c : region) seed = 31 * seed + static_cast<uint8_t>(c);
  return static_cast<uint8_t>(31 * seed + 7 * offset + offset / 251);
}

// FNV-1a over the elements of a buffer, in order; 0 for none.
class BytesDigest {
 public:
  constexpr void Add(uint8_t byte) {
    value_ = ((value_ == 0 ? 0x811c9dc5u : value_) ^ byte) * 0x01000193u;
  }
  constexpr void Add(std::span<const uint8_t> bytes) {
    for (const uint8_t byte : bytes) Add(byte);
  }
  constexpr uint32_t value() const { return value_; }

 private:
  uint32_t value_ = 0;
};

}  // namespace cm

#endif  // MODEL_VOCABULARY_WORK_H_
