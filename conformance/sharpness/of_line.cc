#include "conformance/sharpness/of_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "conformance/recordings/script_call.h"
#include "conformance/sharpness/alternatives.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/protocol.h"

namespace cm {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMicroseconds = 1'000'000;

// Addresses of other hosts, for ids and their peers.
constexpr auto kHosts =
    std::to_array<std::string_view>({"10.0.0.1", "10.0.1.1", "0.0.0.0", "127.0.0.1", "10.0.1.99"});

// Of a host or a group over RoCE v2.
constexpr std::string_view kSomeGid = "00000000000000000000ffff0a000001";

constexpr auto kQpStateNames =
    std::to_array<std::string_view>({"", "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"});

// What a query of the queue pair shows besides its state.
constexpr auto kQpAttributes =
    std::to_array<const char*>({"q_timeout", "q_retry", "q_rnr", "q_rd", "q_drd"});

// Attribute masks of rdma_init_qp_attr.
constexpr auto kMasks = std::to_array<int64_t>({0, 0x20, 0x29, 0x39, 0x129181, 0x12e01});

constexpr auto kDevices = std::to_array<std::string_view>({"", "rxe0", "rxe1"});
constexpr auto kIwarpDevices = std::to_array<std::string_view>({"", "siw0", "siw1"});

void AlterReply(LineAlterer& at) {
  const std::optional<CallKind> kind = ParseFunctionName(at.Text("fn"));
  if (kind && ReturnsVoid(*kind)) return;
  const auto text = [](int64_t value, const std::string& error) {
    return value == 0 ? std::string("0") : fmt::format("{} {}", value, error);
  };
  const std::optional<Errno> known = ParseErrno(at.Text("errno"));  // of two names for one
  for (const Errno error : AllErrnos()) {
    if (error == known) continue;
    const int value = error == Errno::kNone ? 0 : -1;
    Json other = at.json();
    other["ret"] = value;
    other["errno"] = ToString(error);
    at.Say("reply", text(at.Number("ret"), at.Text("errno")),
           text(value, std::string(ToString(error))), other);
  }
}

// A reply in place of a crash.
void AlterCrash(LineAlterer& at) {
  const std::string text = at.Text("line");
  const size_t space = std::min(text.find(' '), text.size());
  const std::optional<CallKind> kind = CallOfScriptWord(text.substr(0, space));
  if (!kind) return;
  for (const bool succeeds : {true, false}) {
    const Json other{{"t_us", at.Number("t_us")},
                     {"k", "call"},
                     {"fn", std::string(FunctionName(*kind))},
                     {"args", text.substr(std::min(space + 1, text.size()))},
                     {"ret", succeeds ? 0 : -1},
                     {"errno", succeeds ? "0" : "EINVAL"},
                     {"dur_us", 0}};
    at.Say("reply", "crashed", succeeds ? "0" : "-1 EINVAL", other);
  }
}

Json EventOn(const RecordingLines::Name& id, EventType type) {
  return {{"k", "event"},
          {"chan", id.channel},
          {"id", id.name},
          {"listen_id", nullptr},
          {"type", std::string(ShortName(type))},
          {"num", static_cast<int>(type)},
          {"status", UsualStatus(type)},
          {"pdlen", 0},
          {"pd", ""}};
}

Json QuietFor(const LineAlterer& at, int64_t seconds) {
  return {{"t_us", at.Number("t_us") + seconds * kMicroseconds},
          {"k", "quiet"},
          {"chan", at.Text("chan")},
          {"ms", seconds * 1000}};
}

// Another name of those that exist by now; for a listener none.
void AlterName(LineAlterer& at, const std::string& field,
               const std::vector<RecordingLines::Name>& names) {
  std::vector<std::string> said;
  for (const RecordingLines::Name& name : names) {
    if (!at.Knows(name) || std::ranges::count(said, name.name) > 0) continue;
    said.push_back(name.name);
    at.SayText(field, name.name);
  }
  if (field == "listen_id") at.SayText(field, "");
}

void AlterPrivateData(LineAlterer& at) {
  const std::string was = at.Text("pd");
  const int64_t length = at.Number("pdlen");
  const auto bytes = static_cast<int64_t>(was.size() / 2);
  for (const int64_t is : {length - 1, length + 1, int64_t{0}})
    if (is >= bytes && is <= 255) at.SayNumber("pdlen", is);
  const auto say = [&](const std::string& is) {
    Json other = at.json();
    other["pd"] = is;
    at.Say("pd", was, is, other);
  };
  const auto flipped = [&](size_t digit) {
    std::string is = was;
    is[digit] = is[digit] == '7' ? '6' : '7';
    return is;
  };
  if (!was.empty()) {
    say(flipped(0));
    say(flipped(was.size() - 1));
    say(was.substr(0, was.size() - 2));
  }
  if (bytes < length) say(was + "5a");
}

// A field of "conn" or "ud".
void SayInner(LineAlterer& at, const std::string& outer, const std::string& field, const Json& is) {
  const Json& inner = at.json()[outer];
  if (!inner.contains(field)) return;
  Json other = at.json();
  other[outer][field] = is;
  at.Say(outer + "." + field, inner[field].dump(), is.dump(), other);
}

int64_t InnerNumber(const LineAlterer& at, const std::string& outer, const std::string& field) {
  return Number(at.json()[outer], field);
}

void AlterConnection(LineAlterer& at) {
  for (const char* field : {"rr", "depth", "fc", "retry", "rnr", "srq"}) {
    const int64_t was = InnerNumber(at, "conn", field);
    SayInner(at, "conn", field, was + 1);
    if (was > 0) SayInner(at, "conn", field, was - 1);
  }
}

// An address and the field that repeats its port.
void AlterAddress(LineAlterer& at, const std::string& field) {
  const std::string was = at.Text(field);
  const auto say = [&](const std::string& host, int64_t port) {
    Json other = at.json();
    other[field] = host.empty() ? "af0" : fmt::format("{}:{}", host, port);
    other[field + "_port"] = host.empty() ? 0 : port;
    at.Say(field, was, other[field].get<std::string>(), other);
  };
  const size_t colon = was.rfind(':');
  if (colon == std::string::npos) return say("10.0.0.1", 7471);
  const std::string own = was.substr(0, colon);
  const int64_t port = at.Number(field + "_port");
  for (const std::string_view host : kHosts) say(std::string(host), port);
  say("", 0);
  for (const int64_t other : {int64_t{0}, int64_t{7471}, int64_t{7472}, int64_t{40000}})
    if (other < kFirstEphemeralPort || port < kFirstEphemeralPort) say(own, other);
}

void AlterShow(LineAlterer& at) {
  const bool over_iwarp = at.Text("verbs").starts_with("siw");
  for (const std::string_view device : over_iwarp ? kIwarpDevices : kDevices)
    at.SayText("verbs", device);
  for (const int step : {1, -1}) {
    at.SayNumber("port", at.Number("port") + step);
    at.SayNumber("num_paths", at.Number("num_paths") + step);
  }
  for (const PortSpace space :
       {PortSpace::kTcp, PortSpace::kUdp, PortSpace::kIb, PortSpace::kIpoib})
    at.SayNumber("ps", static_cast<int64_t>(space));
  AlterAddress(at, "src");
  AlterAddress(at, "dst");
}

void AlterWait(LineAlterer& at) {
  const bool was = at.json().value("done", false);
  Json other = at.json();
  other["done"] = !was;
  at.Say("done", was ? "true" : "false", was ? "false" : "true", other);
}

}  // namespace

namespace of_line {

void Errno(LineAlterer& at) {
  if (at.IsOf("call")) AlterReply(at);
  if (at.IsOf("crash")) AlterCrash(at);
}

void Event(LineAlterer& at) {
  const std::string field = at.IsOf("event") ? "type" : "event";
  if (!at.IsOf("event") && !at.IsOf("id_event")) return;
  for (int n = 0; n < kEventTypeCount; ++n) {
    Json other = at.json();
    other[field] = std::string(ShortName(static_cast<EventType>(n)));
    if (other.contains("num")) other["num"] = n;
    at.Say(field, at.Text(field), other[field].get<std::string>(), other);
  }
}

void Status(LineAlterer& at) {
  if (!at.IsOf("event") && !at.IsOf("id_event")) return;
  for (const int32_t status : AllStatuses()) {
    Json other = at.json();
    other["status"] = status;
    at.Say("status", std::to_string(at.Number("status")), std::to_string(status), other);
  }
}

// Silence becomes an event: the last one of the channel once more, and any other, on any id.
void Readable(LineAlterer& at) {
  if (!at.IsOf("quiet") && !at.IsOf("no_event")) return;
  const std::string channel = at.Text("chan");
  std::vector<std::string> said;
  const auto say = [&](Json event) {
    event["t_us"] = at.Number("t_us");
    const std::string is = fmt::format("{} of {}", Text(event, "type"), Text(event, "id"));
    if (std::ranges::count(said, is) > 0) return;
    said.push_back(is);
    at.Say("silence", "nothing", is, event);
  };
  for (const Json* before : at.Before()) {
    if (Text(*before, "k") != "event" || Text(*before, "chan") != channel) continue;
    say(*before);
    break;
  }
  for (const RecordingLines::Name& id : at.recording().ids) {
    if (!at.Knows(id) || id.channel != channel) continue;
    for (const EventType type : EventsInSilence()) say(EventOn(id, type));
  }
}

void Late(LineAlterer& at) {
  if (!at.IsOf("event")) return;
  Json late = at.json();
  late["t_us"] = at.Number("t_us") + kLateSeconds * kMicroseconds;
  at.SayLast("late", QuietFor(at, kLateSeconds).dump() + "\n" + late.dump());
}

void Never(LineAlterer& at) {
  if (at.IsOf("event")) at.SayLast("never", QuietFor(at, kNeverSeconds).dump());
}

void SlowCall(LineAlterer& at) {
  if (!at.IsOf("call")) return;
  Json other = at.json();
  other["dur_us"] = at.Number("dur_us") + kSlowSeconds * kMicroseconds;
  at.SayLast(fmt::format("{} s longer", kSlowSeconds), other.dump());
}

void AddressHandle(LineAlterer& at) {
  if (!at.IsOf("event") || !at.json().contains("ud")) return;
  SayInner(at, "ud", "is_global", 1 - InnerNumber(at, "ud", "is_global"));
  for (const char* field : {"dlid", "sl"})
    SayInner(at, "ud", field, InnerNumber(at, "ud", field) + 1);
  const std::string was = Text(at.json()["ud"], "dgid");
  SayInner(at, "ud", "dgid", "");
  for (const char last : {'1', '2'}) {
    std::string is = was.empty() ? std::string(kSomeGid) : was;
    is.back() = last;
    SayInner(at, "ud", "dgid", is);
  }
}

void QueuePair(LineAlterer& at) {
  if (at.IsOf("call") && at.json().contains("mask") && at.Number("ret") == 0) {
    for (const int64_t mask : kMasks) {
      Json other = at.json();
      other["mask"] = mask;
      at.Say("mask", fmt::format("{:#x}", at.Number("mask")), fmt::format("{:#x}", mask), other);
    }
  }
  if (!at.IsOf("show")) return;
  for (const std::string_view state : kQpStateNames) at.SayText("qp", state);
  for (const char* attribute : kQpAttributes) {
    if (!at.json().contains(attribute)) continue;
    for (const int step : {1, -1}) at.SayNumber(attribute, at.Number(attribute) + step);
  }
}

void OtherField(LineAlterer& at) {
  if (at.IsOf("show")) return AlterShow(at);
  if (at.IsOf("wait")) return AlterWait(at);
  if (!at.IsOf("event")) return;
  AlterName(at, "id", at.recording().ids);
  AlterName(at, "listen_id", at.recording().ids);
  AlterName(at, "chan", at.recording().channels);
  AlterPrivateData(at);
  if (at.json().contains("conn")) AlterConnection(at);
  if (!at.json().contains("ud")) return;
  SayInner(at, "ud", "qkey", InnerNumber(at, "ud", "qkey") + 1);
  // For multicast groups the queue pair number is fixed.
  if (at.Text("type") == ShortName(EventType::kMulticastJoin))
    SayInner(at, "ud", "qpn", InnerNumber(at, "ud", "qpn") - 1);
}

}  // namespace of_line
}  // namespace cm
