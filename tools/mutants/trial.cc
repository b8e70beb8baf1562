#include "tools/mutants/trial.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>
#include <sstream>
#include <utility>

#include "conformance/process/process.h"
#include "model/base/duration.h"

namespace cm::mutant {
namespace {

std::string ToText(const Sight& sight) {
  return fmt::format("{:d} {:d} {} {} {}\n{}\n", sight.reached, sight.failed, sight.sequence,
                     sight.digest, sight.profile, sight.claims);
}

Sight Read(const std::string& content) {
  Sight sight;
  std::istringstream words(content);
  words >> sight.reached >> sight.failed >> sight.sequence >> sight.digest >> sight.profile;
  words.ignore();
  std::getline(words, sight.claims);
  return sight;
}

// A trial that is under way.
struct Running {
  int mutant = 0;
  Descriptor sight;   // what is seen, as text
  Descriptor errors;  // standard error
  Process process;
};

// In the process of the trial.
void LookFromHere(const Running& trial, const Look& look, const Limits& limits) {
  dup2(trial.errors.get(), STDERR_FILENO);
  const rlimit time{.rlim_cur = limits.cpu_seconds, .rlim_max = limits.cpu_seconds + 1};
  setrlimit(RLIMIT_CPU, &time);
  // A trial without this limit is a slow trial.
  const rlimit memory{.rlim_cur = limits.memory_bytes, .rlim_max = limits.memory_bytes};
  setrlimit(RLIMIT_AS, &memory);
  const std::string text = ToText(look(trial.mutant));
  static_cast<void>(!write(trial.sight.get(), text.data(), text.size()));
}

// Empty when there is no process.
std::optional<Running> Begin(int mutant, const Look& look, const Limits& limits) {
  Running trial{.mutant = mutant, .sight = MemoryFile(""), .errors = MemoryFile(""), .process = {}};
  std::fflush(nullptr);
  auto process = Process::Fork([&] { LookFromHere(trial, look, limits); });
  if (!process) return std::nullopt;
  trial.process = *std::move(process);
  return trial;
}

// What the process that ended with this status says; the sight is empty where it says nothing.
Trial Ended(const Running& running, int status, uint64_t normal_digest, Sight* sight) {
  Trial trial{.mutant = running.mutant, .by = {}, .profile = {}};
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const std::string said = ReadFromStart(running.errors);
    const char* const name = sigabbrev_np(signal);
    trial.outcome = signal == SIGXCPU ? Outcome::kHung : Outcome::kCrashed;
    trial.by = fmt::format("SIG{}", name == nullptr ? "?" : name);
    if (!said.empty()) trial.by += ": " + said.substr(0, said.find('\n'));
    return trial;
  }
  const std::string content = ReadFromStart(running.sight);
  *sight = Read(content);
  if (content.empty()) {
    trial.outcome = Outcome::kCrashed;
    trial.by = fmt::format("exit code {}", WEXITSTATUS(status));
  } else if (sight->failed) {
    trial.outcome = Outcome::kFound;
    trial.by = sight->claims;
    trial.profile = sight->profile;
    trial.sequence = sight->sequence;
  } else if (sight->reached) {
    trial.outcome = sight->digest == normal_digest ? Outcome::kUnseen : Outcome::kSurvived;
  }
  return trial;
}

Trial End(Running* running, uint64_t normal_digest, Sight* sight) {
  std::optional<int> status;
  while (!status) status = running->process.Wait(Duration::Seconds(60));
  return Ended(*running, *status, normal_digest, sight);
}

}  // namespace

std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFound:
      return "found";
    case Outcome::kCrashed:
      return "crashed";
    case Outcome::kHung:
      return "hung";
    case Outcome::kSurvived:
      return "survived";
    case Outcome::kUnseen:
      return "unseen";
    case Outcome::kUnreached:
      return "not reached";
  }
  return "?";
}

bool Noticed(Outcome outcome) {
  return outcome == Outcome::kFound || outcome == Outcome::kCrashed || outcome == Outcome::kHung;
}

std::string TryAll(const std::vector<int>& mutants, const Look& look, const Limits& limits,
                   int jobs, const OnTrial& on_trial) {
  constexpr const char* kNoProcess = "a process of a trial cannot be started";
  Sight normal;
  std::optional<Running> first = Begin(0, look, limits);
  if (!first) return kNoProcess;
  const Trial without = End(&*first, 0, &normal);
  if (Noticed(without.outcome))
    return fmt::format("without any mutant: {} {}", ToString(without.outcome), without.by);
  std::deque<Running> under_way;
  const auto end_first = [&] {
    Sight sight;
    on_trial(End(&under_way.front(), normal.digest, &sight));
    under_way.pop_front();
  };
  for (const int mutant : mutants) {
    if (under_way.size() >= static_cast<size_t>(jobs)) end_first();
    std::optional<Running> next = Begin(mutant, look, limits);
    if (!next) return kNoProcess;
    under_way.push_back(*std::move(next));
  }
  while (!under_way.empty()) end_first();
  return {};
}

}  // namespace cm::mutant
