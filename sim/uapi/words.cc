#include "sim/uapi/words.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "model/base/duration.h"
#include "model/base/errno.h"
#include "model/vocabulary/private_data_text.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/work.h"
#include "sim/uapi/bytes.h"
#include "sim/uapi/layout.h"

namespace cm::sim::uapi {
namespace {

// The name of an op, of its object, and of what it creates.
struct OpWords {
  std::string_view name;
  std::string_view about;
  std::string_view makes;
  bool looks = false;  // only reads state
};

// In the order of their numbers.
constexpr auto kOps = std::to_array<OpWords>({
    {"open rdma_cm", "", "file"},
    {"close rdma_cm", "file"},
    {"write to rdma_cm", "file"},
    {"poll rdma_cm", "file", "", true},
    {"ibv_get_device_list", "", "", true},
    {"ibv_query_port", "device", "", true},
    {"ibv_query_gid", "device", "", true},
    {"ibv_create_cq", "", "cq"},
    {"ibv_resize_cq", "cq"},
    {"ibv_destroy_cq", "cq"},
    {"ibv_create_srq", "", "srq"},
    {"ibv_modify_srq", "srq"},
    {"ibv_query_srq", "srq", "", true},
    {"ibv_destroy_srq", "srq"},
    {"ibv_open_xrcd", "", "xrcd"},
    {"ibv_close_xrcd", "xrcd"},
    {"ibv_create_qp", "", "qp"},
    {"ibv_open_qp", "", "qp"},
    {"ibv_destroy_qp", "qp"},
    {"ibv_modify_qp", "qp"},
    {"ibv_query_qp", "qp", "", true},
    {"ibv_reg_mr", "", "mr"},
    {"ibv_dereg_mr", "mr"},
    {"ibv_rereg_mr", "mr", "mr"},
    {"ibv_alloc_mw", "", "mw"},
    {"ibv_dealloc_mw", "mw"},
    {"ibv_attach_mcast", "qp"},
    {"ibv_detach_mcast", "qp"},
    {"ibv_post_send", "qp"},
    {"ibv_post_recv", "qp"},
    {"ibv_post_srq_recv", "srq"},
    {"ibv_poll_cq", "cq"},
    {"ibv_req_notify_cq", "cq", "", true},
    {"ibv_get_cq_event", "", "cq"},
    {"poll of completion channel", "", "", true},
    {"ibv_open_device", "", "", true},
    {"ibv_close_device", "", "", true},
    {"ibv_get_async_event", "", "event"},
    {"poll of a device", "", "", true},
    {"rdma_get_cm_event", "", "", true},
    {"rdma_ack_cm_event", "", "", true},
    {"clock_gettime", "", "", true},
    {"sleep"},
    {"poll of a clock", "", "", true},
    {"send to another host", "", "", true},
});
static_assert(kOps.size() == static_cast<size_t>(Op::kCarry) + 1);

struct CommandWords {
  std::string_view name;
  int id_at = -1;  // offset of its id after the header
  bool looks = false;
};

template <typename T>
constexpr int kIdAt = static_cast<int>(offsetof(T, id));

// In the order of their numbers. source: rdma_user_cm.h RDMA_USER_CM_CMD_CREATE_ID ff.
constexpr auto kCommands = std::to_array<CommandWords>({
    {"rdma_create_id"},
    {"rdma_destroy_id", kIdAt<rdma_ucm_destroy_id>},
    {"rdma_bind_addr", kIdAt<rdma_ucm_bind_ip>},
    {"rdma_resolve_addr", kIdAt<rdma_ucm_resolve_ip>},
    {"rdma_resolve_route", kIdAt<rdma_ucm_resolve_route>},
    {"QUERY_ROUTE", kIdAt<rdma_ucm_query>, true},
    {"rdma_connect", kIdAt<rdma_ucm_connect>},
    {"rdma_listen", kIdAt<rdma_ucm_listen>},
    {"rdma_accept", kIdAt<rdma_ucm_accept>},
    {"rdma_reject", kIdAt<rdma_ucm_reject>},
    {"rdma_disconnect", kIdAt<rdma_ucm_disconnect>},
    {"rdma_init_qp_attr", kIdAt<rdma_ucm_init_qp_attr>, true},
    {"rdma_get_cm_event"},
    {"GET_OPTION"},
    {"rdma_set_option", kIdAt<rdma_ucm_set_option>},
    {"rdma_notify", kIdAt<rdma_ucm_notify>},
    {"rdma_join_multicast", kIdAt<rdma_ucm_join_ip_mcast>},
    {"rdma_leave_multicast", kIdAt<rdma_ucm_destroy_id>},
    {"rdma_migrate_id", kIdAt<rdma_ucm_migrate_id>},
    {"QUERY", kIdAt<rdma_ucm_query>, true},
    {"rdma_bind_addr", kIdAt<rdma_ucm_bind>},
    {"rdma_resolve_addr", kIdAt<rdma_ucm_resolve_addr>},
    {"rdma_join_multicast", kIdAt<rdma_ucm_join_mcast>},
    {"rdma_resolve_addrinfo", 0},  // source: linux 7.2 rdma_user_cm.h rdma_ucm_resolve_ib_service
    {"rdma_write_cm_event", 0},    // source: linux 7.2 rdma_user_cm.h rdma_ucm_write_cm_event
});
static_assert(kCommands.size() == kWriteCmEventCommand + 1);

std::optional<uint32_t> NumberOf(const Request& request) {
  const std::optional<Command> command = CommandIn(request);
  if (!command) return std::nullopt;
  return command->number;
}

std::optional<uint32_t> IdOf(const Command& command) {
  if (command.number >= kCommands.size() || kCommands[command.number].id_at < 0)
    return std::nullopt;
  const auto at = static_cast<size_t>(kCommands[command.number].id_at);
  if (command.body.size() < at + sizeof(uint32_t)) return std::nullopt;
  return As<uint32_t>(command.body.subspan(at));
}

// Appends texts and numbers. The text keeps its memory: a run has a line for most requests.
template <typename... Parts>
void Add(std::string* words, const Parts&... parts) {
  const auto add = [words](const auto& part) {
    if constexpr (std::is_convertible_v<decltype(part), std::string_view>) {
      words->append(std::string_view(part));
    } else {
      const fmt::format_int number(part);
      words->append(number.data(), number.size());
    }
  };
  (add(parts), ...);
}

void AddPrivate(const uint8_t* data, size_t size, std::string* words) {
  if (size != 0) Add(words, " private=", ToText(PrivateData(std::span(data, size))));
}

void AddPrivate(const rdma_ucm_conn_param& param, std::string* words) {
  AddPrivate(param.private_data, param.private_data_len, words);
}

// `field` has one of the header's layouts for an address.
template <typename T>
void AddAddress(std::string_view name, const T& field, std::string* words) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const auto v4 = As<sockaddr_in>(BytesOf(field));
  if (v4.sin_family == AF_INET) {
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return Add(words, " ", name, "=", text.data(), ":", ntohs(v4.sin_port));
  }
  if (v4.sin_family != AF_INET6) return;
  const auto v6 = As<sockaddr_in6>(BytesOf(field));
  inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  Add(words, " ", name, "=[", text.data(), "]:", ntohs(v6.sin6_port));
}

template <typename T>
void AddResolved(const T& cmd, std::string* words) {
  AddAddress("src", cmd.src_addr, words);
  AddAddress("dst", cmd.dst_addr, words);
  Add(words, " timeout_ms=", cmd.timeout_ms);
}

// The parts of the command worth printing besides its id.
void AddArguments(const Command& command, std::string* words) {
  const std::span<const uint8_t> body = command.body;
  switch (command.number) {
    case RDMA_USER_CM_CMD_BIND_IP:
      return AddAddress("addr", As<rdma_ucm_bind_ip>(body).addr, words);
    case RDMA_USER_CM_CMD_BIND:
      return AddAddress("addr", As<rdma_ucm_bind>(body).addr, words);
    case RDMA_USER_CM_CMD_RESOLVE_IP:
      return AddResolved(As<rdma_ucm_resolve_ip>(body), words);
    case RDMA_USER_CM_CMD_RESOLVE_ADDR:
      return AddResolved(As<rdma_ucm_resolve_addr>(body), words);
    case RDMA_USER_CM_CMD_RESOLVE_ROUTE:
      return Add(words, " timeout_ms=", As<rdma_ucm_resolve_route>(body).timeout_ms);
    case RDMA_USER_CM_CMD_LISTEN:
      return Add(words, " backlog=", As<rdma_ucm_listen>(body).backlog);
    case RDMA_USER_CM_CMD_CONNECT:
      return AddPrivate(As<rdma_ucm_connect>(body).conn_param, words);
    case RDMA_USER_CM_CMD_ACCEPT:
      return AddPrivate(As<rdma_ucm_accept>(body).conn_param, words);
    case RDMA_USER_CM_CMD_REJECT: {
      const auto cmd = As<rdma_ucm_reject>(body);
      return AddPrivate(cmd.private_data, cmd.private_data_len, words);
    }
    case RDMA_USER_CM_CMD_SET_OPTION: {
      const auto cmd = As<rdma_ucm_set_option>(body);
      return Add(words, " option=",
                 ToString(IdOption{.level = static_cast<int32_t>(cmd.level),
                                   .name = static_cast<int32_t>(cmd.optname)}));
    }
    case RDMA_USER_CM_CMD_JOIN_IP_MCAST:
      return AddAddress("addr", As<rdma_ucm_join_ip_mcast>(body).addr, words);
    case RDMA_USER_CM_CMD_JOIN_MCAST:
      return AddAddress("addr", As<rdma_ucm_join_mcast>(body).addr, words);
    default:
      return;
  }
}

// The active side also uses ACCEPT, to report that it has processed the reply.
bool Establishes(const Command& command) {
  return command.number == RDMA_USER_CM_CMD_ACCEPT &&
         As<rdma_ucm_accept>(command.body).conn_param.valid == 0;
}

void AddName(const Command& command, std::string* words) {
  if (Establishes(command)) return Add(words, "rdma_establish");
  if (command.number < kCommands.size()) return Add(words, kCommands[command.number].name);
  Add(words, "command ", command.number);
}

void AddCommand(const Command& command, uint32_t file, std::string* words) {
  AddName(command, words);
  const std::optional<uint32_t> id = IdOf(command);
  if (id) Add(words, " id=", *id);
  // Otherwise the id determines the file.
  if (!id || command.number == RDMA_USER_CM_CMD_MIGRATE_ID) Add(words, " file=", file);
  AddArguments(command, words);
}

void AddName(ibv_wr_opcode opcode, std::string* words) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"IBV_WR_RDMA_WRITE", "IBV_WR_RDMA_WRITE_WITH_IMM", "IBV_WR_SEND", "IBV_WR_SEND_WITH_IMM",
       "IBV_WR_RDMA_READ", "IBV_WR_ATOMIC_CMP_AND_SWP", "IBV_WR_ATOMIC_FETCH_AND_ADD",
       "IBV_WR_LOCAL_INV", "IBV_WR_BIND_MW", "IBV_WR_SEND_WITH_INV"});
  if (opcode < kNames.size()) return Add(words, kNames[opcode]);
  Add(words, static_cast<uint32_t>(opcode));
}

std::string_view NameOf(ibv_wc_opcode opcode) {
  switch (opcode) {
    case IBV_WC_RECV_RDMA_WITH_IMM:
      return "IBV_WC_RECV_RDMA_WITH_IMM";
    case IBV_WC_COMP_SWAP:
      return "IBV_WC_COMP_SWAP";
    case IBV_WC_FETCH_ADD:
      return "IBV_WC_FETCH_ADD";
    case IBV_WC_BIND_MW:
      return "IBV_WC_BIND_MW";
    case IBV_WC_LOCAL_INV:
      return "IBV_WC_LOCAL_INV";
    default:
      return ToString(static_cast<WcOpcode>(opcode));
  }
}

std::string_view NameOf(ibv_wc_status status) {
  if (status == IBV_WC_MW_BIND_ERR) return "IBV_WC_MW_BIND_ERR";
  return ToString(static_cast<WcStatus>(status));
}

// A domain without a file is shared with no other, whatever the flags are.
// The number of a file is the system's, and another one in each run.
void AddXrcd(const XrcdRecord& record, std::string* words) {
  if (record.has_file == 0) return;
  Add(words, " of a file");
  const bool creates = (record.flags & O_CREAT) != 0;
  const bool exclusive = (record.flags & O_EXCL) != 0;
  if (creates || exclusive)
    Add(words, " flags=", creates ? "O_CREAT" : "", creates && exclusive ? "|" : "",
        exclusive ? "O_EXCL" : "");
}

void AddArguments(const Request& request, std::string* words) {
  if (request.op == Op::kOpenXrcd) {
    AddXrcd(As<XrcdRecord>(request.bytes), words);
  } else if (request.op == Op::kOpenQp) {
    Add(words, " number=", request.more);
  } else if (request.op == Op::kModifyQp) {
    const auto record = As<ModifyRecord>(request.bytes);
    if ((record.mask & IBV_QP_STATE) == 0) return;
    if (record.state > static_cast<uint32_t>(QpState::kErr)) return Add(words, " state=?");
    Add(words, " state=", ToString(static_cast<QpState>(record.state)));
  } else if (request.op == Op::kPostSend) {
    Add(words, " opcode=");
    AddName(static_cast<ibv_wr_opcode>(As<WorkRecord>(request.bytes).opcode), words);
  } else if (IsOneOf(request.op, Op::kRegister, Op::kReregister)) {
    Add(words, " length=", As<RegionRecord>(request.bytes).length);
  } else if (request.op == Op::kSleep) {
    const auto until = Instant::FromNanoseconds(static_cast<int64_t>(request.more));
    Add(words, " until=", ToString(until));
  }
}

void AddEvent(const Answer& answer, std::string* words) {
  const auto event = As<rdma_ucm_event_resp>(answer.bytes);
  const auto type = static_cast<EventType>(event.event);
  const bool known = event.event < static_cast<uint32_t>(kEventTypeCount);
  if (known) Add(words, ToString(type));
  if (!known) Add(words, "event ", event.event);
  Add(words, " id=", event.id);
  const auto status = static_cast<int32_t>(event.status);
  if (status < 0) Add(words, " status=-", ToString(static_cast<Errno>(-status)));
  if (status > 0) Add(words, " status=", status);
  const bool has_data = type == EventType::kConnectRequest || type == EventType::kConnectResponse ||
                        type == EventType::kEstablished || type == EventType::kRejected;
  if (has_data) AddPrivate(event.param.conn, words);
}

void AddCompletions(const Answer& answer, std::string* words) {
  const std::span<const uint8_t> bytes(answer.bytes);
  for (size_t at = 0; at < bytes.size(); at += sizeof(CompletionRecord)) {
    const auto record = As<CompletionRecord>(bytes.subspan(at));
    const auto status = static_cast<WcStatus>(record.status);
    Add(words, at == 0 ? "" : ", ", "status=", NameOf(static_cast<ibv_wc_status>(record.status)));
    if (status != WcStatus::kSuccess) continue;
    Add(words, " opcode=", NameOf(static_cast<ibv_wc_opcode>(record.opcode)));
    if (record.length != 0) Add(words, " length=", record.length);
  }
}

// The result of a successful request.
void AddAnswer(const Request& request, const Answer& answer, std::string* words) {
  if (const std::optional<uint32_t> number = NumberOf(request)) {
    if (number == RDMA_USER_CM_CMD_GET_EVENT) return AddEvent(answer, words);
    if (number == RDMA_USER_CM_CMD_CREATE_ID) return Add(words, "id=", As<uint32_t>(answer.bytes));
    Add(words, "0");
    if (number == RDMA_USER_CM_CMD_DESTROY_ID)
      Add(words, " events=", EventsFetched(request, answer));
    return;
  }
  if (request.op == Op::kPoll) return AddCompletions(answer, words);
  const std::string_view makes = kOps[static_cast<size_t>(request.op)].makes;
  Add(words, makes, makes.empty() ? "" : "=", answer.value);
}

bool Looks(const Request& request) {
  const std::optional<uint32_t> number = NumberOf(request);
  if (number) return *number < kCommands.size() && kCommands[*number].looks;
  return kOps[static_cast<size_t>(request.op)].looks;
}

}  // namespace

void PutWords(const Request& request, std::string* words) {
  words->clear();
  if (const auto command = CommandIn(request)) return AddCommand(*command, request.on, words);
  const OpWords& op = kOps[static_cast<size_t>(request.op)];
  Add(words, op.name);
  if (!op.about.empty()) Add(words, " ", op.about, "=", request.on);
  AddArguments(request, words);
}

void PutWords(const Request& request, const Answer& answer, std::string* words) {
  words->clear();
  if (answer.value < 0) {
    PutWords(request, words);
    return Add(words, " -> -1 ", ToString(static_cast<Errno>(-answer.value)));
  }
  const bool found_none = request.op == Op::kPoll && answer.bytes.empty();
  const bool spends = request.op == Op::kSleep && request.on != 0;
  if (found_none || spends || Looks(request)) return;
  PutWords(request, words);
  Add(words, " -> ");
  AddAnswer(request, answer, words);
}

std::string InWords(const Request& request) {
  std::string words;
  PutWords(request, &words);
  return words;
}

std::string InWords(const Request& request, const Answer& answer) {
  std::string words;
  PutWords(request, answer, &words);
  return words;
}

bool NothingNew(const Request& request, const Answer& answer) {
  using enum Op;
  if (IsOneOf(request.op, kNow, kPollFile, kPollEvents, kPollEventsOfDevice)) return true;
  if (request.op == kPoll) return answer.value >= 0 && answer.bytes.empty();
  if (request.op == kSleep) return request.more == 0 || request.on != 0;
  return answer.value == -EAGAIN;
}

bool IsAboutAGoneId(const Request& request, const Answer& answer) {
  const auto command = CommandIn(request);
  return answer.value == -ENOENT && command && IdOf(*command).has_value();
}

uint32_t EventsFetched(const Request& request, const Answer& answer) {
  if (NumberOf(request) != RDMA_USER_CM_CMD_DESTROY_ID || answer.value < 0) return 0;
  return As<uint32_t>(answer.bytes);
}

}  // namespace cm::sim::uapi
