// Binding and listening. source: linux 6.1 cma.c rdma_bind_addr_dst, rdma_listen
#include "sim/rdma_cm/ids.h"
#include "sim/rdma_cm/transport.h"

namespace cm::sim {
namespace {

// An IPv6 address is removed when the link goes down; an IPv4 address stays.
bool IsUp(const KernelContext& k, const Address& address, uint8_t device) {
  return device != kNoDevice && (!address.v6 || k.fabric->device(device).up);
}

Errno BindToInterface(const KernelContext& k, CmIdIndex id) {
  CmId& own = k.cma->ids[id];
  const uint8_t device = k.fabric->LocalDevice(own.source, own.kernel);
  const bool other_interface = own.interface != kNoDevice && own.interface != device;
  if (!IsUp(k, own.source, device) || other_interface)
    return own.interface == kNoDevice ? Errno::kAddrNotAvail : Errno::kNoDev;
  own.interface = device;
  own.bond_slave = k.fabric->device(device).bond_slave;
  if (!k.transport->Carries(own.space)) return Errno::kInval;
  if (!k.fabric->device(device).registered) return Errno::kNoDev;
  Attach(k, id, device);
  return Errno::kNone;
}

}  // namespace

Errno BindTo(const KernelContext& k, CmIdIndex id, const Address& address,
             const Address* destination) {
  CmId& own = k.cma->ids[id];
  if (own.state != CmState::kIdle) return Errno::kInval;
  own.source = address;
  if (!address.AnyOrLoopback()) {
    const Errno error = BindToInterface(k, id);
    if (error != Errno::kNone) return error;
  }
  if (!own.family_only_given) own.family_only = !address.v6;
  // An id that could not be bound for its destination keeps that. In the family of the source only
  // the port is left of one that had another family. source: linux 6.1 cma.c rdma_bind_addr_dst,
  // observed 6.1-rxe in the lab
  if (destination != nullptr) own.destination = *destination;
  if (own.destination.kind == AddressKind::kNone || own.destination.v6 != address.v6)
    own.destination =
        Address{.kind = AddressKind::kAny, .v6 = address.v6, .port = own.destination.port};
  const Errno error = k.cma->ports.Take(&k.cma->ids, id);
  if (error != Errno::kNone) {
    own.device = kNoDevice;
    return error;
  }
  own.state = CmState::kAddrBound;
  return Errno::kNone;
}

Errno Execute(const KernelContext& k, FileIndex file, const command::Bind& cmd) {
  const Result<CmIdIndex> id = Lookup(k, file, cmd.id);
  if (!id.ok()) return id.error();
  return BindTo(k, id.value(), cmd.address, nullptr);
}

Errno Execute(const KernelContext& k, FileIndex file, const command::Listen& cmd) {
  const Result<CmIdIndex> id = Lookup(k, file, cmd.id);
  if (!id.ok()) return id.error();
  CmId& own = k.cma->ids[id.value()];
  const auto max = static_cast<int32_t>(k.profile->limits.max_backlog);
  own.backlog = cmd.backlog <= 0 || cmd.backlog > max ? max : cmd.backlog;
  if (own.state == CmState::kIdle) {
    const Errno bound = BindTo(k, id.value(), Address{.kind = AddressKind::kAny}, nullptr);
    if (bound != Errno::kNone) return bound;
  }
  if (own.state != CmState::kAddrBound) return Errno::kInval;
  // A listening id does not share its port.
  if (own.shares_port) {
    const Errno shared = k.cma->ports.Check(k.cma->ids, id.value(), false);
    if (shared != Errno::kNone) return shared;
  }
  own.shares_port = false;
  // Soft-iWARP listens with TCP sockets. source: linux 6.1 siw_cm.c siw_create_listen, observed
  // 6.1-siw in the lab
  if (k.profile->transport == Transport::kIwarp &&
      k.cma->ports.ListensInAnotherSpace(k.cma->ids, id.value()))
    return Errno::kAddrInUse;
  own.state = CmState::kListen;
  own.listens_on_device = own.device != kNoDevice;
  return Errno::kNone;
}

}  // namespace cm::sim
