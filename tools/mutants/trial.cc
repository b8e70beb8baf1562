#include "tools/mutants/trial.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <sstream>
#include <utility>

namespace cm::mutant {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

void Write(const Sight& sight, std::FILE* file) {
  fmt::print(file, "{:d} {:d} {} {} {}\n{}\n", sight.reached, sight.failed, sight.sequence,
             sight.digest, sight.profile, sight.claims);
  std::fflush(file);
}

Sight Read(const std::string& content) {
  Sight sight;
  std::istringstream words(content);
  words >> sight.reached >> sight.failed >> sight.sequence >> sight.digest >> sight.profile;
  words.ignore();
  std::getline(words, sight.claims);
  return sight;
}

std::string ContentOf(std::FILE* file) {
  std::string content;
  std::rewind(file);
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
    content.append(buffer, n);
  return content;
}

void Limit(int resource, uint64_t amount) {
  const rlimit limit{.rlim_cur = amount, .rlim_max = amount};
  setrlimit(resource, &limit);  // a trial without limits is a slow trial
}

// In the process of the trial.
[[noreturn]] void LookFromHere(int mutant, const Look& look, const Limits& limits, std::FILE* told,
                               std::FILE* errors) {
  dup2(fileno(errors), STDERR_FILENO);
  Limit(RLIMIT_CORE, 0);
  const rlimit time{.rlim_cur = limits.cpu_seconds, .rlim_max = limits.cpu_seconds + 1};
  setrlimit(RLIMIT_CPU, &time);
  Limit(RLIMIT_AS, limits.memory_bytes);
  Write(look(mutant), told);
  _exit(0);
}

// A trial that is under way.
struct Process {
  int mutant = 0;
  pid_t id = -1;
  TemporaryFile told;
  TemporaryFile errors;
};

// False when there is no process.
bool Begin(int mutant, const Look& look, const Limits& limits, Process* process) {
  *process = {.mutant = mutant,
              .id = -1,
              .told = TemporaryFile(std::tmpfile()),
              .errors = TemporaryFile(std::tmpfile())};
  if (process->told == nullptr || process->errors == nullptr) return false;
  std::fflush(nullptr);
  process->id = fork();
  if (process->id == 0)
    LookFromHere(mutant, look, limits, process->told.get(), process->errors.get());
  return process->id > 0;
}

// What the process that ended with this status says; the sight is empty where it says nothing.
Trial Ended(const Process& process, int status, uint64_t normal_digest, Sight* sight) {
  Trial trial{.mutant = process.mutant, .by = {}, .profile = {}};
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const std::string said = ContentOf(process.errors.get());
    const char* const name = sigabbrev_np(signal);
    trial.outcome = signal == SIGXCPU ? Outcome::kHung : Outcome::kCrashed;
    trial.by = fmt::format("SIG{}", name == nullptr ? "?" : name);
    if (!said.empty()) trial.by += ": " + said.substr(0, said.find('\n'));
    return trial;
  }
  const std::string content = ContentOf(process.told.get());
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

Trial End(const Process& process, uint64_t normal_digest, Sight* sight) {
  int status = 0;
  while (waitpid(process.id, &status, 0) < 0 && errno == EINTR) {
  }
  return Ended(process, status, normal_digest, sight);
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
  Process first;
  if (!Begin(0, look, limits, &first)) return kNoProcess;
  const Trial without = End(first, 0, &normal);
  if (Noticed(without.outcome))
    return fmt::format("without any mutant: {} {}", ToString(without.outcome), without.by);
  std::deque<Process> under_way;
  const auto end_first = [&] {
    Sight sight;
    on_trial(End(under_way.front(), normal.digest, &sight));
    under_way.pop_front();
  };
  for (const int mutant : mutants) {
    if (under_way.size() >= static_cast<size_t>(jobs)) end_first();
    Process process;
    if (!Begin(mutant, look, limits, &process)) return kNoProcess;
    under_way.push_back(std::move(process));
  }
  while (!under_way.empty()) end_first();
  return {};
}

}  // namespace cm::mutant
