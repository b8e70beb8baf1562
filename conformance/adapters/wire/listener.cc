#include "conformance/adapters/wire/listener.h"

#include <fmt/format.h>

#include <utility>

#include "model/conversation/print.h"
#include "model/vocabulary/call.h"

namespace cm::live {
namespace {

constexpr Lane kLane{.side = kPassiveSide};
constexpr ChannelRef kChannel{0};
constexpr IdRef kListens{0};
constexpr uint16_t kMostEvents = 48;
constexpr int kMostWaits = 20;  // for one event
constexpr size_t kToBegin = 4;  // calls

IdRef RequestOf(uint16_t event) { return IdRef{static_cast<uint16_t>(event + 1)}; }

}  // namespace

Conversation ListenerConversation(TopologyRef topology, const std::string& profile, uint16_t port) {
  Conversation conversation;
  conversation.topology = std::move(topology);
  conversation.profile = profile;
  conversation.names.channels.Intern("S");
  conversation.names.ids.Intern("L");
  const auto call = [&](Call call) {
    conversation.lines.emplace_back(line::Calls{.lane = kLane, .call = std::move(call)});
  };
  call(call::CreateEventChannel{.channel = kChannel});
  call(call::CreateId{.id = kListens, .channel = kChannel});
  call(call::BindAddr{.id = kListens,
                      .address = {.kind = AddressKind::kSide, .side = kPassiveSide, .port = port}});
  call(call::Listen{.id = kListens, .backlog = 64});
  for (uint16_t i = 0; i < kMostEvents; ++i) {
    conversation.names.ids.Intern(fmt::format("P{}", i + 1));
    const EventRef event = conversation.names.events.Intern(fmt::format("e{}", i + 1));
    for (int waits = 0; waits < kMostWaits; ++waits)
      conversation.lines.emplace_back(
          line::Waits{.lane = kLane, .channel = kChannel, .within = kListenerWaits});
    call(call::GetCmEvent{.channel = kChannel, .event = event, .request = RequestOf(i)});
    call(call::AckCmEvent{.event = event});
    call(call::CreateQp{.id = RequestOf(i)});
    call(call::Accept{.id = RequestOf(i), .param = ConnParam()});
    for (uint16_t before = 0; before < i; ++before) call(call::Disconnect{.id = RequestOf(before)});
  }
  return conversation;
}

Listener::Listener(Driver* driver, const Conversation& conversation)
    : driver_(driver), conversation_(conversation) {}

std::string Listener::Begin() {
  for (size_t i = 0; i < kToBegin; ++i) {
    const Line& line = conversation_.lines[i];
    const Reply reply = driver_->Submit(kLane, std::get<line::Calls>(line).call).reply;
    if (!reply.succeeded())
      return fmt::format("{} -> {}", ToString(line, conversation_), ToString(reply));
  }
  return {};
}

bool Listener::Serve(Duration within) {
  if (event_ == kMostEvents) return false;
  if (!driver_->Readable(kLane, kChannel, within)) {
    const bool over = within > Duration() && ++waits_ == kMostWaits;
    if (over) ++event_, waits_ = 0;
    return false;
  }
  const EventRef event{event_};
  const IdRef request = RequestOf(event_);
  ++event_, waits_ = 0;
  const seen::Answered answered = driver_->Submit(
      kLane, call::GetCmEvent{.channel = kChannel, .event = event, .request = request});
  if (!answered.event) return false;
  driver_->Submit(kLane, call::AckCmEvent{.event = event});
  Hear(*answered.event, request);
  return true;
}

void Listener::Hear(const CmEvent& event, IdRef request) {
  if (event.type == EventType::kConnectRequest) {
    driver_->Submit(kLane, call::CreateQp{.id = request});
    driver_->Submit(kLane, call::Accept{.id = request, .param = ConnParam()});
  } else if (event.type == EventType::kDisconnected) {
    driver_->Submit(kLane, call::Disconnect{.id = event.id});
  }
}

}  // namespace cm::live
