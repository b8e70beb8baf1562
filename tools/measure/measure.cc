#include "tools/measure/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>
#include <variant>

#include "conformance/driver/perform.h"
#include "conformance/runner/profile_file.h"
#include "model/base/check.h"
#include "model/base/files.h"
#include "model/base/json.h"
#include "model/conversation/history.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "model/conversation/topology_text.h"

namespace cm {
namespace {

// The port is one that nodes may use.
constexpr std::string_view kResolved = R"(TO rdma_create_event_channel S
TO rdma_create_id L on=S{space}
TO rdma_bind_addr L addr=TO{family}:20471
TO rdma_listen L
FROM rdma_create_event_channel C
FROM rdma_create_id A on=C{space}
FROM rdma_resolve_addr A src=FROM{family}:0 dst=TO{family}:20471
FROM wait C within=5s
FROM rdma_get_cm_event C as=resolved
FROM rdma_ack_cm_event resolved
FROM rdma_resolve_route A
FROM wait C within=5s
FROM rdma_get_cm_event C as=routed
FROM rdma_ack_cm_event routed
FROM rdma_create_qp A
)";
constexpr std::string_view kConnects = "FROM rdma_connect A\n";
constexpr std::string_view kAsked = R"(TO wait S within=5s
TO rdma_get_cm_event S as=asked id=P
TO rdma_ack_cm_event asked
)";
constexpr std::string_view kConnected = R"(TO rdma_create_qp P
TO rdma_accept P
FROM wait C within=5s
FROM rdma_get_cm_event C as=answered
FROM rdma_ack_cm_event answered
TO wait S within=5s
TO rdma_get_cm_event S as=established
TO rdma_ack_cm_event established
)";
constexpr std::string_view kMessage = R"(TO rdma_reg_msgs p id=P length=4096
TO rdma_post_recv P context=1 sge=p:0+4096
FROM rdma_reg_msgs a id=A length=4096
FROM rdma_post_send A context=2 sge=a:0+4096
FROM rdma_get_send_comp A
settle
)";
constexpr std::string_view kDisconnected = R"(FROM rdma_disconnect A
TO wait S within=5s
TO rdma_get_cm_event S as=left
TO rdma_ack_cm_event left
TO rdma_disconnect P
FROM wait C within=5s
FROM rdma_get_cm_event C as=gone
FROM rdma_ack_cm_event gone
)";

struct Connection {
  std::string_view from = "active";
  std::string_view to = "passive";
  std::string_view family;  // ".v6", or empty
  std::string_view space;   // " ps=RDMA_PS_UDP", or empty
};
constexpr Connection kOne;
constexpr Connection kDatagrams{.space = " ps=RDMA_PS_UDP"};
constexpr int kMostBytes = 255;
// The next one stands for "as much as the device has".
constexpr int kMostDepth = 254;
constexpr int kMostExponent = 31;
constexpr int kMostRetries = 15;

std::string Lines(const Connection& connection, std::initializer_list<std::string_view> parts) {
  std::string lines;
  for (const std::string_view part : parts) lines += part;
  for (const auto& [mark, text] :
       {std::pair<std::string_view, std::string_view>{"FROM", connection.from},
        {"TO", connection.to},
        {"{family}", connection.family},
        {"{space}", connection.space}})
    for (size_t at = 0; (at = lines.find(mark, at)) != std::string::npos; at += text.size())
      lines.replace(at, mark.size(), text);
  return lines;
}

std::string Bytes(int count) {
  return fmt::format(" private=\"{}\"\n", std::string(static_cast<size_t>(count), 'x'));
}

// Found, or why not.
using Found = std::variant<int64_t, std::string>;

class Asking {
 public:
  Asking(Implementation& implementation, const Topology& topology, const Profile& base,
         const std::atomic<bool>* interrupted)
      : implementation_(implementation),
        topology_(topology),
        base_(base),
        interrupted_(interrupted) {}

  Found LargestPrivateData(const Connection& connection,
                           std::initializer_list<std::string_view> before, std::string_view call) {
    // source: linux 6.1 cma.c cma_connect_iw: the sum is one byte
    if (base_.transport == Transport::kIwarp)
      return "over iWARP a length wraps round in place of being refused";
    return Largest(kMostBytes, [&](int count) {
      return Lines(connection, before) + std::string(call) + Bytes(count);
    });
  }
  Found MaxDepth() {
    return Largest(kMostDepth, [](int depth) {
      return Lines(kOne, {kResolved}) +
             fmt::format("active rdma_connect A responder_resources={} initiator_depth={}\n", depth,
                         depth);
    });
  }
  // What a request says that asked for more than there is.
  Found MaxRetryCount() {
    if (base_.transport == Transport::kIwarp) return "no request over iWARP carries it";
    const auto history =
        Run(Lines(kOne, {kResolved, "active rdma_connect A retry_count=255 rnr_retry_count=255\n",
                         kAsked.substr(0, kAsked.find("TO rdma_ack"))}));
    if (!history) return problem_;
    const auto* answered = std::get_if<seen::Answered>(&history->records.back().seen);
    if (answered == nullptr || !answered->event ||
        answered->event->type != EventType::kConnectRequest)
      return "no request came";
    if (answered->event->conn.retry_count > 7) return "the request has more than its 3 bits hold";
    return int64_t{answered->event->conn.retry_count};
  }

  // By the time in which nothing is said after both have disconnected.
  Found PacketLifetime() {
    const auto quiet = LastWait(Lines(kOne, {kResolved, kConnects, kAsked, kConnected,
                                             kDisconnected, "active wait C within=60s\n"}));
    if (const auto* problem = std::get_if<std::string>(&quiet)) return *problem;
    return Exponent(std::get<Duration>(quiet), [&](int exponent) {
      Timing timing = base_.timing;
      timing.packet_lifetime = exponent;
      return timing.Timewait();
    });
  }
  // By the time until a request comes that was lost once.
  Found ResponseTimeout(int packet_lifetime) {
    for (const Capability need : {Capability::kDrop, Capability::kDropNth})
      if (!implementation_.capabilities().Has(need)) return "the environment loses no message";
    const auto wait = LastWait(Lines(kOne, {kResolved, "fault drop REQ from=active nth=1\n",
                                            kConnects, "passive wait S within=200s\n"}));
    if (const auto* problem = std::get_if<std::string>(&wait)) return *problem;
    const auto interval = [&](int exponent) {
      Timing timing = base_.timing;
      timing.packet_lifetime = packet_lifetime;
      timing.response_timeout = exponent;
      return timing.RequestInterval();
    };
    Found found = Exponent(std::get<Duration>(wait), interval);
    if (const auto* exponent = std::get_if<int64_t>(&found))
      interval_ = interval(static_cast<int>(*exponent));
    return found;
  }
  // By the time after which a request is given up, in intervals. Timers are late, each one for
  // itself and never early: the sum of all is compared with what it should be at least.
  Found MaxRetries() {
    if (interval_ == Duration()) return "the time between two requests is not known";
    const auto wait = LastWait(Lines(kOne, {kResolved, "fault drop REQ from=active\n", kConnects,
                                            "active wait C within=900s\n"}));
    if (const auto* problem = std::get_if<std::string>(&wait)) return *problem;
    const Duration all = std::get<Duration>(wait) + base_.timing.quiet;
    const int64_t times = all.nanoseconds() / interval_.nanoseconds();
    if (times < 1 || times > kMostRetries + 1) return fmt::format("{} times cannot be", times);
    return times - 1;
  }

 private:
  // Empty, with problem_ set, when it was not carried out up to its last line.
  std::optional<History> Run(const std::string& lines) {
    if (interrupted_ != nullptr && *interrupted_) {
      problem_ = "interrupted";
      return std::nullopt;
    }
    const std::string where = FindTopology(topology_.name) == nullptr
                                  ? ToText(topology_)
                                  : fmt::format("topology {}\n", topology_.name);
    auto parsed = ParseConversation(
        fmt::format("{}profile {}\n{}", where, implementation_.profile().name, lines));
    if (const auto* wrong = std::get_if<TextProblem>(&parsed)) {
      problem_ = wrong->what;
      return std::nullopt;
    }
    const auto& conversation = std::get<Conversation>(parsed);
    const std::unique_ptr<Session> session = implementation_.Start(conversation);
    problem_ = session->Unsupported();
    if (!problem_.empty()) return std::nullopt;
    History history = Perform(conversation, *session, implementation_.profile().transport);
    static_cast<void>(session->Leaks());  // everything ends with its processes
    for (const Record& record : history.records) {
      const auto* waited = std::get_if<seen::Waited>(&record.seen);
      const auto* done = std::get_if<seen::Done>(&record.seen);
      const bool went_on = !record.not_made && (waited == nullptr || waited->readable) &&
                           (done == nullptr || done->ok);
      if (went_on) continue;
      problem_ = fmt::format("not carried out: {}", ToString(record, conversation));
      return std::nullopt;
    }
    return history;
  }
  // How long the last line, a wait, took.
  std::variant<Duration, std::string> LastWait(const std::string& lines) {
    const auto history = Run(lines);
    if (!history) return problem_;
    return history->records.back().end - history->records.back().begin;
  }
  // The largest number with which the last line returns 0, where all above are refused.
  template <typename LinesOf>
  Found Largest(int most, LinesOf lines_of) {
    int good = -1;
    int bad = most + 1;
    for (int tried = 0; bad - good > 1; tried = (good + bad) / 2) {
      const auto history = Run(lines_of(tried));
      if (!history) return problem_;
      const auto* answered = std::get_if<seen::Answered>(&history->records.back().seen);
      if (answered == nullptr || answered->reply.kind != ReplyKind::kReturned)
        return "it did not return";
      if (answered->reply.value == 0)
        good = tried;
      else if (tried == 0)
        return "not even 0 is accepted";
      else
        bad = tried;
    }
    return int64_t{good};
  }
  // The exponent whose nominal time the measured one is, late by no more than timers may be.
  template <typename Nominal>
  Found Exponent(Duration measured, Nominal nominal) {
    std::optional<int64_t> best;
    for (int exponent = 0; exponent <= kMostExponent; ++exponent) {
      const Duration time = nominal(exponent);
      if (measured + base_.timing.quiet >= time && measured <= base_.timing.Latest(time)) {
        // The last one is the longest, and of equal ones the largest.
        best = exponent;
      }
    }
    if (!best) return fmt::format("{} ms are of no exponent", measured.milliseconds());
    return *best;
  }

  Implementation& implementation_;
  const Topology& topology_;
  const Profile& base_;
  const std::atomic<bool>* interrupted_;
  std::string problem_;
  Duration interval_;
};

// A field of a profile under its name in the file.
int64_t KnownValue(const Profile& known, std::string_view name) {
  const Limits& limits = known.limits;
  const Timing& timing = known.timing;
  using Named = std::pair<std::string_view, int64_t>;
  const Named values[] = {{"request_data", limits.request_data},
                          {"reply_data", limits.reply_data},
                          {"reject_data", limits.reject_data},
                          {"datagram_request_data", limits.datagram_request_data},
                          {"datagram_reply_data", limits.datagram_reply_data},
                          {"max_depth", limits.max_depth},
                          {"max_retry_count", limits.max_retry_count},
                          {"max_backlog", limits.max_backlog},
                          {"packet_lifetime", timing.packet_lifetime},
                          {"response_timeout", timing.response_timeout},
                          {"max_retries", timing.max_retries},
                          {"ack_delay", timing.ack_delay},
                          {"mra_service_timeout", timing.mra_service_timeout}};
  const auto* found = std::ranges::find(values, name, &Named::first);
  CM_CHECK(found != std::end(values));
  return found->second;
}

void Add(std::vector<MeasuredField>* fields, std::string section, std::string name,
         const Profile& base, const Found& found, std::string how) {
  const int64_t of_base = KnownValue(base, name);
  MeasuredField field{.section = std::move(section),
                      .name = std::move(name),
                      .value = of_base,
                      .assumed = {},
                      .how = std::move(how)};
  if (const auto* value = std::get_if<int64_t>(&found))
    field.value = *value;
  else
    field.assumed = std::get<std::string>(found);
  fields->push_back(std::move(field));
}

void AddLimits(Asking& asking, const Profile& base, std::vector<MeasuredField>* fields) {
  const auto add = [&](const char* name, const Found& found, const char* how) {
    Add(fields, "limits", name, base, found, how);
  };
  constexpr const char* kData = "the longest private data that is not refused";
  add("request_data", asking.LargestPrivateData(kOne, {kResolved}, "active rdma_connect A"), kData);
  add("reply_data",
      asking.LargestPrivateData(kOne, {kResolved, kConnects, kAsked, "passive rdma_create_qp P\n"},
                                "passive rdma_accept P"),
      kData);
  add("reject_data",
      asking.LargestPrivateData(kOne, {kResolved, kConnects, kAsked}, "passive rdma_reject P"),
      kData);
  add("datagram_request_data",
      asking.LargestPrivateData(kDatagrams, {kResolved}, "active rdma_connect A"), kData);
  add("datagram_reply_data",
      asking.LargestPrivateData(kDatagrams, {kResolved, kConnects, kAsked},
                                "passive rdma_accept P qp_num=4101"),
      kData);
  add("max_depth", asking.MaxDepth(),
      "the largest responder_resources and initiator_depth that are not refused");
  add("max_retry_count", asking.MaxRetryCount(), "what a request says that asked for 255");
  const Found unasked = "a larger backlog is accepted and cut, which is not seen from outside";
  add("max_backlog", unasked, "");
}

void AddTiming(Asking& asking, const Profile& base, std::vector<MeasuredField>* fields) {
  const auto add = [&](const char* name, const Found& found, const char* how) {
    Add(fields, "timing", name, base, found, how);
  };
  add("packet_lifetime", asking.PacketLifetime(),
      "time from DISCONNECTED to TIMEWAIT_EXIT, by the largest exponent that gives it");
  add("response_timeout", asking.ResponseTimeout(static_cast<int>(fields->back().value)),
      "time until a request comes that was lost once");
  add("max_retries", asking.MaxRetries(), "time until UNREACHABLE, in those times");
  const Found unasked = "it is seen only in messages, which another host's suite does not see";
  add("ack_delay", unasked, "");
  add("mra_service_timeout", unasked, "");
}

}  // namespace

std::string ConnectionLines(std::string_view from, std::string_view to, std::string_view family) {
  return Lines({.from = from, .to = to, .family = family, .space = {}},
               {kResolved, kConnects, kAsked, kConnected});
}

std::string MessageLines(std::string_view from, std::string_view to) {
  return Lines({.from = from, .to = to, .family = {}, .space = {}}, {kMessage});
}

std::vector<MeasuredField> MeasureProfile(Implementation& implementation, const Topology& topology,
                                          const Profile& base,
                                          const std::atomic<bool>* interrupted) {
  Asking asking(implementation, topology, base, interrupted);
  std::vector<MeasuredField> fields;
  AddLimits(asking, base, &fields);
  AddTiming(asking, base, &fields);
  return fields;
}

std::string ProfileText(std::string_view name, const Profile& base, std::string_view of,
                        const std::vector<MeasuredField>& fields) {
  std::string text = fmt::format(
      "// Written by `cmcheck profile measure`. What is not named is assumed to be as in {}.\n"
      "{{\"name\": {}, \"base\": {},\n \"sentence\": {}",
      base.name, QuotedJson(name), QuotedJson(base.name),
      QuotedJson(fmt::format("Measured of {}.", of)));
  for (const std::string section : {"limits", "timing"}) {
    text += fmt::format(",\n \"{}\": {{", section);
    const char* separator = "\n";
    for (const MeasuredField& field : fields) {
      if (field.section != section) continue;
      // The comment stands before the field, so that the comma is where it has to be. What a driver
      // says may have several lines.
      std::string why = field.assumed ? "assumed: " + *field.assumed : "measured: " + field.how;
      std::ranges::replace_if(
          why, [](char c) { return c == '\n' || c == '\r'; }, ' ');
      text += fmt::format("{}  // {}\n  \"{}\": {}", separator, why, field.name, field.value);
      separator = ",\n";
    }
    text += "}";
  }
  return text + "}\n";
}

BesideKnown CompareWithKnown(const std::vector<MeasuredField>& fields, const Profile& known) {
  BesideKnown beside;
  int measured = 0;
  for (const MeasuredField& field : fields) {
    const int64_t value = KnownValue(known, field.name);
    const bool same = field.value == value;
    const char* verdict = field.assumed ? "assumed" : same ? "same" : "differs";
    beside.lines += fmt::format("{:<9} {:<22} {:>6}  {}: {}\n", verdict, field.name, field.value,
                                known.name, value);
    if (field.assumed) continue;
    ++measured;
    beside.differing += same ? 0 : 1;
  }
  beside.lines += fmt::format("{} of {} measured fields are as in {}\n",
                              measured - beside.differing, measured, known.name);
  return beside;
}

WrittenProfile ReadWritten(const std::filesystem::path& path) {
  std::string text = ReadFile(path).value_or("");
  if (text.empty()) return {.text = {}, .problem = "no profile was left"};
  auto parsed = ParseProfile(text);
  if (const auto* problem = std::get_if<std::string>(&parsed))
    return {.text = {}, .problem = "what was left is no profile: " + *problem};
  return {.text = std::move(text), .problem = {}};
}

}  // namespace cm
