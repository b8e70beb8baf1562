#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "conformance/adapters/dl/serve.h"
#include "conformance/adapters/dl/session.h"
#include "conformance/adapters/dl/worker_pool.h"
#include "conformance/driver/refused_session.h"

namespace cm {
namespace {

// No call of a library with hooks waits; one that does not return in this time hangs.
constexpr Duration kHangs = Duration::Seconds(20);

// The process of the library.
class WorkerCounterpart : public Counterpart {
 public:
  explicit WorkerCounterpart(LateProcesses* late) : workers_(late) {}
  bool Spawn(const std::function<void(int connection)>& serve) { return workers_.Spawn(serve); }

  std::optional<Answer> Ask(const Request& request) override {
    if (hangs_ || !workers_.alive(0)) return std::nullopt;
    std::optional<Answer> answer = workers_.Ask(0, request, kHangs);
    hangs_ = !answer && workers_.alive(0);
    return answer;
  }
  bool Hangs() const override { return hangs_; }
  bool End() override { return workers_.EndAll(); }

 private:
  WorkerPool workers_;
  bool hangs_ = false;
};

class VirtualSession : public Session, public Driver, public Environment {
 public:
  explicit VirtualSession(std::unique_ptr<Counterpart> counterpart)
      : counterpart_(std::move(counterpart)) {}
  // False when the library cannot carry out the conversation. A library that crashes or hangs in
  // this query counts as crashing or hanging in the first call.
  bool Begin() {
    const std::optional<Answer> answer = Ask({.asked = Asked::kStart});
    return !answer || answer->yes;
  }
  ~VirtualSession() override {
    if (!ended_) counterpart_->End();
  }

  Driver& driver() override { return *this; }
  Environment& environment() override { return *this; }

  // Driver. Time goes on after a library has crashed, or hangs.
  seen::Answered Submit(Lane lane, const Call& call) override {
    return AnsweredTo({.asked = Asked::kCall, .lane = lane, .call = call});
  }
  // Every thread runs until it blocks, one after the other; then the blocked ones wait.
  std::vector<seen::Answered> SubmitTogether(const std::vector<Submission>& all) override {
    std::vector<seen::Answered> answers(all.size());
    std::vector<size_t> ready(all.size());
    std::iota(ready.begin(), ready.end(), 0);
    std::vector<size_t> begun;
    while (!ready.empty()) {
      const std::optional<Answer> first =
          Ask({.asked = Asked::kPick, .choices = static_cast<uint32_t>(ready.size())});
      const auto next = ready.begin() + static_cast<ptrdiff_t>(first ? first->picked : 0);
      const Submission& one = all[*next];
      answers[*next] = AnsweredTo({.asked = Asked::kBegin, .lane = one.lane, .call = one.call});
      if (answers[*next].reply.kind == ReplyKind::kBlocked) begun.push_back(*next);
      ready.erase(next);
    }
    for (const size_t i : begun)
      answers[i] = AnsweredTo({.asked = Asked::kFinish, .lane = all[i].lane});
    return answers;
  }
  std::optional<seen::Released> Released(Lane lane) override {
    const std::optional<Answer> answer = Ask({.asked = Asked::kReleased, .lane = lane});
    if (!answer || answer->answered.reply.kind == ReplyKind::kBlocked) return std::nullopt;
    return seen::Released{.reply = answer->answered.reply,
                          .event = answer->answered.event,
                          .output = answer->answered.output};
  }
  bool Readable(Lane lane, ChannelRef channel, Duration within) override {
    const std::optional<Answer> answer =
        Ask({.asked = Asked::kReadable, .lane = lane, .channel = channel, .span = within});
    if (!answer) now_ = now_ + within;
    return answer && answer->yes;
  }
  Instant Now() override { return now_; }

  // Environment
  seen::Done Pass(Duration span) override {
    if (!Ask({.asked = Asked::kPass, .span = span})) now_ = now_ + span;
    return {};
  }
  seen::Done Settle() override {
    Ask({.asked = Asked::kSettle});
    return {};
  }
  seen::Done Inject(const Fault& fault) override {
    return Told({.asked = Asked::kInject, .fault = fault});
  }
  seen::Done Heal() override { return Told({.asked = Asked::kHeal}); }

  // Session
  std::string Leaks() override {
    const std::optional<Answer> answer = Ask({.asked = Asked::kLeaks});
    std::string leaks(answer ? answer->words() : std::string_view());
    ended_ = true;
    if (!counterpart_->End()) {
      unreaped_ = true;
      leaks += leaks.empty() ? "child not reaped" : "; child not reaped";
    }
    return leaks;
  }
  std::string Inconclusive() const override {
    return std::string(counterpart_->Hangs() || unreaped_ ? kClockRanOut : "");
  }

 private:
  std::optional<Answer> Ask(const Request& request) {
    if (ended_) return std::nullopt;
    std::optional<Answer> answer = counterpart_->Ask(request);
    if (answer) now_ = answer->now;
    return answer;
  }

  seen::Answered AnsweredTo(const Request& request) {
    const std::optional<Answer> answer = Ask(request);
    if (answer) return answer->answered;
    return {.reply = counterpart_->Hangs() ? Reply::Blocked() : Reply::Crashed()};
  }

  seen::Done Told(const Request& request) {
    const std::optional<Answer> answer = Ask(request);
    if (answer && !answer->yes) return {.ok = false, .note = "the library cannot do that"};
    return {};
  }

  std::unique_ptr<Counterpart> counterpart_;
  Instant now_;
  bool ended_ = false;
  bool unreaped_ = false;
};

}  // namespace

std::unique_ptr<Session> StartVirtualSession(std::unique_ptr<Counterpart> counterpart) {
  auto session = std::make_unique<VirtualSession>(std::move(counterpart));
  if (!session->Begin()) return RefuseSession("the library cannot stand in: cmcheck_start says no");
  return session;
}

std::unique_ptr<Session> StartVirtualSession(const SessionSetup& setup,
                                             const Conversation& conversation) {
  auto worker = std::make_unique<WorkerCounterpart>(setup.late);
  const bool spawned = worker->Spawn([&setup, &conversation](int connection) {
    ServeVirtualTime(connection, *setup.object, conversation, *setup.profile);
  });
  if (!spawned) return RefuseSession("no process could be made");
  return StartVirtualSession(std::move(worker));
}

}  // namespace cm
