#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/adapters/dl/serve.h"
#include "conformance/adapters/dl/session.h"
#include "conformance/adapters/dl/worker_pool.h"
#include "conformance/driver/refused_session.h"
#include "conformance/driver/synchronous_ids.h"

namespace cm {
namespace {

// A worker may answer this much later than its limit.
constexpr Duration kSlack = Duration::Seconds(10);
constexpr int kNaps = 40;

bool SomebodyExits(const Conversation& conversation) {
  return std::ranges::any_of(conversation.lines, [](const Line& line) {
    const auto* injects = std::get_if<line::Injects>(&line);
    return injects != nullptr && injects->fault.kind == FaultKind::kExit;
  });
}

class RealSession : public Session, public Driver, public Environment {
 public:
  RealSession(const SessionSetup& setup, WorkerPool workers)
      : place_(setup.place),
        spoiled_(setup.spoiled),
        quiet_(setup.profile->timing.quiet),
        prompt_(setup.profile->timing.prompt),
        longest_(setup.profile->timing.Longest()),
        patience_(setup.place->patient() ? longest_ : std::min(longest_, setup.patience)),
        workers_(std::move(workers)),
        begin_(RealNow()) {}
  ~RealSession() override { static_cast<void>(End()); }

  Driver& driver() override { return *this; }
  Environment& environment() override { return *this; }

  // Driver
  seen::Answered Submit(Lane lane, const Call& call) override {
    const size_t worker = WorkerOf(lane.side);
    const uint32_t number =
        workers_.Post(worker, {.asked = Asked::kCall, .lane = lane, .call = call});
    const bool left_alone = synchronous_.WaitsForOthers(call);
    synchronous_.Made(call);
    int naps = kNaps;
    const std::optional<Answer> answer =
        left_alone ? AwaitInNaps(worker, number, &naps) : workers_.Await(worker, number, patience_);
    LetOthersReturn();
    if (answer) return answer->answered;
    return NoAnswer(lane, number, left_alone);
  }

  // Sends all requests before waiting for any answer; all share the time limit of one.
  std::vector<seen::Answered> SubmitTogether(const std::vector<Submission>& all) override {
    std::vector<uint32_t> numbers;
    for (const Submission& one : all)
      numbers.push_back(workers_.Post(WorkerOf(one.lane.side),
                                      {.asked = Asked::kCall, .lane = one.lane, .call = one.call}));
    const Instant limit = Now() + patience_;
    int naps = kNaps;
    std::vector<seen::Answered> answers;
    for (size_t i = 0; i < all.size(); ++i) {
      const bool left_alone = synchronous_.WaitsForOthers(all[i].call);
      const size_t worker = WorkerOf(all[i].lane.side);
      const std::optional<Answer> answer =
          left_alone ? AwaitInNaps(worker, numbers[i], &naps)
                     : workers_.Await(worker, numbers[i], std::max(limit - Now(), Duration()));
      answers.push_back(answer ? answer->answered : NoAnswer(all[i].lane, numbers[i], left_alone));
    }
    for (const Submission& one : all) synchronous_.Made(one.call);
    LetOthersReturn();
    return answers;
  }

  std::optional<seen::Released> Released(Lane lane) override {
    const auto pending = pending_.find(lane);
    if (pending == pending_.end()) return std::nullopt;
    const std::optional<Answer> answer =
        workers_.Await(WorkerOf(lane.side), pending->second, Duration());
    if (!answer) return std::nullopt;
    pending_.erase(pending);
    return seen::Released{.reply = answer->answered.reply,
                          .event = answer->answered.event,
                          .output = answer->answered.output};
  }

  bool Readable(Lane lane, ChannelRef channel, Duration within) override {
    const size_t worker = WorkerOf(lane.side);
    const Instant limit = Now() + within;
    const std::optional<Answer> answer = workers_.Ask(
        worker, {.asked = Asked::kReadable, .lane = lane, .channel = channel, .span = within},
        within + kSlack);
    NoteSilence(worker, answer);
    // Nothing becomes readable in a process that has died, for all that time.
    if (!answer) ReallySleep(std::max(limit - Now(), Duration()));
    return answer && answer->yes;
  }

  Instant Now() override { return Instant() + (RealNow() - begin_); }

  // Environment
  seen::Done Pass(Duration span) override {
    ReallySleep(span);
    return {};
  }

  // Waits until, for the quiet bound, no channel becomes readable and no pending call returns.
  seen::Done Settle() override {
    const Instant limit = Now() + patience_;
    while (!QuietNow()) {
      if (Now() < limit) continue;
      late_ = true;
      break;
    }
    return {};
  }

  seen::Done Inject(const Fault& fault) override {
    if (fault.kind != FaultKind::kExit) return place_->Inject(fault);
    std::erase_if(pending_, [&](const auto& p) { return p.first.side == fault.side; });
    // The exit may take the kernel minutes, which are part of what the other side sees.
    unreaped_ = !workers_.End(WorkerOf(fault.side)) || unreaped_;
    return {};
  }

  seen::Done Heal() override { return place_->Heal(); }

  // Session
  std::vector<WireRecord> TakeWire() override {
    std::vector<WireRecord> sent = place_->TakeWire();
    std::erase_if(sent, [&](const WireRecord& one) { return one.at < begin_; });
    for (WireRecord& one : sent) one.at = Instant() + (one.at - begin_);
    return sent;
  }
  std::string Leaks() override { return End(); }
  std::string Inconclusive() const override {
    if (blocked_) return std::string(kStillBlocked);
    if (late_ || unreaped_) return std::string(kClockRanOut);
    return disturbed_ ? "another process may have stood in the way, or messages were missed" : "";
  }

 private:
  size_t WorkerOf(uint8_t side) const { return workers_.size() == 1 ? 0 : side; }

  seen::Answered NoAnswer(Lane lane, uint32_t number, bool left_alone) {
    if (!workers_.alive(WorkerOf(lane.side))) return {.reply = Reply::Crashed()};
    pending_[lane] = number;
    if (patience_ < longest_ && !left_alone) blocked_ = true;
    return {.reply = Reply::Blocked()};
  }

  // A call that another thread may have to release is blocked when it has not returned within
  // `prompt_`. That is counted in naps, of which each takes longer on a busy host: there the thread
  // of the call gets its turns between them.
  std::optional<Answer> AwaitInNaps(size_t worker, uint32_t number, int* naps) {
    const Duration nap = std::min(prompt_, patience_) / kNaps;
    std::optional<Answer> answer = workers_.Await(worker, number, Duration());
    for (; !answer && *naps > 0 && workers_.alive(worker); --*naps)
      answer = workers_.Await(worker, number, nap);
    return answer;
  }

  // A call that the last one has released is about to return on another thread.
  void LetOthersReturn() {
    const Instant limit = Now() + quiet_;
    for (const auto& [lane, number] : pending_) {
      if (std::optional<Answer> answer =
              workers_.Await(WorkerOf(lane.side), number, std::max(limit - Now(), Duration())))
        workers_.PutBack(*answer);
    }
  }

  // A worker that lives and has not said in time what it sees makes the history prove nothing.
  void NoteSilence(size_t worker, const std::optional<Answer>& answer) {
    late_ = late_ || (!answer && workers_.alive(worker));
  }

  bool QuietNow() {
    const size_t returned = workers_.unread();
    std::map<size_t, uint32_t> asked;
    for (size_t worker = 0; worker < workers_.size(); ++worker)
      if (workers_.alive(worker))
        asked[worker] = workers_.Post(worker, {.asked = Asked::kQuiet, .span = quiet_});
    bool quiet = true;
    for (const auto& [worker, number] : asked) {
      const std::optional<Answer> answer = workers_.Await(worker, number, quiet_ + kSlack);
      NoteSilence(worker, answer);
      quiet = quiet && (!answer || answer->yes);
    }
    if (asked.empty()) ReallySleep(quiet_);
    return quiet && workers_.unread() == returned;
  }

  // Errors at the end of the session, as text; only once.
  std::string End() {
    if (std::exchange(ended_, true)) return {};
    unreaped_ = !workers_.EndAll() || unreaped_;
    std::string wrong = unreaped_ ? "child not reaped" : "";
    const std::string differs = place_->PutRight();
    disturbed_ = place_->Disturbed();
    if (!wrong.empty() && !differs.empty()) wrong += "; ";
    wrong += differs;
    if (!wrong.empty()) *spoiled_ = wrong;
    return wrong;
  }

  Place* place_;
  std::string* spoiled_;
  Duration quiet_;
  Duration prompt_;    // limit of a call that another thread may have to release
  Duration longest_;   // the longest that a call may take
  Duration patience_;  // limit of waiting for a call: less proves nothing
  WorkerPool workers_;
  Instant begin_;
  std::map<Lane, uint32_t> pending_;  // number of the outstanding answer
  SynchronousIds synchronous_;
  bool blocked_ = false;  // a call has not returned within less than the longest time
  bool late_ = false;     // something else has not happened in time
  bool unreaped_ = false;
  bool disturbed_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Session> StartRealSession(const SessionSetup& setup,
                                          const Conversation& conversation) {
  std::string why_not = setup.place->Prepare(conversation);
  if (!why_not.empty()) return RefuseSession(std::move(why_not));
  WorkerPool workers(setup.late);
  const size_t processes = SomebodyExits(conversation) ? conversation.topology->sides.size() : 1;
  for (size_t i = 0; i < processes; ++i) {
    const bool spawned = workers.Spawn([&setup, &conversation](int connection) {
      ServeLanes(connection, setup.object->api, conversation);
    });
    if (!spawned) return RefuseSession("no process could be made");
  }
  return std::make_unique<RealSession>(setup, std::move(workers));
}

}  // namespace cm
