#include "conformance/adapters/exec/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace cm {
namespace {

constexpr std::string_view kReturned = "returned ";
constexpr Duration kPatience = Duration::Seconds(5);

// A request, and how its answer must begin; "a|b" is either. Requests of the protocol and such as
// are no lines of the conversation are not announced before `begin`.
struct Step {
  std::string request;
  std::string wanted;
  bool is_line = true;
  std::string announced = {};  // where it is not the request
};

Step Request(std::string request, std::string wanted) {
  return {std::move(request), std::move(wanted), false};
}
Step Begins() { return Request(fmt::format("begin patience={}", ToString(kPatience)), "begun"); }
Step Finishes() { return Request("end", "ended"); }
// What is no request of the protocol is refused, and leaves the conversation as it was.
Step Nonsense(std::string request) { return Request(std::move(request), "error"); }

// The blocked call of the lane has returned by now.
Step Returned(const std::string& lane, std::string wanted) {
  return Request("returned " + lane, std::move(wanted));
}

struct Try {
  std::string_view name;
  std::vector<Step> steps;  // of one conversation after the other, from `begin` to `end`
  Capabilities needs = {};
  std::string_view topology = {};  // of the first; empty: the usual one
};

// A conversation that has begun, with a channel and an id.
std::vector<Step> Made() {
  return {
      Begins(), {"active rdma_create_event_channel C", "0"}, {"active rdma_create_id A on=C", "0"}};
}

// Until the address and the route of A are resolved.
std::vector<Step> Resolving() {
  return {{"active rdma_create_event_channel C", "0"},
          {"active rdma_create_id A on=C", "0"},
          {"active rdma_resolve_addr A dst=passive:7471 timeout_ms=2000", "0"},
          {"active wait C within=2s", "readable"},
          {"active rdma_get_cm_event C as=e1", "0 event RDMA_CM_EVENT_ADDR_RESOLVED id=A"},
          {"active rdma_ack_cm_event e1", "0"},
          {"active rdma_resolve_route A timeout_ms=2000", "0"},
          {"active wait C within=2s", "readable"},
          {"active rdma_get_cm_event C as=e2", "0 event RDMA_CM_EVENT_ROUTE_RESOLVED id=A"},
          {"active rdma_ack_cm_event e2", "0"}};
}

std::vector<Step> Connecting() {
  std::vector<Step> steps = {Begins(),
                             {"passive rdma_create_event_channel S", "0"},
                             {"passive rdma_create_id L on=S", "0"},
                             {"passive rdma_bind_addr L addr=passive:7471", "0"},
                             {"passive rdma_listen L backlog=8", "0"}};
  for (Step& step : Resolving()) steps.push_back(std::move(step));
  for (Step& step : std::vector<Step>{{"passive rdma_get_cm_event S as=e3 id=P", "blocked"},
                                      {"active rdma_connect A qp_num=4101", "0"},
                                      {"settle", "done"},
                                      Returned("passive", "0 event RDMA_CM_EVENT_CONNECT_REQUEST"),
                                      {"passive rdma_ack_cm_event e3", "0"},
                                      Request("end", "leaks")})
    steps.push_back(std::move(step));
  return steps;
}

Try HundredInARow() {
  Try many = {"a hundred conversations in a row", {}};
  for (int i = 0; i < 100; ++i)
    many.steps.insert(many.steps.end(), {Begins(),
                                         {"active rdma_create_event_channel C", "0"},
                                         {"active rdma_destroy_event_channel C", "0"},
                                         Finishes()});
  return many;
}

// What every driver meets in each conversation.
std::vector<Try> PlainTries() {
  const std::vector<Step> made = Made();
  return {
      {"a conversation without lines", {Begins(), Finishes()}},
      {"objects are made and destroyed",
       {made[0],
        made[1],
        made[2],
        {"active rdma_destroy_id A", "0"},
        {"active rdma_destroy_event_channel C", "0"},
        Finishes()}},
      {"what is left at the end is reported", {made[0], made[1], made[2], Request("end", "leaks")}},
      {"a conversation begins from nothing",
       {made[0],
        made[1],
        made[2],
        Request("end", "leaks"),
        made[0],
        made[1],
        {"active rdma_destroy_event_channel C", "0"},
        Finishes()}},
      {"lines that are announced may be left out",
       {made[0],
        {"active rdma_create_event_channel D", ""},
        made[1],
        {"active rdma_destroy_event_channel C", "0"},
        Finishes()}},
      {"a refusal has its errno",
       {made[0],
        {"active rdma_create_event_channel C nonblocking", "0"},
        {"active rdma_get_cm_event C as=e1", "-1 EAGAIN"},
        {"active rdma_destroy_event_channel C", "0"},
        Finishes()}},
      {"a wait for nothing ends quiet",
       {made[0],
        made[1],
        {"active wait C within=500ms", "quiet"},
        {"active rdma_destroy_event_channel C", "0"},
        Finishes()}},
      {"time passes",
       {Begins(), {"pass 500ms", "done"}, {"settle", "done"}, {"heal", "done"}, Finishes()}},
  };
}

std::vector<Try> AllTries() {
  const std::vector<Step> made = Made();
  std::vector<Try> tries = PlainTries();
  const std::vector<Try> rarer = {
      {"two sides, a call that blocks, and one that returns", Connecting()},
      {"nonsense is refused, and the conversation goes on",
       {made[0],
        made[1],
        Nonsense("fly me to the moon"),
        Nonsense("returned active"),
        {"active rdma_destroy_event_channel C", "0"},
        Finishes()}},
      {"a topology that it does not have",
       {Request("begin patience=5s", "unsupported|error"), Begins(), Finishes()},
       {},
       "nowhere"},
      {"the fields of an id",
       {made[0],
        made[1],
        made[2],
        {"active show A", "0 device=none"},
        {"active rdma_destroy_id A", "0"},
        {"active rdma_destroy_event_channel C", "0"},
        Finishes()}},
      {"the name of an event",
       {Begins(), {"active rdma_event_str 9", "0 text=\"RDMA_CM_EVENT_ESTABLISHED\""}, Finishes()}},
      {"a line of 60 000 bytes is refused",
       {Begins(), Nonsense("active " + std::string(60'000, 'x')), Finishes()}},
      {"calls made at once",
       {made[0],
        made[1],
        made[2],
        Request("together 2", ""),
        {"active rdma_destroy_id A", "0"},
        {"passive rdma_create_event_channel S", "0", true, "passive & rdma_create_event_channel S"},
        {"active rdma_destroy_event_channel C", "0"},
        {"passive rdma_destroy_event_channel S", "0"},
        Finishes()},
       {Capability::kLanes}},
  };
  tries.insert(tries.end(), rarer.begin(), rarer.end());
  tries.push_back(HundredInARow());
  return tries;
}

std::string WithoutDoubleSpaces(std::string_view text) {
  std::string single;
  for (const char c : text)
    if (c != ' ' || !single.ends_with(' ')) single += c;
  return single;
}

bool Matches(std::string_view answer, std::string_view wanted) {
  const std::string text = WithoutDoubleSpaces(answer);
  for (;;) {
    const std::string_view one = wanted.substr(0, wanted.find('|'));
    if (text.starts_with(one) && (text.size() == one.size() || text[one.size()] == ' '))
      return true;
    if (one.size() == wanted.size()) return false;
    wanted.remove_prefix(one.size() + 1);
  }
}

// The time that has passed when the answer is as wanted.
Duration PassedBy(const Step& step) {
  constexpr std::string_view kPass = "pass ";
  constexpr std::string_view kWithin = "within=";
  std::string_view text = step.request;
  if (text.starts_with(kPass))
    text.remove_prefix(kPass.size());
  else if (step.wanted == "quiet")
    text.remove_prefix(text.find(kWithin) + kWithin.size());
  else
    return {};
  return ParseDuration(text).value_or(Duration());
}

// One driver that is tried.
class Trial {
 public:
  // `ends_within`: of the end of its input.
  Trial(Peer& peer, std::string_view topology, Duration ends_within)
      : peer_(peer), topology_(topology), ends_within_(ends_within) {}

  // The problem; empty when all went as it should.
  std::string Run(const std::vector<Step>& steps) {
    Announce(steps, 0);
    for (size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      if (step.request.starts_with("together")) {
        peer_.Send(step.request);
        for (const size_t k : {i + 1, i + 2}) peer_.Send(steps[k].request);
        for (const size_t k : {i + 1, i + 2})
          if (std::string problem = Judge(steps[k], peer_.Receive(kPatience)); !problem.empty())
            return problem;
        i += 2;
        continue;
      }
      if (step.wanted.empty()) continue;  // it is announced alone
      if (std::string problem = Take(step); !problem.empty()) return problem;
      if (step.request == "end" || step.wanted == "unsupported|error") Announce(steps, i + 1);
    }
    const std::optional<int> code = peer_.End(ends_within_);
    outlives_ = !code;
    if (outlives_)
      return fmt::format("it does not end within {} of its input's end", ToString(ends_within_));
    return *code == 0 ? "" : fmt::format("it ends with exit code {}", *code);
  }

  // It did not end with its input.
  bool outlives() const { return outlives_; }

 private:
  // Sends the conversation whose `begin` comes next, if it comes before anything else.
  void Announce(const std::vector<Step>& steps, size_t from) {
    const auto begin = std::find_if(steps.begin() + static_cast<ptrdiff_t>(from), steps.end(),
                                    [](const Step& step) { return !step.is_line; });
    if (begin == steps.end() || !begin->request.starts_with("begin")) return;
    const std::string& profile = peer_.greeting().profile;
    peer_.Send("conversation 1");
    peer_.Send(fmt::format("topology {}", topology_.empty() ? Usual() : topology_));
    topology_ = {};
    peer_.Send("profile " + (profile.empty() ? "6.1-rxe" : profile));
    peer_.Send("capabilities none");
    for (auto step = steps.begin() + static_cast<ptrdiff_t>(from); step != begin; ++step)
      peer_.Send(step->request);
    for (auto step = begin + 1; step != steps.end() && step->request != "end"; ++step)
      if (step->is_line) peer_.Send(step->announced.empty() ? step->request : step->announced);
  }

  // A topology that the driver has.
  std::string_view Usual() const {
    constexpr std::string_view kUsual = "two-kernels";
    const std::vector<std::string>& there = peer_.greeting().topologies;
    const bool has = there.empty() || std::ranges::find(there, kUsual) != there.end();
    return has ? kUsual : std::string_view(there.front());
  }

  // As the suite, it asks after each line whether the blocked call has returned.
  std::string Take(const Step& step) {
    if (step.request.starts_with(kReturned) && !returned_.text.empty())
      return Judge(step, std::exchange(returned_, {}));
    const Duration within = step.is_line ? kPatience : Duration();
    if (std::string problem = Judge(step, peer_.Ask(step.request, within)); !problem.empty())
      return problem;
    if (step.wanted == "blocked") waits_ = step.request.substr(0, step.request.find(' '));
    if (!step.is_line || waits_.empty()) return {};
    const Answered answered = peer_.Ask(fmt::format("{}{}", kReturned, waits_), Duration());
    const auto* const answer = std::get_if<DriverAnswer>(&answered);
    if (answer == nullptr) return Judge({kReturned.data(), "waiting"}, answered);
    if (answer->text == "waiting") return {};
    returned_ = *answer;
    waits_.clear();
    return {};
  }

  static std::string Judge(const Step& step, const Answered& answered) {
    const std::string asked =
        step.request.size() > 60 ? step.request.substr(0, 60) + "…" : step.request;
    if (const auto* failure = std::get_if<DriverFailure>(&answered))
      return failure->ended ? fmt::format("at \"{}\" {}", asked, failure->what) : failure->what;
    const auto& answer = std::get<DriverAnswer>(answered);
    if (!Matches(answer.text, step.wanted))
      return fmt::format("to \"{}\" it answered \"{}\", and \"{}\" is wanted", asked, answer.text,
                         step.wanted);
    const std::string early = WhyTooEarly(answer, PassedBy(step));
    return early.empty()
               ? ""
               : fmt::format("to \"{}\" it answered \"{}\": {}", asked, answer.text, early);
  }

  Peer& peer_;
  std::string_view topology_;  // of the next conversation
  Duration ends_within_;
  std::string waits_;      // the lane of a call that is blocked
  DriverAnswer returned_;  // of one that was, and has not been asked for
  bool outlives_ = false;
};

}  // namespace

void CheckDriver(const DriverPlace& place, const std::function<bool(const Tried&)>& on_tried) {
  for (const Try& one : AllTries()) {
    auto started = Peer::Start(place);
    if (auto* problem = std::get_if<std::string>(&started)) {
      on_tried({.name = "the greeting", .problem = std::move(*problem)});
      return;
    }
    Peer& peer = *std::get<std::unique_ptr<Peer>>(started);
    if (!peer.greeting().capabilities.Includes(one.needs)) {
      const std::string why = "it has no " + ToString(one.needs);
      if (!on_tried({.name = one.name, .problem = why, .left_out = true})) return;
      continue;
    }
    Trial trial(peer, one.topology, place.answers_within);
    if (!on_tried({.name = one.name, .problem = trial.Run(one.steps)})) return;
    // The next try would be as slow.
    if (trial.outlives() || (peer.failure() && peer.failure()->silent)) return;
  }
}

}  // namespace cm
