#include "sim/uapi/device_file.h"

#include <rdma/rdma_user_cm.h>

#include "sim/uapi/bytes.h"
#include "sim/uapi/layout.h"

namespace cm::sim::uapi {

// A kernel refuses commands beyond its last one.
Outcome DeviceFile::Write(Asker asker, uint32_t file, bool nonblocking,
                          std::span<const uint8_t> written) {
  if (written.size() < sizeof(rdma_ucm_cmd_hdr)) return Refused(Errno::kInval);
  const auto header = As<rdma_ucm_cmd_hdr>(written);
  const bool newer = world_->profile().capabilities.Has(Capability::kLaterCalls);
  const uint32_t last = newer ? kWriteCmEventCommand : uint32_t{RDMA_USER_CM_CMD_JOIN_MCAST};
  if (header.cmd > last) return Refused(Errno::kInval);
  if (header.in + sizeof(header) > written.size()) return Refused(Errno::kInval);
  return Carry({.asker = asker,
                .file = FileIndex(file),
                .number = header.cmd,
                .in = header.in,
                .out = header.out,
                .nonblocking = nonblocking,
                .body = written.subspan(sizeof(header)),
                .written = written.size()});
}

Outcome DeviceFile::Carry(const Command& c) {
  switch (c.number) {
    case RDMA_USER_CM_CMD_CREATE_ID:
      return CreateId(c);
    case RDMA_USER_CM_CMD_DESTROY_ID:
      return DestroyId(c);
    case RDMA_USER_CM_CMD_BIND_IP:
      return BindIp(c);
    case RDMA_USER_CM_CMD_RESOLVE_IP:
      return ResolveIp(c);
    case RDMA_USER_CM_CMD_RESOLVE_ROUTE:
      return ResolveRoute(c);
    case RDMA_USER_CM_CMD_QUERY_ROUTE:
      return QueryRoute(c);
    case RDMA_USER_CM_CMD_CONNECT:
      return Connect(c);
    case RDMA_USER_CM_CMD_LISTEN:
      return Listen(c);
    case RDMA_USER_CM_CMD_ACCEPT:
      return Accept(c);
    case RDMA_USER_CM_CMD_REJECT:
      return Reject(c);
    case RDMA_USER_CM_CMD_DISCONNECT:
      return Disconnect(c);
    case RDMA_USER_CM_CMD_INIT_QP_ATTR:
      return InitQpAttr(c);
    case RDMA_USER_CM_CMD_GET_EVENT:
      return GetEvent(c);
    default:
      return CarryLater(c);
  }
}

Outcome DeviceFile::CarryLater(const Command& c) {
  switch (c.number) {
    case RDMA_USER_CM_CMD_SET_OPTION:
      return SetOption(c);
    case RDMA_USER_CM_CMD_NOTIFY:
      return Notify(c);
    case RDMA_USER_CM_CMD_JOIN_IP_MCAST:
      return JoinIpMcast(c);
    case RDMA_USER_CM_CMD_LEAVE_MCAST:
      return LeaveMcast(c);
    case RDMA_USER_CM_CMD_MIGRATE_ID:
      return MigrateId(c);
    case RDMA_USER_CM_CMD_QUERY:
      return Query(c);
    case RDMA_USER_CM_CMD_BIND:
      return BindAddr(c);
    case RDMA_USER_CM_CMD_RESOLVE_ADDR:
      return ResolveAddr(c);
    case RDMA_USER_CM_CMD_JOIN_MCAST:
      return JoinMcast(c);
    case kResolveIbServiceCommand:
      return ResolveIbService(c);
    case kWriteCmEventCommand:
      return WriteCmEvent(c);
    default:
      return Refused(Errno::kNoSys);  // GET_OPTION, which no kernel implements
  }
}

std::optional<uint32_t> DeviceFile::IdThatNames(uint8_t device, uint32_t qp_number) const {
  const auto named = named_.find({world_->topology().FirstPortOf(device), qp_number});
  if (named == named_.end()) return std::nullopt;
  return named->second;
}

std::optional<response::QpAttr> DeviceFile::LastAttributes(Asker asker) const {
  const auto attributes = attributes_.find(asker);
  if (attributes == attributes_.end()) return std::nullopt;
  return attributes->second;
}

void DeviceFile::SetLastAttributes(Asker asker, const std::optional<response::QpAttr>& attributes) {
  if (attributes)
    attributes_[asker] = *attributes;
  else
    attributes_.erase(asker);
}

void DeviceFile::Forget(uint32_t process) {
  std::erase_if(attributes_, [=](const auto& kept) { return kept.first.process == process; });
}

}  // namespace cm::sim::uapi
