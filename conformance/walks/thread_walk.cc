// Concurrent threads: on ids of their own, on one id, and on one channel. Their observations must
// be possible for some order of their calls.
#include <array>
#include <utility>
#include <vector>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

constexpr Lane Thread(uint8_t side, uint8_t number) { return {.side = side, .number = number}; }

// A drawn concurrent call.
using Drawn = std::pair<uint8_t, Call>;  // its side

// In a drawn order, each by a thread of its own.
void AtOnce(ConversationBuilder& builder, std::vector<Drawn> all) {
  builder.Together([&] {
    for (uint8_t thread = 2; !all.empty(); ++thread) {
      const uint64_t next = builder.Below(all.size(), "which is written first");
      builder.Call(Thread(all[next].first, thread), all[next].second);
      all.erase(all.begin() + static_cast<ptrdiff_t>(next));
    }
  });
}

// An id with a resolved route, and both events unacknowledged.
struct Holder {
  IdRef id;
  std::array<EventRef, 2> held;
};

Holder Holds(ConversationBuilder& builder, uint8_t side) {
  Holder holder;
  const Lane lane = LaneOf(side);
  const ChannelRef channel = builder.ChannelOf(side);
  holder.id = builder.NewId(side, channel);
  const Address to = builder.AddressOf(OtherSide(side), builder.Port(0));
  builder.Call(call::ResolveAddr{holder.id, builder.AddressOf(side, 0), to, 2000});
  for (EventRef& event : holder.held) {
    builder.Wait(lane, channel, Duration::Seconds(1));
    builder.Fetch(lane, channel, false);
    event = builder.names().LastEvent();
    if (&event == holder.held.data()) builder.Call(call::ResolveRoute{holder.id, 2000});
  }
  return holder;
}

// Acknowledging, and a destroy that waits for it.
void AcknowledgeAndDestroy(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  const Holder holder = Holds(builder, side);
  std::vector<Drawn> all;
  for (const EventRef event : holder.held) all.push_back({side, call::AckCmEvent{event}});
  if (builder.OneIn(2, "destroyed meanwhile")) all.push_back({side, call::DestroyId{holder.id}});
  AtOnce(builder, std::move(all));
  builder.Destroys(holder.id);
}

// Several threads fetch from one channel, while another one destroys ids of the events.
void FetchAtOnce(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  const bool blocking = builder.OneIn(4, "threads wait");
  const ChannelRef channel = builder.NewChannel(side, !blocking);
  const Address to = builder.AddressOf(OtherSide(side), builder.Port(0));
  std::array<IdRef, 2> ids;
  for (IdRef& id : ids) {
    id = builder.NewId(side, channel);
    builder.Call(call::ResolveAddr{id, builder.AddressOf(side, 0), to, 2000});
  }
  builder.Settle();
  const uint64_t also = builder.Below(4, "what else happens");
  builder.Together([&] {
    builder.Fetch(Thread(side, 2), channel, false);
    if (also == 0) builder.Call(Thread(side, 4), call::DestroyId{ids[0]});
    builder.Fetch(Thread(side, 3), channel, false);
    if (also == 1) builder.Call(Thread(side, 4), call::ResolveRoute{ids[1], 2000});
    if (also == 2 && !blocking) builder.Fetch(Thread(side, 4), channel, false);
  });
  builder.Settle();
  builder.Call(call::ResolveAddr{ids[1], builder.AddressOf(side, 0), to, 2000});
}

// An id moves to another channel while threads fetch from that one and acknowledge events. To fetch
// from the one that it leaves is misuse: the library then asks the kernel for an address of the id
// at the wrong channel, and reports RDMA_CM_EVENT_ADDR_ERROR, -1.
// source: man rdma_migrate_id(3), observed 6.1-rxe
void MigrateAtOnce(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  const Holder holder = Holds(builder, side);
  const ChannelRef from = builder.ChannelOf(side);
  const ChannelRef to = builder.NewChannel(side, true);
  const Address address = builder.AddressOf(OtherSide(side), builder.Port(0));
  const IdRef other = builder.NewId(side, from);
  builder.Call(call::ResolveAddr{other, builder.AddressOf(side, 0), address, 2000});
  builder.Settle();
  const bool fetches = builder.OneIn(2, "a thread fetches");
  builder.Together([&] {
    builder.Call(Thread(side, 2), call::MigrateId{other, to});
    if (fetches) builder.Fetch(Thread(side, 3), to, false);
    builder.Call(Thread(side, 4), call::AckCmEvent{holder.held[0]});
  });
  if (fetches) builder.Call(call::AckCmEvent{builder.names().LastEvent()});
  AtOnce(builder,
         {{side, call::MigrateId{holder.id, to}}, {side, call::AckCmEvent{holder.held[1]}}});
  builder.Fetch(LaneOf(side), to);
  builder.Fetch(LaneOf(side), from);
}

// Two ids that bind the same port.
void PortAtOnce(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  const ChannelRef channel = builder.ChannelOf(side);
  const Address wanted = builder.AddressOf(side, builder.Port(1));
  const IdRef one = builder.NewId(side, channel);
  const IdRef other = builder.NewId(side, channel);
  if (builder.OneIn(2, "the port is free"))
    builder.Call(call::BindAddr{builder.NewId(side, channel), wanted});
  AtOnce(builder, {{side, call::BindAddr{one, wanted}}, {side, call::BindAddr{other, wanted}}});
  AtOnce(builder, {{side, call::Listen{one, 2}}, {side, call::Listen{other, 2}}});
  AtOnce(builder, {{side, call::Listen{one, 4}}, {side, call::Listen{one, 2}}});
}

// One id, two threads with the same calls, or with conflicting ones.
void OneIdAtOnce(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  const uint8_t other = OtherSide(side);
  const ChannelRef channel = builder.ChannelOf(side);
  builder.Listens(other, builder.Port(2), 4);
  if (builder.OneIn(3, "before there is a connection")) {
    const IdRef id = builder.NewId(side, channel);
    const call::ResolveAddr resolve{id, builder.AddressOf(side, 0),
                                    builder.AddressOf(other, builder.Port(2)), 2000};
    AtOnce(builder, {{side, resolve}, {side, resolve}});
    builder.Wait(LaneOf(side), channel, Duration::Seconds(1));
    builder.Fetch(LaneOf(side), channel);
    const call::ResolveRoute route{id, 2000};
    AtOnce(builder, {{side, route}, {side, route}});
    return;
  }
  const auto [active, passive] = builder.Connection(side, builder.Port(2));
  std::vector<Drawn> all = {{side, call::Disconnect{active}}, {other, call::Disconnect{passive}}};
  if (builder.OneIn(2, "one end twice")) all[1] = all[0];
  AtOnce(builder, std::move(all));
  builder.FetchesAll(2);
}

// Requests that are concurrently answered, withdrawn and rejected.
void AnswerAtOnce(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  const uint8_t other = OtherSide(side);
  const IdRef listener = builder.Listens(other, builder.Port(3), 4);
  const std::array<IdRef, 2> asks = {builder.Resolves(side, builder.Port(3)),
                                     builder.Resolves(side, builder.Port(3))};
  std::vector<Drawn> connects;
  for (const IdRef id : asks) {
    ConnParam param = builder.Numbered();
    connects.push_back({side, call::Connect{id, param}});
  }
  if (builder.OneIn(4, "the listener goes")) connects.push_back({other, call::DestroyId{listener}});
  AtOnce(builder, std::move(connects));
  builder.Settle();
  const Lane lane = LaneOf(other);
  const IdRef one = builder.Fetch(lane, builder.ChannelOf(other));
  const IdRef two = builder.Fetch(lane, builder.ChannelOf(other));
  ConnParam param = builder.Numbered();
  std::vector<Drawn> answers = {{other, call::Accept{one, param}},
                                {other, call::Reject{two, PrivateData::Counting(3)}}};
  const uint64_t what = builder.Below(4, "what the asker does");
  if (what == 0) answers.push_back({side, call::Disconnect{asks[0]}});
  if (what == 1) answers.push_back({side, call::DestroyId{asks[1]}});
  if (what == 2) answers.push_back({other, call::Reject{two, {}}});
  AtOnce(builder, std::move(answers));
  builder.SettlesAndFetches(3);
}

}  // namespace

void ThreadsAtOnce(ConversationBuilder& builder) {
  constexpr std::array kScenes = {AcknowledgeAndDestroy, FetchAtOnce, MigrateAtOnce, PortAtOnce,
                                  OneIdAtOnce,           AnswerAtOnce};
  do {
    kScenes[builder.Below(kScenes.size(), "what is done at once")](builder);
  } while (builder.calls_made() < builder.calls_wanted());
}

}  // namespace cm
