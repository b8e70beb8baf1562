// Steps that walks share: one call on an id, so that walks can list them by weight.
#ifndef CONFORMANCE_WALKS_STEPS_H_
#define CONFORMANCE_WALKS_STEPS_H_

#include "conformance/walks/conversation_builder.h"

namespace cm {

class Steps {
 protected:
  explicit Steps(ConversationBuilder& builder) : builder_(builder) {}

  void Shows(IdRef id) { builder_.Call(call::Show{id}); }
  void Listens(IdRef id) { builder_.Call(call::Listen{id, 2}); }
  void Establishes(IdRef id) { builder_.Call(call::Establish{id}); }
  void Disconnects(IdRef id) { builder_.Call(call::Disconnect{id}); }
  void Destroys(IdRef id) { builder_.Call(call::DestroyId{id}); }
  void MakesQp(IdRef id) { builder_.Call(call::CreateQp{id}); }
  void DestroysQp(IdRef id) { builder_.Call(call::DestroyQp{id}); }

  ConversationBuilder& builder_;
};

}  // namespace cm

#endif  // CONFORMANCE_WALKS_STEPS_H_
