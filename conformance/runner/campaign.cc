#include "conformance/runner/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/driver/perform.h"
#include "conformance/walks/walk.h"
#include "model/base/check.h"
#include "model/conversation/fault_check.h"

namespace cm {
namespace {

Capabilities Union(Capabilities all, Capabilities more) {
  for (int i = 0; i < kCapabilityCount; ++i)
    if (more.Has(static_cast<Capability>(i))) all = all.With(static_cast<Capability>(i));
  return all;
}

// Distributes numbers and puts their results back in order.
class Queue {
 public:
  Queue(uint64_t first, uint64_t end, const std::set<uint64_t>& done, uint64_t ahead)
      : next_(first), due_(first), end_(end), done_(done), ahead_(ahead) {
    Skip(&next_);
    Skip(&due_);
  }

  // The next number; empty when there is none, or the run was stopped. Waits while the oldest
  // outstanding number is too far behind, so that memory stays bounded.
  std::optional<uint64_t> Take(const std::atomic<bool>& interrupted) {
    std::unique_lock lock(mutex_);
    const auto over = [&] { return interrupted || stopped_ || next_ >= end_; };
    moved_.wait(lock, [&] { return over() || next_ < due_ + ahead_; });
    if (over()) return std::nullopt;
    const uint64_t taken = next_++;
    Skip(&next_);
    return taken;
  }

  void Bring(uint64_t number, SequenceRun judged, const OnSequence& on_sequence) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(number, std::move(judged));
    while (!waiting_.empty() && waiting_.begin()->first == due_) {
      on_sequence(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      ++due_;
      Skip(&due_);
    }
    moved_.notify_all();
  }

  // No thread gets another number.
  void Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    moved_.notify_all();
  }

  bool finished() const { return due_ >= end_; }

 private:
  void Skip(uint64_t* number) const {
    while (*number < end_ && done_.contains(*number)) ++*number;
  }

  std::mutex mutex_;
  std::condition_variable moved_;
  std::map<uint64_t, SequenceRun> waiting_;
  uint64_t next_;
  uint64_t due_;  // the first that was not reported
  uint64_t end_;
  const std::set<uint64_t>& done_;
  uint64_t ahead_;
  bool stopped_ = false;
};

// Capabilities that are visible in its lines.
Capabilities UsedBy(const Conversation& conversation) {
  Capabilities used;
  for (const Line& line : conversation.lines) {
    if (std::holds_alternative<line::Sends>(line)) used = used.With(Capability::kTester);
    if (const auto* injects = std::get_if<line::Injects>(&line))
      used = Union(used, Needs(injects->fault));
    const auto* calls = std::get_if<line::Calls>(&line);
    if (calls == nullptr) continue;
    if (MovesData(KindOf(calls->call))) used = used.With(Capability::kData);
    if (IsLater(KindOf(calls->call))) used = used.With(Capability::kLaterCalls);
  }
  return used;
}

}  // namespace

Capabilities WantedBy(const Conversation& conversation) {
  const Capabilities used = UsedBy(conversation);
  Capabilities wanted = used.Without(Capability::kData).Without(Capability::kLaterCalls);
  for (const Capability unseen :
       {Capability::kTime, Capability::kLanes, Capability::kCrashes, Capability::kMisuse})
    if (conversation.capabilities.Has(unseen)) wanted = wanted.With(unseen);
  return Union(wanted, Common(used, conversation.capabilities));
}

Capabilities Lacking(Capabilities wanted, Capabilities there) {
  Capabilities missing;
  for (int i = 0; i < kCapabilityCount; ++i) {
    const auto c = static_cast<Capability>(i);
    if (wanted.Has(c) && !there.Has(c)) missing = missing.With(c);
  }
  return missing;
}

std::string WhatIsMissing(const Implementation& implementation, const Conversation& conversation) {
  if (conversation.origin) return {};  // drawn for this implementation
  const Capabilities missing = Lacking(WantedBy(conversation), implementation.capabilities());
  if (missing.bits() == 0) return {};
  const Profile& profile = implementation.profile();
  const Capabilities by_profile = Lacking(missing, profile.capabilities);
  const Capabilities by_it = Lacking(missing, by_profile);
  std::string text;
  if (by_profile.bits() != 0)
    text = fmt::format("it needs {}, which profile {} does not have", ToString(by_profile),
                       profile.name);
  if (by_it.bits() != 0)
    text += fmt::format("{} {}, which is not to be had here", text.empty() ? "it needs" : "; and",
                        ToString(by_it));
  return text;
}

std::string WhyUnsupported(const Implementation& implementation, const Session& session,
                           const Conversation& conversation) {
  std::string why = WhatIsMissing(implementation, conversation);
  if (why.empty()) why = WhyFaultsDoNothing(conversation);
  return why.empty() ? session.Unsupported() : why;
}

SequenceRun RunOne(Implementation& implementation, const Conversation& conversation,
                   std::string_view only) {
  const std::unique_ptr<Session> session = implementation.Start(conversation);
  Ending ending{.unsupported = WhyUnsupported(implementation, *session, conversation)};
  SequenceRun judged;
  if (ending.unsupported.empty()) {
    judged.history = Perform(conversation, *session, implementation.profile().transport);
    ending.leaks = session->Leaks();
    ending.inconclusive = session->Inconclusive();
  } else {
    judged.history.conversation = conversation;
  }
  judged.history.implementation = implementation.name();
  judged.result = Judge(judged.history, ending, implementation.profile(), only);
  return judged;
}

void DrawOnlyFor(const Implementation& implementation, DrawOptions* draw) {
  draw->suits = [&implementation, before = draw->suits](const Conversation& drawn) {
    return implementation.Lacks(drawn).empty() && (!before || before(drawn));
  };
}

Conversation ConversationOf(const CampaignOptions& options, uint64_t number) {
  if (!options.given.empty()) return options.given.at(number);
  DrawOptions draw = options.draw;
  draw.index = number;
  return Draw(draw);
}

bool RunCampaign(Implementation& implementation, const CampaignOptions& options,
                 const OnSequence& on_sequence, const std::atomic<bool>& interrupted) {
  constexpr uint64_t kAheadOfEachJob = 64;
  const int jobs = implementation.concurrent() ? std::max(options.jobs, 1) : 1;
  Queue queue(options.first, options.first + options.sequences, options.done,
              kAheadOfEachJob * static_cast<uint64_t>(jobs));
  const auto work = [&] {
    while (const std::optional<uint64_t> number = queue.Take(interrupted)) {
      if (!implementation.Spoiled().empty()) break;
      SetCheckContext(fmt::format("seed {}, sequence {}", options.draw.seed, *number));
      SequenceRun judged =
          RunOne(implementation, ConversationOf(options, *number), options.property);
      // The interrupt has cut it short: what is left of its session cannot be used.
      const Verdict verdict = judged.result.verdict;
      if (interrupted && !implementation.Spoiled().empty() &&
          (verdict == Verdict::kInconclusive || verdict == Verdict::kUnsupported))
        break;
      judged.result.index = *number;  // a given one has none
      queue.Bring(*number, std::move(judged), on_sequence);
    }
    queue.Stop();  // what is not brought the other threads would wait for
  };
  if (jobs == 1) {
    work();
  } else {
    std::vector<std::jthread> workers;
    for (int i = 0; i < jobs; ++i) workers.emplace_back(work);
  }
  return queue.finished();
}

}  // namespace cm
