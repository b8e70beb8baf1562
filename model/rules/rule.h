// What every row of every table has, and sets to say "in any of these states".
#ifndef MODEL_RULES_RULE_H_
#define MODEL_RULES_RULE_H_

#include <cstdint>
#include <string_view>

#include "model/base/errno.h"

namespace cm::model {

// A set of values of an enumeration with at most 128 of them.
template <typename E>
class Set {
 public:
  constexpr Set() = default;
  constexpr Set(E one) {  // NOLINT: one is a set
    const auto n = static_cast<unsigned>(one);
    (n < 64 ? low_ : high_) = uint64_t{1} << n % 64;
  }
  static constexpr Set All(int count) {
    const auto first = [](int n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; };
    return FromBits(first(count), count > 64 ? first(count - 64) : 0);
  }

  constexpr bool Has(E e) const {
    const auto n = static_cast<unsigned>(e);
    return ((n < 64 ? low_ : high_) >> n % 64) & 1;
  }
  constexpr bool empty() const { return low_ == 0 && high_ == 0; }
  friend constexpr Set operator|(Set a, Set b) {
    return FromBits(a.low_ | b.low_, a.high_ | b.high_);
  }
  friend constexpr Set operator&(Set a, Set b) {
    return FromBits(a.low_ & b.low_, a.high_ & b.high_);
  }
  constexpr Set Except(Set other) const {
    return FromBits(low_ & ~other.low_, high_ & ~other.high_);
  }
  friend constexpr bool operator==(Set, Set) = default;

 private:
  static constexpr Set FromBits(uint64_t low, uint64_t high) {
    Set s;
    s.low_ = low;
    s.high_ = high;
    return s;
  }
  uint64_t low_ = 0;   // values from 0
  uint64_t high_ = 0;  // values from 64
};

// How a call answers. A refusal is an outcome like any other.
enum class OutcomeKind : uint8_t {
  kReturns,      // 0, or -1 with the errno
  kReturnsCode,  // a number of the resolver's, and no errno
  kBlocks,       // until something else happens
  kCrashes,      // undefined: the real library dies
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::kReturns;
  Errno error = Errno::kNone;
  int8_t code = 0;
  friend constexpr bool operator==(const Outcome&, const Outcome&) = default;
};

constexpr Outcome Returns(Errno error = Errno::kNone) { return {OutcomeKind::kReturns, error}; }
// -1 with a number below 0 for the errno: the caller's own -1, or one of the resolver's.
constexpr Outcome ReturnsOdd(int8_t number) {
  return {OutcomeKind::kReturns, static_cast<Errno>(number)};
}
constexpr Outcome ReturnsCode(int8_t code) {
  return {OutcomeKind::kReturnsCode, Errno::kNone, code};
}
inline constexpr Outcome kBlocks{OutcomeKind::kBlocks, Errno::kNone};
inline constexpr Outcome kCrashes{OutcomeKind::kCrashes, Errno::kNone};

// Where a row is written down, and where it was seen.
struct Evidence {
  std::string_view source;    // "man rdma_connect(3)", "linux 6.1 cma.c rdma_connect_locked"
  std::string_view observed;  // "6.1-rxe/33-connect_misuse:12", a recording and a line of it; or ""
};

}  // namespace cm::model

#endif  // MODEL_RULES_RULE_H_
