// Three-valued truth: yes, no, or unknown.
#ifndef MODEL_ORACLE_BELIEF_CERTAINTY_H_
#define MODEL_ORACLE_BELIEF_CERTAINTY_H_

#include <cstdint>

namespace cm::model {

enum class Certainty : uint8_t { kNo, kMaybe, kYes };

constexpr Certainty Of(bool yes) { return yes ? Certainty::kYes : Certainty::kNo; }

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_CERTAINTY_H_
