// References of a state that is assigned a state of the same conversation: each keeps its own.
#ifndef MODEL_ORACLE_BELIEF_FIXED_H_
#define MODEL_ORACLE_BELIEF_FIXED_H_

namespace cm::model {

// A base of what has a `const Topology& topology_` and the like, so that the rest of it can be
// assigned member by member, into memory that it has already.
template <typename References>
struct Fixed : References {
  explicit Fixed(const References& references) : References(references) {}
  Fixed(const Fixed&) = default;
  Fixed& operator=(const Fixed&) { return *this; }  // NOLINT: they stay as they are
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_FIXED_H_
