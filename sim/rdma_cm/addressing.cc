// Binding, listening and ports. source: linux 6.1 cma.c rdma_bind_addr_dst, cma_check_port
#include <algorithm>

#include "sim/rdma_cm/rdma_cm.h"

namespace cm::sim {
namespace {

constexpr uint16_t kFirstUnprivilegedPort = 1024;
constexpr uint16_t kLastEphemeralPort = 60999;

uint32_t HashOfPort(uint8_t kernel, PortSpace space, uint16_t port) {
  return HashOfKey((uint64_t{kernel} << 32) | (static_cast<uint64_t>(space) << 16) | port);
}

uint32_t HashOfPort(const CmId& id) { return HashOfPort(id.kernel, id.space, id.source.port); }

}  // namespace

// An IPv6 address is removed when the link goes down; an IPv4 address stays.
bool RdmaCm::AddressIsUp(const Address& address, uint8_t kernel) const {
  const uint8_t device = c_.fabric->LocalDevice(address, kernel);
  return device != kNoDevice && (!address.v6 || c_.fabric->device(device).up);
}

// `shares`: ids that share their ports do not conflict. The newest owner decides the result.
Errno RdmaCm::CheckPort(uint32_t id, bool shares) const {
  const CmId& own = ids_[id];
  Errno answer = Errno::kNone;
  uint32_t newest = 0;
  const auto object = [&](const CmId& owner, Errno error) {
    if (owner.took_port < newest) return;
    newest = owner.took_port;
    answer = error;
  };
  port_owners_.Visit(HashOfPort(own), [&](uint32_t other) {
    if (other == id) return;
    const CmId& owner = ids_[other];
    if (owner.kernel != own.kernel || owner.space != own.space ||
        owner.source.port != own.source.port) {
      return;
    }
    if (shares && owner.shares_port) return;
    if (own.family_only && owner.family_only && own.source.v6 != owner.source.v6) return;
    if (own.source.AnyOrLoopback() || owner.source.AnyOrLoopback())
      return object(owner, Errno::kAddrNotAvail);
    if (own.source == owner.source) object(owner, Errno::kAddrInUse);
  });
  return answer;
}

// Ports of the kernel's range, one after the other; their order has no meaning. False when none is
// left.
bool RdmaCm::TakeEphemeralPort(uint32_t id) {
  CmId& own = ids_[id];
  for (int tried = kFirstEphemeralPort; tried <= kLastEphemeralPort; ++tried) {
    last_ephemeral_ = last_ephemeral_ < kFirstEphemeralPort || last_ephemeral_ >= kLastEphemeralPort
                          ? kFirstEphemeralPort
                          : static_cast<uint16_t>(last_ephemeral_ + 1);
    own.source.port = last_ephemeral_;
    if (CheckPort(id, false) == Errno::kNone) return true;
  }
  own.source.port = 0;
  return false;
}

// source: linux 6.1 cma.c cma_alloc_any_port, cma_use_port
Errno RdmaCm::TakePort(uint32_t id) {
  CmId& own = ids_[id];
  if (own.source.port == 0) {
    if (!TakeEphemeralPort(id)) return Errno::kAddrNotAvail;
  } else {
    // The programs of a conversation run as root: low ports are permitted.
    static_assert(kFirstUnprivilegedPort > 0);
    const Errno error = CheckPort(id, own.shares_port);
    if (error != Errno::kNone) return error;
  }
  own.owns_port = true;
  own.took_port = ++port_count_;
  port_owners_.Add(HashOfPort(own), id);
  return Errno::kNone;
}

void RdmaCm::LeavePort(uint32_t id) {
  port_owners_.Remove(HashOfPort(ids_[id]), id);
  ids_[id].owns_port = false;
}

Errno RdmaCm::BindTo(uint32_t id, const Address& address, const Address* destination) {
  CmId& own = ids_[id];
  if (own.state != CmState::kIdle) return Errno::kInval;
  own.source = address;
  if (!address.AnyOrLoopback()) {
    const uint8_t device = c_.fabric->LocalDevice(address, own.kernel);
    const bool other_interface = own.interface != kNoDevice && own.interface != device;
    if (!AddressIsUp(address, own.kernel) || other_interface)
      return own.interface == kNoDevice ? Errno::kAddrNotAvail : Errno::kNoDev;
    own.interface = device;
    own.bond_slave = c_.fabric->device(device).bond_slave;
    if (own.space == PortSpace::kIpoib && !OverInfiniband()) return Errno::kInval;
    if (!c_.fabric->device(device).registered) return Errno::kNoDev;
    AttachTo(id, device);
  }
  if (!own.family_only_given) own.family_only = !address.v6;
  if (destination == nullptr)
    own.destination = Address{.kind = AddressKind::kAny, .v6 = address.v6};
  else
    own.destination = *destination;
  const Errno error = TakePort(id);
  if (error != Errno::kNone) {
    own.device = kNoDevice;
    return error;
  }
  own.state = CmState::kAddrBound;
  return Errno::kNone;
}

Errno RdmaCm::Write(uint32_t file, const command::Bind& cmd) {
  const Errno error = Lookup(file, cmd.id);
  if (error != Errno::kNone) return error;
  return BindTo(cmd.id, cmd.address, nullptr);
}

Errno RdmaCm::Write(uint32_t file, const command::Listen& cmd) {
  const Errno error = Lookup(file, cmd.id);
  if (error != Errno::kNone) return error;
  CmId& own = ids_[cmd.id];
  const auto max = static_cast<int32_t>(c_.profile->limits.max_backlog);
  own.backlog = cmd.backlog <= 0 || cmd.backlog > max ? max : cmd.backlog;
  if (own.state == CmState::kIdle) {
    const Errno bound = BindTo(cmd.id, Address{.kind = AddressKind::kAny}, nullptr);
    if (bound != Errno::kNone) return bound;
  }
  if (own.state != CmState::kAddrBound) return Errno::kInval;
  // A listening id does not share its port.
  if (own.shares_port) {
    const Errno shared = CheckPort(cmd.id, false);
    if (shared != Errno::kNone) return shared;
  }
  own.shares_port = false;
  own.state = CmState::kListen;
  own.listens_on_device = own.device != kNoDevice;
  return Errno::kNone;
}

// An id listens on all ports of its device. source: linux 6.1 cm.c cm_find_listen
bool RdmaCm::Listens(uint8_t device, const Mad& req) {
  const uint8_t kernel = c_.fabric->KernelOf(device);
  bool listens = false;
  port_owners_.Visit(HashOfPort(kernel, req.space, req.port), [&](uint32_t id) {
    const CmId& own = ids_[id];
    listens |= own.state == CmState::kListen && own.kernel == kernel && own.space == req.space &&
               own.source.port == req.port &&
               (own.device == kNoDevice || c_.fabric->CaOf(own.device) == c_.fabric->CaOf(device));
  });
  return listens;
}

// The owner of the port of a request, the newest first. source: cma.c cma_find_listener
uint32_t RdmaCm::FindOwner(uint8_t device, const Mad& req) const {
  const uint8_t kernel = c_.fabric->KernelOf(device);
  uint32_t found = kNobody;
  port_owners_.Visit(HashOfPort(kernel, req.space, req.port), [&](uint32_t id) {
    const CmId& own = ids_[id];
    if (own.kernel != kernel || own.space != req.space || own.source.port != req.port) return;
    const bool any = own.source.AnyOrLoopback();
    const bool address_fits =
        (any && !own.family_only) ||
        (own.source.v6 == req.destination.v6 && (any || own.source.SameHost(req.destination)));
    const bool device_fits =
        own.device == device || (own.device == kNoDevice && own.state == CmState::kListen);
    const bool newest = found == kNobody || ids_[found].took_port < own.took_port;
    if (address_fits && device_fits && newest) found = id;
  });
  return found;
}

}  // namespace cm::sim
