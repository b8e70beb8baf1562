// `cmcheck site check`: whether two hosts can do what the suite relies on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/exec/site.h"
#include "conformance/driver/perform.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "model/conversation/topology_text.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/verbs.h"
#include "tools/measure/measure.h"

namespace cm {
namespace {

// Of a connection, in order.
constexpr auto kEvents = std::to_array<EventType>(
    {EventType::kAddrResolved, EventType::kRouteResolved, EventType::kConnectRequest,
     EventType::kEstablished, EventType::kEstablished});

struct Hint {
  Errno error;
  std::string_view says;
};
constexpr auto kHints = std::to_array<Hint>({
    {Errno::kNoDev, "no RDMA device is on an interface with this address, or there is none"},
    {Errno::kAddrNotAvail, "no interface of the host has this address"},
    {Errno::kAddrInUse, "another program has the port"},
    {Errno::kNetUnreach, "no route leads there"},
    {Errno::kPerm, "rights are missing"},
    {Errno::kAcces, "rights are missing"},
});

std::string HintOf(Errno error) {
  for (const Hint& hint : kHints)
    if (hint.error == error) return fmt::format(": {}", hint.says);
  return {};
}

// Why the record is not what it has to be: empty, or the words behind its text. `events`: how many
// have been fetched before.
std::optional<std::string> WhyNot(const Record& record, size_t* events) {
  if (const auto* waited = std::get_if<seen::Waited>(&record.seen))
    return waited->readable ? std::nullopt
                            : std::optional<std::string>(": nothing has come from the other host");
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  if (answered == nullptr) return std::nullopt;
  const Reply& reply = answered->reply;
  if (reply.kind == ReplyKind::kBlocked) return std::nullopt;  // the call for the message
  if (reply.kind != ReplyKind::kReturned || reply.value != 0) return HintOf(reply.error);
  if (answered->event && answered->event->type != kEvents.at((*events)++)) return "";
  return std::nullopt;
}

// The message has arrived; the call may have waited for that.
bool IsSent(const Record& record) {
  const auto sent = [](const std::optional<Output>& output) {
    const auto* completion = output ? std::get_if<Completion>(&*output) : nullptr;
    return completion != nullptr && completion->status == WcStatus::kSuccess;
  };
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  const auto* released = std::get_if<seen::Released>(&record.seen);
  return (answered != nullptr && sent(answered->output)) ||
         (released != nullptr && sent(released->output));
}

struct Tried {
  std::string problem;  // empty: all went well
  Duration answers;     // the time of an answer that is not waited for: the median
};

// The time of the calls that return at once.
Duration MedianAnswer(const History& history) {
  std::vector<Duration> times;
  for (const Record& record : history.records)
    if (std::holds_alternative<seen::Answered>(record.seen))
      times.push_back(record.end - record.begin);
  if (times.empty()) return {};
  const auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

std::string ProblemOf(const History& history, bool with_message) {
  size_t events = 0;
  for (const Record& record : history.records)
    if (const auto why = WhyNot(record, &events))
      return ToString(record, history.conversation) + *why;
  if (with_message && std::ranges::none_of(history.records, IsSent))
    return "it connects, but a message of 4096 bytes does not arrive: the MTU of an interface or "
           "of a switch on the way may be smaller than the devices assume";
  return {};
}

Tried TryToConnect(Implementation& implementation, const Topology& topology, size_t from,
                   std::string_view family) {
  const std::string& active = topology.sides[from].name;
  const std::string& passive = topology.sides[1 - from].name;
  const std::string connects = ConnectionLines(active, passive, family);
  const auto made = [&](const std::string& lines) {
    return std::get<Conversation>(ParseConversation(
        fmt::format("{}profile {}\n{}", ToText(topology), implementation.profile().name, lines)));
  };
  Conversation conversation = made(connects + MessageLines(active, passive));
  const bool with_message = implementation.Lacks(conversation).empty();
  if (!with_message) conversation = made(connects);
  const std::unique_ptr<Session> session = implementation.Start(conversation);
  if (std::string why = session->Unsupported(); !why.empty()) return {std::move(why), {}};
  const History history = Perform(conversation, *session, implementation.profile().transport);
  static_cast<void>(session->Leaks());  // the connection ends with its processes
  return {ProblemOf(history, with_message), MedianAnswer(history)};
}

int Check(Asked asked) {
  const auto read = LoadSite(FromUsersFolder(asked.site));
  if (const auto* problem = std::get_if<std::string>(&read)) return Unusable(*problem);
  const Topology topology = TopologyOf(std::get<Site>(read));
  asked.impl = "nodes";
  auto resolved = Resolve(asked);
  if (const auto* problem = std::get_if<std::string>(&resolved)) return Unusable(*problem);
  Implementation& implementation = *std::get<Answering>(resolved).implementation;
  fmt::print("{}\n", implementation.name());
  int exit_code = kExitClean;
  for (const size_t from : {kActiveSide, kPassiveSide}) {
    for (const auto& [family, name] : {std::pair{"", "IPv4"}, {".v6", "IPv6"}}) {
      if (topology.devices[topology.sides[from].device].v4.empty() && *family == '\0') continue;
      const Tried tried = TryToConnect(implementation, topology, from, family);
      const std::string well =
          fmt::format("well; an answer takes {:.1f} ms",
                      static_cast<double>(tried.answers.nanoseconds()) / 1'000'000);
      fmt::print("{} to {} over {}: {}\n", topology.sides[from].name, topology.sides[1 - from].name,
                 name, tried.problem.empty() ? well : tried.problem);
      if (!tried.problem.empty()) exit_code = kExitFound;
      if (Interrupted()) return kExitInterrupted;
      if (const std::string why = implementation.Spoiled(); !why.empty()) return Unusable(why);
    }
  }
  return exit_code;
}

}  // namespace

void AddSite(Verb cmcheck) {
  Verb site = cmcheck.Add("site", "The two hosts of --impl nodes", R"(
Examples:
  cmcheck site discover rack7.json --active node1 --passive node2
  cmcheck site check rack7.json)");
  site.RequireVerb();
  AddSiteDiscover(site);
  Verb verb = site.Add("check", "Try what the suite relies on", R"(
Starts the agent on both hosts, and connects each with the other, over IPv4 and IPv6. Over each
connection a message of 4096 bytes is sent, in packets as large as the MTU permits. Says of each
connection whether it went well, and how long an answer of a host takes; or its first step that did
not, and why that may be: then the exit code is 1. docs/nodes.md has the form of the file.
Example:
  cmcheck site check rack7.json && cmcheck run --impl nodes --site rack7.json --sequences 100)");
  auto asked = std::make_shared<Asked>();
  verb.Argument("file", &asked->site, "The site");
  verb.Text("--profile", &asked->profile, "A name of `cmcheck list profiles`, or A+B for two");
  verb.Does([asked] { return Check(*asked); });
}

}  // namespace cm
