// Misuse by the application: only in conversations with the capability, because the real library
// reads freed memory.
#include <array>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

// Any call on the id, on a thread of its own.
void CallOn(Stage& stage, uint8_t side, IdRef id) {
  switch (stage.Below(6, "which call")) {
    case 0:
      return stage.Call(call::DestroyId{id});
    case 1:
      return stage.Call(call::Disconnect{id});
    case 2:
      return stage.Call(call::Listen{id, 1});
    case 3:
      return stage.Call(call::BindAddr{id, stage.AddressOf(side, stage.Port(3))});
    case 4:
      return stage.Call(call::Connect{id, ConnParam{}});
    default:
      return stage.Call(call::Show{id});
  }
}

}  // namespace

void Misuses(Stage& stage) {
  const uint16_t port = stage.Port(0);
  stage.Listens(kPassiveSide, port);
  const auto [active, passive] = stage.Connection(kActiveSide, port);
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
