// Lookups whose results the application releases: addresses by name, also for an id, and devices.
// source: rdma-core 44 librdmacm/addrinfo.c, cma.c rdma_get_devices; glibc 2.36 getaddrinfo.c;
// rdma-core 65 librdmacm/cma.c rdma_resolve_addrinfo
#include "sim/lib/calls.h"
#include "sim/lib/steps.h"
#include "sim/lib/waits.h"

namespace cm::sim {
namespace {

// Socket types of the C library's resolver.
enum class Socket : uint8_t { kAny, kStream, kDatagram };

Socket SocketOfType(std::optional<QpType> type) {
  if (!type) return Socket::kAny;
  return *type == QpType::kUd ? Socket::kDatagram : Socket::kStream;
}

// By the protocol of the port space; RDMA_PS_IB is any protocol of the type.
Socket SocketOfSpace(std::optional<PortSpace> space) {
  if (!space || *space == PortSpace::kIb) return Socket::kAny;
  return *space == PortSpace::kTcp ? Socket::kStream : Socket::kDatagram;
}

uint8_t LengthOf(const Address& address) {
  return address.kind == AddressKind::kNone ? uint8_t{0} : SockaddrLength(address.v6);
}

// The resolver's result for a numeric node: the family decides between the two wildcards and the
// two loopback addresses. For wildcards IPv4 is first, otherwise IPv6.
Address Lookup(const call::GetAddrInfo& call, uint8_t family, bool passive) {
  Address found = call.node;
  if (found.kind == AddressKind::kNone) {
    const bool v6 = family == 0 ? !passive : family == kInet6Family;
    found = {.kind = passive ? AddressKind::kAny : AddressKind::kLoopback, .v6 = v6};
  }
  return found.WithPort(call.service.value_or(0));
}

// The result of a lookup, before it is delivered.
Progress LookUp(const call::GetAddrInfo& call) {
  const bool node = call.node.kind != AddressKind::kNone;
  if (!node && !call.service && !call.hints) return Ended(Errno::kInval);
  const AddrHints hints = call.hints.value_or(AddrHints{});
  AddrInfoOutput info{.family = hints.family, .type = hints.type, .space = hints.space};
  if (!node && !call.service) {
    info.flags = hints.flags;
    info.destination = hints.destination;
  } else {
    // source: rdma-core 44 addrinfo.c ucma_convert_to_ai, which leaves this one out
    const uint8_t family = hints.family == kIbFamily ? 0 : hints.family;
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
    // Only this flag is returned.
    info.flags = hints.flags & kPassiveHint;
    const bool passive = info.flags != 0;
    const Address found = Lookup(call, family, passive);
    info.family = FamilyNumber(found.v6);
    (passive ? info.source : info.destination) = found;
  }
  if (info.source.kind == AddressKind::kNone) info.source = hints.source;
  info.source_length = LengthOf(info.source);
  info.destination_length = LengthOf(info.destination);
  return {.output = info};
}

// The error of rdma_resolve_addrinfo for every failure without an errno.
constexpr auto kOwnFailure = static_cast<Errno>(-1);

// The lookup is complete on return; its event goes through the kernel and back.
Errno StartLookup(const Context& c, Library& library, uint32_t id, const call::ResolveAddrInfo& x) {
  UserId& own = library.ids[id];
  if (own.looks_up) return Errno::kBusy;
  const uint32_t flags = x.hints ? x.hints->flags : 0;
  if ((flags & kServiceRecordsHint) != 0) {
    const bool two_ways = x.node.kind != AddressKind::kNone || (flags & kResolverHint) != 0;
    return two_ways ? Errno::kNotSup : kOwnFailure;  // RoCE has no service records
  }
  const Progress found =
      LookUp({.info = {}, .node = x.node, .service = x.service, .hints = x.hints});
  // The errno is the resolver's return value.
  if (!found.reply.succeeded()) return static_cast<Errno>(found.reply.value);
  const Errno written =
      Write(c, library, id, command::WriteCmEvent{.id = own.handle, .type = EventType::kInternal});
  if (written != Errno::kNone) return kOwnFailure;
  own.looks_up = true;
  own.info = std::get<AddrInfoOutput>(*found.output);
  return Errno::kNone;
}

// rdma_freeaddrinfo or rdma_free_devices.
Progress GiveBack(Library& library) {
  --library.handed_out;
  return {};
}

}  // namespace

// `output` is the result, to be released. EINVAL without node, service and hints; an error number
// of the resolver where it finds nothing. source: man rdma_getaddrinfo(3)
Progress Do(const Context& /*c*/, Library& library, const call::GetAddrInfo& x,
            const Named& /*at*/) {
  const Progress found = LookUp(x);
  if (found.reply.succeeded()) ++library.handed_out;
  return found;
}
Progress Do(const Context& /*c*/, Library& library, const call::FreeAddrInfo& /*x*/,
            const Named& /*at*/) {
  return GiveBack(library);
}

// `output` is the list, to be released; the library opens the devices anew on each call. ENODEV
// without a device. source: man rdma_get_devices(3)
Progress Do(const Context& c, Library& library, const call::GetDevices& /*x*/,
            const Named& /*at*/) {
  const DeviceBits devices = RegisteredDevices(c.kernel, library.kernel);
  if (devices == 0) return Ended(Errno::kNoDev);
  ++library.handed_out;
  return {.output = DevicesOutput{.known = devices}};
}
Progress Do(const Context& /*c*/, Library& library, const call::FreeDevices& /*x*/,
            const Named& /*at*/) {
  return GiveBack(library);
}

// Starts the lookup, which an event ends; EBUSY while an earlier one is outstanding.
// source: rdma-core 65 cma.c rdma_resolve_addrinfo
Progress Do(const Context& c, Library& library, const call::ResolveAddrInfo& x, const Named& at) {
  const Errno error = StartLookup(c, library, at.id, x);
  if (error != Errno::kNone || !library.ids[at.id].synchronous) return Ended(error);
  AckRetained(library, at.id);
  return FinishLookup(c, library, {.waiting = Waiting::kLookup, .id = at.id});
}

// On a synchronous id; the event may be any. The result stays with the id.
Progress FinishLookup(const Context& c, Library& library, const Ongoing& ongoing) {
  const Progress taken = TakeCompletion(c, library, ongoing);
  const bool failed = taken.reply.kind == ReplyKind::kReturned && !taken.reply.succeeded();
  if (!failed) return taken;
  library.ids[ongoing.id].looks_up = false;
  return Ended(kOwnFailure);
}

// Returns the result once; ENOENT without one. source: rdma-core 65 cma.c rdma_query_addrinfo
Progress Do(const Context& /*c*/, Library& library, const call::QueryAddrInfo& /*x*/,
            const Named& at) {
  UserId& own = library.ids[at.id];
  if (!own.looks_up || !own.info) return Ended(Errno::kNoEnt);
  const AddrInfoOutput info = *own.info;
  ++library.handed_out;
  own.looks_up = false;
  own.info.reset();
  return {.output = info};
}

// A result that was returned before its event arrived is not there any more: the library queries
// the kernel for service records instead, and there are none.
void ProcessInfo(const Context& c, Library& library, FetchedEvent* fetched) {
  UserId& own = library.ids[fetched->id];
  fetched->event.type = EventType::kAddrInfoResolved;
  if (own.info) return;
  fetched->event.type = EventType::kAddrInfoError;
  fetched->event.status = static_cast<int32_t>(
      Execute(c.kernel, library.FileOf(fetched->id), command::QueryService{own.handle}));
  own.looks_up = false;
}

}  // namespace cm::sim
