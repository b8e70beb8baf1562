// `cmcheck compare A B`: the same sequences on two implementations, event by event, errno by errno.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/driver/perform.h"
#include "conformance/runner/campaign.h"
#include "model/conversation/print.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/compare_reports.h"
#include "tools/cmcheck/progress.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/run.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

constexpr size_t kShown = 10;

struct CompareTwoOptions {
  std::string first;
  std::string second;
  std::vector<std::string> again;  // reports
  RunOptions run;
};

// A place where two histories of one conversation differ.
struct Difference {
  History first;
  History second;
};

std::string Text(const History& history) { return ToText(history, {.times = true, .wire = false}); }

class TwoSides {
 public:
  TwoSides(const CompareTwoOptions& options, Answering first, Answering second,
           CampaignOptions campaign)
      : options_(options),
        first_(std::move(first)),
        second_(std::move(second)),
        campaign_(std::move(campaign)),
        report_(FromUsersFolder(options.run.report)) {}

  int Go() {
    // It has no findings: those of a run stay.
    if (std::string problem = report_.Create(); !problem.empty()) return Unusable(problem);
    CompareAll();
    fmt::print("{:>9}  sequences\n{:>9}  the same\n{:>9}  different\n", done_.load(), same_,
               differences_.size());
    for (const auto& [why, count] : not_compared_)
      fmt::print("{:>9}  not compared: {}\n", count, why);
    Show();
    if (Interrupted()) return kExitInterrupted;
    if (!differences_.empty()) return kExitFound;
    return same_ == 0 && !not_compared_.empty() ? kExitInconclusive : kExitClean;
  }

 private:
  void CompareAll() {
    const bool both = first_.implementation->concurrent() && second_.implementation->concurrent();
    Progress progress("sequences", campaign_.sequences);
    std::vector<std::jthread> threads;
    for (int job = 1; both && job < campaign_.jobs; ++job)
      threads.emplace_back([this] { CompareSome(nullptr); });
    CompareSome(&progress);
  }

  // Takes sequences that no other thread has taken, until there are none.
  void CompareSome(Progress* progress) {
    for (;;) {
      const uint64_t taken = next_.fetch_add(1);
      if (Interrupted() || taken >= campaign_.sequences) return;
      if (!campaign_.done.contains(campaign_.first + taken)) CompareOne(campaign_.first + taken);
      if (progress != nullptr) progress->At(done_);
    }
  }

  void CompareOne(uint64_t number) {
    const Conversation conversation = ConversationOf(campaign_, number);
    std::string why_not;
    const auto perform = [&](const Answering& who) -> History {
      if (!why_not.empty()) return {};
      const std::unique_ptr<Session> session = who.implementation->Start(conversation);
      why_not = WhyUnsupported(*who.implementation, *session, conversation);
      if (why_not.empty())
        return Perform(conversation, *session, who.implementation->profile().transport);
      why_not = fmt::format("{}: {}", who.text, why_not);
      return {};
    };
    Difference found{.first = perform(first_), .second = perform(second_)};
    if (Interrupted()) return;  // it may have cut one of them short
    const bool same = why_not.empty() && Text(found.first) == Text(found.second);
    ++done_;
    const std::lock_guard lock(mutex_);
    if (!why_not.empty())
      ++not_compared_[why_not];
    else if (same)
      ++same_;
    else
      differences_.emplace(number, std::move(found));
  }

  void Show() {
    size_t shown = 0;
    for (const auto& [number, difference] : differences_) {
      if (++shown > kShown) {
        fmt::print("... and {} more\n", differences_.size() - kShown);
        return;
      }
      if (std::string problem = report_.WriteConversation(number, difference.second);
          !problem.empty())
        fmt::print(stderr, "cmcheck: {}\n", problem);
      fmt::print("sequence {}:{}\n", number, WhatDiffers(difference));
    }
  }

  // The first line in which the two differ.
  std::string WhatDiffers(const Difference& difference) const {
    const std::vector<std::string> first = Lines(Text(difference.first));
    const std::vector<std::string> second = Lines(Text(difference.second));
    const auto [one, other] = std::ranges::mismatch(first, second);
    const auto said = [](auto at, const std::vector<std::string>& lines) {
      return at == lines.end() ? std::string("nothing more") : *at;
    };
    return fmt::format("\n  {}\n    {}\n  {}\n    {}", options_.first, said(one, first),
                       options_.second, said(other, second));
  }

  static std::vector<std::string> Lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  const CompareTwoOptions& options_;
  Answering first_;
  Answering second_;
  CampaignOptions campaign_;
  Report report_;
  std::atomic<uint64_t> next_ = 0;
  std::atomic<uint64_t> done_ = 0;
  std::mutex mutex_;
  uint64_t same_ = 0;
  std::map<std::string, uint64_t> not_compared_;  // by reason
  std::map<uint64_t, Difference> differences_;
};

int CompareTwo(const CompareTwoOptions& options) {
  if (IsReport(options.first) && IsReport(options.second))
    return CompareReports(options.first, options.second, options.again, kShown);
  if (!options.again.empty()) return Unusable("--again is for the reports of runs");
  for (const auto& [one, other] :
       {std::pair(&options.first, &options.second), std::pair(&options.second, &options.first)})
    if (IsReport(*one))
      return Unusable(
          fmt::format("{} is a folder, and {} is none: two folders, or two "
                      "implementations",
                      *one, *other));
  const auto resolve = [&](const std::string& impl) {
    Asked asked = options.run.asked;
    asked.impl = impl;
    return Resolve(asked);
  };
  auto first = resolve(options.first);
  if (auto* problem = std::get_if<std::string>(&first)) return Unusable(*problem);
  auto second = resolve(options.second);
  if (auto* problem = std::get_if<std::string>(&second)) return Unusable(*problem);
  Answering one = std::get<Answering>(std::move(first));
  Answering other = std::get<Answering>(std::move(second));
  const Capabilities both =
      Common(one.implementation->capabilities(), other.implementation->capabilities());
  auto campaign = CampaignOf(options.run, one.implementation->profile(), both);
  if (auto* problem = std::get_if<std::string>(&campaign)) return Unusable(*problem);
  for (const Answering* who : {&one, &other})
    DrawOnlyFor(*who->implementation, &std::get<CampaignOptions>(campaign).draw);
  return TwoSides(options, std::move(one), std::move(other),
                  std::get<CampaignOptions>(std::move(campaign)))
      .Go();
}

}  // namespace

void AddCompare(Verb cmcheck) {
  Verb verb = cmcheck.Add("compare", "Compare two implementations, or the reports of two runs", R"(
Carries out the same sequences on two implementations. Compares all replies and events, with their times; not the messages on the wire.
Exit code 1 when a sequence differs; the first few are kept in the report. Sequences that one
of the two cannot carry out are not compared; exit code 3 when none can be.
Of two folders, it compares what runs with --keep have left there, or conversations with their
outcomes: answers and events of each thread and channel, times by themselves, verdicts, and the
rows that were confirmed. Exit code 1 when an answer, an event or a verdict differs. On a real kernel
some conversations differ from run to run: --again names another run of the first one's.
Examples:
  cmcheck compare sim lib --sequences 10000
  cmcheck compare sim lib:./librdmacm.so.1 --profile 7.2-rxe
  cmcheck compare lib dl:./libmine.so --conversations conformance/scenarios
  cmcheck run --impl dl:./libmine.so --keep --report before    # the same after a change,
  cmcheck compare before after                                 # and what it has changed)");
  auto options = std::make_shared<CompareTwoOptions>();
  verb.Argument("first", &options->first, "An implementation, as of --impl; or a folder");
  verb.Argument("second", &options->second, "The other one");
  verb.Texts("--again", &options->again,
             "Another run of what the first report is of: what differs there as well is no change; "
             "may be repeated");
  AddCampaignOptions(verb, &options->run);
  verb.Does([options, verb] {
    const std::string problem = WhyContradictory(verb);
    return problem.empty() ? CompareTwo(*options) : Unusable(problem);
  });
}

}  // namespace cm
