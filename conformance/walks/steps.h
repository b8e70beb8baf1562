// Steps that walks share: one call on an id, so that walks can list them by weight.
#ifndef CONFORMANCE_WALKS_STEPS_H_
#define CONFORMANCE_WALKS_STEPS_H_

#include "conformance/walks/stage.h"

namespace cm {

class Steps {
 protected:
  explicit Steps(Stage& stage) : stage_(stage) {}

  void Shows(IdRef id) { stage_.Call(call::Show{id}); }
  void Listens(IdRef id) { stage_.Call(call::Listen{id, 2}); }
  void Establishes(IdRef id) { stage_.Call(call::Establish{id}); }
  void Disconnects(IdRef id) { stage_.Call(call::Disconnect{id}); }
  void Destroys(IdRef id) { stage_.Call(call::DestroyId{id}); }
  void MakesQp(IdRef id) { stage_.Call(call::CreateQp{id}); }
  void DestroysQp(IdRef id) { stage_.Call(call::DestroyQp{id}); }

  Stage& stage_;
};

}  // namespace cm

#endif  // CONFORMANCE_WALKS_STEPS_H_
