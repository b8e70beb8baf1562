#include "tools/app/wording.h"

#include <fmt/format.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>

#include "model/base/errno.h"
#include "model/vocabulary/protocol.h"

namespace cm::app {
namespace {

using sim::uapi::Answer;
using sim::uapi::Op;
using sim::uapi::Request;

struct Command {
  std::string_view name;
  int id_at = -1;  // where behind the header its id stands
};

template <typename T>
constexpr int kIdAt = static_cast<int>(offsetof(T, id));

// In the order of their numbers. source: rdma_user_cm.h RDMA_USER_CM_CMD_CREATE_ID and on
constexpr auto kCommands = std::to_array<Command>({
    {"CREATE_ID"},
    {"DESTROY_ID", kIdAt<rdma_ucm_destroy_id>},
    {"BIND_IP", kIdAt<rdma_ucm_bind_ip>},
    {"RESOLVE_IP", kIdAt<rdma_ucm_resolve_ip>},
    {"RESOLVE_ROUTE", kIdAt<rdma_ucm_resolve_route>},
    {"QUERY_ROUTE", kIdAt<rdma_ucm_query>},
    {"CONNECT", kIdAt<rdma_ucm_connect>},
    {"LISTEN", kIdAt<rdma_ucm_listen>},
    {"ACCEPT", kIdAt<rdma_ucm_accept>},
    {"REJECT", kIdAt<rdma_ucm_reject>},
    {"DISCONNECT", kIdAt<rdma_ucm_disconnect>},
    {"INIT_QP_ATTR", kIdAt<rdma_ucm_init_qp_attr>},
    {"GET_EVENT"},
    {"GET_OPTION"},
    {"SET_OPTION", kIdAt<rdma_ucm_set_option>},
    {"NOTIFY", kIdAt<rdma_ucm_notify>},
    {"JOIN_IP_MCAST", kIdAt<rdma_ucm_join_ip_mcast>},
    {"LEAVE_MCAST", kIdAt<rdma_ucm_destroy_id>},
    {"MIGRATE_ID", kIdAt<rdma_ucm_migrate_id>},
    {"QUERY", kIdAt<rdma_ucm_query>},
    {"BIND", kIdAt<rdma_ucm_bind>},
    {"RESOLVE_ADDR", kIdAt<rdma_ucm_resolve_addr>},
    {"JOIN_MCAST", kIdAt<rdma_ucm_join_mcast>},
    {"RESOLVE_IB_SERVICE"},
    {"WRITE_CM_EVENT"},
});

constexpr auto kOps = std::to_array<std::string_view>(
    {"open",         "close",       "write",      "poll file",  "devices",
     "port",         "GID",         "create CQ",  "destroy CQ", "create SRQ",
     "destroy SRQ",  "create QP",   "destroy QP", "modify QP",  "query QP",
     "register",     "deregister",  "attach",     "detach",     "post send",
     "post receive", "post to SRQ", "poll CQ",    "arm CQ",     "take completion event",
     "poll events",  "now",         "sleep"});
static_assert(kOps.size() == static_cast<size_t>(Op::kSleep) + 1);

template <typename T>
std::optional<T> In(const std::vector<uint8_t>& bytes, size_t at = 0) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::optional<uint32_t> CommandNumber(const Request& request) {
  if (request.op != Op::kWrite) return std::nullopt;
  return In<uint32_t>(request.bytes);
}

std::optional<uint32_t> IdOf(const Request& request) {
  const std::optional<uint32_t> number = CommandNumber(request);
  if (!number || *number >= kCommands.size() || kCommands[*number].id_at < 0) return std::nullopt;
  return In<uint32_t>(request.bytes,
                      sizeof(rdma_ucm_cmd_hdr) + static_cast<size_t>(kCommands[*number].id_at));
}

std::string WriteInWords(const Request& request) {
  const std::optional<uint32_t> number = CommandNumber(request);
  std::string words = fmt::format("rdma_cm {} ", request.on);
  if (!number) return words + "bytes that are no command";
  if (*number >= kCommands.size()) return words + fmt::format("command {}", *number);
  words += kCommands[*number].name;
  if (const std::optional<uint32_t> id = IdOf(request)) words += fmt::format(" id={}", *id);
  return words;
}

std::string EventInWords(const Answer& answer) {
  const auto event = In<rdma_ucm_event_resp>(answer.bytes);
  if (!event) return {};
  std::string words = event->event < static_cast<uint32_t>(kEventTypeCount)
                          ? std::string(ToString(static_cast<EventType>(event->event)))
                          : fmt::format("event {}", event->event);
  words += fmt::format(" id={}", event->id);
  if (event->status != 0) words += fmt::format(" status={}", static_cast<int>(event->status));
  return words;
}

std::string CompletionsInWords(const Answer& answer) {
  using sim::uapi::CompletionRecord;
  std::string words;
  for (size_t at = 0; at < answer.bytes.size(); at += sizeof(CompletionRecord)) {
    const auto one = In<CompletionRecord>(answer.bytes, at);
    if (!one) break;
    words += fmt::format("{}status={} opcode={} length={}", words.empty() ? "" : ", ", one->status,
                         one->opcode, one->status == 0 ? one->length : 0);
  }
  return words;
}

// What of the request is the same in every run and says something.
std::string Details(const Request& request) {
  using namespace sim::uapi;
  if (request.op == Op::kModifyQp) {
    const auto record = In<ModifyRecord>(request.bytes);
    if (record && (record->mask & IBV_QP_STATE) != 0)
      return fmt::format(" state={}", record->state);
  }
  if (request.op == Op::kPostSend) {
    if (const auto record = In<WorkRecord>(request.bytes))
      return fmt::format(" opcode={}", record->opcode);
  }
  if (request.op == Op::kRegister) {
    if (const auto record = In<RegionRecord>(request.bytes))
      return fmt::format(" length={}", record->length);
  }
  if (request.op == Op::kSleep) return fmt::format(" until={}ns", request.more);
  return {};
}

// Of these, what they are asked about and what is answered is of no interest, or no number that is
// the same in every run.
bool IsQuiet(Op op) {
  switch (op) {
    case Op::kPollFile:
    case Op::kPollEvents:
    case Op::kNow:
    case Op::kDevices:
    case Op::kPort:
    case Op::kGid:
    case Op::kArm:
    case Op::kQueryQp:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string InWords(const Request& request) {
  if (request.op == Op::kWrite) return WriteInWords(request);
  std::string words(kOps[static_cast<size_t>(request.op)]);
  const bool about = request.op != Op::kOpen && request.op != Op::kRegister &&
                     request.op != Op::kSleep && request.op != Op::kTakeEvent &&
                     request.op != Op::kDeregister && request.op != Op::kNow;
  if (about) words += fmt::format(" {}", request.on);
  return words + Details(request);
}

std::string InWords(const Request& request, const Answer& answer) {
  if (IsQuiet(request.op) || NothingNew(request, answer)) return {};
  std::string words = InWords(request) + " -> ";
  if (answer.value < 0) return words + "-1 " + ToString(static_cast<Errno>(-answer.value));
  const std::optional<uint32_t> number = CommandNumber(request);
  if (number == RDMA_USER_CM_CMD_GET_EVENT) return words + EventInWords(answer);
  if (number == RDMA_USER_CM_CMD_CREATE_ID)
    return words + fmt::format("id={}", In<uint32_t>(answer.bytes).value_or(0));
  if (number == RDMA_USER_CM_CMD_DESTROY_ID)
    return words + fmt::format("0 events={}", EventsFetched(request, answer));
  if (number) return words + "0";
  if (request.op == Op::kPoll) return words + CompletionsInWords(answer);
  if (request.op == Op::kRegister) return words + "a key";
  return words + fmt::format("{}", answer.value);
}

bool NothingNew(const Request& request, const Answer& answer) {
  switch (request.op) {
    case Op::kNow:
    case Op::kPollFile:
    case Op::kPollEvents:
      return true;
    case Op::kPoll:
      return answer.value >= 0 && answer.bytes.empty();
    case Op::kSleep:
      return request.more == 0;
    default:
      return answer.value == -EAGAIN;
  }
}

bool IsAboutAGoneId(const Request& request, const Answer& answer) {
  return answer.value == -ENOENT && IdOf(request).has_value();
}

uint32_t EventsFetched(const Request& request, const Answer& answer) {
  if (CommandNumber(request) != RDMA_USER_CM_CMD_DESTROY_ID || answer.value < 0) return 0;
  return In<uint32_t>(answer.bytes).value_or(0);
}

}  // namespace cm::app
