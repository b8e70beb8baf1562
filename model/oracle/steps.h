// Hidden steps: events that may happen, and must have happened, between two observations.
#ifndef MODEL_ORACLE_STEPS_H_
#define MODEL_ORACLE_STEPS_H_

#include <functional>
#include <string>
#include <vector>

#include "model/oracle/conversation_facts.h"
#include "model/oracle/fault_model.h"
#include "model/oracle/machine.h"
#include "model/oracle/state.h"

namespace cm::model {

// Maximum possibilities of a component before the oracle gives up.
inline constexpr size_t kMostPossibilities = 16384;

class Steps {
 public:
  // The library's processing of the first event of an id that a synchronous call waits on.
  using Takes = std::function<void(Possibility*, uint8_t id, Span when)>;

  Steps(const ConversationFacts& facts, const FaultModel& fault_model, Takes takes);

  // Closes the set over everything that may have happened by window.end, and drops possibilities
  // with an overdue event. False when there are too many. `overdue` names the missing event, if
  // nothing is left.
  bool Close(PossibilitySet* set, const Window& window, std::vector<std::string>* overdue) const;

 private:
  // When a step may happen and when it must have: it is skipped when too early.
  struct Due {
    int64_t not_before = 0;
    int64_t not_after = 0;
  };
  class Walk;

  // The remaining set; `overdue` as above.
  static void KeepWhatMayStay(Walk* walk, PossibilitySet* set, std::vector<std::string>* overdue);
  Due Prompt(Span since, const Window& window, int64_t late = 0) const;
  Due Timer(Span since, Duration nominal) const;

  const ConversationFacts& facts_;
  const FaultModel& fault_model_;
  Machine machine_;
  Takes takes_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_STEPS_H_
