#include "conformance/recordings/alterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "conformance/recordings/judge.h"
#include "conformance/recordings/recording.h"
#include "conformance/recordings/script_call.h"
#include "model/conversation/parse.h"
#include "model/oracle/judge.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/protocol.h"

namespace cm {
namespace {

using Json = nlohmann::json;

// Addresses of other hosts, for ids and their peers.
constexpr auto kHosts =
    std::to_array<std::string_view>({"10.0.0.1", "10.0.1.1", "0.0.0.0", "127.0.0.1", "10.0.1.99"});

// Of a host or a group over RoCE v2.
constexpr std::string_view kSomeGid = "00000000000000000000ffff0a000001";

constexpr auto kQpStates =
    std::to_array<std::string_view>({"", "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"});

// Attribute masks of rdma_init_qp_attr.
constexpr auto kMasks = std::to_array<int64_t>({0, 0x20, 0x29, 0x39, 0x129181, 0x12e01});

constexpr auto kDevices = std::to_array<std::string_view>({"", "rxe0", "rxe1"});
constexpr auto kIwarpDevices = std::to_array<std::string_view>({"", "siw0", "siw1"});

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

std::string TextOf(const Json& line, std::string_view key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int64_t NumberOf(const Json& line, std::string_view key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

// A quiet wait beyond every bound: an MRA may make a request last for 18 minutes.
constexpr int64_t kBeyond = 1800;
// In place of an event.
constexpr int64_t kInstead = 600;
// How much longer a slow call takes.
constexpr int64_t kSlow = 30;
constexpr int64_t kMicroseconds = 1'000'000;

Json TextOrNull(std::string_view text) { return text.empty() ? Json() : Json(std::string(text)); }

// Alters the lines of one recording, one after the other.
class Alterer {
 public:
  explicit Alterer(std::string_view recording) {
    for (const std::string_view line : LinesOf(recording))
      lines_.push_back(Json::parse(line, nullptr, false));
    for (size_t i = 0; i < lines_.size(); ++i) CollectNames(i);
  }

  std::vector<Alteration> Alter(const std::vector<int>& lines) {
    for (const int line : lines) {
      line_ = line;
      const Json& json = lines_[static_cast<size_t>(line) - 1];
      const std::string kind = TextOf(json, "k");
      if (kind == "call") AlterReply(json);
      if (kind == "call") Slow(json);
      if (json.contains("mask") && NumberOf(json, "ret") == 0) AlterMask(json);
      if (kind == "crash") AlterCrash(json);
      if (kind == "event") AlterEvent(json);
      if (kind == "event") DelayEvent(json);
      if (kind == "id_event") AlterIdEvent(json);
      if (kind == "show") AlterShow(json);
      if (kind == "wait") AlterWait(json);
      if (kind == "quiet" || kind == "no_event") AlterSilence(json);
    }
    return std::move(found_);
  }

 private:
  struct Name {
    size_t since = 0;  // index of the line that creates it
    std::string name;
    std::string channel;  // of an id
  };

  void CollectNames(size_t i) {
    const Json& line = lines_[i];
    const std::string args = TextOf(line, "args");
    const std::string first = args.substr(0, args.find(' '));
    if (TextOf(line, "fn") == "rdma_create_event_channel") channels_.push_back({i, first, ""});
    if (TextOf(line, "fn") == "rdma_create_id" && NumberOf(line, "ret") == 0) {
      const size_t at = args.find("chan=");
      const std::string channel = args.substr(at == std::string::npos ? args.size() : at + 5);
      ids_.push_back({i, first, channel.substr(0, channel.find(' '))});
    }
    if (TextOf(line, "type") == "CONNECT_REQUEST")
      ids_.push_back({i, TextOf(line, "id"), TextOf(line, "chan")});
  }

  void Say(AlterationKind kind, std::string field, std::string was, std::string is,
           const Json& line) {
    if (was != is)
      found_.push_back({kind, line_, std::move(field), std::move(was), std::move(is), line.dump()});
  }

  // What follows would have to happen later, too: the recording ends.
  void SayLast(AlterationKind kind, std::string is, std::string text) {
    found_.push_back({kind, line_, "time", "in time", std::move(is), std::move(text), true});
  }

  void Slow(const Json& line) {
    Json other = line;
    other["dur_us"] = NumberOf(line, "dur_us") + kSlow * kMicroseconds;
    SayLast(AlterationKind::kSlowCall, fmt::format("{} s longer", kSlow), other.dump());
  }

  void DelayEvent(const Json& line) {
    const auto quiet = [&](int64_t seconds) {
      return Json{{"t_us", NumberOf(line, "t_us") + seconds * kMicroseconds},
                  {"k", "quiet"},
                  {"chan", TextOf(line, "chan")},
                  {"ms", seconds * 1000}};
    };
    Json late = line;
    late["t_us"] = NumberOf(line, "t_us") + kBeyond * kMicroseconds;
    SayLast(AlterationKind::kLate, "late", quiet(kBeyond).dump() + "\n" + late.dump());
    SayLast(AlterationKind::kNever, "never", quiet(kInstead).dump());
  }

  void AlterReply(const Json& line) {
    const std::optional<CallKind> kind = ParseFunctionName(TextOf(line, "fn"));
    if (kind && ReturnsVoid(*kind)) return;
    const auto text = [](int64_t value, const std::string& error) {
      return value == 0 ? std::string("0") : fmt::format("{} {}", value, error);
    };
    const std::string was = text(NumberOf(line, "ret"), TextOf(line, "errno"));
    const std::optional<Errno> known = ParseErrno(TextOf(line, "errno"));  // of two names for one
    const auto say = [&](int value, std::string_view error) {
      Json other = line;
      other["ret"] = value;
      other["errno"] = error;
      Say(AlterationKind::kErrno, "reply", was, text(value, std::string(error)), other);
    };
    for (const Errno error : AllErrnos())
      if (error != known) say(error == Errno::kNone ? 0 : -1, ToString(error));
  }

  // The attributes for another state, or none.
  void AlterMask(const Json& line) {
    for (const int64_t mask : kMasks) {
      Json other = line;
      other["mask"] = mask;
      Say(AlterationKind::kQueuePair, "mask", fmt::format("{:#x}", NumberOf(line, "mask")),
          fmt::format("{:#x}", mask), other);
    }
  }

  // A reply in place of a crash.
  void AlterCrash(const Json& line) {
    const std::string text = TextOf(line, "line");
    const size_t space = std::min(text.find(' '), text.size());
    const std::optional<CallKind> kind = CallOfScriptWord(text.substr(0, space));
    if (!kind) return;
    for (const bool succeeds : {true, false}) {
      const Json other{{"t_us", NumberOf(line, "t_us")},
                       {"k", "call"},
                       {"fn", std::string(FunctionName(*kind))},
                       {"args", text.substr(std::min(space + 1, text.size()))},
                       {"ret", succeeds ? 0 : -1},
                       {"errno", succeeds ? "0" : "EINVAL"},
                       {"dur_us", 0}};
      Say(AlterationKind::kErrno, "reply", "crashed", succeeds ? "0" : "-1 EINVAL", other);
    }
  }

  void AlterEvent(const Json& line) {
    AlterType(line);
    for (const int32_t status : AllStatuses()) {
      Json other = line;
      other["status"] = status;
      Say(AlterationKind::kStatus, "status", std::to_string(NumberOf(line, "status")),
          std::to_string(status), other);
    }
    AlterName(line, "id", ids_);
    AlterName(line, "listen_id", ids_);
    AlterName(line, "chan", channels_);
    AlterPrivateData(line);
    if (line.contains("ud")) AlterDatagram(line);
    if (!line.contains("conn")) return;
    for (const std::string_view field : {"rr", "depth", "fc", "retry", "rnr", "srq"}) {
      const int64_t was = NumberOf(line["conn"], field);
      for (const int64_t is : {was + 1, was - 1}) {
        if (is < 0) continue;
        Json other = line;
        other["conn"][std::string(field)] = is;
        Say(AlterationKind::kField, fmt::format("conn.{}", field), std::to_string(was),
            std::to_string(is), other);
      }
    }
  }

  // For multicast groups the queue pair number is fixed.
  void AlterDatagram(const Json& line) {
    const auto say = [&](AlterationKind kind, const std::string& field, const Json& is) {
      Json other = line;
      other["ud"][field] = is;
      Say(kind, "ud." + field, line["ud"][field].dump(), is.dump(), other);
    };
    const auto step = [&](AlterationKind kind, const std::string& field, int by) {
      say(kind, field, NumberOf(line["ud"], field) + by);
    };
    step(AlterationKind::kField, "qkey", 1);
    if (TextOf(line, "type") == ShortName(EventType::kMulticastJoin))
      step(AlterationKind::kField, "qpn", -1);
    const auto handle = [&](const std::string& field, const Json& is) {
      if (line["ud"].contains(field)) say(AlterationKind::kAddressHandle, field, is);
    };
    handle("is_global", 1 - NumberOf(line["ud"], "is_global"));
    for (const char* field : {"dlid", "sl"}) handle(field, NumberOf(line["ud"], field) + 1);
    const std::string gid = TextOf(line["ud"], "dgid");
    handle("dgid", "");
    for (const char last : {'1', '2'})
      handle("dgid",
             (gid.empty() ? std::string(kSomeGid) : gid).substr(0, kSomeGid.size() - 1) + last);
  }

  void AlterIdEvent(const Json& line) {
    for (int n = 0; n < kEventTypeCount; ++n) {
      Json other = line;
      other["event"] = std::string(ShortName(static_cast<EventType>(n)));
      Say(AlterationKind::kEvent, "event", TextOf(line, "event"), TextOf(other, "event"), other);
    }
    for (const int32_t status : AllStatuses()) {
      Json other = line;
      other["status"] = status;
      Say(AlterationKind::kStatus, "status", std::to_string(NumberOf(line, "status")),
          std::to_string(status), other);
    }
  }

  void AlterType(const Json& line) {
    for (int n = 0; n < kEventTypeCount; ++n) {
      const auto type = static_cast<EventType>(n);
      Json other = line;
      other["type"] = std::string(ShortName(type));
      other["num"] = n;
      Say(AlterationKind::kEvent, "type", TextOf(line, "type"), std::string(ShortName(type)),
          other);
    }
  }

  // Another name of those that exist by now; for a listener none.
  void AlterName(const Json& line, const std::string& field, const std::vector<Name>& names) {
    const std::string was = TextOf(line, field);
    const auto say = [&](const std::string& is) {
      Json other = line;
      other[field] = TextOrNull(is);
      Say(AlterationKind::kField, field, was.empty() ? "null" : was, is.empty() ? "null" : is,
          other);
    };
    std::vector<std::string> said;
    for (const Name& name : names) {
      const bool known = name.since < static_cast<size_t>(line_);
      if (!known || std::ranges::count(said, name.name) > 0) continue;
      said.push_back(name.name);
      say(name.name);
    }
    if (field == "listen_id") say("");
  }

  void AlterPrivateData(const Json& line) {
    const std::string was = TextOf(line, "pd");
    const int64_t length = NumberOf(line, "pdlen");
    const auto bytes = static_cast<int64_t>(was.size() / 2);
    for (const int64_t is : {length - 1, length + 1, int64_t{0}}) {
      if (is < bytes || is > 255) continue;
      Json other = line;
      other["pdlen"] = is;
      Say(AlterationKind::kField, "pdlen", std::to_string(length), std::to_string(is), other);
    }
    const auto say = [&](const std::string& is) {
      Json other = line;
      other["pd"] = is;
      Say(AlterationKind::kField, "pd", was, is, other);
    };
    const auto flipped = [&](size_t at) {
      std::string is = was;
      is[at] = is[at] == '7' ? '6' : '7';
      return is;
    };
    if (!was.empty()) {
      say(flipped(0));
      say(flipped(was.size() - 1));
      say(was.substr(0, was.size() - 2));
    }
    if (bytes < length) say(was + "5a");
  }

  void AlterShow(const Json& line) {
    const auto other_text = [&](AlterationKind kind, const std::string& field,
                                std::string_view is) {
      Json other = line;
      other[field] = TextOrNull(is);
      const std::string was = TextOf(line, field);
      Say(kind, field, was.empty() ? "null" : was, is.empty() ? "null" : std::string(is), other);
    };
    const auto other_number = [&](const std::string& field, int64_t is) {
      if (is < 0) return;
      Json other = line;
      other[field] = is;
      Say(AlterationKind::kField, field, std::to_string(NumberOf(line, field)), std::to_string(is),
          other);
    };
    const bool over_iwarp = TextOf(line, "verbs").starts_with("siw");
    for (const std::string_view device : over_iwarp ? kIwarpDevices : kDevices)
      other_text(AlterationKind::kField, "verbs", device);
    for (const std::string_view state : kQpStates)
      other_text(AlterationKind::kQueuePair, "qp", state);
    for (const int step : {1, -1}) {
      other_number("port", NumberOf(line, "port") + step);
      other_number("num_paths", NumberOf(line, "num_paths") + step);
    }
    AlterAddress(line, "src");
    AlterAddress(line, "dst");
  }

  // An address and the field that repeats its port.
  void AlterAddress(const Json& line, const std::string& field) {
    const std::string was = TextOf(line, field);
    const auto say = [&](const std::string& host, int64_t port) {
      Json other = line;
      other[field] = host.empty() ? "af0" : fmt::format("{}:{}", host, port);
      other[field + "_port"] = host.empty() ? 0 : port;
      Say(AlterationKind::kField, field, was, other[field].get<std::string>(), other);
    };
    const size_t colon = was.rfind(':');
    if (colon == std::string::npos) return say("10.0.0.1", 7471);
    const std::string own = was.substr(0, colon);
    const int64_t port = NumberOf(line, field + "_port");
    for (const std::string_view host : kHosts) say(std::string(host), port);
    say("", 0);
    for (const int64_t other : {int64_t{0}, int64_t{7471}, int64_t{7472}, int64_t{40000}})
      if (other < kFirstEphemeralPort || port < kFirstEphemeralPort) say(own, other);
  }

  void AlterWait(const Json& line) {
    const bool was = line.contains("done") && line["done"].is_boolean() && line["done"].get<bool>();
    Json other = line;
    other["done"] = !was;
    Say(AlterationKind::kField, "done", was ? "true" : "false", was ? "false" : "true", other);
  }

  // Silence becomes an event: the last one of the channel once more, and any other, on any id.
  void AlterSilence(const Json& line) {
    const std::string channel = TextOf(line, "chan");
    std::vector<std::string> said;
    const auto say = [&](Json event) {
      event["t_us"] = NumberOf(line, "t_us");
      const std::string is = fmt::format("{} of {}", TextOf(event, "type"), TextOf(event, "id"));
      if (std::ranges::count(said, is) > 0) return;
      said.push_back(is);
      Say(AlterationKind::kReadable, "silence", "nothing", is, event);
    };
    for (size_t i = static_cast<size_t>(line_) - 1; i-- > 0;) {
      if (TextOf(lines_[i], "k") != "event" || TextOf(lines_[i], "chan") != channel) continue;
      say(lines_[i]);
      break;
    }
    for (const Name& id : ids_) {
      if (id.since >= static_cast<size_t>(line_) || id.channel != channel) continue;
      for (int n = 0; n < kEventTypeCount; ++n)
        if (static_cast<EventType>(n) != EventType::kConnectRequest)
          say(EventOn(id.name, channel, static_cast<EventType>(n)));
    }
  }

  static Json EventOn(const std::string& id, const std::string& channel, EventType type) {
    constexpr auto kTimedOut = std::to_array<EventType>(
        {EventType::kAddrError, EventType::kRouteError, EventType::kConnectError,
         EventType::kUnreachable, EventType::kMulticastError, EventType::kAddrInfoError});
    int status = 0;
    if (std::ranges::count(kTimedOut, type) > 0) status = -static_cast<int>(Errno::kTimedOut);
    if (type == EventType::kRejected) status = static_cast<int>(RejReason::kInvalidServiceId);
    return {{"k", "event"},
            {"chan", channel},
            {"id", id},
            {"listen_id", nullptr},
            {"type", std::string(ShortName(type))},
            {"num", static_cast<int>(type)},
            {"status", status},
            {"pdlen", 0},
            {"pd", ""}};
  }

  std::vector<Json> lines_;
  std::vector<Name> ids_;
  std::vector<Name> channels_;
  std::vector<Alteration> found_;
  int line_ = 0;
};

}  // namespace

std::string Alteration::Name() const {
  return fmt::format("{} {} {} -> {}", line, field, was.empty() ? "nothing" : was,
                     is.empty() ? "nothing" : is);
}

std::vector<int> JudgedLines(std::string_view recording, const Profile& profile) {
  const auto read = ReadRecording(recording);
  if (std::holds_alternative<TextProblem>(read)) return {};
  const Recording& said = *std::get<std::unique_ptr<Recording>>(read);
  std::vector<int> lines;
  std::vector<int> unjudged;  // one line can make two records
  const RecordingResult verdict =
      JudgeRecording(said, profile, [&](size_t i, const model::Verdict& at_record) {
        const bool judged = at_record.kind == model::VerdictKind::kPermitted;
        (judged ? lines : unjudged).push_back(said.line_of[i]);
      });
  if (verdict.refusal || verdict.inconclusive) return {};
  std::erase_if(lines, [&](int line) { return std::ranges::count(unjudged, line) > 0; });
  std::ranges::stable_sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

std::vector<Alteration> AlterationsOf(std::string_view recording, const std::vector<int>& lines) {
  return Alterer(recording).Alter(lines);
}

std::string Altered(std::string_view recording, const Alteration& alteration) {
  std::string text;
  int number = 0;
  for (const std::string_view line : LinesOf(recording)) {
    text += ++number == alteration.line ? std::string_view(alteration.text) : line;
    text += '\n';
    if (number == alteration.line && alteration.ends) break;
  }
  return text;
}

bool Admits(std::string_view altered, const Profile& profile) {
  const auto read = ReadRecording(altered);
  if (std::holds_alternative<TextProblem>(read)) return false;
  const RecordingResult verdict =
      JudgeRecording(*std::get<std::unique_ptr<Recording>>(read), profile);
  return !verdict.refusal && !verdict.inconclusive;
}

}  // namespace cm
