#include "hw_tests/lab/suite_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "conformance/runner/journal.h"
#include "hw_tests/lab/last_line.h"

namespace lab {
namespace {

namespace fs = std::filesystem;
using cm::SequenceResult;
using cm::Verdict;

// Work for one fresh guest.
struct Batch {
  Topology topology = Topology::kPair;
  std::vector<uint64_t> numbers;
  bool alone = false;                   // one sequence that failed after others
  std::optional<uint64_t> predecessor;  // the sequence before it
  std::string cause;                    // of its failure
};

// Batches to be run, and results of those that were.
class Desk {
 public:
  Desk(const SuiteSettings& settings, const std::function<void(const SequenceResult&)>& on_result)
      : on_result_(on_result) {
    for (const Part& part : settings.parts)
      for (size_t at = 0; at < part.numbers.size(); at += settings.batch) {
        const auto begin = part.numbers.begin() + static_cast<ptrdiff_t>(at);
        const size_t count = std::min(settings.batch, part.numbers.size() - at);
        batches_.push_back(
            {.topology = part.topology, .numbers = {begin, begin + static_cast<ptrdiff_t>(count)}});
      }
  }

  // The next batch, preferably on the network that the guest has. Waits while running batches may
  // add more.
  std::optional<Batch> Take(std::optional<Topology> preferred) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || !batches_.empty() || at_work_ == 0; });
    if (stopped_ || batches_.empty()) return std::nullopt;
    auto chosen = std::find_if(batches_.begin(), batches_.end(),
                               [&](const Batch& b) { return b.topology == preferred; });
    if (chosen == batches_.end()) chosen = batches_.begin();
    Batch batch = std::move(*chosen);
    batches_.erase(chosen);
    ++at_work_;
    return batch;
  }

  void Add(Batch batch) {
    const std::lock_guard lock(mutex_);
    if (!batch.numbers.empty()) batches_.push_back(std::move(batch));
  }
  void Done() {
    const std::lock_guard lock(mutex_);
    --at_work_;
    changed_.notify_all();
  }
  void Stop(std::optional<Problem> problem) {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (problem && !problem_) problem_ = std::move(problem);
    changed_.notify_all();
  }

  void Bring(SequenceResult result) {
    const std::lock_guard lock(mutex_);
    on_result_(result);
    const uint64_t index = result.index;
    end_.results.insert_or_assign(index, std::move(result));
  }
  void CountRestore() {
    const std::lock_guard lock(mutex_);
    ++end_.restored;
  }

  const std::optional<Problem>& problem() const { return problem_; }
  SuiteEnd TakeEnd() { return std::move(end_); }

 private:
  const std::function<void(const SequenceResult&)>& on_result_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> batches_;
  int at_work_ = 0;
  bool stopped_ = false;
  std::optional<Problem> problem_;
  SuiteEnd end_;
};

std::string ListOf(const std::vector<uint64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

void Append(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::app) << text;
}

// The result of a sequence whose guest did not finish it.
SequenceResult Unfinished(uint64_t index, const Outcome<Ended>& ended) {
  SequenceResult result{.index = index, .verdict = Verdict::kInconclusive};
  if (ended.ok()) {
    result.reason = "the guest did not begin it";
  } else if (ended.problem().kind != ProblemKind::kKernel) {
    result.reason = "cut off: " + ended.problem().line;
  } else {
    result.verdict = Verdict::kFailed;
    result.findings.push_back({.id = std::string(cm::kKernelId),
                               .about = "the kernel of the guest",
                               .saw = ended.problem().line,
                               .permitted = "a kernel that goes on",
                               .index = index,
                               .where = "before its end"});
  }
  return result;
}

// One guest with its thread: batch after batch.
class Bench {
 public:
  Bench(const Image& image, const SuiteSettings& settings, int number, Desk* desk,
        const Caller& caller)
      : image_(image),
        settings_(settings),
        share_(settings.folder / fmt::format("guest-{}", number)),
        desk_(desk),
        caller_(caller) {}

  void Work() {
    while (std::optional<Batch> batch = desk_->Take(topology_)) {
      const std::optional<Problem> problem = RunBatch(std::move(*batch));
      desk_->Done();
      if (!problem) continue;
      desk_->Stop(problem);
      break;
    }
    std::error_code ignored;
    fs::remove_all(share_, ignored);
  }

 private:
  // Starts the guest, or restores its snapshot.
  std::optional<Problem> Freshen(Topology topology) {
    if (guest_ && topology_ == topology) return guest_->Restore();
    guest_.reset();
    std::error_code error;
    fs::create_directories(share_, error);
    if (!error)
      fs::copy_file(settings_.program, share_ / "cmcheck", fs::copy_options::overwrite_existing,
                    error);
    if (!error && !settings_.given.empty())
      fs::copy(settings_.given, share_ / "given",
               fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
    if (!error && !settings_.library.empty())
      fs::copy_file(settings_.library, share_ / "librdmacm.so",
                    fs::copy_options::overwrite_existing, error);
    if (error) return Problem{fmt::format("{}: {}", share_.string(), error.message())};
    GuestSettings settings;
    settings.topology = topology;
    settings.share = share_;
    Outcome<Guest> guest = Guest::Start(image_, settings, caller_);
    if (!guest.ok()) return guest.problem();
    guest_.emplace(std::move(guest.value()));
    topology_ = topology;
    return std::nullopt;
  }

  std::optional<Problem> RunBatch(Batch batch) {
    if (std::optional<Problem> problem = Freshen(batch.topology)) return problem;
    std::error_code ignored;
    fs::remove_all(share_ / "report", ignored);
    fs::remove(share_ / "journal", ignored);
    const std::string command = fmt::format(
        "cp /host/cmcheck /tmp/ && cd /tmp && ./cmcheck run {} --only {} --report /host/report "
        "--journal /host/journal --keep --no-shrink; code=$?; dmesg > /host/dmesg; exit $code",
        settings_.arguments, ListOf(batch.numbers));
    RunSettings run;
    run.wall_limit = settings_.batch_limit;
    run.cancelled = caller_.cancelled;
    const Outcome<Ended> ended = guest_->Run(command, run);
    if (!ended.ok() && ended.problem().kind == ProblemKind::kUnusable) return ended.problem();
    if (ended.ok() && ended.value().status == 2)
      return Problem{fmt::format("the suite in the guest: {}", LastLine(ended.value().error))};
    KeepLogs(batch, ended);
    return Collect(std::move(batch), ended);
  }

  void KeepLogs(const Batch& batch, const Outcome<Ended>& ended) {
    std::error_code ignored;
    const fs::path logs = settings_.folder / "kernel";
    fs::create_directories(logs, ignored);
    const std::string name =
        fmt::format("{:06}{}", batch.numbers.front(), batch.alone ? "-alone" : "");
    fs::rename(share_ / "dmesg", logs / (name + ".log"), ignored);
    if (!ended.ok()) Append(logs / (name + ".log"), guest_->console());
    if (!ended.ok()) Append(logs / (name + ".host"), ended.problem().line + "\n");
    fs::create_directories(settings_.folder / "conversations", ignored);
    for (const auto& entry : fs::directory_iterator(share_ / "report" / "conversations", ignored)) {
      std::error_code error;
      if (batch.alone) KeepAside(entry.path().filename());
      fs::copy_file(entry.path(), settings_.folder / "conversations" / entry.path().filename(),
                    fs::copy_options::overwrite_existing, error);
    }
  }

  // What came of it after others shows what is wrong; what comes of it alone may not.
  void KeepAside(const fs::path& name) {
    std::error_code ignored;
    const fs::path aside = settings_.folder / "not-alone";
    fs::create_directories(aside, ignored);
    fs::rename(settings_.folder / "conversations" / name, aside / name, ignored);
  }

  std::optional<Problem> Collect(Batch batch, const Outcome<Ended>& ended) {
    auto read = cm::ReadJournal((share_ / "journal").string(), settings_.campaign);
    if (const auto* problem = std::get_if<std::string>(&read)) return Problem{*problem};
    cm::JournalContent content = std::get<cm::JournalContent>(std::move(read));
    std::vector<uint64_t> left;
    std::optional<uint64_t> before;
    for (const uint64_t number : batch.numbers) {
      const auto found = content.find(number);
      if (found == content.end()) {
        left.push_back(number);
        continue;
      }
      Deliver(batch, std::move(found->second), before);
      before = number;
    }
    if (left.empty()) {
      const bool kernel = !ended.ok() && ended.problem().kind == ProblemKind::kKernel;
      if (kernel) desk_->Bring(Unfinished(batch.numbers.back(), ended));
      return std::nullopt;
    }
    if (!ended.ok() && ended.problem().kind == ProblemKind::kCancelled) return ended.problem();
    desk_->CountRestore();
    // Nothing was finished, or the guest did not finish: the first sequence left is the reason.
    if (!ended.ok() || left.size() == batch.numbers.size()) {
      Deliver(batch, Unfinished(left.front(), ended), before);
      left.erase(left.begin());
    }
    batch.numbers = std::move(left);
    desk_->Add(std::move(batch));
    return std::nullopt;
  }

  // A first failure is reported only after it was seen alone.
  void Deliver(const Batch& batch, SequenceResult result, std::optional<uint64_t> before) {
    if (result.verdict == Verdict::kFailed && !batch.alone && before) {
      desk_->Add({.topology = batch.topology,
                  .numbers = {result.index},
                  .alone = true,
                  .predecessor = before,
                  .cause = result.findings.empty() ? "" : result.findings.front().Cause()});
      desk_->Bring(std::move(result));
      return;
    }
    if (batch.alone && result.verdict == Verdict::kPassed) {
      result.verdict = Verdict::kInconclusive;
      result.reason = fmt::format("order-dependent: it failed after sequence {}, not alone: {}",
                                  batch.predecessor.value_or(0), batch.cause);
    }
    desk_->Bring(std::move(result));
  }

  const Image& image_;
  const SuiteSettings& settings_;
  fs::path share_;
  Desk* desk_;
  const Caller& caller_;
  std::optional<Guest> guest_;
  std::optional<Topology> topology_;
};

}  // namespace

Outcome<SuiteEnd> RunSuite(const Image& image, const SuiteSettings& settings,
                           const std::function<void(const SequenceResult&)>& on_result,
                           const Caller& caller) {
  Desk desk(settings, on_result);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < settings.guests; ++i)
      threads.emplace_back([&, i] { Bench(image, settings, i + 1, &desk, caller).Work(); });
  }
  SuiteEnd end = desk.TakeEnd();
  if (const std::optional<Problem>& problem = desk.problem()) {
    if (problem->kind != ProblemKind::kCancelled) return *problem;
    end.cancelled = true;
  }
  return end;
}

}  // namespace lab
