// Two processes on hosts with a link between them; side 0 connects, side 1 listens.
#ifndef SIM_LIB_PAIR_H_
#define SIM_LIB_PAIR_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "model/base/duration.h"
#include "model/base/errno.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/reply.h"
#include "model/vocabulary/topology.h"
#include "sim/lib/calls.h"
#include "sim/lib/library.h"
#include "sim/world/world.h"

namespace cm::sim {

inline constexpr uint16_t kPort = 7471;

constexpr Address Of(uint8_t side, uint16_t port) {
  return {.kind = AddressKind::kSide, .side = side, .port = port};
}

class Pair : public testing::Test {
 protected:
  explicit Pair(std::string_view profile = "6.1-rxe")
      : world_(FindTopology("two-kernels"), FindProfile(profile)) {
    for (const uint8_t side : {uint8_t{0}, uint8_t{1}})
      channels_[side] = Do(side, call::CreateEventChannel{.nonblocking = true}).made;
  }

  template <typename Call>
  Progress Do(uint8_t side, const Call& call, const Named& at = {}) {
    return world_.Do(side, call, at);
  }
  // A call on an id: 0, or its errno.
  template <typename Call>
  Errno On(uint8_t side, uint32_t id, const Call& call) {
    const Reply reply = Do(side, call, {.id = id}).reply;
    EXPECT_EQ(reply.kind, ReplyKind::kReturned);
    return reply.error;
  }
  Progress GoOn(uint8_t side, const Progress& blocked) {
    return Continue(world_.Context(), world_.Prepared(side), blocked.ongoing);
  }
  // The call's result, after as much of the world's time as it needs.
  Progress Wait(uint8_t side, Progress progress) {
    while (progress.reply.kind == ReplyKind::kBlocked && world_.NextAt()) {
      world_.Step();
      progress = GoOn(side, progress);
    }
    return progress;
  }
  Errno WaitOn(uint8_t side, const Progress& progress) { return Wait(side, progress).reply.error; }

  uint32_t Create(uint8_t side, PortSpace space = PortSpace::kTcp) {
    return Do(side, call::CreateId{.space = space}, {.channel = channels_[side]}).made;
  }
  uint32_t CreateSynchronous(uint8_t side) { return Do(side, call::CreateId{}).made; }
  const UserId& At(uint8_t side, uint32_t id) const { return world_.library(side).ids[id]; }
  void Listen(uint32_t id, int32_t backlog = 8) {
    EXPECT_EQ(On(1, id, call::BindAddr{.address = Of(1, kPort)}), Errno::kNone);
    EXPECT_EQ(On(1, id, call::Listen{.backlog = backlog}), Errno::kNone);
  }

  // The next event of the side's channel, which is of this type; its number.
  uint32_t Fetch(uint8_t side, EventType type) {
    const auto readable = [&] {
      return Readable(world_.Context(), world_.library(side), channels_[side]);
    };
    while (!readable() && world_.NextAt()) world_.Step();
    const Progress got = Do(side, call::GetCmEvent{}, {.channel = channels_[side]});
    EXPECT_EQ(Fetched(side, got.made).event.type, type);
    return got.made;
  }
  const FetchedEvent& Fetched(uint8_t side, uint32_t event) const {
    return world_.library(side).events[event];
  }
  void Ack(uint8_t side, uint32_t event) { Do(side, call::AckCmEvent{}, {.event = event}); }
  // Fetches and acknowledges; the id of the event.
  uint32_t Take(uint8_t side, EventType type) {
    const uint32_t event = Fetch(side, type);
    const uint32_t id = Fetched(side, event).id;
    Ack(side, event);
    return id;
  }

  // An id of side 0 with a resolved route, and a queue pair.
  uint32_t CreateResolved() {
    const uint32_t id = Create(0);
    EXPECT_EQ(On(0, id, call::ResolveAddr{.destination = Of(1, kPort)}), Errno::kNone);
    Take(0, EventType::kAddrResolved);
    EXPECT_EQ(On(0, id, call::ResolveRoute{}), Errno::kNone);
    Take(0, EventType::kRouteResolved);
    EXPECT_EQ(On(0, id, call::CreateQp{}), Errno::kNone);
    return id;
  }
  // Side 1 has heard of the request of `id`, and made a queue pair for it; its new id.
  uint32_t Request(uint32_t id) {
    EXPECT_EQ(On(0, id, call::Connect{.param = ConnParam{}}), Errno::kNone);
    const uint32_t request = Take(1, EventType::kConnectRequest);
    EXPECT_EQ(On(1, request, call::CreateQp{}), Errno::kNone);
    return request;
  }

  World world_;
  uint32_t channels_[2] = {};
};

}  // namespace cm::sim

#endif  // SIM_LIB_PAIR_H_
