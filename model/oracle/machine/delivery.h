// What librdmacm makes of the first event of an id: what the application gets to see of it, what
// the library keeps to itself, and what it does meanwhile.
#ifndef MODEL_ORACLE_MACHINE_DELIVERY_H_
#define MODEL_ORACLE_MACHINE_DELIVERY_H_

#include <cstdint>
#include <utility>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/fault_model.h"
#include "model/oracle/belief/state.h"
#include "model/oracle/machine/effects.h"
#include "model/oracle/machine/machine.h"
#include "model/vocabulary/reply.h"

namespace cm::model {

class Delivery {
 public:
  // The references outlive it.
  Delivery(const ConversationFacts& facts, const FaultModel& fault_model, const Machine& machine,
           const RowExecutor& executor)
      : facts_(facts), fault_model_(fault_model), machine_(machine), executor_(executor) {}

  // The row for the first event of an id, if the application gets to see it; else null.
  const FetchRule* HeadRule(const Possibility& p, uint8_t id) const;
  // The event that the application gets by the row. The name of a new id is left open.
  CmEvent EventBy(const FetchRule& rule, const Possibility& p, uint8_t id) const;
  // Whether the first event of the id may be read as `seen`, by the row.
  bool MayBe(const CmEvent& seen, const FetchRule& rule, const Possibility& p, uint8_t id) const;
  // Whether an event of the id with that payload may show the number as that of a queue pair. By
  // the event's type, as it was queued or as it was delivered.
  bool MayHaveNumber(uint32_t seen, IdRef id, EventType type, uint16_t payload) const;
  // Whether a request with that payload may be read as `seen`, which the listener shows.
  bool MayShow(const CmEvent& seen, IdRef listener, uint16_t payload) const;
  // Adds what the library reads in the payload of an event of the id.
  void Fill(CmEvent* event, IdRef id, EventType queued, uint16_t payload) const;

  // The event goes to the application, by the row. `request`: the name of a new id.
  void Take(Possibility* p, uint8_t id, const FetchRule& rule, IdRef request, Span when) const;
  // Calls `use(possibility)` for each event that may be the first of the id: there it is.
  template <typename Use>
  static void ForEachFirst(Possibility p, uint8_t id, Use use) {
    const size_t requests = p.ids[id].FirstRequests();
    if (requests < 2) {
      if (!p.ids[id].queue.empty()) use(std::move(p));
      return;
    }
    for (size_t place = 0; place < requests; ++place) {
      if (!p.ids[id].MayBeFirst(place)) continue;
      Possibility first = p;
      first.ids[id].MakeFirst(place);
      use(std::move(first));
    }
  }
  // The library takes the first event of an id that a thread waits on.
  void TakeAwaited(Possibility* p, uint8_t id, Span when) const;
  // Takes an event of an id that may be the first, if it is one that the library keeps from the
  // application.
  bool Swallow(Possibility* p, uint8_t id, Span when) const;
  // An event of the channel's ids is unread that the application gets to see.
  bool Shows(const Possibility& p, ChannelRef channel) const;
  // No event of the channel's ids is unread.
  bool IsDrained(const Possibility& p, ChannelRef channel) const;
  // The same, after the library has taken what it keeps from the application.
  bool Drain(Possibility* p, ChannelRef channel, Span when) const;

 private:
  // Of the event in that place of the id's queue.
  const FetchRule* RuleOf(const Possibility& p, uint8_t id, size_t place = 0) const;
  FetchGuard GuardOf(const Possibility& p, uint8_t id, size_t place) const;
  bool ReplyCanBeFollowed(const IdState& id, const Pending& reply) const;

  const ConversationFacts& facts_;
  const FaultModel& fault_model_;
  const Machine& machine_;
  const RowExecutor& executor_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_DELIVERY_H_
