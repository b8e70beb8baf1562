// Commands written to the device file, as calls of the simulated kernel.
#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>

#include "sim/uapi/bytes.h"
#include "sim/uapi/device_file.h"
#include "sim/uapi/layout.h"
#include "sim/uapi/refusals.h"
#include "sim/uapi/verbs_end_parts.h"

namespace cm::sim::uapi {
namespace {

constexpr size_t kSockaddrIbAddress = 8;  // offset of its 16-byte GID

uint16_t FamilyOf(std::span<const uint8_t> address) { return As<uint16_t>(address); }

// source: linux 6.1 addr.c rdma_addr_size, which is 0 for an unknown family
size_t SizeOf(std::span<const uint8_t> address) {
  switch (FamilyOf(address)) {
    case AF_INET:
      return sizeof(sockaddr_in);
    case AF_INET6:
      return sizeof(sockaddr_in6);
    case kInfinibandFamily:
      return 48;
    default:
      return 0;
  }
}

// For a field of the size of a sockaddr_in6. source: linux 6.1 addr.c rdma_addr_size_in6
size_t SizeOfIn6(const sockaddr_in6& address) {
  const size_t size = SizeOf(BytesOf(address));
  return size <= sizeof(sockaddr_in6) ? size : 0;
}

Outcome DoneUnless(Errno error, size_t written) {
  return error == Errno::kNone ? Value(static_cast<int64_t>(written)) : Refused(error);
}

Outcome NumberIn(const Result<uint32_t>& number, size_t written) {
  return number.ok() ? Record(static_cast<int64_t>(written), number.value())
                     : Refused(number.error());
}

command::ConnectionParam ParamOf(const rdma_ucm_conn_param& param, const rdma_ucm_ece& ece) {
  command::ConnectionParam to_kernel;
  to_kernel.conn = {.responder_resources = param.responder_resources,
                    .initiator_depth = param.initiator_depth,
                    .flow_control = param.flow_control,
                    .retry_count = param.retry_count,
                    .rnr_retry_count = param.rnr_retry_count,
                    .srq = param.srq};
  to_kernel.ece.vendor_id = ece.vendor_id;
  to_kernel.ece.options = ece.attr_mod;
  to_kernel.qp_num = param.qp_num & 0xffffff;
  to_kernel.private_data =
      PrivateData(std::span<const uint8_t>(param.private_data, param.private_data_len));
  return to_kernel;
}

}  // namespace

// The number refers to a queue pair of the id's device, if there is one.
void DeviceFile::NameQp(uint32_t id, command::ConnectionParam* param) const {
  if (!Live(id)) return;
  const Topology& topology = world_->topology();
  const uint8_t device = IdOf(id).device;
  if (device == kNoDevice) return;
  const Verbs& verbs = *world_->Context().verbs;
  // Mostly it is the newest one.
  for (uint32_t qp = verbs.qps().end(); qp-- > 0 && !param->qp_known;) {
    param->qp_known = verbs.qps().Live(qp) && topology.SameDevice(verbs.at(qp).device, device) &&
                      verbs.at(qp).number == param->qp_num;
    param->qp_broken = param->qp_known && verbs.at(qp).state == QpState::kErr;
  }
}

void DeviceFile::NoteQp(uint32_t id, const command::ConnectionParam& param) {
  if (!param.qp_known) return;
  const QpName name = {world_->topology().FirstPortOf(IdOf(id).device), param.qp_num};
  named_[name] = id;
  names_of_[id].insert(name);
}

void DeviceFile::StartAfresh(uint32_t id) {
  infiniband_.erase(id);
  const auto names = names_of_.find(id);
  if (names == names_of_.end()) return;
  for (const QpName& name : names->second)
    if (const auto named = named_.find(name); named != named_.end() && named->second == id)
      named_.erase(named);
  names_of_.erase(names);
}

Outcome DeviceFile::CreateId(const Command& c) {
  if (c.out < sizeof(rdma_ucm_create_id_resp)) return Refused(Errno::kNoSpc);
  const auto cmd = As<rdma_ucm_create_id>(c.body);
  command::CreateId create{.uid = cmd.uid, .space = static_cast<PortSpace>(cmd.ps)};
  if (cmd.qp_type == kXrcSend) create.type = command::IdType::kXrcSend;
  if (cmd.qp_type == kXrcReceive) create.type = command::IdType::kXrcReceive;
  const Result<uint32_t> id = Execute(Kernel(), c.file, create);
  if (!id.ok()) return Refused(id.error());
  StartAfresh(id.value());
  return Record(static_cast<int64_t>(c.written), id.value());
}

Outcome DeviceFile::DestroyId(const Command& c) {
  if (c.out < sizeof(rdma_ucm_destroy_id_resp)) return Refused(Errno::kNoSpc);
  const auto cmd = As<rdma_ucm_destroy_id>(c.body);
  const Result<response::DestroyId> destroyed =
      Execute(Kernel(), c.file, command::DestroyId{cmd.id});
  if (!destroyed.ok()) return Refused(destroyed.error());
  if (destroyed.value().finished)
    return Record(static_cast<int64_t>(c.written), destroyed.value().events_reported);
  return {.answer = {.waits = true},
          .what = Awaited::kDestroyed,
          .on = cmd.id,
          .ticket = destroyed.value().ticket};
}

std::optional<Answer> DeviceFile::Destroyed(uint32_t ticket, size_t written) const {
  const std::optional<uint32_t> reported = Kernel().cma->destroys.Take(ticket);
  if (!reported) return std::nullopt;
  return Record(static_cast<int64_t>(written), *reported).answer;
}

Address DeviceFile::AddressIn(std::span<const uint8_t> address) {
  if (FamilyOf(address) == kInfinibandFamily) return {.kind = AddressKind::kForeign};
  return groups_.AddressOf(reinterpret_cast<const sockaddr*>(address.data()), world_->topology());
}

// A wildcard AF_IB address is accepted by any device; no device has any other AF_IB address.
Outcome DeviceFile::Bind(const Command& c, uint32_t id, std::span<const uint8_t> address) {
  if (FamilyOf(address) != kInfinibandFamily) {
    const command::Bind bind{id, AddressIn(address)};
    return DoneUnless(Execute(Kernel(), c.file, bind), c.written);
  }
  const auto raw = As<SockaddrIb>(address);
  const bool any =
      std::all_of(raw.begin() + kSockaddrIbAddress, raw.begin() + kSockaddrIbAddress + 16,
                  [](uint8_t b) { return b == 0; });
  const Address stands_for{.kind = any ? AddressKind::kAny : AddressKind::kForeign, .v6 = true};
  const Errno error = Execute(Kernel(), c.file, command::Bind{id, stands_for});
  if (error == Errno::kNone) infiniband_[id] = raw;
  return DoneUnless(error, c.written);
}

Outcome DeviceFile::BindAddr(const Command& c) {
  const auto cmd = As<rdma_ucm_bind>(c.body);
  const std::span<const uint8_t> address = BytesOf(cmd.addr);
  if (cmd.reserved != 0 || cmd.addr_size == 0 || cmd.addr_size != SizeOf(address))
    return Refused(Errno::kInval);
  return Bind(c, cmd.id, address);
}

Outcome DeviceFile::BindIp(const Command& c) {
  const auto cmd = As<rdma_ucm_bind_ip>(c.body);
  if (SizeOfIn6(cmd.addr) == 0) return Refused(Errno::kInval);
  return Bind(c, cmd.id, BytesOf(cmd.addr));
}

Outcome DeviceFile::ResolveAddr(const Command& c) {
  const auto cmd = As<rdma_ucm_resolve_addr>(c.body);
  const bool source_fits = cmd.src_size == 0 || cmd.src_size == SizeOf(BytesOf(cmd.src_addr));
  if (cmd.reserved != 0 || !source_fits || cmd.dst_size == 0 ||
      cmd.dst_size != SizeOf(BytesOf(cmd.dst_addr))) {
    return Refused(Errno::kInval);
  }
  command::ResolveAddr resolve{.id = cmd.id,
                               .destination = AddressIn(BytesOf(cmd.dst_addr)),
                               .timeout_ms = static_cast<int32_t>(cmd.timeout_ms)};
  // The kernel looks at the family, not at the size.
  if (FamilyOf(BytesOf(cmd.src_addr)) != 0) resolve.source = AddressIn(BytesOf(cmd.src_addr));
  return DoneUnless(Execute(Kernel(), c.file, resolve), c.written);
}

Outcome DeviceFile::ResolveIp(const Command& c) {
  const auto cmd = As<rdma_ucm_resolve_ip>(c.body);
  const bool source_fits = cmd.src_addr.sin6_family == 0 || SizeOfIn6(cmd.src_addr) != 0;
  if (!source_fits || SizeOfIn6(cmd.dst_addr) == 0) return Refused(Errno::kInval);
  const command::ResolveAddr resolve{.id = cmd.id,
                                     .source = AddressIn(BytesOf(cmd.src_addr)),
                                     .destination = AddressIn(BytesOf(cmd.dst_addr)),
                                     .timeout_ms = static_cast<int32_t>(cmd.timeout_ms)};
  return DoneUnless(Execute(Kernel(), c.file, resolve), c.written);
}

Outcome DeviceFile::ResolveRoute(const Command& c) {
  const auto cmd = As<rdma_ucm_resolve_route>(c.body);
  const command::ResolveRoute resolve{cmd.id, static_cast<int32_t>(cmd.timeout_ms)};
  return DoneUnless(Execute(Kernel(), c.file, resolve), c.written);
}

Outcome DeviceFile::Connect(const Command& c) {
  if (c.in < offsetof(rdma_ucm_connect, ece)) return Refused(Errno::kInval);
  const auto cmd = As<rdma_ucm_connect>(c.body.first(std::min<size_t>(c.in, c.body.size())));
  if (cmd.conn_param.valid == 0) return Refused(Errno::kInval);
  const bool has_ece = c.in >= sizeof(cmd);
  command::Connect connect{cmd.id, ParamOf(cmd.conn_param, has_ece ? cmd.ece : rdma_ucm_ece{})};
  NameQp(cmd.id, &connect.param);
  const Errno error = Execute(Kernel(), c.file, connect);
  if (error == Errno::kNone) NoteQp(cmd.id, connect.param);
  return DoneUnless(error, c.written);
}

Outcome DeviceFile::Listen(const Command& c) {
  const auto cmd = As<rdma_ucm_listen>(c.body);
  const command::Listen listen{cmd.id, static_cast<int32_t>(cmd.backlog)};
  return DoneUnless(Execute(Kernel(), c.file, listen), c.written);
}

Outcome DeviceFile::Accept(const Command& c) {
  if (c.in < offsetof(rdma_ucm_accept, ece)) return Refused(Errno::kInval);
  const auto cmd = As<rdma_ucm_accept>(c.body.first(std::min<size_t>(c.in, c.body.size())));
  const bool has_ece = c.in >= sizeof(cmd);
  command::Accept accept{.id = cmd.id,
                         .uid = cmd.uid,
                         .valid = cmd.conn_param.valid != 0,
                         .param = ParamOf(cmd.conn_param, has_ece ? cmd.ece : rdma_ucm_ece{})};
  if (accept.valid) NameQp(cmd.id, &accept.param);
  const Errno error = Execute(Kernel(), c.file, accept);
  if (error == Errno::kNone) NoteQp(cmd.id, accept.param);
  return DoneUnless(error, c.written);
}

Outcome DeviceFile::Reject(const Command& c) {
  const auto cmd = As<rdma_ucm_reject>(c.body);
  const auto reason = static_cast<RejReason>(cmd.reason);
  if (reason != RejReason::kNone && reason != RejReason::kConsumerDefined &&
      reason != RejReason::kVendorOptionNotSupported) {
    return Refused(Errno::kInval);
  }
  const std::span<const uint8_t> data(cmd.private_data, cmd.private_data_len);
  const command::Reject reject{.id = cmd.id, .reason = reason, .private_data = PrivateData(data)};
  return DoneUnless(Execute(Kernel(), c.file, reject), c.written);
}

Outcome DeviceFile::Disconnect(const Command& c) {
  const auto cmd = As<rdma_ucm_disconnect>(c.body);
  const Errno error = Execute(Kernel(), c.file, command::Disconnect{cmd.id});
  if (error == Errno::kAgain)
    return {.answer = {.waits = true}, .what = Awaited::kReply, .on = cmd.id};
  return DoneUnless(error, c.written);
}

// The option's value follows the command. It is shorter where the program's memory was unreadable.
Outcome DeviceFile::SetOption(const Command& c) {
  const auto cmd = As<rdma_ucm_set_option>(c.body.first(std::min<size_t>(c.in, c.body.size())));
  const std::span<const uint8_t> value = c.body.subspan(std::min<size_t>(c.in, c.body.size()));
  const command::SetOption set{
      .id = cmd.id,
      .option = {static_cast<int32_t>(cmd.level), static_cast<int32_t>(cmd.optname)},
      .value = As<uint32_t>(value.first(std::min<size_t>(cmd.optlen, value.size()))),
      .length = cmd.optlen};
  const size_t written = sizeof(rdma_ucm_cmd_hdr) + c.in;
  if (cmd.optlen > kLongestOption || value.size() >= cmd.optlen)
    return DoneUnless(Execute(Kernel(), c.file, set), written);
  const Result<response::QueryAddr> known = Execute(Kernel(), c.file, command::QueryAddr{cmd.id});
  return Refused(known.ok() ? Errno::kFault : known.error());
}

Outcome DeviceFile::Notify(const Command& c) {
  const auto cmd = As<rdma_ucm_notify>(c.body);
  const auto event = static_cast<uint8_t>(std::min<uint32_t>(cmd.event, UINT8_MAX));
  return DoneUnless(Execute(Kernel(), c.file, command::Notify{cmd.id, event}), c.written);
}

Outcome DeviceFile::JoinIpMcast(const Command& c) {
  const auto cmd = As<rdma_ucm_join_ip_mcast>(c.body);
  if (SizeOfIn6(cmd.addr) == 0) return Refused(Errno::kInval);
  if (c.out < sizeof(rdma_ucm_create_id_resp)) return Refused(Errno::kNoSpc);
  const command::JoinMulticast join{
      .id = cmd.id, .uid = cmd.uid, .address = AddressIn(BytesOf(cmd.addr))};
  return NumberIn(Execute(Kernel(), c.file, join), c.written);
}

Outcome DeviceFile::JoinMcast(const Command& c) {
  const auto cmd = As<rdma_ucm_join_mcast>(c.body);
  const size_t size = SizeOf(BytesOf(cmd.addr));
  if (size == 0) return Refused(Errno::kInval);
  if (c.out < sizeof(rdma_ucm_create_id_resp)) return Refused(Errno::kNoSpc);
  if (cmd.addr_size != size || cmd.join_flags >= RDMA_MC_JOIN_FLAG_RESERVED)
    return Refused(Errno::kInval);
  const command::JoinMulticast join{
      .id = cmd.id,
      .uid = cmd.uid,
      .address = AddressIn(BytesOf(cmd.addr)),
      .send_only = cmd.join_flags == RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER};
  return NumberIn(Execute(Kernel(), c.file, join), c.written);
}

Outcome DeviceFile::LeaveMcast(const Command& c) {
  if (c.out < sizeof(rdma_ucm_destroy_id_resp)) return Refused(Errno::kNoSpc);
  const auto cmd = As<rdma_ucm_destroy_id>(c.body);
  return NumberIn(Execute(Kernel(), c.file, command::LeaveMulticast{cmd.id}), c.written);
}

Outcome DeviceFile::MigrateId(const Command& c) {
  const auto cmd = As<rdma_ucm_migrate_id>(c.body);
  if (cmd.fd == kOtherFile) return Refused(Errno::kInval);
  const FileIndex from(cmd.fd);
  if (!Kernel().cma->files.IsOpen(from)) return Refused(Errno::kNoEnt);
  // The kernel does not check the room for the answer.
  return NumberIn(Execute(Kernel(), c.file, command::MigrateId{cmd.id, from}), c.written);
}

// No SA here has service records. source: linux 7.2 cma.c rdma_resolve_ib_service
Outcome DeviceFile::ResolveIbService(const Command& c) {
  const auto id = As<uint32_t>(c.body);
  const Result<response::QueryAddr> known = Execute(Kernel(), c.file, command::QueryAddr{id});
  if (!known.ok()) return Refused(known.error());
  const CmId& own = IdOf(id);
  const bool bound = own.device != kNoDevice && own.state == CmState::kAddrBound;
  return Refused(bound ? Errno::kNotSup : Errno::kInval);
}

// source: linux 7.2 ucma.c ucma_write_cm_event
Outcome DeviceFile::WriteCmEvent(const Command& c) {
  struct Layout {
    uint32_t id;
    uint32_t reserved;
    uint32_t event;
    uint32_t status;
    uint64_t argument;
  };
  const auto cmd = As<Layout>(c.body);
  const auto type = static_cast<EventType>(std::min<uint32_t>(cmd.event, UINT8_MAX));
  if (type != EventType::kUser && type != EventType::kInternal) return Refused(Errno::kInval);
  const command::WriteCmEvent write{.id = cmd.id,
                                    .type = type,
                                    .status = static_cast<int32_t>(cmd.status),
                                    .argument = cmd.argument};
  return DoneUnless(Execute(Kernel(), c.file, write), c.written);
}

}  // namespace cm::sim::uapi
