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
    channels_[side] = Of(side).CreateEventChannel(world_.Context(), true).made;
  const uint32_t channel = channels_[kPassive];
  listener_ = Of(kPassive).CreateId(world_.Context(), channel, PortSpace::kTcp).made;
  Expect(Of(kPassive).BindAddr(world_.Context(), listener_, cm::Of(kPassive, kListensOn)));
  Expect(Of(kPassive).Listen(world_.Context(), listener_, 0));
}

// There are fewer ports than ids: ids of the active side share them.
void LibraryLoad::Connect() {
  sim::Library& library = Of(kActive);
  const sim::Library::Context context = world_.Context();
  const uint32_t id = library.CreateId(context, channels_[kActive], PortSpace::kTcp).made;
  port_ = port_ < kFirstPort ? kFirstPort : static_cast<uint16_t>(port_ + 1);
  if (port_ < kFirstPort) port_ = kFirstPort;
  Expect(library.SetOption(context, id, {.option = kReuseAddrOption, .value = 1}));
  Expect(library.BindAddr(context, id, cm::Of(kActive, port_)));
  const call::ResolveAddr resolve{.destination = cm::Of(kPassive, kListensOn), .timeout_ms = 2000};
  Expect(library.ResolveAddr(context, id, resolve));
  calls_ += 3;
}

void LibraryLoad::Disconnect() {
  Expect(Of(kActive).DisconnectOrWait(world_.Context(), standing_.front()).reply);
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
  const sim::Library::Context context = world_.Context();
  while (world_.library(side).Readable(context, channels_[side])) {
    const sim::Progress got = Of(side).GetCmEvent(context, channels_[side]);
    if (!got.reply.succeeded()) return;
    const sim::FetchedEvent& event = world_.library(side).fetched(got.made);
    const EventType type = event.event.type;
    const uint32_t id = event.id;
    Expect(Of(side).AckCmEvent(got.made));
    Handle(side, type, id);
  }
}

void LibraryLoad::Handle(uint8_t side, EventType type, uint32_t id) {
  sim::Library& library = Of(side);
  const sim::Library::Context context = world_.Context();
  const ConnParam param;
  switch (type) {
    case EventType::kAddrResolved:
      return Expect(library.ResolveRoute(context, id, 2000));
    case EventType::kRouteResolved:
      Expect(library.CreateQp(context, id, {}));
      return Expect(library.Connect(context, id, param));
    case EventType::kConnectRequest:
      Expect(library.CreateQp(context, id, {}));
      return Expect(library.Accept(context, id, param));
    case EventType::kEstablished:
      if (side != kActive) return;
      standing_.push_back(id);
      if (ends_at_once_) Disconnect();
      return;
    case EventType::kDisconnected:
      if (side == kPassive) Expect(library.DisconnectOrWait(context, id).reply);
      return;
    case EventType::kTimewaitExit:
      Expect(library.DestroyId(context, id).reply);
      ++gone_;
      if (begins_again_ && side == kActive) ++beginning_;
      return;
    default:
      ++failed_;
      return;
  }
}

}  // namespace cm
