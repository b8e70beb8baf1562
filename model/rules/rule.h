// What every row of every table has, and sets to say "in any of these states".
#ifndef MODEL_RULES_RULE_H_
#define MODEL_RULES_RULE_H_

#include <cstdint>
#include <string_view>

#include "model/base/errno.h"

namespace cm::model {

// A set of values of an enumeration with at most 63 of them.
template <typename E>
class Set {
 public:
  constexpr Set() = default;
  constexpr Set(E one)
      : bits_(uint64_t{1} << static_cast<unsigned>(one)) {}  // NOLINT: one is a set
  static constexpr Set All(int count) { return FromBits((uint64_t{1} << count) - 1); }

  constexpr bool Has(E e) const { return (bits_ >> static_cast<unsigned>(e)) & 1; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr Set operator|(Set a, Set b) { return FromBits(a.bits_ | b.bits_); }
  constexpr Set Except(Set other) const { return FromBits(bits_ & ~other.bits_); }
  friend constexpr bool operator==(Set, Set) = default;

 private:
  static constexpr Set FromBits(uint64_t bits) {
    Set s;
    s.bits_ = bits;
    return s;
  }
  uint64_t bits_ = 0;
};

// How a call answers. A refusal is an outcome like any other.
enum class OutcomeKind : uint8_t {
  kReturns,  // 0, or -1 with the errno
  kBlocks,   // until something else happens
  kCrashes,  // undefined: the real library dies
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::kReturns;
  Errno error = Errno::kNone;
  friend constexpr bool operator==(const Outcome&, const Outcome&) = default;
};

constexpr Outcome Returns(Errno error = Errno::kNone) { return {OutcomeKind::kReturns, error}; }
inline constexpr Outcome kBlocks{OutcomeKind::kBlocks, Errno::kNone};
inline constexpr Outcome kCrashes{OutcomeKind::kCrashes, Errno::kNone};

// Where a row is written down, and where it was seen.
struct Evidence {
  std::string_view source;    // "man rdma_connect(3)", "linux 6.1 cma.c rdma_connect_locked"
  std::string_view observed;  // "6.1-rxe/33-connect_misuse:12", a recording and a line of it; or ""
};

}  // namespace cm::model

#endif  // MODEL_RULES_RULE_H_
