#include "conformance/walks/stage.h"

#include <algorithm>

namespace cm {
namespace {

// The threads of the epilogue: no earlier call can have blocked them.
constexpr uint8_t kEpilogueLane = 9;

// Nothing happens elsewhere because of these.
bool OnlyAsks(CallKind kind) {
  switch (kind) {
    case CallKind::kInitQpAttr:
    case CallKind::kSetLocalEce:
    case CallKind::kGetRemoteEce:
    case CallKind::kGetSrcPort:
    case CallKind::kGetDstPort:
    case CallKind::kEventStr:
    case CallKind::kGetAddrInfo:
    case CallKind::kFreeAddrInfo:
    case CallKind::kGetDevices:
    case CallKind::kFreeDevices:
    case CallKind::kQueryAddrInfo:
    case CallKind::kCreateQpEx:
    case CallKind::kCreateSrq:
    case CallKind::kCreateSrqEx:
    case CallKind::kDestroySrq:
    case CallKind::kRegMsgs:
    case CallKind::kRegRead:
    case CallKind::kRegWrite:
    case CallKind::kDeregMr:
    case CallKind::kPostRecv:
    case CallKind::kPostRecvv:
    case CallKind::kGetSendComp:
    case CallKind::kGetRecvComp:
      return true;
    default:
      return false;
  }
}

}  // namespace

Stage::Stage(const DrawOptions& options, Choice* choice)
    : options_(options),
      choice_(choice),
      forecast_(&conversation_.names),
      main_channel_(options.topology->sides.size()) {
  conversation_.topology = options.topology;
  conversation_.profile = options.profile.name;
  conversation_.capabilities = options.capabilities;
}

bool Stage::Can(const Fault& fault) const {
  if (!options_.capabilities.Includes(Needs(fault))) return false;
  if (RowOf(fault.kind).wants == FaultPremise::kBonded)
    return topology().devices[topology().sides[fault.side].device].bonded;
  return true;
}

uint32_t Stage::FreshQpNumber() {
  constexpr uint32_t kFirst = 0x100000;
  return kFirst + ((static_cast<uint32_t>(options_.index % 0x8000) << 5) + qp_numbers_++ % 32);
}

std::string Stage::Fresh(std::string_view prefix, int* counter) {
  return std::string(prefix) + std::to_string(++*counter);
}

ChannelRef Stage::NewChannel(uint8_t side, bool nonblocking) {
  const ChannelRef channel = conversation_.names.channels.Intern(Fresh("c", &channels_));
  channel_side_.push_back(side);
  Call(MainLane(side), call::CreateEventChannel{channel, nonblocking});
  return channel;
}

IdRef Stage::NewIdIn(uint8_t side, ChannelRef channel, PortSpace space) {
  const IdRef id = NewName(side);
  Call(MainLane(side), call::CreateId{id, channel, space});
  return id;
}

// Whoever makes a queue pair may as well do it with extended attributes.
cm::Call Stage::PerhapsExtended(const cm::Call& call) {
  const auto* create = std::get_if<call::CreateQp>(&call);
  // They come with work that is posted; over iWARP, where none is, for their own sake.
  const bool may = Can(Capability::kData) || profile().transport == Transport::kIwarp;
  if (create == nullptr || !may || !choice_->OneIn(8, "extended attributes")) return call;
  return call::CreateQpEx{create->id, create->type};
}

void Stage::Call(Lane lane, const cm::Call& plain) {
  const cm::Call call = PerhapsExtended(plain);
  conversation_.lines.push_back(line::Calls{lane, call});
  forecast_.Calls(lane, call);
  ++calls_;
  const CallKind kind = KindOf(call);
  const bool starts_nothing = OnlyAsks(kind) || kind == CallKind::kCreateEventChannel ||
                              !IsFunction(kind) || kind == CallKind::kCreateId ||
                              kind == CallKind::kAckCmEvent || kind == CallKind::kBindAddr ||
                              kind == CallKind::kListen || kind == CallKind::kCreateQp ||
                              kind == CallKind::kCreateQpEx || kind == CallKind::kDestroyQp;
  if (!Can(Capability::kRaces) && !starts_nothing && !together_)
    conversation_.lines.push_back(line::Settles{});
}

IdRef Stage::Fetch(Lane lane, ChannelRef channel, bool acknowledge) {
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

IdRef Stage::NewName(uint8_t side) {
  const IdRef id = conversation_.names.ids.Intern(Fresh(side == kActiveSide ? "a" : "p", &ids_));
  id_side_.resize(conversation_.names.ids.size(), side);
  return id;
}

HeldRef Stage::NewHeld(uint8_t side) {
  held_side_.push_back(side);
  return conversation_.names.held.Intern("h" + std::to_string(held_side_.size()));
}

MrRef Stage::NewRegion(uint8_t side) {
  region_side_.push_back(side);
  return conversation_.names.regions.Intern("m" + std::to_string(region_side_.size()));
}

IdRef Stage::GetsRequest(Lane lane, IdRef listener) {
  const IdRef id = NewName(lane.side);
  Call(lane, call::GetRequest{listener, id});
  return id;
}

void Stage::Wait(Lane lane, ChannelRef channel, Duration within) {
  conversation_.lines.push_back(line::Waits{lane, channel, within});
}

void Stage::Pass(Duration span) { conversation_.lines.push_back(line::Passes{span}); }

void Stage::Settle() {
  if (!conversation_.lines.empty() &&
      std::holds_alternative<line::Settles>(conversation_.lines.back())) {
    return;
  }
  conversation_.lines.push_back(line::Settles{});
}

bool Stage::Inject(const Fault& fault) {
  if (!Can(fault)) return false;
  conversation_.lines.push_back(line::Injects{fault});
  forecast_.Injects(fault);
  if (fault.kind == FaultKind::kCrash || fault.kind == FaultKind::kRestart) {
    for (uint8_t side = 0; side < main_channel_.size(); ++side)
      if (topology().KernelOf(side) == topology().KernelOf(fault.side)) main_channel_[side] = {};
  }
  if (!Can(Capability::kRaces)) Settle();
  return true;
}

Fault Stage::PerhapsRarer(Fault fault) {
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

void Stage::Heal() {
  conversation_.lines.push_back(line::Heals{});
  forecast_.Heals();
  if (!Can(Capability::kRaces)) Settle();
}

ChannelRef Stage::ChannelOf(uint8_t side) {
  if (!main_channel_[side].valid()) main_channel_[side] = NewChannel(side, true);
  return main_channel_[side];
}

IdRef Stage::Listens(uint8_t side, uint16_t port, int backlog, bool v6) {
  const IdRef id = NewId(side, ChannelOf(side));
  Call(MainLane(side), call::BindAddr{id, AddressOf(side, port, v6)});
  Call(MainLane(side), call::Listen{id, backlog});
  return id;
}

IdRef Stage::Resolves(uint8_t side, uint16_t port, bool v6) {
  const auto other = static_cast<uint8_t>(1 - side);
  const Lane lane = MainLane(side);
  const ChannelRef channel = ChannelOf(side);
  const IdRef id = NewId(side, channel);
  Call(lane, call::ResolveAddr{id, AddressOf(side, 0, v6), AddressOf(other, port, v6), 2000});
  Wait(lane, channel, Duration::Seconds(1));
  Fetch(lane, channel);
  Call(lane, call::ResolveRoute{id, 2000});
  Wait(lane, channel, Duration::Seconds(1));
  Fetch(lane, channel);
  return id;
}

IdRef Stage::Connects(uint8_t side, uint16_t port, bool with_qp, bool v6) {
  const IdRef id = Resolves(side, port, v6);
  ConnParam param;
  param.private_data = PrivateData::Counting(static_cast<uint8_t>(1 + calls_ % 56));
  if (with_qp)
    Call(MainLane(side), call::CreateQp{id});
  else
    param.qp_num = FreshQpNumber();
  Call(MainLane(side), call::Connect{id, param});
  return id;
}

IdRef Stage::Accepts(uint8_t side, bool with_qp) {
  const Lane lane = MainLane(side);
  Wait(lane, ChannelOf(side), Duration::Seconds(1));
  const IdRef id = Fetch(lane, ChannelOf(side));
  ConnParam param;
  if (with_qp)
    Call(lane, call::CreateQp{id});
  else
    param.qp_num = FreshQpNumber();
  Call(lane, call::Accept{id, param});
  return id;
}

std::pair<IdRef, IdRef> Stage::Connection(uint8_t side, uint16_t port) {
  const auto other = static_cast<uint8_t>(1 - side);
  const IdRef active = Connects(side, port);
  const IdRef passive = Accepts(other);
  for (const uint8_t reader : {side, other}) {
    Wait(MainLane(reader), ChannelOf(reader), Duration::Seconds(1));
    Fetch(MainLane(reader), ChannelOf(reader));
  }
  return {active, passive};
}

void Stage::Disconnects(IdRef id) { Call(MainLane(id_side_[id.index]), call::Disconnect{id}); }

void Stage::SpeaksAndHeals(IdRef active, bool connects) {
  if (connects) {
    Call(MainLane(kActiveSide), call::CreateQp{active});
    Call(MainLane(kActiveSide), call::Connect{active, ConnParam{}});
  } else {
    Disconnects(active);
  }
  Pass(choice().OneIn(2, "how long") ? Duration::Seconds(4) : Duration::Seconds(120));
  FetchesAll(2);
  Heal();
  FetchesAll(1);
}

void Stage::Destroys(IdRef id) { Call(MainLane(id_side_[id.index]), call::DestroyId{id}); }

void Stage::LosesOneOf(std::span<const MadKind> messages) {
  Fault fault{.kind = FaultKind::kDrop, .side = AnySide()};
  fault.messages = MadKinds(messages[Below(messages.size(), "which message")]);
  if (Can(Capability::kDropNth) && choice_->OneIn(2, "only the first")) fault.last = 1;
  Inject(fault);
}

uint64_t Stage::StopThatLosesADevice() {
  constexpr uint64_t kNone = 99;
  return Can(Capability::kRemoveDevice) ? Below(24, "which stop loses a device") : kNone;
}

void Stage::FetchesAll(int times) {
  for (int i = 0; i < times; ++i)
    for (const uint8_t side : {kActiveSide, kPassiveSide}) Fetch(MainLane(side), ChannelOf(side));
}

void Stage::Epilogue() {
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
