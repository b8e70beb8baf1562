// Rules for the fields of a frame that are not free: permitted values, and their source.
//
// Data, for a judge of captures and its tests:
//
// 1. Rows with the same id are alternatives. A row applies to a message of its kind when its
//    condition holds and its message `of` was seen; when any alternative applies, one must hold.
// 2. A relation to another message is to any earlier one of the same exchange, which is all
//    messages of both sides between a REQ and the end of its connection, or between a SIDR_REQ and
//    its SIDR_REP: two DREQs may both be waiting for an answer.
// 3. Rows say what Linux does where that is narrower than what IBTA permits; the source shows it.
// 4. A field that may have every value of its width has no row, even if it is an exponent or a
//    count; nor has the queue pair number in a REQ or REP: for an id without a queue pair the
//    application gives it, unchecked. source: linux 6.1 cma.c rdma_connect_locked, rdma_accept
#ifndef MODEL_MAD_CONSTRAINTS_H_
#define MODEL_MAD_CONSTRAINTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/vocabulary/mad_kind.h"

namespace cm::mad {

enum class Relation : uint8_t {
  kRange,         // low <= value <= high
  kEchoes,        // equals `of_field` of an `of` that the other side sent
  kRepeats,       // equals `of_field` of an `of` that the same side sent
  kNew,           // differs from `of_field` of every other `of` of the same side
  kReservedZero,  // every reserved field of the message is 0; has no field
  kConstant,      // a retransmission is the same MAD, byte for byte; has no field
};

// Holds when a field of the same message is in the range; without a field always.
struct Condition {
  std::string_view field;
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const Condition&, const Condition&) = default;
};

inline constexpr std::optional<MadKind> kEveryMessage;

// Fields are paths as in text.h.
struct Constraint {
  std::string_view id;  // permanent
  std::optional<MadKind> message = kEveryMessage;
  std::string_view field;
  Relation relation = Relation::kRange;
  uint64_t low = 0;  // kRange
  uint64_t high = 0;
  std::optional<MadKind> of = kEveryMessage;  // kEchoes, kRepeats, kNew
  std::string_view of_field;
  Condition when;
  std::string_view says;
  std::string_view source;
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

std::span<const Constraint> Constraints();

}  // namespace cm::mad

#endif  // MODEL_MAD_CONSTRAINTS_H_
