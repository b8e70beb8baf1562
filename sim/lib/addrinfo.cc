// What the library looks up and hands out: addresses by name, and devices.
// source: rdma-core 44 librdmacm/addrinfo.c, cma.c rdma_get_devices; glibc 2.36 getaddrinfo.c
#include "sim/lib/library.h"

namespace cm::sim {
namespace {

// The kinds of sockets of the C library's resolver.
enum class Socket : uint8_t { kAny, kStream, kDatagram };

Socket SocketOfType(std::optional<QpType> type) {
  if (!type) return Socket::kAny;
  return *type == QpType::kUd ? Socket::kDatagram : Socket::kStream;
}

// By the protocol that a port space stands for; RDMA_PS_IB stands for whatever the type says.
Socket SocketOfSpace(std::optional<PortSpace> space) {
  if (!space || *space == PortSpace::kIb) return Socket::kAny;
  return *space == PortSpace::kTcp ? Socket::kStream : Socket::kDatagram;
}

uint8_t LengthOf(const Address& address) {
  return address.kind == AddressKind::kNone ? uint8_t{0} : SockaddrLength(address.v6);
}

// What the resolver finds for a numeric node: the family decides between the two wildcards and the
// two loopback addresses. Of the wildcards IPv4 comes first, of the others IPv6.
Address Lookup(const call::GetAddrInfo& call, uint8_t family, bool passive) {
  Address found = call.node;
  if (found.kind == AddressKind::kNone) {
    const bool v6 = family == 0 ? !passive : family == kInet6Family;
    found = {.kind = passive ? AddressKind::kAny : AddressKind::kLoopback, .v6 = v6};
  }
  return found.WithPort(call.service.value_or(0));
}

}  // namespace

Progress Library::GetAddrInfo(Context c, const call::GetAddrInfo& call) {
  const bool node = call.node.kind != AddressKind::kNone;
  if (!node && !call.service && !call.hints) return {.reply = Reply::Refused(Errno::kInval)};
  const AddrHints hints = call.hints.value_or(AddrHints{});
  AddrInfoHanded info{.family = hints.family, .type = hints.type, .space = hints.space};
  if (!node && !call.service) {
    info.flags = hints.flags;
    info.destination = hints.destination;
  } else {
    const uint8_t family = hints.family;
    if (family != 0 && family != kInetFamily && family != kInet6Family)
      return {.reply = {.value = kFamilyUnknownCode}};
    Socket socket = SocketOfType(hints.type);
    const Socket by_space = SocketOfSpace(hints.space);
    if (socket != Socket::kAny && by_space != Socket::kAny && socket != by_space)
      return {.reply = {.value = kTypeUnknownCode}};
    if (node && family != 0 && FamilyNumber(call.node.v6) != family)
      return {.reply = {.value = kAddressFamilyCode}};
    if (socket == Socket::kAny) socket = by_space;
    const bool datagrams = socket == Socket::kDatagram;
    if (!info.type) info.type = datagrams ? QpType::kUd : QpType::kRc;
    if (!info.space) info.space = datagrams ? PortSpace::kUdp : PortSpace::kTcp;
    // Of the flags only this one comes back.
    info.flags = hints.flags & kPassiveHint;
    const bool passive = info.flags != 0;
    Address found = Lookup(call, family, passive);
    if (c.defect == Defect::kAddrInfoDropsService) found.port = 0;
    info.family = FamilyNumber(found.v6);
    (passive ? info.source : info.destination) = found;
  }
  if (info.source.kind == AddressKind::kNone) info.source = hints.source;
  info.source_length = LengthOf(info.source);
  info.destination_length = LengthOf(info.destination);
  ++handed_out_;
  return {.handed = info};
}

// They are looked for anew each time.
Progress Library::GetDevices(Context c) {
  uint32_t devices = c.kernel->Devices(kernel_);
  if (c.defect == Defect::kDevicesCached) {
    if (devices_known_ == 0) devices_known_ = devices;
    devices = devices_known_;
  }
  if (devices == 0) return {.reply = Reply::Refused(Errno::kNoDev)};
  ++handed_out_;
  return {.handed = DevicesHanded{.known = devices}};
}

}  // namespace cm::sim
