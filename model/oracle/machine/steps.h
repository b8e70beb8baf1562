// Hidden steps: events that may happen, and must have happened, between two observations.
#ifndef MODEL_ORACLE_MACHINE_STEPS_H_
#define MODEL_ORACLE_MACHINE_STEPS_H_

#include <cstdint>
#include <functional>
#include <limits>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/fault_model.h"
#include "model/oracle/belief/state.h"
#include "model/oracle/machine/delivery.h"
#include "model/oracle/machine/machine.h"

namespace cm::model {

// When what need not happen has to, in ns.
inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max() / 4;

class Steps {
 public:
  // `sender`: in a crowd, the one whose request may be the one that is shown, if the step is its.
  using Take = std::function<void(Possibility, IdRef sender)>;

  // What becomes of a possibility that is expanded.
  enum class Remains : uint8_t {
    kMayStay,
    kIsOverdue,   // something in it must have happened
    kIsStoodFor,  // by the one that it leads to
  };

  // The steps of one possibility: expansion.h.
  class Expansion;

  // The references outlive it.
  Steps(const ConversationFacts& facts, const FaultModel& fault_model, const Machine& machine,
        const Delivery& delivery)
      : facts_(facts), fault_model_(fault_model), machine_(machine), delivery_(delivery) {}

  // Nothing is on the channel of a listener, which those that ask it are judged apart from: drops
  // requests that had to be there by then, and notes of the others that they have not come. False
  // where one has come for certain.
  bool StaysAway(Possibility* p, ChannelRef channel, const Window& window) const;
  // When a request of the id has come to that listener for certain, at the latest.
  int64_t ComesBy(const Possibility& p, IdRef asker, const Window& window) const;
  // When its request, or the next one, may come there, at the earliest.
  int64_t ComesFrom(const Possibility& p, IdRef asker) const;

 private:
  // It comes to where it asks, whatever else may be.
  bool ComesForCertain(const Possibility& p, const Flight& request, Span when) const;
  // When a step may happen and when it must have: it is skipped when too early.
  struct Due {
    int64_t not_before = 0;
    int64_t not_after = 0;
  };

  Due Prompt(Span since, const Window& window, int64_t late = 0) const;
  Due Timer(Span since, Duration nominal) const;

  const ConversationFacts& facts_;
  const FaultModel& fault_model_;
  const Machine& machine_;
  const Delivery& delivery_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_STEPS_H_
