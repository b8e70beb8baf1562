// Address and route resolution. source: linux 6.1 cma.c rdma_resolve_addr, addr_handler, addr.c
#include "sim/rdma_cm/ids.h"
#include "sim/rdma_cm/transport.h"

namespace cm::sim {
namespace {

constexpr Duration kAddressLatency = Duration::Microseconds(20);
constexpr Duration kOneAttempt = Duration::Milliseconds(1);  // timeout 0: tried once

struct Route {
  uint8_t interface = kNoDevice;
  bool neighbour_answers = true;
};

// The interface that packets to `destination` leave by, and whether a host answers there.
Result<Route> FindRoute(const Fabric& fabric, const CmId& id, const Address& destination) {
  const bool routed =
      destination.kind == AddressKind::kSide || destination.kind == AddressKind::kSilent;
  // IPv4 treats a destination without a route as a neighbour, once the interface is known. source:
  // linux 6.1 route.c ip_route_output_key_hash_rcu
  const bool multicast = destination.kind == AddressKind::kGroup;
  if (!routed && ((destination.v6 && !multicast) || id.interface == kNoDevice))
    return Errno::kNetUnreach;
  // Loopback leads to addresses of the same kernel, where no device is found; IPv4 loopback has no
  // other routes.
  if (id.source.kind == AddressKind::kLoopback && id.device == kNoDevice) {
    const bool inside = fabric.LocalDevice(destination, id.kernel) != kNoDevice;
    // An interface that a refused call has left with the id is tried first. source: linux 6.1
    // route.c ip_route_output_key_hash_rcu
    if (inside && id.interface != kNoDevice && !fabric.device(id.interface).up)
      return Errno::kNetUnreach;
    if (inside) return Route{.interface = kNoDevice, .neighbour_answers = true};
    if (!destination.v6) return Errno::kInval;
  }
  Route route{.interface = id.interface,
              .neighbour_answers = multicast || destination.kind == AddressKind::kSide};
  const uint8_t there = fabric.DeviceOf(destination);
  const uint8_t local = fabric.LocalDevice(destination, id.kernel);
  if (route.interface == kNoDevice) {
    // Without a source address the kernel uses its own interface with that address, or the
    // interface to the network of the passive side.
    if (local != kNoDevice) {
      route.interface = local;
    } else {
      route.interface = fabric.topology().WayOut(
          id.kernel, there == kNoDevice ? std::nullopt : std::optional(there));
    }
  }
  if (there != kNoDevice && there != route.interface)
    route.neighbour_answers = fabric.FindsNeighbour(route.interface, there);
  const bool to_itself = local == route.interface;
  if (to_itself && destination.kind == AddressKind::kSide) return route;
  if (!fabric.device(route.interface).up) return Errno::kNetUnreach;
  return route;
}

// `status` is the result that the application gets after that time.
void FinishAfter(const KernelContext& k, CmIdIndex id, Duration span, int32_t status) {
  CmId& own = k.cma->ids[id];
  own.resolve_interface = own.interface;
  own.resolve_status = status;
  own.work = k.agenda->Now() + span;
  k.agenda->At(own.work, EventKind::kAddressWork, id.value());
}

// The kernel's first device whose link is up, or else its first device. source: linux 6.1 cma.c
// cma_bind_loopback
uint8_t LoopbackDevice(const Fabric& fabric, uint8_t kernel) {
  uint8_t found = kNoDevice;
  for (const uint8_t device : fabric.ByRegistration()) {
    if (fabric.KernelOf(device) != kernel) continue;
    if (fabric.device(device).up) return device;
    if (found == kNoDevice) found = device;
  }
  return found;
}

Errno ResolveLoopback(const KernelContext& k, CmIdIndex id) {
  CmId& own = k.cma->ids[id];
  if (own.device == kNoDevice) {
    const uint8_t found = LoopbackDevice(*k.fabric, own.kernel);
    if (found == kNoDevice) return Errno::kNoDev;
    if (!k.transport->has_pkeys()) return Errno::kInval;
    Attach(k, id, found);
    own.source =
        Address{.kind = AddressKind::kLoopback, .v6 = own.source.v6, .port = own.source.port};
  }
  FinishAfter(k, id, kAddressLatency, 0);
  return Errno::kNone;
}

// Asks for an absent neighbour. It asks again when its time is over, which is not modelled.
void Ask(const KernelContext& k, uint8_t device, uint8_t peer) {
  NeighbourTable& table = k.fabric->device(device).neighbours;
  if (peer == kNoDevice || table[peer] != Neighbour::kAbsent) return;
  table.Set(peer, Neighbour::kAsked);
  k.agenda->In(kNeighbourAsked, EventKind::kNeighbourFails, (uint32_t{device} << 8) | peer);
}

Errno StartResolving(const KernelContext& k, CmIdIndex id, const command::ResolveAddr& cmd) {
  CmId& own = k.cma->ids[id];
  if (cmd.destination.AnyOrLoopback()) return ResolveLoopback(k, id);
  const Result<Route> route = FindRoute(*k.fabric, own, cmd.destination);
  if (!route.ok()) return route.error();
  own.interface = route.value().interface;
  if (own.interface != kNoDevice) own.bond_slave = k.fabric->device(own.interface).bond_slave;
  if (route.value().neighbour_answers) {
    FinishAfter(k, id, kAddressLatency, 0);
    return Errno::kNone;
  }
  Ask(k, own.interface, k.fabric->DeviceOf(cmd.destination));
  if (cmd.timeout_ms < 0) {
    own.work = Instant::Never();  // it retries for ever
    return Errno::kNone;
  }
  const Duration patience =
      cmd.timeout_ms == 0 ? kOneAttempt : Duration::Milliseconds(cmd.timeout_ms);
  FinishAfter(k, id, patience, -static_cast<int>(Errno::kTimedOut));
  return Errno::kNone;
}

// A refusal, after which the id may have no destination. source: linux 5.10 cma.c
// resolve_prepare_src
Errno Refuse(const KernelContext& k, CmIdIndex id, Errno error) {
  if (k.profile->dialect.refused_resolve_clears_destination) k.cma->ids[id].destination = {};
  return error;
}

// From now on the source is the address of the interface; the port stays.
void TakeAddressOf(const KernelContext& k, CmIdIndex id, uint8_t interface) {
  CmId& own = k.cma->ids[id];
  Attach(k, id, interface);
  const Topology& topology = k.fabric->topology();
  for (uint8_t side = 0; side < topology.sides.size(); ++side) {
    if (topology.sides[side].device == interface)
      own.source = Address{.kind = AddressKind::kSide,
                           .side = side,
                           .v6 = own.source.v6,
                           .port = own.source.port,
                           .nth = topology.AnsweringNth(interface, own.destination.nth)};
  }
}

// The status of a resolution whose neighbour has answered.
Errno FindDevice(const KernelContext& k, CmIdIndex id) {
  const CmId& own = k.cma->ids[id];
  if (own.device != kNoDevice) return Errno::kNone;
  if (!k.transport->Carries(own.space)) return Errno::kInval;
  const uint8_t interface = own.resolve_interface;
  // No device has a GID of a loopback address. source: linux 6.1 cma.c cma_acquire_dev_by_src_ip
  if (own.source.kind == AddressKind::kLoopback) return Errno::kNoDev;
  if (interface == kNoDevice || !k.fabric->device(interface).registered) return Errno::kNoDev;
  TakeAddressOf(k, id, interface);
  return Errno::kNone;
}

}  // namespace

Errno Execute(const KernelContext& k, FileIndex file, const command::ResolveAddr& cmd) {
  const Result<CmIdIndex> id = Lookup(k, file, cmd.id);
  if (!id.ok()) return id.error();
  CmId& own = k.cma->ids[id.value()];
  if (own.state == CmState::kAddrBound) {
    own.destination = cmd.destination;
  } else {
    const Address any{.kind = AddressKind::kAny, .v6 = cmd.destination.v6};
    const Address& source = cmd.source.kind == AddressKind::kNone ? any : cmd.source;
    const Errno bound = BindTo(k, id.value(), source, &cmd.destination);
    if (bound != Errno::kNone) return Refuse(k, id.value(), bound);
  }
  if (own.source.v6 != cmd.destination.v6) return Refuse(k, id.value(), Errno::kInval);
  own.state = CmState::kAddrQuery;
  const Errno started = StartResolving(k, id.value(), cmd);
  if (started != Errno::kNone) own.state = CmState::kAddrBound;
  return started;
}

void OnAddressWork(const KernelContext& k, CmIdIndex id) {
  if (!k.cma->ids.Live(id)) return;
  CmId& own = k.cma->ids[id];
  if (own.state != CmState::kAddrQuery || own.work != k.agenda->Now()) return;
  own.work = Instant::Never();
  int32_t status = own.resolve_status;
  if (status == 0) status = -static_cast<int>(FindDevice(k, id));
  own.state = status == 0 ? CmState::kAddrResolved : CmState::kAddrBound;
  Report(
      k, id,
      {.type = status == 0 ? EventType::kAddrResolved : EventType::kAddrError, .status = status});
}

Errno Execute(const KernelContext& k, FileIndex file, const command::ResolveRoute& cmd) {
  const Result<CmIdIndex> id = LookupWithDevice(k, file, cmd.id);
  if (!id.ok()) return id.error();
  if (cmd.timeout_ms == 0 && !k.profile->dialect.route_timeout_may_be_zero) return Errno::kInval;
  CmId& own = k.cma->ids[id.value()];
  if (own.state != CmState::kAddrResolved) return Errno::kInval;
  // Loopback destinations are resolved without an interface.
  if (k.transport->paths_need_interface() && own.interface == kNoDevice) return Errno::kNoDev;
  own.state = CmState::kRouteQuery;
  k.transport->StartRoute(k, id.value(),
                          Duration::Milliseconds(static_cast<uint32_t>(cmd.timeout_ms)));
  return Errno::kNone;
}

void OnRouteWork(const KernelContext& k, CmIdIndex id) {
  if (!k.cma->ids.Live(id)) return;
  CmId& own = k.cma->ids[id];
  if (own.state != CmState::kRouteQuery || own.work != k.agenda->Now()) return;
  own.work = Instant::Never();
  k.transport->ContinueRoute(k, id);
}

void RouteResolved(const KernelContext& k, CmIdIndex id) {
  k.cma->ids[id].state = CmState::kRouteResolved;
  Report(k, id, {.type = EventType::kRouteResolved});
}

void RouteFailed(const KernelContext& k, CmIdIndex id, Errno failure) {
  k.cma->ids[id].state = CmState::kAddrResolved;
  Report(k, id, {.type = EventType::kRouteError, .status = -static_cast<int32_t>(failure)});
}

}  // namespace cm::sim
