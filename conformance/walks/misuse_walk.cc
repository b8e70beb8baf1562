// What an application must not do, and does: only where a conversation asks for it, as the real
// library reads memory that is not there any more.
#include "conformance/walks/walks.h"

namespace cm {
namespace {

// Any call on the id, as one of its own thread.
void CallOn(Stage& stage, uint8_t side, IdRef id) {
  stage.Call(stage.OneOf<Call>({call::DestroyId{id}, call::Disconnect{id}, call::Listen{id, 1},
                                call::BindAddr{id, stage.AddressOf(side, stage.Port(3))},
                                call::Connect{id, ConnParam{}}, call::Show{id}},
                               "which call"));
}

}  // namespace

void Misuses(Stage& stage) {
  stage.Listens(kPassiveSide);
  const auto [active, passive] = stage.Connection(kActiveSide);
  const uint8_t side = stage.AnySide();
  const IdRef id = side == kActiveSide ? active : passive;
  const ChannelRef channel = stage.ChannelOf(side);
  const Lane lane = Stage::MainLane(side);
  switch (stage.Below(5, "which misuse")) {
    case 0:
      stage.Destroys(id);
      return CallOn(stage, side, id);
    case 1:
      stage.Call(call::DestroyEventChannel{channel});
      return CallOn(stage, side, id);
    case 2:
      stage.Call(call::DestroyEventChannel{channel});
      if (stage.OneIn(2, "a new id")) {
        stage.NewId(side, channel);
      } else {
        stage.Fetch(lane, channel, false);
      }
      return;
    case 3:
      stage.Disconnects(side == kActiveSide ? passive : active);
      stage.Settle();
      stage.Fetch(lane, channel, true);
      return stage.Call(call::AckCmEvent{stage.LastEvent()});
    default:
      stage.Disconnects(side == kActiveSide ? passive : active);
      stage.Settle();
      stage.Fetch(lane, channel, false);
      return stage.Call({.side = side, .number = 2}, call::DestroyId{id});
  }
}

}  // namespace cm
