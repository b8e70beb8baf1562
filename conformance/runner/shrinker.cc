#include "conformance/runner/shrinker.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/runner/simpler.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "model/oracle/orders.h"

namespace cm {
namespace {

// The size of a conversation, most significant part first. Between two that are equal the letters
// decide.
struct Measure {
  int calls = 0;
  size_t lines = 0;
  friend auto operator<=>(const Measure&, const Measure&) = default;
};

Measure MeasureOf(const Conversation& conversation) {
  return {CallCount(conversation), conversation.lines.size()};
}

// A conversation that cannot be parsed from a file cannot be replayed.
bool ReadsBack(const Conversation& conversation) {
  return std::holds_alternative<Conversation>(ParseConversation(ToText(conversation)));
}

class Search {
 public:
  Search(Implementation& implementation, const Finding& finding, int attempts_max,
         const OnAttempt& on_attempt, const std::atomic<bool>& interrupted)
      : implementation_(implementation),
        finding_(finding),
        attempts_max_(attempts_max),
        on_attempt_(on_attempt),
        interrupted_(interrupted) {}

  std::optional<Shrunk> Run(const Conversation& conversation) {
    if (!Attempt(conversation)) return std::nullopt;
    Descend();
    while (!Over() && TakeDetour()) {
    }
    best_->attempts = attempts_;
    return std::move(best_);
  }

 private:
  using Moves = std::vector<Conversation> (*)(const Conversation&);

  bool Over() const { return attempts_ >= attempts_max_ || interrupted_; }
  const Conversation& best() const { return best_->judged.history.conversation; }

  // Removes and simplifies until nothing more can go.
  void Descend() {
    bool better = true;
    while (better && !Over()) {
      better = CutOff();
      better |= RemoveChunks();
      better |= TryEach(WithoutOneName);
      better |= TryEach(WithoutQueuePairs);
      better |= TryEach(WithTwoNamesAsOne);
      better |= TryEach(WithoutOneFetch);
      if (!better) better = TryEach(WithOneEstablishing) || TryEach(WithSmallerBacklog);
      if (!better) better = RemovePairs() || TryEach(WithOneLineSimpler);
    }
  }

  // Tries to shrink further from a conversation that is no smaller; keeps the result if it is
  // smaller. The length of names does not count.
  bool TakeDetour() {
    for (const Conversation& detour : Detours(best())) {
      std::optional<Shrunk> lowest = std::exchange(best_, std::nullopt);
      const Measure measure = measure_;
      if (Attempt(detour)) Descend();
      if (best_ && measure_ < measure) return true;
      best_ = std::move(lowest);
      measure_ = measure;
      letters_.reset();
    }
    return false;
  }

  // Carries it out; keeps it if it shows the finding and is smaller.
  bool Attempt(Conversation candidate) {
    if (Over()) return false;
    GiveNumbers(&candidate);
    LetGoAlone(&candidate);
    const Measure measure = MeasureOf(candidate);
    if (best_ && !IsSmaller(candidate, measure)) return false;
    SequenceRun judged = RunOne(implementation_, candidate, finding_.id);
    ++attempts_;
    const auto same = std::find_if(judged.result.findings.begin(), judged.result.findings.end(),
                                   [&](const Finding& f) { return f.Same(finding_); });
    const bool shows = same != judged.result.findings.end() && ReadsBack(candidate);
    if (shows) {
      const Finding found = *same;
      best_ = Shrunk{.judged = std::move(judged), .finding = found};
      measure_ = measure;
      letters_.reset();
      fewest_calls_ = std::min(fewest_calls_.value_or(measure.calls), measure.calls);
    }
    if (on_attempt_) on_attempt_(attempts_, fewest_calls_.value_or(0));
    return shows;
  }

  bool IsSmaller(const Conversation& candidate, const Measure& measure) {
    if (measure != measure_) return measure < measure_;
    if (!letters_) letters_ = ToText(best()).size();
    return ToText(candidate).size() < *letters_;
  }

  // Lines after the finding, and lines that were not carried out, are unnecessary.
  bool CutOff() {
    const History& history = best_->judged.history;
    if (history.records.empty()) return false;  // a leak without any line
    const size_t line = history.records[best_->finding.record].line;
    bool better = Attempt(WithoutLines(best(), line + 1, best().lines.size()));
    Conversation applicable = best();
    applicable.lines.clear();
    for (const Record& record : best_->judged.history.records) {
      const auto* answered = std::get_if<seen::Answered>(&record.seen);
      const bool made = answered == nullptr || answered->reply != Reply::NotApplicable();
      if (made && !std::holds_alternative<seen::Released>(record.seen))
        applicable.lines.push_back(best().lines[record.line]);
    }
    better |= Attempt(applicable);
    return better;
  }

  bool RemoveChunks() {
    bool better = false;
    for (size_t size = std::max<size_t>(best().lines.size() / 2, 1); size >= 1; size /= 2)
      for (size_t from = best().lines.size(); from > 0 && !Over();) {
        from = from > size ? from - size : 0;
        if (from < best().lines.size()) better |= Attempt(WithoutLines(best(), from, size));
        from = std::min(from, best().lines.size());
      }
    return better;
  }

  // Two lines that only go together: a line, and one that it requires.
  bool RemovePairs() {
    for (size_t b = best().lines.size(); b-- > 1;)
      for (size_t a = b; a-- > 0 && !Over();)
        if (Attempt(WithoutTwo(best(), a, b))) return true;
    return false;
  }

  bool TryEach(Moves moves) {
    bool better = false;
    for (bool again = true; again && !Over();) {
      again = false;
      for (const Conversation& candidate : moves(best()))
        if (Attempt(candidate)) {
          again = better = true;
          break;
        }
    }
    return better;
  }

  Implementation& implementation_;
  const Finding& finding_;
  int attempts_max_;
  const OnAttempt& on_attempt_;
  const std::atomic<bool>& interrupted_;
  std::optional<Shrunk> best_;  // on a detour: the shortest of the detour
  Measure measure_;
  std::optional<size_t> letters_;    // of best_, once they have decided
  std::optional<int> fewest_calls_;  // of all conversations that show the finding
  int attempts_ = 0;
};

// Every other order of concurrent calls, one group at a time.
std::vector<Conversation> WithOneGroupTurned(const Conversation& conversation) {
  std::vector<Conversation> all;
  for (size_t first = 0; first < conversation.lines.size();) {
    const size_t end = EndOfTogether(conversation, first);
    std::vector<size_t> order(end - first);
    std::iota(order.begin(), order.end(), first);
    while (std::next_permutation(order.begin(), order.end())) {
      Conversation turned = conversation;
      for (size_t i = first; i < end; ++i) {
        turned.lines[i] = conversation.lines[order[i - first]];
        std::get<line::Calls>(turned.lines[i]).meanwhile = i > first;
      }
      all.push_back(std::move(turned));
    }
    first = end;
  }
  return all;
}

}  // namespace

std::optional<Shrunk> Shrink(Implementation& implementation, const Conversation& conversation,
                             const Finding& finding, int attempts_max, const OnAttempt& on_attempt,
                             const std::atomic<bool>& interrupted) {
  Conversation start = conversation;
  if (start.origin)
    start.comment =
        fmt::format("Shrunk from sequence {} of seed {}, walk {}, {}.", start.origin->index,
                    start.origin->seed, start.origin->walk, start.origin->options);
  start.origin.reset();
  const auto search = [&](const Conversation& from) {
    return Search(implementation, finding, attempts_max, on_attempt, interrupted).Run(from);
  };
  if (std::optional<Shrunk> shrunk = search(start)) return shrunk;
  // Threads ran in a drawn order: now the order of the lines decides.
  for (const Conversation& turned : WithOneGroupTurned(start))
    if (std::optional<Shrunk> shrunk = search(turned)) return shrunk;
  if (!conversation.origin || !model::HasTogether(conversation)) return std::nullopt;
  start.origin = conversation.origin;
  return search(start);
}

}  // namespace cm
