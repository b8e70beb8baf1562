// What is certain of ids after an observation, whatever its explanation.
#ifndef MODEL_ORACLE_JUDGE_LEARNING_H_
#define MODEL_ORACLE_JUDGE_LEARNING_H_

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/fault_model.h"
#include "model/oracle/belief/state.h"
#include "model/oracle/judge/components.h"
#include "model/oracle/machine/machine.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/reply.h"

namespace cm::model {

class Learning {
 public:
  // The references outlive it.
  Learning(ConversationFacts& facts, FaultModel& fault_model, const Machine& machine,
           Components& components)
      : facts_(facts), fault_model_(fault_model), machine_(machine), components_(components) {}

  // A call of the lane has made the id.
  void NewId(Lane lane, IdRef id, ChannelRef channel, PortSpace space);
  // The call has returned by the row. `when`: its time.
  void FromRow(IdRef id, const Call& call, const CallRule& rule, Span when);
  // A call that may name a queue pair, by a row that fits, in one state of the id.
  void FromQpNumber(const CallRule& rule, const Call& call, const IdState& id);
  // The depths that a call names.
  void FromDepths(const Call& call);
  // What the library fills in when the application gets the event. `p`: one possibility after it;
  // `request`: the new id of a request.
  void FromEvent(const CmEvent& event, const Possibility& p, IdRef request);

  // Whether something is learned from the effect over the transport.
  static bool Learns(Effect effect, Transport transport);

 private:
  void FromRequest(IdRef listener, const Possibility& p, IdRef request);

  ConversationFacts& facts_;
  FaultModel& fault_model_;
  const Machine& machine_;
  Components& components_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_LEARNING_H_
