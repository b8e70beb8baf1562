#include "conformance/adapters/exec/peer.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/process/real_time.h"

namespace cm {
namespace {

constexpr size_t kShown = 60;                              // bytes of a request, in a message
constexpr size_t kLongestGreeting = 100;                   // lines
constexpr size_t kMostMessages = 10'000;                   // before one outcome
constexpr Duration kAtOnce = Duration::Seconds(50);        // what takes long in virtual time
constexpr Duration kInexact = Duration::Milliseconds(10);  // of timers

bool IsMessage(std::string_view line) {
  return line.starts_with("mad ") || line.starts_with("tcp ");
}

// Why a driver that listens may not have greeted.
std::string_view HintAtToken(const DriverPlace& place) {
  if (!place.command.empty()) return {};
  return place.token.empty()
             ? "; CMCHECK_TOKEN is not set, and a driver that listens may wait for it"
             : "; is CMCHECK_TOKEN the token that it was given?";
}

}  // namespace

std::string WhyTooEarly(const DriverAnswer& answer, Duration span) {
  if (answer.took + kInexact >= span) return {};
  return fmt::format("it came after {}, and {} were to pass",
                     ToString(Duration::Microseconds(answer.took.microseconds())), ToString(span));
}

std::variant<std::unique_ptr<Peer>, std::string> Peer::Start(const DriverPlace& place) {
  const std::string name = place.command.empty() ? "tcp:" + place.address : place.command;
  auto connected =
      place.command.empty()
          ? Connection::ConnectTo(place.address, place.answers_within, place.interrupted)
          : Connection::Run(place.command, place.interrupted);
  if (auto* problem = std::get_if<std::string>(&connected)) return std::move(*problem);
  std::unique_ptr<Peer> peer(
      new Peer(std::get<std::unique_ptr<Connection>>(std::move(connected)), place.answers_within));
  if (!place.token.empty()) peer->connection_->Send("token " + place.token, place.answers_within);
  if (std::string problem = peer->ReadGreeting(HintAtToken(place)); !problem.empty())
    return fmt::format("{}: {}", name, problem);
  return peer;
}

// `hint`: for the case that there is none.
std::string Peer::ReadGreeting(std::string_view hint) {
  GreetingReader reader;
  for (size_t lines = 0; lines < kLongestGreeting; ++lines) {
    const Heard heard = connection_->Receive(answers_within_);
    if (heard.kind != Heard::Kind::kLine) {
      const bool is_mute =
          lines == 0 && (heard.kind == Heard::Kind::kEnded || heard.kind == Heard::Kind::kSilent);
      return fmt::format("{}, before the end of its greeting{}", heard.text, is_mute ? hint : "");
    }
    if (std::string problem = reader.Take(heard.text); !problem.empty()) return problem;
    if (!reader.complete()) continue;
    greeting_ = reader.greeting();
    return {};
  }
  return fmt::format("the greeting has {} lines and no `ready`", kLongestGreeting);
}

DriverFailure Peer::Fail(DriverFailure failure) {
  failure_ = std::move(failure);
  return *failure_;
}

void Peer::Send(std::string_view request) {
  request_ = request;
  asked_ = RealNow();
  if (failure_ || deaf_) return;
  deaf_ = !connection_->Send(request, answers_within_);
  if (!deaf_ || connection_->HasMore()) return;  // what it has sent is read first
  const Heard heard = connection_->Receive({});
  const bool ended = heard.kind == Heard::Kind::kEnded;
  Fail({.what =
            ended ? heard.text : fmt::format("it does not read \"{}\"", request_.substr(0, kShown)),
        .ended = ended});
}

// Removes the time from the front of an outcome. The error, or an empty text.
std::string Peer::TakeTime(std::string* line, DriverAnswer* answer) {
  if (greeting_.clock == Clock::kSuite || line->starts_with("error ")) return {};
  const size_t space = std::min(line->find(' '), line->size());
  const std::optional<Duration> time = ParseDuration(line->substr(0, space));
  if (!time)
    return fmt::format("\"{}\" does not begin with a time, as the greeting promised", *line);
  answer->at = Instant() + *time;
  line->erase(0, std::min(space + 1, line->size()));
  return {};
}

Duration Peer::Took(const std::optional<Instant>& at) const {
  const Duration here = RealNow() - asked_;
  if (!at) return here;
  return greeting_.clock == Clock::kOwn ? std::max(*at - last_, here) : *at - last_;
}

Answered Peer::Receive(Duration within) {
  if (failure_) return *failure_;
  const bool is_virtual = greeting_.clock == Clock::kVirtual;
  const Duration limit = (is_virtual ? kAtOnce : within) + answers_within_;
  const Deadline deadline(limit);
  DriverAnswer answer;
  const auto wrong = [&](const std::string& what) {
    return Fail({.what = fmt::format("to \"{}\" it answered {}", request_, what)});
  };
  for (;;) {
    Heard heard = connection_->Receive(deadline, limit);
    if (heard.kind == Heard::Kind::kEnded) return Fail({.what = heard.text, .ended = true});
    if (heard.kind != Heard::Kind::kLine) {
      wrong(heard.text);
      failure_->silent = heard.kind == Heard::Kind::kSilent;
      failure_->cut = heard.kind == Heard::Kind::kCut;
      return *failure_;
    }
    DriverAnswer read;
    const std::string whole = heard.text;
    if (std::string problem = TakeTime(&heard.text, &read); !problem.empty()) return wrong(problem);
    if (IsMessage(heard.text)) {
      if (!greeting_.sees_messages) return wrong("a message, which its greeting did not promise");
      if (answer.messages.size() == kMostMessages)
        return wrong(fmt::format("more than {} messages", kMostMessages));
      answer.messages.push_back(whole);
      continue;
    }
    if (heard.text.empty()) return wrong("an empty line");
    if (read.at && *read.at < last_)
      return wrong(fmt::format("\"{}\": its clock was at {} before", whole, ToString(last_)));
    answer.took = Took(read.at);
    if (read.at) last_ = *read.at;
    answer.text = std::move(heard.text);
    answer.at = read.at;
    return answer;
  }
}

Answered Peer::Ask(std::string_view request, Duration within) {
  if (!failure_ && connection_->HasMore()) {
    // The connection may be lost in the middle of a line, and its end be seen a moment later.
    const Heard heard = connection_->Receive(answers_within_);
    if (heard.kind == Heard::Kind::kEnded) return Fail({.what = heard.text, .ended = true});
    return Fail({.what = fmt::format("it sent \"{}\" without a request", heard.text),
                 .cut = heard.kind == Heard::Kind::kCut});
  }
  if (request.starts_with("begin")) last_ = {};  // each conversation has a time of its own
  Send(request);
  return Receive(within);
}

}  // namespace cm
