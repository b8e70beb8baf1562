// How a host learns the hardware address of a destination that it resolves.
#ifndef MODEL_ORACLE_BELIEF_ASKING_H_
#define MODEL_ORACLE_BELIEF_ASKING_H_

#include "model/oracle/belief/certainty.h"

namespace cm::model {

struct Asking {
  // False: at once. True: it may have to ask, and the end may take the whole time-out, also where
  // it is answered. source: linux 6.1 addr.c process_one_req
  bool asks = false;
  Certainty answered = Certainty::kYes;
  friend bool operator==(const Asking&, const Asking&) = default;
};
inline constexpr Asking kUnanswered{.asks = true, .answered = Certainty::kNo};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_ASKING_H_
