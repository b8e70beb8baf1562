// Misuse by the application: only in conversations with the capability, because the real library
// reads freed memory.
#include "conformance/walks/walks.h"

namespace cm {
namespace {

// Any call on the id, on a thread of its own.
void CallOn(ConversationBuilder& builder, uint8_t side, IdRef id) {
  builder.Call(builder.OneOf<Call>({call::DestroyId{id}, call::Disconnect{id}, call::Listen{id, 1},
                                    call::BindAddr{id, builder.AddressOf(side, builder.Port(3))},
                                    call::Connect{id, ConnParam{}}, call::Show{id}},
                                   "which call"));
}

}  // namespace

void Misuses(ConversationBuilder& builder) {
  builder.Listens(kPassiveSide);
  const auto [active, passive] = builder.Connection(kActiveSide);
  const uint8_t side = builder.AnySide();
  const IdRef id = side == kActiveSide ? active : passive;
  const ChannelRef channel = builder.ChannelOf(side);
  const Lane lane = LaneOf(side);
  switch (builder.Below(5, "which misuse")) {
    case 0:
      builder.Destroys(id);
      return CallOn(builder, side, id);
    case 1:
      builder.Call(call::DestroyEventChannel{channel});
      return CallOn(builder, side, id);
    case 2:
      builder.Call(call::DestroyEventChannel{channel});
      if (builder.OneIn(2, "a new id")) {
        builder.NewId(side, channel);
      } else {
        builder.Fetch(lane, channel, false);
      }
      return;
    case 3:
      builder.Disconnects(side == kActiveSide ? passive : active);
      builder.Settle();
      builder.Fetch(lane, channel, true);
      return builder.Call(call::AckCmEvent{builder.names().LastEvent()});
    default:
      builder.Disconnects(side == kActiveSide ? passive : active);
      builder.Settle();
      builder.Fetch(lane, channel, false);
      return builder.Call({.side = side, .number = 2}, call::DestroyId{id});
  }
}

}  // namespace cm
