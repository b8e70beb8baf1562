// When a fault was injected, among the times and among the lines of the conversation.
#ifndef MODEL_ORACLE_BELIEF_MOMENT_H_
#define MODEL_ORACLE_BELIEF_MOMENT_H_

#include <cstdint>
#include <limits>

#include "model/oracle/belief/state.h"

namespace cm::model {

struct Moment {
  // A change that follows a fault by itself has no place among the lines.
  static constexpr uint8_t kByItself = std::numeric_limits<uint8_t>::max();

  int64_t at = -1;             // nanoseconds; before everything else
  uint8_t number = kByItself;  // of the fault, from 1

  // Whether the message was sent later, for certain. A call behind the fault has sent it later also
  // at the same instant.
  bool Precedes(const Flight& flight) const {
    return flight.since.earliest > at || flight.faults >= number;
  }
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_MOMENT_H_
