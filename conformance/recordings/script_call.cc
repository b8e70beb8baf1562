#include "conformance/recordings/script_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace cm {
namespace {

// A call of the scripts, and its arguments in a conversation. {how:what} stands for the script's
// positional word or value of that key, or for the first of several: {number:val|3}. A word with
// one that the script does not give is left out; "!" says that the call then cannot be read.
struct ScriptCall {
  std::string_view word;
  CallKind kind;
  std::string_view form;
};

// Scripts pass the parameters of a connection also where they say `noparam`.
constexpr std::string_view kParameters =
    "{id:0!} private={count:pd} responder_resources={byte:rr} initiator_depth={byte:depth} "
    "flow_control={byte:fc} retry_count={byte:retry} rnr_retry_count={byte:rnr} srq={byte:srq} "
    "qp_num={qp:qpn}";

// clang-format off
constexpr auto kCalls = std::to_array<ScriptCall>({
    {"chan", CallKind::kCreateEventChannel, "{word:0} {nonblocking:nb}"},
    {"delchan", CallKind::kDestroyEventChannel, "{word:0}"},
    {"id", CallKind::kCreateId, "{new:0} on={word:chan!} ps={space:ps}"},
    {"destroy", CallKind::kDestroyId, "{id:0!}"},
    {"bind", CallKind::kBindAddr, "{id:0!} addr={address:1!}"},
    {"listen", CallKind::kListen, "{id:0!} backlog={number:1}"},
    {"resolve", CallKind::kResolveAddr, "{id:0!} src={source:src} dst={address:1!} timeout_ms={number:tmo}"},
    {"route", CallKind::kResolveRoute, "{id:0!} timeout_ms={number:tmo}"},
    {"qp", CallKind::kCreateQp, "{id:0!} type={type:type}"},
    {"delqp", CallKind::kDestroyQp, "{id:0!}"},
    {"connect", CallKind::kConnect, kParameters},
    {"accept", CallKind::kAccept, kParameters},
    {"reject", CallKind::kReject, "{id:0!} private={count:pd}"},
    {"establish", CallKind::kEstablish, "{id:0!}"},
    {"disconnect", CallKind::kDisconnect, "{id:0!}"},
    {"getev", CallKind::kGetCmEvent, "{word:0} as={event:}"},
    {"ack", CallKind::kAckCmEvent, "{kept:0!}"},
    {"notify", CallKind::kNotify, "{id:0!} event={async:1!}"},
    {"initattr", CallKind::kInitQpAttr, "{id:0!} state={byte:1}"},
    {"getreq", CallKind::kGetRequest, "{id:0!} id={new:1}"},
    {"join", CallKind::kJoinMulticast, "{id:0!} addr={address:1!}"},
    {"joinex", CallKind::kJoinMulticastEx, "{id:0!} addr={address:1!} flags={number:flags}"},
    {"leave", CallKind::kLeaveMulticast, "{id:0!} addr={address:1!}"},
    {"setopt", CallKind::kSetOption, "{id:0!} option={option:1!} value={number:val|3!} length={length:len}"},
    {"migrate", CallKind::kMigrateId, "{id:0!} to={word:chan|1}"},
});

// The words of scripts for values.
constexpr auto kValues = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"tcp", "RDMA_PS_TCP"}, {"udp", "RDMA_PS_UDP"}, {"ib", "RDMA_PS_IB"}, {"ipoib", "RDMA_PS_IPOIB"},
    {"ud", "UD"}, {"rc", "RC"}, {"nb", "nonblocking"},
});
// clang-format on

// source: <infiniband/verbs.h> enum ibv_event_type
constexpr auto kAsyncEvents = std::to_array<std::string_view>(
    {"CQ_ERR", "QP_FATAL", "QP_REQ_ERR", "QP_ACCESS_ERR", "COMM_EST", "SQ_DRAINED", "PATH_MIG",
     "PATH_MIG_ERR", "DEVICE_FATAL", "PORT_ACTIVE", "PORT_ERR", "LID_CHANGE", "PKEY_CHANGE",
     "SM_CHANGE", "SRQ_ERR", "SRQ_LIMIT_REACHED", "QP_LAST_WQE_REACHED", "CLIENT_REREGISTER",
     "GID_CHANGE"});

std::optional<std::string> Decimal(std::string_view word) {
  const std::optional<int64_t> number = WholeNumber(word);
  if (!number) return std::nullopt;
  return std::to_string(*number);
}

std::optional<std::string> AsyncEvent(std::string_view word) {
  for (const std::string_view before : {"IBV_", "EVENT_"})
    if (word.starts_with(before)) word.remove_prefix(before.size());
  const auto named = std::ranges::find(kAsyncEvents, word);
  if (named != kAsyncEvents.end()) return std::to_string(named - kAsyncEvents.begin());
  return Decimal(word);
}

// A queue pair that the library does not know has a number of its own.
std::string NumberOfQp(std::string_view name) {
  uint32_t number = 0x10000;
  for (const char c : name) number = (number * 31 + static_cast<uint8_t>(c)) & 0xffffff;
  return std::to_string(number);
}

// Fills the form of one call.
class Translation {
 public:
  Translation(const ScriptWords& words, const ScriptNames& names) : words_(words), names_(names) {}

  std::optional<std::string> Of(std::string_view form) const {
    std::string text;
    for (const std::string_view word : Split(form, ' ')) {
      const size_t open = word.find('{');
      std::string_view inside = word.substr(open + 1, word.size() - open - 2);
      const bool needed = inside.ends_with('!');
      if (needed) inside.remove_suffix(1);
      const size_t colon = inside.find(':');
      const std::optional<std::string> value =
          Value(inside.substr(0, colon), Given(inside.substr(colon + 1)));
      if (!value && needed) return std::nullopt;
      if (value) text += fmt::format("{}{} ", word.substr(0, open), *value);
    }
    return text;
  }

 private:
  static std::vector<std::string_view> Split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + 1)) {
      end = text.find(at);
      parts.push_back(text.substr(0, end));
      if (end == std::string_view::npos) break;
    }
    return parts;
  }

  // What the script gives: the first of "val|3" that is there.
  std::optional<std::string> Given(std::string_view sources) const {
    for (const std::string_view source : Split(sources, '|')) {
      const bool positional = source.size() == 1 && source[0] >= '0' && source[0] <= '9';
      std::optional<std::string> given = words_.Value(source);
      if (positional) given = words_.Word(static_cast<size_t>(source[0] - '0'));
      if (!given && words_.Has(source)) given = std::string(source);
      if (given && !given->empty()) return given;
    }
    return std::nullopt;
  }

  std::optional<std::string> Value(std::string_view how,
                                   const std::optional<std::string>& given) const {
    if (how == "event") return names_.new_event();
    if (how == "source" && !given) return names_.source;
    if (how == "length" && !given) return DefaultLength();
    if (!given) return std::nullopt;
    if (how == "id") return names_.id(*given);
    if (how == "new") return names_.new_id(*given);
    if (how == "kept") return names_.kept_event(*given);
    if (how == "address" || how == "source") return names_.address(*given);
    if (how == "number" || how == "byte" || how == "length") return Decimal(*given);
    if (how == "count") return "count:" + *given;
    if (how == "async") return AsyncEvent(*given);
    if (how == "qp") return NumberOfQp(*given);
    if (how == "option") return fmt::format("{}/{}", *given, words_.Word(2));
    for (const auto& [word, value] : kValues)
      if (how != "word" && word == *given) return std::string(value);
    return how == "space" ? Decimal(*given) : given;
  }

  // The options of a byte are the type of service, and the ACK timeout.
  std::string DefaultLength() const {
    const std::string option = fmt::format("{}/{}", words_.Word(1), words_.Word(2));
    return ParseIdOption(option) == kTosOption || ParseIdOption(option) == kAckTimeoutOption ? "1"
                                                                                             : "4";
  }

  const ScriptWords& words_;
  const ScriptNames& names_;
};

}  // namespace

std::optional<CallKind> CallOfScriptWord(std::string_view word) {
  const auto row = std::ranges::find(kCalls, word, &ScriptCall::word);
  if (row == kCalls.end()) return std::nullopt;
  return row->kind;
}

std::optional<std::string> ArgumentsInConversation(CallKind kind, const ScriptWords& words,
                                                   const ScriptNames& names) {
  const auto row = std::ranges::find(kCalls, kind, &ScriptCall::kind);
  if (row == kCalls.end()) return std::nullopt;
  return Translation(words, names).Of(row->form);
}

}  // namespace cm
