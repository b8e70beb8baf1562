#include "conformance/adapters/wire/listener.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/conversation/print.h"
#include "model/vocabulary/call.h"

namespace cm::live {
namespace {

constexpr Lane kLane{.side = kPassiveSide};
constexpr ChannelRef kChannel{0};
constexpr IdRef kListens{0};
constexpr uint16_t kMostRequests = 200;
constexpr uint16_t kMostEvents = 2000;

}  // namespace

Conversation ListenerNames(TopologyRef topology, const std::string& profile) {
  Conversation conversation;
  conversation.topology = std::move(topology);
  conversation.profile = profile;
  conversation.names.channels.Intern("S");
  conversation.names.ids.Intern("L");
  for (int i = 1; i <= kMostRequests; ++i) conversation.names.ids.Intern(fmt::format("P{}", i));
  for (int i = 1; i <= kMostEvents; ++i) conversation.names.events.Intern(fmt::format("e{}", i));
  return conversation;
}

Listener::Listener(Driver* driver, const Conversation& names) : driver_(driver), names_(names) {}

seen::Answered Listener::Do(const Call& call) { return driver_->Submit(kLane, call); }

std::string Listener::Begin(uint16_t port) {
  const Address own{.kind = AddressKind::kSide, .side = kPassiveSide, .port = port};
  const auto calls = std::to_array<Call>({call::CreateEventChannel{.channel = kChannel},
                                          call::CreateId{.id = kListens, .channel = kChannel},
                                          call::BindAddr{.id = kListens, .address = own},
                                          call::Listen{.id = kListens, .backlog = 64}});
  for (const Call& call : calls)
    if (const Reply reply = Do(call).reply; !reply.succeeded())
      return fmt::format("{} -> {}", ToString(call, names_), ToString(reply));
  return {};
}

void Listener::Poll() {
  while (requests_ < kMostRequests && events_ < kMostEvents &&
         driver_->Readable(kLane, kChannel, Duration())) {
    const EventRef event{events_++};
    const IdRef request{static_cast<uint16_t>(requests_ + 1)};
    const seen::Answered answered =
        Do(call::GetCmEvent{.channel = kChannel, .event = event, .request = request});
    if (!answered.event) return;
    Do(call::AckCmEvent{.event = event});
    Hear(*answered.event, request);
  }
}

void Listener::Hear(const CmEvent& event, IdRef request) {
  if (event.type == EventType::kConnectRequest) {
    ++requests_;
    Do(call::CreateQp{.id = request});
    Do(call::Accept{.id = request, .param = ConnParam()});
  } else if (event.type == EventType::kDisconnected) {
    Do(call::Disconnect{.id = event.id});
  }
}

}  // namespace cm::live
