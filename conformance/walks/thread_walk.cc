// Several threads at once: on ids of their own, on one id, and on one channel. What each of them
// sees must be what some order of their calls would have shown.
#include <array>
#include <utility>
#include <vector>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

constexpr Lane Thread(uint8_t side, uint8_t number) { return {.side = side, .number = number}; }

// A call that is drawn to be made at once with others.
using Drawn = std::pair<uint8_t, Call>;  // its side

// In a drawn order, each by a thread of its own.
void AtOnce(Stage& stage, std::vector<Drawn> all) {
  stage.Together([&] {
    for (uint8_t thread = 2; !all.empty(); ++thread) {
      const uint64_t next = stage.Below(all.size(), "which is written first");
      stage.Call(Thread(all[next].first, thread), all[next].second);
      all.erase(all.begin() + static_cast<ptrdiff_t>(next));
    }
  });
}

// An id with a resolved route, both events of which are in hand.
struct Holder {
  IdRef id;
  std::array<EventRef, 2> held;
};

Holder Holds(Stage& stage, uint8_t side) {
  Holder holder;
  const Lane lane = Stage::MainLane(side);
  const ChannelRef channel = stage.ChannelOf(side);
  holder.id = stage.NewId(side, channel);
  const Address to = stage.AddressOf(OtherSide(side), stage.Port(0));
  stage.Call(call::ResolveAddr{holder.id, stage.AddressOf(side, 0), to, 2000});
  for (EventRef& event : holder.held) {
    stage.Wait(lane, channel, Duration::Seconds(1));
    stage.Fetch(lane, channel, false);
    event = stage.LastEvent();
    if (&event == holder.held.data()) stage.Call(call::ResolveRoute{holder.id, 2000});
  }
  return holder;
}

// Acknowledging, and destroying what waits for it.
void AcknowledgeAndDestroy(Stage& stage) {
  const uint8_t side = stage.AnySide();
  const Holder holder = Holds(stage, side);
  std::vector<Drawn> all;
  for (const EventRef event : holder.held) all.push_back({side, call::AckCmEvent{event}});
  if (stage.OneIn(2, "destroyed meanwhile")) all.push_back({side, call::DestroyId{holder.id}});
  AtOnce(stage, std::move(all));
  stage.Destroys(holder.id);
}

// Several fetch from one channel, while somebody else does away with what they may fetch.
void FetchAtOnce(Stage& stage) {
  const uint8_t side = stage.AnySide();
  const bool blocking = stage.OneIn(4, "threads wait");
  const ChannelRef channel = stage.NewChannel(side, !blocking);
  const Address to = stage.AddressOf(OtherSide(side), stage.Port(0));
  std::array<IdRef, 2> ids;
  for (IdRef& id : ids) {
    id = stage.NewId(side, channel);
    stage.Call(call::ResolveAddr{id, stage.AddressOf(side, 0), to, 2000});
  }
  stage.Settle();
  const uint64_t also = stage.Below(4, "what else happens");
  stage.Together([&] {
    stage.Fetch(Thread(side, 2), channel, false);
    if (also == 0) stage.Call(Thread(side, 4), call::DestroyId{ids[0]});
    stage.Fetch(Thread(side, 3), channel, false);
    if (also == 1) stage.Call(Thread(side, 4), call::ResolveRoute{ids[1], 2000});
    if (also == 2 && !blocking) stage.Fetch(Thread(side, 4), channel, false);
  });
  stage.Settle();
  stage.Call(call::ResolveAddr{ids[1], stage.AddressOf(side, 0), to, 2000});
}

// An id moves to another channel while threads fetch from both and acknowledge what is in hand.
void MigrateAtOnce(Stage& stage) {
  const uint8_t side = stage.AnySide();
  const Holder holder = Holds(stage, side);
  const ChannelRef from = stage.ChannelOf(side);
  const ChannelRef to = stage.NewChannel(side, true);
  const Address address = stage.AddressOf(OtherSide(side), stage.Port(0));
  const IdRef other = stage.NewId(side, from);
  stage.Call(call::ResolveAddr{other, stage.AddressOf(side, 0), address, 2000});
  stage.Settle();
  const bool fetches = stage.OneIn(2, "somebody fetches");
  stage.Together([&] {
    stage.Call(Thread(side, 2), call::MigrateId{other, to});
    if (fetches) stage.Fetch(Thread(side, 3), from, false);
    stage.Call(Thread(side, 4), call::AckCmEvent{holder.held[0]});
  });
  if (fetches) stage.Call(call::AckCmEvent{stage.LastEvent()});
  AtOnce(stage, {{side, call::MigrateId{holder.id, to}}, {side, call::AckCmEvent{holder.held[1]}}});
  stage.Fetch(Stage::MainLane(side), to);
  stage.Fetch(Stage::MainLane(side), from);
}

// Two ids that want the same port.
void PortAtOnce(Stage& stage) {
  const uint8_t side = stage.AnySide();
  const ChannelRef channel = stage.ChannelOf(side);
  const Address wanted = stage.AddressOf(side, stage.Port(1));
  const IdRef one = stage.NewId(side, channel);
  const IdRef other = stage.NewId(side, channel);
  if (stage.OneIn(2, "the port is free"))
    stage.Call(call::BindAddr{stage.NewId(side, channel), wanted});
  AtOnce(stage, {{side, call::BindAddr{one, wanted}}, {side, call::BindAddr{other, wanted}}});
  AtOnce(stage, {{side, call::Listen{one, 2}}, {side, call::Listen{other, 2}}});
  AtOnce(stage, {{side, call::Listen{one, 4}}, {side, call::Listen{one, 2}}});
}

// One id, two threads that say the same, or what does not go together.
void OneIdAtOnce(Stage& stage) {
  const uint8_t side = stage.AnySide();
  const uint8_t other = OtherSide(side);
  const ChannelRef channel = stage.ChannelOf(side);
  stage.Listens(other, stage.Port(2), 4);
  if (stage.OneIn(3, "before there is a connection")) {
    const IdRef id = stage.NewId(side, channel);
    const call::ResolveAddr resolve{id, stage.AddressOf(side, 0),
                                    stage.AddressOf(other, stage.Port(2)), 2000};
    AtOnce(stage, {{side, resolve}, {side, resolve}});
    stage.Wait(Stage::MainLane(side), channel, Duration::Seconds(1));
    stage.Fetch(Stage::MainLane(side), channel);
    const call::ResolveRoute route{id, 2000};
    AtOnce(stage, {{side, route}, {side, route}});
    return;
  }
  const auto [active, passive] = stage.Connection(side, stage.Port(2));
  std::vector<Drawn> all = {{side, call::Disconnect{active}}, {other, call::Disconnect{passive}}};
  if (stage.OneIn(2, "one end twice")) all[1] = all[0];
  AtOnce(stage, std::move(all));
  stage.FetchesAll(2);
}

// Requests that are answered, withdrawn and refused at once.
void AnswerAtOnce(Stage& stage) {
  const uint8_t side = stage.AnySide();
  const uint8_t other = OtherSide(side);
  const IdRef listener = stage.Listens(other, stage.Port(3), 4);
  const std::array<IdRef, 2> asks = {stage.Resolves(side, stage.Port(3)),
                                     stage.Resolves(side, stage.Port(3))};
  std::vector<Drawn> connects;
  for (const IdRef id : asks) {
    ConnParam param = stage.Numbered();
    connects.push_back({side, call::Connect{id, param}});
  }
  if (stage.OneIn(4, "the listener goes")) connects.push_back({other, call::DestroyId{listener}});
  AtOnce(stage, std::move(connects));
  stage.Settle();
  const Lane lane = Stage::MainLane(other);
  const IdRef one = stage.Fetch(lane, stage.ChannelOf(other));
  const IdRef two = stage.Fetch(lane, stage.ChannelOf(other));
  ConnParam param = stage.Numbered();
  std::vector<Drawn> answers = {{other, call::Accept{one, param}},
                                {other, call::Reject{two, PrivateData::Counting(3)}}};
  const uint64_t what = stage.Below(4, "what the asker does");
  if (what == 0) answers.push_back({side, call::Disconnect{asks[0]}});
  if (what == 1) answers.push_back({side, call::DestroyId{asks[1]}});
  if (what == 2) answers.push_back({other, call::Reject{two, {}}});
  AtOnce(stage, std::move(answers));
  stage.SettlesAndFetches(3);
}

}  // namespace

void ThreadsAtOnce(Stage& stage) {
  constexpr std::array kScenes = {AcknowledgeAndDestroy, FetchAtOnce, MigrateAtOnce, PortAtOnce,
                                  OneIdAtOnce,           AnswerAtOnce};
  do {
    kScenes[stage.Below(kScenes.size(), "what is done at once")](stage);
  } while (stage.calls_made() < stage.calls_wanted());
}

}  // namespace cm
