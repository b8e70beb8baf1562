#include "conformance/adapters/wire/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "model/capture/captured_message.h"
#include "model/capture/judge.h"
#include "model/conversation/print.h"
#include "model/mad/frame.h"
#include "model/oracle/judge.h"

namespace cm::live {
namespace {

using Said = std::vector<const Passing*>;

std::map<uint32_t, Said> ByConnection(const Course& course) {
  std::map<uint32_t, Said> said;
  for (const Passing& frame : course.frames)
    if (!frame.ours) said[frame.about].push_back(&frame);
  return said;
}

std::string Kind(const std::string& text) { return text.substr(0, text.find(' ')); }

std::string Time(Instant at) {
  return ToString(Duration::Milliseconds(at.nanoseconds() / 1'000'000));
}

// By how much a message after that time may be early.
Duration Slack(Duration after, const Timing& timing) {
  return timing.late + after / 100 * timing.late_percent;
}
// By how much it may be late: a timer also by a step of the timer wheel.
Duration Lateness(Duration after, const Timing& timing) { return timing.Latest(after) - after; }

// A timer that runs out behind the end may do so before it.
constexpr Duration kAtTheEnd = Duration::Milliseconds(300);

// Repetitions that are closer count as one where a message of ours comes in between, or so soon
// after the last of them.
constexpr Duration kSoon = Duration::Milliseconds(200);
constexpr Duration kBesideIt = Duration::Milliseconds(20);

// source: model/capture/claims.h
constexpr std::string_view kUnknownConnection = "wire-known";

class Comparison {
 public:
  Comparison(const Course& expected, const Course& seen, const Profile& profile)
      : expected_(expected), seen_(seen), profile_(profile) {}

  std::vector<Difference> Run() {
    const auto expected = ByConnection(expected_);
    auto seen = ByConnection(seen_);
    for (const auto& [about, said] : expected) Compare(said, seen[about]);
    for (const auto& [about, said] : seen)
      if (!expected.contains(about)) Compare({}, said);
    CompareJudgements();
    if (seen_.history) JudgeApplication(*seen_.history);
    std::ranges::stable_sort(differences_, {}, &Difference::at);
    return std::move(differences_);
  }

 private:
  // Repetitions of one message, one soon after the other.
  struct Repeated {
    size_t count = 0;
    bool races = false;  // a message of ours comes in between: how many there are is open
  };

  Repeated RepeatedAt(const Said& said, size_t i) const {
    Repeated run{.count = 1};
    while (i + run.count < said.size() && said[i + run.count]->text == said[i]->text &&
           said[i + run.count]->at - said[i + run.count - 1]->at < kSoon)
      ++run.count;
    const Instant first = said[i]->at;
    const Instant last = said[i + run.count - 1]->at;
    const auto gaps = static_cast<int64_t>(std::max<size_t>(run.count - 1, 1));
    const Instant until = last + std::max((last - first) * 2 / gaps, kBesideIt);
    run.races = std::ranges::any_of(expected_.frames, [&](const Passing& frame) {
      return frame.ours && frame.at > first && frame.at <= until;
    });
    return run;
  }

  // The first difference of a connection; those after it may follow from it.
  void Compare(const Said& expected, const Said& seen) {
    size_t next = 0;  // of those seen
    for (size_t i = 0; i < expected.size();) {
      const Repeated run = RepeatedAt(expected, i);
      size_t count = 0;
      for (; next < seen.size() && seen[next]->text == expected[i]->text; ++next, ++count) {
        if (count < run.count && !IsInTime(expected, i + count, seen, next, run.races)) return;
        const bool soon = count == 0 || seen[next]->at - seen[next - 1]->at < kSoon;
        if (count >= run.count && !(run.races && soon)) break;
        if (count >= run.count && IsOfNext(expected, i + run.count, *seen[next])) break;
      }
      if (count < run.count && !(run.races && count > 0))
        return Lacks(*expected[i + count], next < seen.size() ? seen[next] : nullptr);
      i += run.count;
    }
    if (next < seen.size() && seen[next]->at + kAtTheEnd < expected_.end)
      Add(Kind(seen[next]->text) + " unexpected", Text(*seen[next]), "nothing", seen[next]->at);
  }

  // Whether what follows the repetitions is the same message again, and this is it.
  bool IsOfNext(const Said& expected, size_t after, const Passing& is) const {
    return after < expected.size() && expected[after]->text == is.text &&
           is.at + Slack(expected[after]->at - Instant(), profile_.timing) >= expected[after]->at;
  }

  // What was expected before the end was waited for.
  void Lacks(const Passing& should, const Passing* is) {
    if (is != nullptr) return Add(is->text + " for " + should.text, Text(*is), should, is->at);
    if (should.at < expected_.end)
      Add(Kind(should.text) + " missing", "nothing", should, should.at);
  }

  // A repetition is judged by the time since the one before: each of its timers may be late.
  bool IsInTime(const Said& expected, size_t i, const Said& seen, size_t j, bool races) {
    const Passing& should = *expected[i];
    const Passing& is = *seen[j];
    const bool again =
        i > 0 && j > 0 && expected[i - 1]->text == should.text && seen[j - 1]->text == should.text;
    // What answers our farewells follows the end, which the peer's last timer may put off.
    const bool behind = should.at >= expected_.end && is.at >= seen_.end;
    const Duration before = again    ? seen[j - 1]->at - expected[i - 1]->at
                            : behind ? seen_.end - expected_.end
                                     : Duration();
    const Instant since = again ? expected[i - 1]->at : behind ? expected_.end : Instant();
    const Duration apart = is.at - should.at - before;
    const Duration after = should.at - since;
    const Duration racing = races ? kSoon : Duration();
    const bool late = apart > Lateness(after, profile_.timing) + racing;
    if (!late && Duration() - apart <= Slack(after, profile_.timing) + racing) return true;
    Add(Kind(is.text) + (late ? " late" : " early"), Text(is), should, is.at);
    return false;
  }

  static std::string Text(const Passing& frame) {
    return fmt::format("{} at {}", frame.text, Time(frame.at));
  }
  void Add(std::string cause, std::string saw, const Passing& permitted, Instant at) {
    Add(std::move(cause), std::move(saw), Text(permitted), at);
  }
  void Add(std::string cause, std::string saw, std::string permitted, Instant at) {
    differences_.push_back({.cause = std::move(cause),
                            .saw = std::move(saw),
                            .permitted = std::move(permitted),
                            .rule = "as the simulator with profile " + profile_.name,
                            .at = at});
  }

  // The communication ids that a frame names.
  static std::vector<uint32_t> IdsIn(const Passing& frame) {
    const auto decoded = mad::Decode(frame.bytes, mad::LinkType::kEthernet);
    if (!decoded.ok()) return {};
    const wire::Cids cids = wire::CidsOf(decoded.value().mad.message);
    std::vector<uint32_t> ids = {cids.local, cids.remote};
    std::erase(ids, 0U);
    return ids;
  }

  std::vector<wire::Violation> Violations(const Course& course) const {
    std::vector<wire::Violation> violations;
    uint64_t first_of_ours = course.frames.size() + 1;
    std::map<uint32_t, uint64_t> broken;  // ids of connections whose rules the tester broke: since
    wire::Judge judge({.profiles = {&profile_}}, [&](const wire::Verdict& verdict) {
      if (!verdict.violation) return;
      const uint64_t number = verdict.violation->number;
      const Passing& frame = course.frames[number - 1];
      if (!frame.ours) return violations.push_back(*verdict.violation);
      first_of_ours = std::min(first_of_ours, number);
      for (const uint32_t id : IdsIn(frame)) {
        uint64_t& since = broken.try_emplace(id, number).first->second;
        since = std::min(since, number);
      }
    });
    for (size_t i = 0; i < course.frames.size(); ++i) {
      const Passing& frame = course.frames[i];
      judge.Take(i + 1, frame.at.nanoseconds(), frame.bytes, frame.bytes.size(),
                 mad::LinkType::kEthernet);
    }
    judge.Finish();
    // What the tester has broken the judge may not recognise as a connection any more, or not as
    // that one.
    std::erase_if(violations, [&](const wire::Violation& violation) {
      if (violation.rule == kUnknownConnection && violation.number > first_of_ours) return true;
      return std::ranges::any_of(IdsIn(course.frames[violation.number - 1]), [&](uint32_t id) {
        const auto since = broken.find(id);
        return since != broken.end() && since->second < violation.number;
      });
    });
    return violations;
  }

  void CompareJudgements() {
    std::multiset<std::string> provoked;
    for (const wire::Violation& violation : Violations(expected_)) provoked.insert(violation.rule);
    for (const wire::Violation& violation : Violations(seen_)) {
      if (const auto one = provoked.find(violation.rule); one != provoked.end()) {
        provoked.erase(one);
        continue;
      }
      differences_.push_back(
          {.cause = "rule " + violation.rule,
           .saw = violation.saw,
           .permitted = violation.permitted,
           .rule = fmt::format("{}: {} ({})", violation.rule, violation.says, violation.source),
           .at = Instant::FromNanoseconds(violation.nanoseconds)});
    }
  }

  // The first answer or event that no row permits; the oracle knows what the tester has said.
  void JudgeApplication(const History& history) {
    const model::HistoryResult judged = model::JudgeUpToRefusal(history, profile_);
    if (judged.kind != model::VerdictKind::kRefused) return;
    const Record& record = history.records[judged.record];
    const Instant begin = history.records.front().begin;
    std::vector<std::string> permitted;
    std::vector<std::string> rules;
    for (const model::Permitted& one : judged.at_record.permitted) {
      permitted.push_back(one.what);
      rules.push_back(fmt::format("{} ({})", one.rule, one.source));
    }
    const std::string line =
        ToString(history.conversation.lines[record.line], history.conversation);
    differences_.push_back({.cause = "answer of " + line,
                            .saw = judged.at_record.saw,
                            .permitted = fmt::format("{}", fmt::join(permitted, "; ")),
                            .rule = fmt::format("{}", fmt::join(rules, "; ")),
                            .at = Instant::FromNanoseconds((record.end - begin).nanoseconds())});
  }

  const Course& expected_;
  const Course& seen_;
  const Profile& profile_;
  std::vector<Difference> differences_;
};

}  // namespace

std::vector<Difference> Differences(const Course& expected, const Course& seen,
                                    const Profile& profile) {
  return Comparison(expected, seen, profile).Run();
}

}  // namespace cm::live
