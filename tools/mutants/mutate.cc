// `tools/mutate`: lists the mutants of the simulator, and tries some of them before the suite.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/choice.h"
#include "model/vocabulary/profile.h"
#include "tools/mutants/report.h"
#include "tools/mutants/suite.h"
#include "tools/mutants/switch.h"
#include "tools/mutants/trial.h"

namespace cm::mutant {
namespace {

struct Options {
  bool list = false;
  bool counts = false;
  bool run = false;
  std::string kind;
  std::string folder;
  std::vector<int> mutants;
  uint64_t seed = 1;
  uint64_t count = 100;
  int jobs = 1;
  std::string json;
  SuiteOptions suite;
  Limits limits;
};

constexpr int kUnusable = 2;

int Unusable(const std::string& problem) {
  fmt::print(stderr, "mutate: {}\n", problem);
  return kUnusable;
}

std::vector<std::string> AllProfiles() {
  std::vector<std::string> names;
  for (const Profile& profile : Profiles()) names.emplace_back(profile.name);
  return names;
}

void Declare(CLI::App* app, Options* options) {
  std::vector<std::string> kinds;
  for (const Kind kind : kKinds) kinds.emplace_back(ToString(kind));
  options->suite.profiles = AllProfiles();
  auto* list = app->add_flag("--list", options->list, "Prints the mutants, one a line");
  auto* counts = app->add_flag("--counts", options->counts, "Prints how many there are");
  auto* run = app->add_flag("--run", options->run, "Tries some of them before the suite");
  list->excludes(counts)->excludes(run);
  counts->excludes(run);
  app->add_option("--kind", options->kind, "Only mutants of this kind")
      ->check(CLI::IsMember(kinds));
  app->add_option("--folder", options->folder, "Only mutants of this folder: sim/ib_cm");
  auto* mutant =
      app->add_option("--mutant", options->mutants, "These, and none is drawn")->delimiter(',');
  app->add_option("--seed", options->seed, "What mutants and sequences are drawn from");
  app->add_option("--count", options->count, "How many are drawn")
      ->check(CLI::PositiveNumber)
      ->excludes(mutant);
  app->add_option("--sequences", options->suite.sequences, "How many of each profile, at most")
      ->check(CLI::PositiveNumber);
  app->add_option("--calls", options->suite.calls, "About how many calls a sequence makes")
      ->check(CLI::Range(1, 1000));
  app->add_option("--profile", options->suite.profiles, "Tried one after the other; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(AllProfiles()));
  app->add_option("--cpu-seconds", options->limits.cpu_seconds,
                  "Processor time of a trial; one that takes longer hangs")
      ->check(CLI::PositiveNumber);
  app->add_option("--jobs", options->jobs, "How many trials at a time")->check(CLI::Range(1, 1024));
  app->add_option("--json", options->json, "Where the list or the trials go as JSON");
}

std::vector<Mutant> Asked(const std::vector<Mutant>& all, const Options& options) {
  std::vector<Mutant> asked;
  for (const Mutant& mutant : all)
    if ((options.kind.empty() || ToString(mutant.row->kind) == options.kind) &&
        (options.folder.empty() || FolderOf(mutant) == options.folder))
      asked.push_back(mutant);
  return asked;
}

// In the order of their numbers.
std::vector<int> Drawn(const std::vector<Mutant>& mutants, uint64_t seed, uint64_t count) {
  std::vector<int> numbers;
  for (const Mutant& mutant : mutants) numbers.push_back(mutant.number);
  StreamState stream = NamedStream(seed, "mutants");
  RandomChoice choice(&stream);
  const size_t drawn = std::min<size_t>(count, numbers.size());
  for (size_t i = 0; i < drawn; ++i) {
    const size_t other = i + choice.Below(numbers.size() - i, "which mutant");
    std::swap(numbers[i], numbers[other]);
  }
  numbers.resize(drawn);
  std::ranges::sort(numbers);  // lint: keys are unique
  return numbers;
}

// Empty, or why it cannot be written.
std::string WriteJson(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return file ? "" : "cannot write " + path;
}

int Run(const std::vector<Mutant>& all, const Options& options) {
  std::vector<int> numbers = options.mutants;
  if (numbers.empty()) numbers = Drawn(Asked(all, options), options.seed, options.count);
  for (const int number : numbers)
    if (number < 1 || static_cast<size_t>(number) > all.size())
      return Unusable(fmt::format("there is no mutant {}; there are 1 to {}", number, all.size()));
  std::vector<Trial> trials;
  const auto on_trial = [&](const Trial& trial) {
    trials.push_back(trial);
    fmt::print("{}", LineOf(all[static_cast<size_t>(trial.mutant - 1)], trial));
    std::fflush(stdout);
  };
  const auto look = [&](int mutant) { return LookWithSuite(mutant, options.suite); };
  const std::string problem = TryAll(numbers, look, options.limits, options.jobs, on_trial);
  if (!problem.empty()) return Unusable(problem);
  fmt::print("\n{}", TotalsOf(all, trials));
  if (options.json.empty()) return 0;
  const std::string unwritten =
      WriteJson(options.json, TrialsAsJson(all, trials, options.suite, options.limits));
  return unwritten.empty() ? 0 : Unusable(unwritten);
}

int List(const std::vector<Mutant>& mutants, const Options& options) {
  if (options.list)
    for (const Mutant& mutant : mutants) fmt::print("{}", LineOf(mutant));
  else
    fmt::print("{}", CountsOf(mutants));
  if (options.json.empty()) return 0;
  const std::string problem = WriteJson(options.json, ListAsJson(mutants));
  return problem.empty() ? 0 : Unusable(problem);
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Mutants of the simulator, and whether the suite notices them", "mutate");
  Declare(&app, &options);
  CLI11_PARSE(app, argc, argv);
  options.suite.seed = options.seed;
  const std::vector<Mutant> all = Mutants();
  if (options.run) return Run(all, options);
  if (options.list || options.counts) return List(Asked(all, options), options);
  return Unusable("nothing is asked for: --list, --counts or --run; see --help");
}

}  // namespace
}  // namespace cm::mutant

int main(int argc, char** argv) { return cm::mutant::Main(argc, argv); }
