// Which fields of a frame are not free, what each has to be, and who says so.
//
// Data, for a judge of captures and its tests to go through:
//
// 1. Rows with the same id are alternatives. Those count that are about this message, whose
//    condition holds, and whose message `of` was seen; when any of them count, one has to hold.
// 2. A relation to another message is to one of the same exchange: what both sides say between a
//    REQ and the end of its connection, or between a SIDR_REQ and its SIDR_REP. Of those it is any
//    earlier one: two DREQs may both be there to be answered.
// 3. Rows say what Linux does where that is narrower than what IBTA permits; the source tells.
// 4. A field that may have every value of its width has no row, though it is an exponent or a
// count; nor has the number of a queue pair in a REQ or REP: of an id without one an application
// says which it wants, and nobody looks at it. source: linux 6.1 cma.c rdma_connect_locked,
// rdma_accept
#ifndef MODEL_MAD_CONSTRAINTS_H_
#define MODEL_MAD_CONSTRAINTS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "model/mad/messages.h"

namespace cm::mad {

enum class Relation : uint8_t {
  kRange,         // low <= value <= high
  kEchoes,        // is `of_field` of an `of` that the other side sent
  kRepeats,       // is `of_field` of an `of` that the same side sent
  kNew,           // is not `of_field` of any `of` of the same side but its own repetitions
  kReservedZero,  // every reserved field of the message is 0; without a field
  kConstant,      // a repetition is the same MAD, byte for byte; without a field
};

// Holds when a field of the same message is in the range; without a field always.
struct Condition {
  std::string_view field;
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const Condition&, const Condition&) = default;
};

inline constexpr Attribute kEveryMessage{0};

// Fields are paths as in text.h.
struct Constraint {
  std::string_view id;  // permanent
  Attribute message = kEveryMessage;
  std::string_view field;
  Relation relation = Relation::kRange;
  uint64_t low = 0;  // kRange
  uint64_t high = 0;
  Attribute of = kEveryMessage;  // kEchoes, kRepeats, kNew
  std::string_view of_field;
  Condition when;
  std::string_view says;
  std::string_view source;
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

std::span<const Constraint> Constraints();

}  // namespace cm::mad

#endif  // MODEL_MAD_CONSTRAINTS_H_
