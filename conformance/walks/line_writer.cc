#include "conformance/walks/line_writer.h"

#include <algorithm>
#include <array>

namespace cm {
namespace {

// These start nothing that goes on by itself.
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

LineWriter::LineWriter(const DrawOptions& options, Choice* choice)
    : Drawing(options, choice),
      names_(&conversation_.names),
      model_(&conversation_.names),
      main_channel_(options.topology->sides.size()) {
  conversation_.lines.reserve(128);  // most have fewer
  conversation_.topology = options.topology;
  conversation_.profile = options.profile.name;
  conversation_.capabilities = options.capabilities;
}

// A queue pair may be created with extended attributes as well.
cm::Call LineWriter::PerhapsExtended(const cm::Call& call) {
  const auto* create = std::get_if<call::CreateQp>(&call);
  // They are drawn with posted work; over iWARP, which has none, for themselves.
  const bool may = Can(Capability::kData) || profile().transport == Transport::kIwarp;
  if (create == nullptr || !may || !OneIn(8, "extended attributes")) return call;
  return call::CreateQpEx{create->id, create->type};
}

void LineWriter::Call(Lane lane, const cm::Call& plain) {
  const cm::Call call = PerhapsExtended(plain);
  conversation_.lines.push_back(line::Calls{lane, call});
  model_.Calls(lane, call);
  ++calls_;
  const CallKind kind = KindOf(call);
  const bool starts_nothing = !IsFunction(kind) || std::ranges::count(kStartNothing, kind) > 0;
  if (!Can(Capability::kRaces) && !starts_nothing && !together_)
    conversation_.lines.push_back(line::Settles{});
}

void LineWriter::Call(Thread thread, const cm::Call& call) {
  Call(LaneOf(names_.SideOf(call), thread), call);
}

void LineWriter::Calls(std::initializer_list<cm::Call> calls) {
  for (const cm::Call& call : calls) Call(call);
}

ChannelRef LineWriter::NewChannel(uint8_t side, bool nonblocking) {
  const ChannelRef channel = names_.NewChannel(side);
  Call(LaneOf(side), call::CreateEventChannel{channel, nonblocking});
  return channel;
}

IdRef LineWriter::NewId(uint8_t side, ChannelRef channel, PortSpace space) {
  const IdRef id = names_.NewId(side);
  Call(LaneOf(side), call::CreateId{id, channel, space});
  return id;
}

ChannelRef LineWriter::ChannelOf(uint8_t side) {
  if (!main_channel_[side].valid()) main_channel_[side] = NewChannel(side, true);
  return main_channel_[side];
}

IdRef LineWriter::Fetch(Lane lane, ChannelRef channel, bool acknowledge) {
  const auto [event, request] = names_.NewEvent(lane.side);
  Call(lane, call::GetCmEvent{channel, event, request});
  if (acknowledge) Call(lane, call::AckCmEvent{event});
  return request;
}

IdRef LineWriter::Await(uint8_t side, ChannelRef channel, bool acknowledge) {
  Wait(LaneOf(side), channel, Duration::Seconds(1));
  return Fetch(LaneOf(side), channel, acknowledge);
}

IdRef LineWriter::GetsRequest(Lane lane, IdRef listener) {
  const IdRef id = names_.NewId(lane.side);
  Call(lane, call::GetRequest{listener, id});
  return id;
}

void LineWriter::Wait(Lane lane, ChannelRef channel, Duration within) {
  conversation_.lines.push_back(line::Waits{lane, channel, within});
}

void LineWriter::Pass(Duration span) { conversation_.lines.push_back(line::Passes{span}); }

void LineWriter::Settle() {
  if (!conversation_.lines.empty() &&
      std::holds_alternative<line::Settles>(conversation_.lines.back())) {
    return;
  }
  conversation_.lines.push_back(line::Settles{});
}

bool LineWriter::Inject(const Fault& fault) {
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

void LineWriter::Heal() {
  conversation_.lines.push_back(line::Heals{});
  model_.Heals();
  if (!Can(Capability::kRaces)) Settle();
}

Conversation LineWriter::Finish() {
  const auto add = [this](uint8_t side, const cm::Call& call) {
    conversation_.lines.push_back(line::Calls{LaneOf(side, Thread::kEpilogue), call});
  };
  const Names& names = conversation_.names;
  Heal();
  Settle();
  for (EventRef e{0}; e.index < names.events.size(); ++e.index)
    add(names_.SideOf(e), call::AckCmEvent{e});
  for (IdRef i{0}; i.index < names.ids.size(); ++i.index)
    add(names_.SideOf(i), call::Disconnect{i});
  Settle();
  for (MrRef m{0}; m.index < names.regions.size(); ++m.index)
    add(names_.SideOf(m), call::DeregMr{m});
  for (IdRef i{0}; i.index < names.ids.size(); ++i.index) add(names_.SideOf(i), call::DestroyId{i});
  Settle();
  for (ChannelRef c{0}; c.index < names.channels.size(); ++c.index) {
    Wait(LaneOf(names_.SideOf(c), Thread::kEpilogue), c, Duration());
    add(names_.SideOf(c), call::DestroyEventChannel{c});
  }
  return std::move(conversation_);
}

}  // namespace cm
