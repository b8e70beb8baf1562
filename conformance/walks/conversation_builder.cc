#include "conformance/walks/conversation_builder.h"

#include <algorithm>
#include <array>

namespace cm {
namespace {

// The threads of the epilogue: no earlier call can have blocked them.
constexpr uint8_t kEpilogueLane = 9;

// Nothing happens elsewhere because of these functions.
constexpr std::array kStartNothing = {
    CallKind::kInitQpAttr,  CallKind::kSetLocalEce,   CallKind::kGetRemoteEce,
    CallKind::kGetSrcPort,  CallKind::kGetDstPort,    CallKind::kEventStr,
    CallKind::kGetAddrInfo, CallKind::kFreeAddrInfo,  CallKind::kGetDevices,
    CallKind::kFreeDevices, CallKind::kQueryAddrInfo, CallKind::kCreateQpEx,
    CallKind::kCreateSrq,   CallKind::kCreateSrqEx,   CallKind::kDestroySrq,
    CallKind::kRegMsgs,     CallKind::kRegRead,       CallKind::kRegWrite,
    CallKind::kDeregMr,     CallKind::kPostRecv,      CallKind::kPostRecvv,
    CallKind::kGetSendComp, CallKind::kGetRecvComp,   CallKind::kCreateEventChannel,
    CallKind::kCreateId,    CallKind::kAckCmEvent,    CallKind::kBindAddr,
    CallKind::kListen,      CallKind::kCreateQp,      CallKind::kDestroyQp};

}  // namespace

ConversationBuilder::ConversationBuilder(const DrawOptions& options, Choice* choice)
    : options_(options),
      choice_(choice),
      model_(&conversation_.names),
      main_channel_(options.topology->sides.size()) {
  conversation_.topology = options.topology;
  conversation_.profile = options.profile.name;
  conversation_.capabilities = options.capabilities;
}

bool ConversationBuilder::Can(const Fault& fault) const {
  const Capabilities needed = Needs(fault);
  for (int i = 0; i < kCapabilityCount; ++i)
    if (needed.Has(static_cast<Capability>(i)) && !Can(static_cast<Capability>(i))) return false;
  if (fault.kind == FaultKind::kFailOver)
    return topology().devices[topology().sides[fault.side].device].bonded;
  return true;
}

uint32_t ConversationBuilder::FreshQpNumber() {
  constexpr uint32_t kFirst = 0x100000;
  return kFirst + ((static_cast<uint32_t>(options_.index % 0x8000) << 5) + qp_numbers_++ % 32);
}

std::string ConversationBuilder::Fresh(std::string_view prefix, int* counter) {
  return std::string(prefix) + std::to_string(++*counter);
}

ChannelRef ConversationBuilder::NewChannel(uint8_t side, bool nonblocking) {
  const ChannelRef channel = conversation_.names.channels.Intern(Fresh("c", &channels_));
  channel_side_.push_back(side);
  Call(MainLane(side), call::CreateEventChannel{channel, nonblocking});
  return channel;
}

IdRef ConversationBuilder::NewIdIn(uint8_t side, ChannelRef channel, PortSpace space) {
  const IdRef id = NewName(side);
  Call(MainLane(side), call::CreateId{id, channel, space});
  return id;
}

// Whoever makes a queue pair may as well do it with extended attributes.
cm::Call ConversationBuilder::PerhapsExtended(const cm::Call& call) {
  const auto* create = std::get_if<call::CreateQp>(&call);
  // They come with work that is posted; over iWARP, where none is, for their own sake.
  const bool may = Can(Capability::kData) || profile().transport == Transport::kIwarp;
  if (create == nullptr || !may || !choice_->OneIn(8, "extended attributes")) return call;
  return call::CreateQpEx{create->id, create->type};
}

void ConversationBuilder::Call(Lane lane, const cm::Call& plain) {
  const cm::Call call = PerhapsExtended(plain);
  conversation_.lines.push_back(line::Calls{lane, call});
  model_.Calls(lane, call);
  ++calls_;
  const CallKind kind = KindOf(call);
  const bool starts_nothing = !IsFunction(kind) || std::ranges::count(kStartNothing, kind) > 0;
  if (!Can(Capability::kRaces) && !starts_nothing && !together_)
    conversation_.lines.push_back(line::Settles{});
}

uint8_t ConversationBuilder::SideOf(const cm::Call& call) const {
  if (const IdRef id = IdOf(call); id.valid()) return id_side_[id.index];
  if (const HeldRef held = HeldOf(call); held.valid()) return held_side_[held.index];
  if (const MrRef region = RegionOf(call); region.valid()) return region_side_[region.index];
  if (const auto* ack = std::get_if<call::AckCmEvent>(&call)) return event_side_[ack->event.index];
  return channel_side_[cm::ChannelOf(call).index];
}

void ConversationBuilder::Call(const cm::Call& call) { Call(MainLane(SideOf(call)), call); }

void ConversationBuilder::Call(Thread thread, const cm::Call& call) {
  Call({.side = SideOf(call), .number = static_cast<uint8_t>(thread)}, call);
}

void ConversationBuilder::Calls(std::initializer_list<cm::Call> calls) {
  for (const cm::Call& call : calls) Call(call);
}

IdRef ConversationBuilder::Fetch(Lane lane, ChannelRef channel, bool acknowledge) {
  const std::string name = Fresh("e", &events_);
  const EventRef event = conversation_.names.events.Intern(name);
  const IdRef request = conversation_.names.ids.Intern(name + ".id");
  id_side_.resize(conversation_.names.ids.size(), lane.side);
  event_side_.push_back(lane.side);
  request_names_.push_back(request);
  Call(lane, call::GetCmEvent{channel, event, request});
  if (acknowledge) Call(lane, call::AckCmEvent{event});
  return request;
}

IdRef ConversationBuilder::NewName(uint8_t side) {
  const IdRef id = conversation_.names.ids.Intern(Fresh(side == kActiveSide ? "a" : "p", &ids_));
  id_side_.resize(conversation_.names.ids.size(), side);
  return id;
}

HeldRef ConversationBuilder::NewHeld(uint8_t side) {
  held_side_.push_back(side);
  return conversation_.names.held.Intern("h" + std::to_string(held_side_.size()));
}

MrRef ConversationBuilder::NewRegion(uint8_t side) {
  region_side_.push_back(side);
  return conversation_.names.regions.Intern("m" + std::to_string(region_side_.size()));
}

IdRef ConversationBuilder::GetsRequest(Lane lane, IdRef listener) {
  const IdRef id = NewName(lane.side);
  Call(lane, call::GetRequest{listener, id});
  return id;
}

void ConversationBuilder::Wait(Lane lane, ChannelRef channel, Duration within) {
  conversation_.lines.push_back(line::Waits{lane, channel, within});
}

IdRef ConversationBuilder::Await(uint8_t side, ChannelRef channel, bool acknowledge) {
  Wait(MainLane(side), channel, Duration::Seconds(1));
  return Fetch(MainLane(side), channel, acknowledge);
}

void ConversationBuilder::Pass(Duration span) { conversation_.lines.push_back(line::Passes{span}); }

void ConversationBuilder::Settle() {
  if (!conversation_.lines.empty() &&
      std::holds_alternative<line::Settles>(conversation_.lines.back())) {
    return;
  }
  conversation_.lines.push_back(line::Settles{});
}

bool ConversationBuilder::Inject(const Fault& fault) {
  if (!Can(fault)) return false;
  conversation_.lines.push_back(line::Injects{fault});
  model_.Injects(fault);
  if (fault.kind == FaultKind::kCrash || fault.kind == FaultKind::kRestart) {
    for (uint8_t side = 0; side < main_channel_.size(); ++side)
      if (topology().KernelOf(side) == topology().KernelOf(fault.side)) main_channel_[side] = {};
  }
  if (!Can(Capability::kRaces)) Settle();
  return true;
}

Fault ConversationBuilder::PerhapsRarer(Fault fault) {
  if (fault.kind == FaultKind::kDrop && Can(Capability::kCorrupt) && choice_->OneIn(3, "corrupt"))
    fault.kind = FaultKind::kCorrupt;
  if (fault.kind == FaultKind::kDelay && Can(Capability::kDelayRange) &&
      choice_->OneIn(2, "a range")) {
    fault.at_most = fault.by * 2;
    fault.by = Duration::Microseconds(5);
    if (choice_->OneIn(2, "with a tail")) fault.shape = DelayShape::kTail;
  }
  if (Can(Capability::kDirection)) {
    const uint64_t which = Below(4, "which direction");
    if (which == 0) fault.to = static_cast<uint8_t>(1 - fault.side);
    if (which == 1) fault.side = kAnySide;
  }
  if (Can(Capability::kLateStart) && choice_->OneIn(4, "from later on"))
    fault.after = Duration::Seconds(5);
  return fault;
}

void ConversationBuilder::Heal() {
  conversation_.lines.push_back(line::Heals{});
  model_.Heals();
  if (!Can(Capability::kRaces)) Settle();
}

ChannelRef ConversationBuilder::ChannelOf(uint8_t side) {
  if (!main_channel_[side].valid()) main_channel_[side] = NewChannel(side, true);
  return main_channel_[side];
}

IdRef ConversationBuilder::Listens(uint8_t side, uint16_t port, int backlog, bool v6) {
  const IdRef id = NewId(side, ChannelOf(side));
  Call(call::BindAddr{id, AddressOf(side, port, v6)});
  Call(call::Listen{id, backlog});
  return id;
}

void ConversationBuilder::ResolvesPeer(IdRef id, uint16_t port, bool v6) {
  const uint8_t side = id_side_[id.index];
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
  if (Can(Capability::kDropNth) && choice_->OneIn(2, "only the first")) fault.last = 1;
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

void ConversationBuilder::Epilogue() {
  const auto lane = [](uint8_t side) { return Lane{.side = side, .number = kEpilogueLane}; };
  const int calls = calls_;
  Heal();
  Settle();
  for (uint16_t e = 0; e < conversation_.names.events.size(); ++e)
    conversation_.lines.push_back(line::Calls{lane(event_side_[e]), call::AckCmEvent{EventRef{e}}});
  const auto ids = static_cast<uint16_t>(conversation_.names.ids.size());
  for (uint16_t i = 0; i < ids; ++i)
    conversation_.lines.push_back(line::Calls{lane(id_side_[i]), call::Disconnect{IdRef{i}}});
  Settle();
  for (uint16_t m = 0; m < conversation_.names.regions.size(); ++m)
    conversation_.lines.push_back(line::Calls{lane(region_side_[m]), call::DeregMr{MrRef{m}}});
  for (uint16_t i = 0; i < ids; ++i)
    conversation_.lines.push_back(line::Calls{lane(id_side_[i]), call::DestroyId{IdRef{i}}});
  Settle();
  for (uint16_t c = 0; c < conversation_.names.channels.size(); ++c) {
    conversation_.lines.push_back(line::Waits{lane(channel_side_[c]), ChannelRef{c}, Duration()});
    conversation_.lines.push_back(
        line::Calls{lane(channel_side_[c]), call::DestroyEventChannel{ChannelRef{c}}});
  }
  calls_ = calls;
}

}  // namespace cm
