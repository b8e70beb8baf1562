#include "conformance/walks/conversation_builder.h"

namespace cm {

IdRef ConversationBuilder::Listens(uint8_t side, uint16_t port, int backlog, bool v6) {
  const IdRef id = NewId(side, ChannelOf(side));
  Call(call::BindAddr{id, AddressOf(side, port, v6)});
  Call(call::Listen{id, backlog});
  return id;
}

void ConversationBuilder::ResolvesPeer(IdRef id, uint16_t port, bool v6) {
  const uint8_t side = names().SideOf(id);
  const Address peer = AddressOf(OtherSide(side), port, v6);
  Call(call::ResolveAddr{id, AddressOf(side, 0, v6), peer, 2000});
}

IdRef ConversationBuilder::Resolves(uint8_t side, uint16_t port, bool v6) {
  const IdRef id = NewId(side, ChannelOf(side));
  ResolvesPeer(id, port, v6);
  Await(side);
  Call(call::ResolveRoute{id, 2000});
  Await(side);
  return id;
}

ConnParam ConversationBuilder::Numbered() { return {.qp_num = FreshQpNumber()}; }

ConnParam ConversationBuilder::QueuePairFor(IdRef id, bool made) {
  if (!made) return Numbered();
  Call(call::CreateQp{id});
  return {};
}

IdRef ConversationBuilder::Connects(uint8_t side, uint16_t port, bool with_qp, bool v6) {
  const IdRef id = Resolves(side, port, v6);
  const PrivateData data = FreshData();
  ConnParam param = QueuePairFor(id, with_qp);
  param.private_data = data;
  Call(call::Connect{id, param});
  return id;
}

IdRef ConversationBuilder::Accepts(uint8_t side, bool with_qp) {
  const IdRef id = Await(side);
  Call(call::Accept{id, QueuePairFor(id, with_qp)});
  return id;
}

std::pair<IdRef, IdRef> ConversationBuilder::Connection(uint8_t side, uint16_t port) {
  const IdRef active = Connects(side, port);
  const IdRef passive = Accepts(OtherSide(side));
  for (const uint8_t reader : {side, OtherSide(side)}) Await(reader);
  return {active, passive};
}

void ConversationBuilder::Disconnects(IdRef id) { Call(call::Disconnect{id}); }

void ConversationBuilder::SpeaksAndHeals(IdRef active, bool connects) {
  if (connects) {
    Calls({call::CreateQp{active}, call::Connect{active, ConnParam{}}});
  } else {
    Disconnects(active);
  }
  PassesAndFetches(OneIn(2, "how long") ? Duration::Seconds(4) : Duration::Seconds(120), 2);
  Heal();
  FetchesAll(1);
}

void ConversationBuilder::Destroys(IdRef id) { Call(call::DestroyId{id}); }

void ConversationBuilder::LosesOneOf(std::initializer_list<MadKind> messages) {
  Fault fault{.kind = FaultKind::kDrop, .side = AnySide()};
  fault.messages = MadKinds(OneOf(messages, "which message"));
  if (Can(Capability::kDropNth) && OneIn(2, "only the first")) fault.last = 1;
  Inject(fault);
}

uint64_t ConversationBuilder::StopThatLosesADevice() {
  constexpr uint64_t kNone = 99;
  return Can(Capability::kRemoveDevice) ? Below(24, "which stop loses a device") : kNone;
}

void ConversationBuilder::FetchesAll(int times) {
  for (int i = 0; i < times; ++i)
    for (const uint8_t side : {kActiveSide, kPassiveSide}) Fetch(side);
}

void ConversationBuilder::PassesAndFetches(Duration span, int times) {
  Pass(span);
  FetchesAll(times);
}

void ConversationBuilder::SettlesAndFetches(int times) {
  Settle();
  FetchesAll(times);
}

}  // namespace cm
