// Hidden steps: events that may happen, and must have happened, between two observations.
#ifndef MODEL_ORACLE_MACHINE_STEPS_H_
#define MODEL_ORACLE_MACHINE_STEPS_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/fault_model.h"
#include "model/oracle/belief/state.h"
#include "model/oracle/machine/aim.h"
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

  // The references outlive it.
  Steps(const ConversationFacts& facts, const FaultModel& fault_model, const Machine& machine,
        const Delivery& delivery)
      : facts_(facts), fault_model_(fault_model), machine_(machine), delivery_(delivery) {}

  // Calls `take` with each possibility that one step of `p` leads to, by window.end, as far as the
  // step makes a difference to the aim. `remains` is set before the first of them, and
  // `cuts` where there are more senders of requests that look like the one that is shown.
  void Expand(const Possibility& p, const Window& window, const Aim& aim, const Take& take,
              Remains* remains, bool* cuts) const;
  // Those that are judged apart have repeated their requests as they had to by window.begin.
  void RepeatApart(Possibility* p, const Window& window) const;
  // The same where it has done so once more, which need not be yet; none where that cannot be.
  std::optional<Possibility> WithRepetition(const Possibility& p, IdRef asker,
                                            const Window& window) const;
  // The same where one of these has met the request of such a one in a queue, which is answered
  // with an MRA; none where that cannot be.
  std::optional<Possibility> WithMra(const Possibility& p, IdRef asker, const Window& window) const;
  // Whether a step that makes a difference to the aim may happen by window.end.
  bool MayGoOn(const Possibility& p, const Window& window, const Aim& aim) const;
  // Nothing is on the channel of a listener, which those that ask it are judged apart from: drops
  // requests that had to be there by then, and notes of the others that they have not come. False
  // where one has come for certain.
  bool StaysAway(Possibility* p, ChannelRef channel, const Window& window) const;
  // When a request of the id has come to that listener for certain, at the latest.
  int64_t ComesBy(const Possibility& p, IdRef asker, const Window& window) const;
  // When its request, or the next one, may come there, at the earliest.
  int64_t ComesFrom(const Possibility& p, IdRef asker) const;
  // A step that had to happen before window.begin and makes a difference to the aim; empty when
  // there is none.
  std::string Overdue(const Possibility& p, const Window& window, const Aim& aim) const;

 private:
  // It comes to where it asks, whatever else may be.
  bool ComesForCertain(const Possibility& p, const Flight& request, Span when) const;
  // When a step may happen and when it must have: it is skipped when too early.
  struct Due {
    int64_t not_before = 0;
    int64_t not_after = 0;
  };
  class Expansion;

  Due Prompt(Span since, const Window& window, int64_t late = 0) const;
  Due Timer(Span since, Duration nominal) const;

  const ConversationFacts& facts_;
  const FaultModel& fault_model_;
  const Machine& machine_;
  const Delivery& delivery_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_STEPS_H_
