// Address and route resolution. source: linux 6.1 cma.c rdma_resolve_addr, addr_handler, addr.c
#include "sim/rdma_cm/rdma_cm.h"

namespace cm::sim {
namespace {

constexpr Duration kAddressLatency = Duration::Microseconds(20);
constexpr Duration kRouteLatency = Duration::Microseconds(15);
constexpr Duration kOneAttempt = Duration::Milliseconds(1);  // timeout 0: tried once

}  // namespace

// The interface that packets to `destination` leave by, and whether a host answers there.
Result<RdmaCm::Route> RdmaCm::FindRoute(const CmId& id, const Address& destination) const {
  const Fabric& fabric = *c_.fabric;
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
  const uint8_t local = fabric.LocalDevice(destination, id.kernel);
  if (route.interface == kNoDevice) {
    // Without a source address the kernel uses its own interface with that address, or the
    // interface to the network of the passive side.
    if (local != kNoDevice) {
      route.interface = local;
    } else {
      const uint8_t there = fabric.DeviceOf(destination);
      route.interface = fabric.topology().WayOut(
          id.kernel, there == kNoDevice ? std::nullopt : std::optional(there));
    }
  }
  if (const uint8_t there = fabric.DeviceOf(destination); there != kNoDevice && there != local)
    route.neighbour_answers = fabric.Reaches(route.interface, there);
  const bool to_itself = local == route.interface;
  if (to_itself && destination.kind == AddressKind::kSide) return route;
  if (!fabric.device(route.interface).up) return Errno::kNetUnreach;
  return route;
}

Errno RdmaCm::ResolveLoopback(uint32_t id) {
  CmId& own = ids_[id];
  if (own.device == kNoDevice) {
    uint8_t found = kNoDevice;
    for (const uint8_t device : c_.fabric->ByRegistration()) {
      if (c_.fabric->KernelOf(device) != own.kernel) continue;
      if (found == kNoDevice) found = device;
      if (!c_.fabric->device(device).up) continue;
      found = device;
      break;
    }
    if (found == kNoDevice) return Errno::kNoDev;
    if (OverIwarp()) return Errno::kInval;  // no P_Key, which the lookup needs
    AttachTo(id, found);
    own.source =
        Address{.kind = AddressKind::kLoopback, .v6 = own.source.v6, .port = own.source.port};
  }
  own.resolve_interface = own.interface;
  own.resolve_status = 0;
  own.work = c_.agenda->Now() + kAddressLatency;
  c_.agenda->At(own.work, EventKind::kAddressWork, id);
  return Errno::kNone;
}

Errno RdmaCm::StartResolving(uint32_t id, const command::ResolveAddr& cmd) {
  CmId& own = ids_[id];
  if (own.source.v6 != cmd.destination.v6) return Errno::kInval;
  if (cmd.destination.AnyOrLoopback()) return ResolveLoopback(id);
  const Result<Route> route = FindRoute(own, cmd.destination);
  if (!route.ok()) return route.error();
  own.interface = route.value().interface;
  if (own.interface != kNoDevice) own.bond_slave = c_.fabric->device(own.interface).bond_slave;
  own.resolve_interface = own.interface;
  own.resolve_status = route.value().neighbour_answers ? 0 : -static_cast<int>(Errno::kTimedOut);
  Duration after = kAddressLatency;
  if (!route.value().neighbour_answers) {
    if (cmd.timeout_ms < 0) {
      own.work = Instant::Never();  // it retries for ever
      return Errno::kNone;
    }
    after = cmd.timeout_ms == 0 ? kOneAttempt : Duration::Milliseconds(cmd.timeout_ms);
  }
  own.work = c_.agenda->Now() + after;
  c_.agenda->At(own.work, EventKind::kAddressWork, id);
  return Errno::kNone;
}

Errno RdmaCm::Write(uint32_t file, const command::ResolveAddr& cmd) {
  const Errno error = Lookup(file, cmd.id);
  if (error != Errno::kNone) return error;
  CmId& own = ids_[cmd.id];
  if (own.state == CmState::kAddrBound) {
    own.destination = cmd.destination;
  } else {
    const Address any{.kind = AddressKind::kAny, .v6 = cmd.destination.v6};
    const Address& source = cmd.source.kind == AddressKind::kNone ? any : cmd.source;
    const Errno bound = BindTo(cmd.id, source, &cmd.destination);
    if (bound != Errno::kNone) return bound;
  }
  own.state = CmState::kAddrQuery;
  const Errno started = StartResolving(cmd.id, cmd);
  if (started != Errno::kNone) own.state = CmState::kAddrBound;
  return started;
}

void RdmaCm::OnAddressWork(uint32_t id) {
  if (!ids_.Live(id)) return;
  CmId& own = ids_[id];
  if (own.state != CmState::kAddrQuery || own.work != c_.agenda->Now()) return;
  own.work = Instant::Never();
  int32_t status = own.resolve_status;
  if (status == 0 && own.device == kNoDevice) {
    if (own.space == PortSpace::kIpoib && !OverInfiniband()) {
      status = -static_cast<int>(Errno::kInval);
    } else if (own.resolve_interface != kNoDevice &&
               c_.fabric->device(own.resolve_interface).registered) {
      AttachTo(id, own.resolve_interface);
      // From now on the source is the address of the interface; the port stays.
      for (uint8_t side = 0; side < c_.fabric->topology().sides.size(); ++side) {
        if (c_.fabric->topology().sides[side].device == own.resolve_interface)
          own.source = Address{.kind = AddressKind::kSide,
                               .side = side,
                               .v6 = own.source.v6,
                               .port = own.source.port,
                               .nth = c_.fabric->topology().AnsweringNth(own.resolve_interface,
                                                                         own.destination.nth)};
      }
    } else {
      status = -static_cast<int>(Errno::kNoDev);
    }
  }
  own.state = status == 0 ? CmState::kAddrResolved : CmState::kAddrBound;
  Queue(id,
        {.type = status == 0 ? EventType::kAddrResolved : EventType::kAddrError, .status = status});
}

Errno RdmaCm::Write(uint32_t file, const command::ResolveRoute& cmd) {
  const Errno error = LookupWithDevice(file, cmd.id);
  if (error != Errno::kNone) return error;
  if (cmd.timeout_ms == 0) return Errno::kInval;
  CmId& own = ids_[cmd.id];
  if (own.state != CmState::kAddrResolved) return Errno::kInval;
  // Loopback destinations are resolved without an interface, and without one there is no route.
  if (OverIwarp()) {
    own.state = CmState::kRouteQuery;
    own.work = c_.agenda->Now() + kRouteLatency;
    c_.agenda->At(own.work, EventKind::kRouteWork, cmd.id);
    return Errno::kNone;
  }
  if (OverInfiniband()) {
    own.state = CmState::kRouteQuery;
    own.packet_lifetime = static_cast<uint8_t>(c_.profile->timing.packet_lifetime);
    own.asking = QueryFor(Duration::Milliseconds(static_cast<uint32_t>(cmd.timeout_ms)));
    QueryRoute(cmd.id);
    return Errno::kNone;
  }
  if (own.interface == kNoDevice) return Errno::kNoDev;
  own.state = CmState::kRouteQuery;
  own.num_paths = 1;
  own.packet_lifetime = static_cast<uint8_t>(c_.profile->timing.packet_lifetime);
  if (own.ack_timeout != 0) own.packet_lifetime = static_cast<uint8_t>(own.ack_timeout - 1);
  own.neighbour_tracked = true;
  if (const uint8_t there = c_.fabric->DeviceOf(own.destination); there != kNoDevice)
    own.peer_fail_overs = c_.fabric->device(there).fail_overs;
  own.resolved_wrong_neighbour =
      c_.fabric->NeighbourWrong(own.interface, c_.fabric->DeviceOf(own.destination));
  own.work = c_.agenda->Now() + kRouteLatency;
  c_.agenda->At(own.work, EventKind::kRouteWork, cmd.id);
  return Errno::kNone;
}

void RdmaCm::OnRouteWork(uint32_t id) {
  if (!ids_.Live(id)) return;
  CmId& own = ids_[id];
  if (own.state != CmState::kRouteQuery || own.work != c_.agenda->Now()) return;
  own.work = Instant::Never();
  if (OverInfiniband()) return QueryRoute(id);
  own.state = CmState::kRouteResolved;
  Queue(id, {.type = EventType::kRouteResolved});
}

}  // namespace cm::sim
