#include "conformance/adapters/exec/exec_session.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/driver/synchronous_ids.h"
#include "conformance/process/real_time.h"
#include "model/conversation/history_parser.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

constexpr std::string_view kUnsupported = "unsupported ";
constexpr std::string_view kLeaks = "leaks ";
constexpr std::string_view kInconclusive = "inconclusive ";

// What an outcome has besides the value must be what the call has. The error, or an empty text.
std::string WhyNotOf(const Call& call, const seen::Answered& answered) {
  const ReplyKind kind = answered.reply.kind;
  const bool ok = kind == ReplyKind::kReturned && answered.reply.value == 0;
  const bool fetches = std::holds_alternative<call::GetCmEvent>(call);
  const bool shows_event = std::holds_alternative<call::ShowEvent>(call);
  // A history has these for calls that were not made, or whose result was not recorded.
  if (kind == ReplyKind::kNotApplicable || kind == ReplyKind::kUnseen)
    return "0, -1 and an errno, blocked or crashed is wanted";
  if (answered.event && !fetches && !shows_event) return "no event comes of this call";
  if (fetches && ok != answered.event.has_value()) return "0 and `event` belong together";
  if (std::holds_alternative<call::Show>(call) != answered.shown.has_value() && ok)
    return "the fields of an id belong to `show`, and 0";
  return {};
}

// The time that has passed by an outcome of the line.
Duration PassedBy(const Line& line, const Observation& outcome) {
  const auto* const waits = std::get_if<line::Waits>(&line);
  const auto* const waited = std::get_if<seen::Waited>(&outcome);
  if (waits != nullptr && waited != nullptr && !waited->readable) return waits->within;
  const auto* const passes = std::get_if<line::Passes>(&line);
  const auto* const done = std::get_if<seen::Done>(&outcome);
  return passes != nullptr && done != nullptr && done->ok ? passes->span : Duration();
}

class ExecSession : public Session, public Driver, public Environment {
 public:
  ExecSession(const ExecSessionSetup& setup, const Conversation& conversation,
              std::unique_ptr<Peer> peer)
      : setup_(setup),
        conversation_(conversation),
        peer_(std::move(peer)),
        parser_(&heard_),
        begin_(RealNow()) {
    heard_.conversation = conversation;
    heard_.records.emplace_back();  // messages belong to a record
  }
  ~ExecSession() override { static_cast<void>(Leaks()); }

  // Empty when the conversation has begun.
  std::optional<NotBegun> Begin() {
    std::istringstream text(ToText(conversation_));
    for (std::string line; std::getline(text, line);) peer_->Send(line);
    const auto answer = Asked(fmt::format("begin patience={}", ToString(setup_.patience)), {});
    if (answer && answer->text == "begun") return std::nullopt;
    // It may have failed already when the conversation was sent.
    if (!answer && peer_->failure()) Take(*peer_->failure());
    ended_ = true;  // there is nothing to end
    NotBegun not_begun{.kind = NotBegun::Kind::kWrong};
    if (answer && answer->text.starts_with(kUnsupported)) {
      not_begun.kind = NotBegun::Kind::kUnsupported;
      not_begun.why = answer->text.substr(kUnsupported.size());
    } else if (answer) {
      Break(*answer, "begun, or unsupported and why, is wanted");
    } else if (wrong_.empty()) {
      not_begun.kind = NotBegun::Kind::kEnded;
      not_begun.why = peer_->failure()->what;
    }
    if (not_begun.kind == NotBegun::Kind::kWrong) not_begun.why = wrong_;
    not_begun.peer = std::move(peer_);
    return not_begun;
  }

  Driver& driver() override { return *this; }
  Environment& environment() override { return *this; }

  // Driver
  seen::Answered Submit(Lane lane, const Call& call) override {
    const Line line = line::Calls{.lane = lane, .call = call};
    return AnsweredBy(lane, call, Asked(TextOf(line), setup_.patience));
  }

  std::vector<seen::Answered> SubmitTogether(const std::vector<Submission>& all) override {
    std::vector<seen::Answered> answers;
    if (all.empty()) return answers;
    peer_->Send(fmt::format("together {}", all.size()));
    for (const Submission& one : all)
      peer_->Send(TextOf(line::Calls{.lane = one.lane, .call = one.call}));
    for (const Submission& one : all)
      answers.push_back(AnsweredBy(one.lane, one.call, Received(setup_.patience)));
    return answers;
  }

  std::optional<seen::Released> Released(Lane lane) override {
    const auto pending = pending_.find(lane);
    if (pending == pending_.end() || Broken()) return std::nullopt;
    const auto answer = Asked("returned " + ToString(lane, *conversation_.topology), Duration());
    if (!answer || answer->text == "waiting") return std::nullopt;
    const Call call = pending->second;
    const Line line = line::Calls{.lane = lane, .call = call};
    Observation seen;
    std::string problem = parser_.ParseOutcome(answer->text, line, true, &seen);
    auto* const released = std::get_if<seen::Released>(&seen);
    if (problem.empty() && released != nullptr && released->reply.kind == ReplyKind::kReturned)
      problem = WhyNotOf(call, {.reply = released->reply, .event = released->event});
    else if (problem.empty())
      problem = "what it has returned is wanted, or `waiting`";
    if (!problem.empty()) return Break(*answer, problem), std::nullopt;
    pending_.erase(pending);
    return *released;
  }

  bool Readable(Lane lane, ChannelRef channel, Duration within) override {
    const Line line = line::Waits{.lane = lane, .channel = channel, .within = within};
    const std::optional<Observation> seen = Seen(line, within);
    const auto* waited = seen ? std::get_if<seen::Waited>(&*seen) : nullptr;
    return waited != nullptr && waited->readable;
  }

  Instant Now() override {
    return peer_->greeting().clock == Clock::kSuite ? Instant() + (RealNow() - begin_) : now_;
  }

  // Environment
  seen::Done Pass(Duration span) override { return DoneBy(line::Passes{span}, span); }
  seen::Done Settle() override { return DoneBy(line::Settles{}, setup_.profile->timing.Longest()); }
  seen::Done Inject(const Fault& fault) override {
    if (fault.kind == FaultKind::kExit)
      std::erase_if(pending_, [&](const auto& p) { return p.first.side == fault.side; });
    return DoneBy(line::Injects{fault}, setup_.patience);
  }
  seen::Done Heal() override { return DoneBy(line::Heals{}, setup_.patience); }
  seen::Done Send(uint8_t side, const TesterMad& mad) override {
    return DoneBy(line::Sends{.side = side, .mad = mad}, setup_.patience);
  }

  // Session
  std::vector<WireRecord> TakeWire() override { return std::exchange(heard_.wire, {}); }
  std::string Inconclusive() const override {
    if (!wrong_.empty()) return "the driver broke the protocol: " + wrong_;
    return lost_ ? "the connection to the driver was lost" : inconclusive_;
  }
  // Ends the conversation, and gives the driver back.
  std::string Leaks() override {
    std::string leaks;
    if (!std::exchange(ended_, true) && !Broken()) {
      if (const auto answer = Asked("end", setup_.patience)) {
        if (answer->text.starts_with(kLeaks))
          leaks = answer->text.substr(kLeaks.size());
        else if (answer->text.starts_with(kInconclusive))
          inconclusive_ = "the driver says: " + answer->text.substr(kInconclusive.size());
        else if (answer->text != "ended")
          Break(*answer, "ended, leaks and what, or inconclusive and why, is wanted");
      }
    }
    const bool has_ended = wrong_.empty() && peer_ != nullptr && peer_->failure();
    if (peer_ != nullptr && !has_ended)
      setup_.give_back(std::move(peer_), wrong_.empty() ? "" : wrong_ + InWhichSequence());
    return leaks;
  }

 private:
  bool Broken() const {
    return !wrong_.empty() || peer_ == nullptr || peer_->failure().has_value();
  }
  std::string InWhichSequence() const {
    const std::optional<Origin>& origin = conversation_.origin;
    return origin ? fmt::format(" (sequence {} of seed {})", origin->index, origin->seed) : "";
  }
  std::string TextOf(const Line& line) const { return ToString(line, conversation_); }

  void Break(const DriverAnswer& answer, std::string_view why) {
    if (wrong_.empty())
      wrong_ = fmt::format("to \"{}\" it answered \"{}\": {}", request_, answer.text, why);
  }

  // Empty when there is no answer: it has ended, or broken the protocol.
  std::optional<DriverAnswer> Asked(const std::string& request, Duration within) {
    if (Broken()) return std::nullopt;
    request_ = request;
    return Take(peer_->Ask(request, within));
  }
  std::optional<DriverAnswer> Received(Duration within) {
    if (Broken()) return std::nullopt;
    return Take(peer_->Receive(within));
  }
  std::optional<DriverAnswer> Take(cm::Answered answered) {
    if (const auto* failure = std::get_if<DriverFailure>(&answered)) {
      const bool connection_is_lost = failure->ended || (failure->cut && setup_.lost);
      if (!connection_is_lost) {
        wrong_ = failure->what;
      } else if (setup_.lost && !std::exchange(lost_, true)) {
        setup_.lost(fmt::format("{}, after \"{}\"{}", failure->what, request_, InWhichSequence()));
      }
      return std::nullopt;
    }
    auto& answer = std::get<DriverAnswer>(answered);
    if (answer.text.starts_with("error ")) {
      Break(answer, "it must understand each request");
      return std::nullopt;
    }
    if (answer.at) now_ = *answer.at;
    for (const std::string& message : answer.messages)
      if (const std::string problem = parser_.Parse(message); !problem.empty())
        wrong_ = fmt::format("the message \"{}\": {}", message, problem);
    if (!wrong_.empty()) return std::nullopt;
    return std::move(answer);
  }

  // What is seen of a line that is no call.
  std::optional<Observation> Seen(const Line& line, Duration within) {
    const auto answer = Asked(TextOf(line), within);
    if (!answer) return std::nullopt;
    Observation seen;
    std::string problem = parser_.ParseOutcome(answer->text, line, false, &seen);
    if (problem.empty() && std::holds_alternative<seen::Answered>(seen))  // `not-applicable`
      problem = std::holds_alternative<line::Waits>(line) ? "readable or quiet is wanted"
                                                          : "done or failed is wanted";
    if (problem.empty()) problem = WhyTooEarly(*answer, PassedBy(line, seen));
    if (!problem.empty()) return Break(*answer, problem), std::nullopt;
    return seen;
  }

  seen::Done DoneBy(const Line& line, Duration within) {
    const std::optional<Observation> seen = Seen(line, within);
    const auto* done = seen ? std::get_if<seen::Done>(&*seen) : nullptr;
    return done == nullptr ? seen::Done{} : *done;
  }

  seen::Answered AnsweredBy(Lane lane, const Call& call,
                            const std::optional<DriverAnswer>& answer) {
    const bool left_alone = synchronous_.WaitsForOthers(call);
    synchronous_.Made(call);
    if (!answer)
      return {.reply = wrong_.empty() && !lost_ ? Reply::Crashed() : Reply::NotApplicable()};
    Observation seen;
    const Line line = line::Calls{.lane = lane, .call = call};
    std::string problem = parser_.ParseOutcome(answer->text, line, false, &seen);
    auto* const answered = std::get_if<seen::Answered>(&seen);
    if (problem.empty() && answered == nullptr) problem = "the answer of a call is wanted";
    if (problem.empty()) problem = WhyNotOf(call, *answered);
    if (!problem.empty()) {
      Break(*answer, problem);
      return {.reply = Reply::NotApplicable()};
    }
    if (answered->reply.kind == ReplyKind::kBlocked) {
      pending_.insert_or_assign(lane, call);
      if (peer_->greeting().clock == Clock::kSuite && !left_alone &&
          setup_.patience < setup_.profile->timing.Longest())
        inconclusive_ = kStillBlocked;
    }
    return *answered;
  }

  const ExecSessionSetup& setup_;
  const Conversation& conversation_;
  std::unique_ptr<Peer> peer_;
  History heard_;  // its records are not used
  HistoryParser parser_;
  Instant begin_;  // on this machine's clock
  Instant now_;
  std::string request_;
  std::string wrong_;  // how it broke the protocol
  std::map<Lane, Call> pending_;
  SynchronousIds synchronous_;
  std::string inconclusive_;  // why it is, otherwise
  bool lost_ = false;         // the connection to the driver, during the conversation
  bool ended_ = false;
};

}  // namespace

std::variant<std::unique_ptr<Session>, NotBegun> StartExecSession(const ExecSessionSetup& setup,
                                                                  const Conversation& conversation,
                                                                  std::unique_ptr<Peer> peer) {
  auto session = std::make_unique<ExecSession>(setup, conversation, std::move(peer));
  if (std::optional<NotBegun> not_begun = session->Begin()) return *std::move(not_begun);
  return session;
}

}  // namespace cm
