#include "sim/uapi/layout.h"

#include <rdma/rdma_user_cm.h>

#include <cstring>

namespace cm::sim::uapi {
namespace {

template <typename T>
std::optional<T> At(std::span<const uint8_t> bytes, size_t offset) {
  if (bytes.size() < offset + sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::optional<uint32_t> CommandOf(std::span<const uint8_t> command) {
  return At<uint32_t>(command, offsetof(rdma_ucm_cmd_hdr, cmd));
}

constexpr size_t kBody = sizeof(rdma_ucm_cmd_hdr);

}  // namespace

std::optional<Command> CommandIn(const Request& request) {
  const std::span<const uint8_t> written(request.bytes);
  if (request.op != Op::kWrite || written.size() < kBody) return std::nullopt;
  return Command{.number = *CommandOf(written), .body = written.subspan(kBody)};
}

std::optional<uint64_t> ResponseAddress(std::span<const uint8_t> command) {
  const std::optional<uint32_t> which = CommandOf(command);
  if (!which) return std::nullopt;
  switch (*which) {
    case RDMA_USER_CM_CMD_CREATE_ID:
      return At<uint64_t>(command, kBody + offsetof(rdma_ucm_create_id, response));
    case RDMA_USER_CM_CMD_DESTROY_ID:
    case RDMA_USER_CM_CMD_LEAVE_MCAST:
      return At<uint64_t>(command, kBody + offsetof(rdma_ucm_destroy_id, response));
    case RDMA_USER_CM_CMD_QUERY_ROUTE:
    case RDMA_USER_CM_CMD_QUERY:
      return At<uint64_t>(command, kBody + offsetof(rdma_ucm_query, response));
    case RDMA_USER_CM_CMD_INIT_QP_ATTR:
      return At<uint64_t>(command, kBody + offsetof(rdma_ucm_init_qp_attr, response));
    case RDMA_USER_CM_CMD_GET_EVENT:
      return At<uint64_t>(command, kBody + offsetof(rdma_ucm_get_event, response));
    case RDMA_USER_CM_CMD_JOIN_IP_MCAST:
      return At<uint64_t>(command, kBody + offsetof(rdma_ucm_join_ip_mcast, response));
    case RDMA_USER_CM_CMD_JOIN_MCAST:
      return At<uint64_t>(command, kBody + offsetof(rdma_ucm_join_mcast, response));
    case RDMA_USER_CM_CMD_MIGRATE_ID:
      return At<uint64_t>(command, kBody + offsetof(rdma_ucm_migrate_id, response));
    default:
      return std::nullopt;
  }
}

std::optional<OptionValue> FindOptionValue(std::span<const uint8_t> command) {
  if (CommandOf(command) != RDMA_USER_CM_CMD_SET_OPTION) return std::nullopt;
  const auto option = At<rdma_ucm_set_option>(command, kBody);
  if (!option || option->optlen > kLongestOption) return std::nullopt;
  return OptionValue{.address = option->optval, .length = option->optlen};
}

std::optional<size_t> FindDescriptor(std::span<const uint8_t> command) {
  constexpr size_t kPlace = kBody + offsetof(rdma_ucm_migrate_id, fd);
  if (CommandOf(command) != RDMA_USER_CM_CMD_MIGRATE_ID || !At<uint32_t>(command, kPlace))
    return std::nullopt;
  return kPlace;
}

}  // namespace cm::sim::uapi
