#include "tools/bench/library_load.h"

#include <optional>

#include "model/vocabulary/call.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

constexpr uint16_t kListensOn = 999;
constexpr uint16_t kFirstPort = 1024;

constexpr Address Of(uint8_t side, uint16_t port) {
  return {.kind = AddressKind::kSide, .side = side, .port = port};
}

}  // namespace

LibraryLoad::LibraryLoad(const Profile* profile) : world_(FindTopology("two-kernels"), profile) {
  for (const uint8_t side : {kActive, kPassive})
    channels_[side] = Do(side, call::CreateEventChannel{.nonblocking = true}, {}).made;
  listener_ = Do(kPassive, call::CreateId{}, {.channel = channels_[kPassive]}).made;
  Do(kPassive, call::BindAddr{.address = Of(kPassive, kListensOn)}, {.id = listener_});
  Do(kPassive, call::Listen{.backlog = 0}, {.id = listener_});
}

// There are fewer ports than ids: ids of the active side share them.
void LibraryLoad::Connect() {
  const uint32_t id = Do(kActive, call::CreateId{}, {.channel = channels_[kActive]}).made;
  port_ = port_ < kFirstPort ? kFirstPort : static_cast<uint16_t>(port_ + 1);
  if (port_ < kFirstPort) port_ = kFirstPort;
  Do(kActive, call::SetOption{.option = kReuseAddrOption, .value = 1}, {.id = id});
  Do(kActive, call::BindAddr{.address = Of(kActive, port_)}, {.id = id});
  Do(kActive, call::ResolveAddr{.destination = Of(kPassive, kListensOn), .timeout_ms = 2000},
     {.id = id});
}

void LibraryLoad::Disconnect() {
  Do(kActive, call::Disconnect{}, {.id = standing_.front()});
  standing_.pop_front();
}

bool LibraryLoad::Step() {
  if (!world_.NextAt()) return false;
  world_.Step();
  ++events_;
  for (const uint8_t side : {kActive, kPassive}) Deal(side);
  for (; beginning_ > 0; --beginning_) Connect();
  return true;
}

void LibraryLoad::RunUntil(Instant when) {
  while (world_.NextAt() && *world_.NextAt() <= when) Step();
  world_.RunUntil(when);
}

void LibraryLoad::Exit() {
  for (const uint8_t side : {kActive, kPassive})
    world_.Inject({.kind = FaultKind::kExit, .side = side});
}

void LibraryLoad::Deal(uint8_t side) {
  while (Readable(world_.Context(), world_.library(side), channels_[side])) {
    const sim::Progress got = world_.Do(side, call::GetCmEvent{}, {.channel = channels_[side]});
    ++calls_;
    if (!got.reply.succeeded()) return;
    const sim::FetchedEvent& event = world_.library(side).events[got.made];
    const EventType type = event.event.type;
    const uint32_t id = event.id;
    Do(side, call::AckCmEvent{}, {.event = got.made});
    Handle(side, type, id);
  }
}

// What the benchmark's programs do; other events are failures.
void LibraryLoad::Handle(uint8_t side, EventType type, uint32_t id) {
  if (type == EventType::kAddrResolved) {
    Do(side, call::ResolveRoute{}, {.id = id});
  } else if (type == EventType::kRouteResolved) {
    Do(side, call::CreateQp{}, {.id = id});
    Do(side, call::Connect{.param = ConnParam{}}, {.id = id});
  } else if (type == EventType::kConnectRequest) {
    Do(side, call::CreateQp{}, {.id = id});
    Do(side, call::Accept{.param = ConnParam{}}, {.id = id});
  } else if (type == EventType::kEstablished) {
    if (side != kActive) return;
    standing_.push_back(id);
    if (ends_at_once_) Disconnect();
  } else if (type == EventType::kDisconnected) {
    if (side == kPassive) Do(side, call::Disconnect{}, {.id = id});
  } else if (type == EventType::kTimewaitExit) {
    Do(side, call::DestroyId{}, {.id = id});
    ++gone_;
    if (begins_again_ && side == kActive) ++beginning_;
  } else {
    ++failed_;
  }
}

}  // namespace cm
