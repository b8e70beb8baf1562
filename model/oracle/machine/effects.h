// The effects of rows on a possibility: what a call does besides answering.
#ifndef MODEL_ORACLE_MACHINE_EFFECTS_H_
#define MODEL_ORACLE_MACHINE_EFFECTS_H_

#include <cstdint>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/state.h"
#include "model/oracle/machine/machine.h"
#include "model/vocabulary/call.h"

namespace cm::model {

class RowExecutor {
 public:
  // The references outlive it. Payloads that are new are added to the facts.
  RowExecutor(ConversationFacts& facts, const Machine& machine)
      : facts_(facts), machine_(machine) {}

  // Carries the row out on the id.
  void Apply(Possibility* p, uint8_t id, const CallRule& rule, const Call& call, Span when) const;
  // Carries one effect out. Nothing happens where the effect changes what is certain alone.
  void Carry(Possibility* p, uint8_t id, Effect effect, const Call& call, Span when) const;

  // Whether the effect changes possibilities over the transport.
  static bool Acts(Effect effect, Transport transport);

 private:
  ConversationFacts& facts_;
  const Machine& machine_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_EFFECTS_H_
