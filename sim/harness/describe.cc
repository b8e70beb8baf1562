#include "sim/harness/describe.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cctype>
#include <string_view>

#include "model/base/errno.h"
#include "model/vocabulary/protocol.h"
#include "sim/harness/command.h"

namespace cm::sim {
namespace {

using uapi::Answer;
using uapi::Op;
using uapi::Request;

std::string Result(const Answer& answer) {
  if (answer.value >= 0) return " -> 0";
  return " -> -1 " + ToString(static_cast<Errno>(-answer.value));
}

// A message of its own, and what fills it up: "hello"+51.
std::string PrivateDataIn(const uint8_t* data, size_t size) {
  if (size == 0) return {};
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t last = all.find_last_not_of('\0');
  const std::string_view said = all.substr(0, last == all.npos ? 0 : last + 1);
  std::string text = " private=\"";
  for (const char c : said) {
    const bool plain = std::isprint(static_cast<unsigned char>(c)) != 0 && c != '"' && c != '\\';
    text += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  text += '"';
  if (said.size() < size) text += fmt::format("+{}", size - said.size());
  return text;
}

// `field` is one of the shapes that the header has for an address.
template <typename T>
std::string AddressIn(std::string_view name, const T& field) {
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(&field), sizeof field);
  std::array<char, INET6_ADDRSTRLEN> text{};
  const auto v4 = RecordIn<sockaddr_in>(bytes);
  if (v4.sin_family == AF_INET) {
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return fmt::format(" {}={}:{}", name, text.data(), ntohs(v4.sin_port));
  }
  if (v4.sin_family != AF_INET6) return {};
  const auto v6 = RecordIn<sockaddr_in6>(bytes);
  inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  return fmt::format(" {}=[{}]:{}", name, text.data(), ntohs(v6.sin6_port));
}

std::string PrivateDataOf(const rdma_ucm_conn_param& param) {
  return PrivateDataIn(param.private_data, param.private_data_len);
}

std::string Event(const Answer& answer) {
  if (answer.value < 0) return "rdma_get_cm_event" + Result(answer);
  const auto event = RecordIn<rdma_ucm_event_resp>(answer.bytes);
  std::string text = fmt::format("rdma_get_cm_event -> {} id={}",
                                 ToString(static_cast<EventType>(event.event)), event.id);
  const auto status = static_cast<int32_t>(event.status);
  if (status < 0) text += " status=-" + ToString(static_cast<Errno>(-status));
  if (status > 0) text += fmt::format(" status={}", status);
  switch (static_cast<EventType>(event.event)) {
    case EventType::kConnectRequest:
    case EventType::kConnectResponse:
    case EventType::kEstablished:
    case EventType::kRejected:
      return text + PrivateDataOf(event.param.conn);
    default:
      return text;
  }
}

// ACCEPT is also how the side that connects says that it has got the reply.
std::string Accepting(const rdma_ucm_accept& cmd) {
  const bool accepts = cmd.conn_param.valid != 0;
  return fmt::format("{} id={}", accepts ? "rdma_accept" : "rdma_establish", cmd.id) +
         (accepts ? PrivateDataOf(cmd.conn_param) : "");
}

std::string Resolving(std::span<const uint8_t> body) {
  const auto cmd = RecordIn<rdma_ucm_resolve_addr>(body);
  return fmt::format("rdma_resolve_addr id={}", cmd.id) + AddressIn("src", cmd.src_addr) +
         AddressIn("dst", cmd.dst_addr) + fmt::format(" timeout={}ms", cmd.timeout_ms);
}

// An id and nothing else of interest.
template <typename T>
std::string OfId(std::string_view name, std::span<const uint8_t> body) {
  return fmt::format("{} id={}", name, RecordIn<T>(body).id);
}

// Of ids, addresses and options; empty for any other.
std::string OfAnId(const Command& command) {
  const std::span<const uint8_t> body = command.body;
  switch (command.number) {
    case RDMA_USER_CM_CMD_DESTROY_ID:
      return OfId<rdma_ucm_destroy_id>("rdma_destroy_id", body);
    case RDMA_USER_CM_CMD_BIND_IP:
      return OfId<rdma_ucm_bind_ip>("rdma_bind_addr", body) +
             AddressIn("addr", RecordIn<rdma_ucm_bind_ip>(body).addr);
    case RDMA_USER_CM_CMD_BIND:
      return OfId<rdma_ucm_bind>("rdma_bind_addr", body) +
             AddressIn("addr", RecordIn<rdma_ucm_bind>(body).addr);
    case RDMA_USER_CM_CMD_RESOLVE_IP:
      return OfId<rdma_ucm_resolve_ip>("rdma_resolve_addr", body) +
             AddressIn("dst", RecordIn<rdma_ucm_resolve_ip>(body).dst_addr);
    case RDMA_USER_CM_CMD_RESOLVE_ADDR:
      return Resolving(body);
    case RDMA_USER_CM_CMD_RESOLVE_ROUTE:
      return OfId<rdma_ucm_resolve_route>("rdma_resolve_route", body);
    case RDMA_USER_CM_CMD_SET_OPTION:
      return OfId<rdma_ucm_set_option>("rdma_set_option", body);
    case RDMA_USER_CM_CMD_MIGRATE_ID:
      return OfId<rdma_ucm_migrate_id>("rdma_migrate_id", body);
    case RDMA_USER_CM_CMD_JOIN_IP_MCAST:
      return OfId<rdma_ucm_join_ip_mcast>("rdma_join_multicast", body);
    case RDMA_USER_CM_CMD_JOIN_MCAST:
      return OfId<rdma_ucm_join_mcast>("rdma_join_multicast", body);
    case RDMA_USER_CM_CMD_LEAVE_MCAST:
      return OfId<rdma_ucm_destroy_id>("rdma_leave_multicast", body);
    default:
      return {};
  }
}

std::string OfAConnection(const Command& command) {
  const std::span<const uint8_t> body = command.body;
  switch (command.number) {
    case RDMA_USER_CM_CMD_LISTEN:
      return OfId<rdma_ucm_listen>("rdma_listen", body) +
             fmt::format(" backlog={}", RecordIn<rdma_ucm_listen>(body).backlog);
    case RDMA_USER_CM_CMD_CONNECT:
      return OfId<rdma_ucm_connect>("rdma_connect", body) +
             PrivateDataOf(RecordIn<rdma_ucm_connect>(body).conn_param);
    case RDMA_USER_CM_CMD_ACCEPT:
      return Accepting(RecordIn<rdma_ucm_accept>(body));
    case RDMA_USER_CM_CMD_REJECT: {
      const auto cmd = RecordIn<rdma_ucm_reject>(body);
      return OfId<rdma_ucm_reject>("rdma_reject", body) +
             PrivateDataIn(cmd.private_data, cmd.private_data_len);
    }
    case RDMA_USER_CM_CMD_DISCONNECT:
      return OfId<rdma_ucm_disconnect>("rdma_disconnect", body);
    case RDMA_USER_CM_CMD_NOTIFY:
      return OfId<rdma_ucm_notify>("rdma_notify", body);
    default:
      return {};
  }
}

// Those that only look.
std::string OfALook(const Command& command) {
  switch (command.number) {
    case RDMA_USER_CM_CMD_QUERY:
      return OfId<rdma_ucm_query>("QUERY", command.body);
    case RDMA_USER_CM_CMD_QUERY_ROUTE:
      return OfId<rdma_ucm_query>("QUERY_ROUTE", command.body);
    case RDMA_USER_CM_CMD_INIT_QP_ATTR:
      return OfId<rdma_ucm_init_qp_attr>("INIT_QP_ATTR", command.body);
    default:
      return fmt::format("command {}", command.number);
  }
}

std::string OfCommand(const Command& command, const Answer& answer) {
  if (command.number == RDMA_USER_CM_CMD_GET_EVENT) return Event(answer);
  if (command.number == RDMA_USER_CM_CMD_CREATE_ID) {
    if (answer.value < 0) return "rdma_create_id" + Result(answer);
    return fmt::format("rdma_create_id -> id={}",
                       RecordIn<rdma_ucm_create_id_resp>(answer.bytes).id);
  }
  std::string text = OfAnId(command);
  if (text.empty()) text = OfAConnection(command);
  if (!text.empty()) return text + Result(answer);
  return answer.value >= 0 ? "" : OfALook(command) + Result(answer);
}

std::string_view StateName(uint32_t state) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"});
  return state < kNames.size() ? kNames[state] : "?";
}

std::string Modify(const Request& request, const Answer& answer) {
  constexpr uint32_t kWithState = 1;  // source: <infiniband/verbs.h> IBV_QP_STATE
  const auto record = RecordIn<uapi::ModifyRecord>(request.bytes);
  std::string text = fmt::format("ibv_modify_qp qp={}", request.on);
  if ((record.mask & kWithState) != 0) text += fmt::format(" state={}", StateName(record.state));
  return text + Result(answer);
}

// source: <infiniband/verbs.h> enum ibv_wc_status
std::string_view StatusName(uint32_t status) {
  switch (status) {
    case 0:
      return "IBV_WC_SUCCESS";
    case 5:
      return "IBV_WC_WR_FLUSH_ERR";
    case 12:
      return "IBV_WC_RETRY_EXC_ERR";
    case 13:
      return "IBV_WC_RNR_RETRY_EXC_ERR";
    default:
      return "an error";
  }
}

std::string Completions(const Request& request, const Answer& answer) {
  std::string text = fmt::format("ibv_poll_cq cq={} ->", request.on);
  const std::span<const uint8_t> bytes(answer.bytes);
  for (size_t at = 0; at < bytes.size(); at += sizeof(uapi::CompletionRecord)) {
    const auto record = RecordIn<uapi::CompletionRecord>(bytes.subspan(at));
    text += fmt::format(" {} of {} bytes", StatusName(record.status), record.length);
  }
  return text;
}

std::string Made(std::string_view name, std::string_view what, const Answer& answer) {
  if (answer.value < 0) return std::string(name) + Result(answer);
  return fmt::format("{} -> {}={}", name, what, answer.value);
}

std::string About(std::string_view name, std::string_view what, const Request& request,
                  const Answer& answer) {
  return fmt::format("{} {}={}", name, what, request.on) + Result(answer);
}

std::string OfVerbs(const Request& request, const Answer& answer) {
  switch (request.op) {
    case Op::kCreateCq:
      return Made("ibv_create_cq", "cq", answer);
    case Op::kDestroyCq:
      return About("ibv_destroy_cq", "cq", request, answer);
    case Op::kCreateSrq:
      return Made("ibv_create_srq", "srq", answer);
    case Op::kDestroySrq:
      return About("ibv_destroy_srq", "srq", request, answer);
    case Op::kCreateQp:
      return Made("ibv_create_qp", "qp", answer);
    case Op::kDestroyQp:
      return About("ibv_destroy_qp", "qp", request, answer);
    case Op::kModifyQp:
      return Modify(request, answer);
    case Op::kRegister:
      return Made("ibv_reg_mr", "mr", answer);
    case Op::kDeregister:
      return About("ibv_dereg_mr", "mr", request, answer);
    case Op::kAttach:
      return About("ibv_attach_mcast", "qp", request, answer);
    case Op::kDetach:
      return About("ibv_detach_mcast", "qp", request, answer);
    case Op::kPostSend:
      return About("ibv_post_send", "qp", request, answer);
    case Op::kPostReceive:
      return About("ibv_post_recv", "qp", request, answer);
    case Op::kPostToSrq:
      return About("ibv_post_srq_recv", "srq", request, answer);
    case Op::kPoll:
      return answer.bytes.empty() ? "" : Completions(request, answer);
    case Op::kTakeEvent:
      return Made("ibv_get_cq_event", "cq", answer);
    default:
      return {};
  }
}

}  // namespace

std::string Describe(const Request& request, const Answer& answer) {
  if (request.op == Op::kOpen) return Made("open rdma_cm", "file", answer);
  if (request.op == Op::kClose) return About("close rdma_cm", "file", request, answer);
  if (const auto command = Command::In(request)) return OfCommand(*command, answer);
  return OfVerbs(request, answer);
}

}  // namespace cm::sim
