// What is posted to queues and what completes: work requests, memory regions, completions.
#ifndef MODEL_VOCABULARY_WORK_H_
#define MODEL_VOCABULARY_WORK_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/base/inline_vector.h"
#include "model/vocabulary/names.h"

namespace cm {

// struct ibv_sge: a piece of a region. It may reach beyond the region's end, which is refused.
struct Sge {
  MrRef mr;
  uint32_t offset = 0;
  uint32_t length = 0;
  friend constexpr bool operator==(const Sge&, const Sge&) = default;
};
// Where a read or a write takes place: within a region of the peer's.
struct RemotePlace {
  MrRef mr;
  uint32_t offset = 0;
  friend constexpr bool operator==(const RemotePlace&, const RemotePlace&) = default;
};
// As many as a conversation can name; a queue of it takes fewer.
using Sges = InlineVector<Sge, 4>;

constexpr uint32_t LengthOf(const Sges& sges) {
  uint32_t length = 0;
  for (const Sge& sge : sges) length += sge.length;
  return length;
}

// What a queue pair or a shared receive queue is asked to hold, and does.
struct QueueLimits {
  static constexpr uint32_t kWork = 7;  // requests of one queue, and completions of its CQ
  static constexpr uint32_t kSges = 2;
  static constexpr uint32_t kInline = 32;  // bytes
};

// source: <infiniband/verbs.h> enum ibv_send_flags
inline constexpr uint8_t kSignaled = 2;
inline constexpr uint8_t kSolicited = 4;
inline constexpr uint8_t kInline = 8;

// The registered memory of one region is at most so long.
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

// "IBV_WC_SUCCESS"; "IBV_WC_UNKNOWN" for one that no conversation knows.
std::string_view ToString(WcStatus status);
std::optional<WcStatus> ParseWcStatus(std::string_view name);
// "IBV_WC_SEND"
std::string_view ToString(WcOpcode opcode);
std::optional<WcOpcode> ParseWcOpcode(std::string_view name);

// struct ibv_wc. Opcode, length and bytes are there when the status is success; the length where
// something was received or read.
struct Completion {
  WcStatus status = WcStatus::kSuccess;
  WcOpcode opcode = WcOpcode::kSend;
  uint16_t context = 0;  // wr_id
  uint32_t length = 0;
  uint32_t bytes = 0;  // what the buffers of a receive or a read hold then, see BytesDigest
  friend constexpr bool operator==(const Completion&, const Completion&) = default;
};

// What the buffer of a region of this name holds before anybody writes into it.
constexpr uint8_t PatternAt(std::string_view region, uint32_t offset) {
  uint32_t seed = 1;
  for (const char c : region) seed = 31 * seed + static_cast<uint8_t>(c);
  return static_cast<uint8_t>(31 * seed + 7 * offset + offset / 251);
}

// FNV-1a over the pieces of a buffer, one after the other; 0 is of none.
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
