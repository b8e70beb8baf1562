#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/perform.h"
#include "conformance/fidelity/fidelity.h"
#include "conformance/fidelity/lab_report.h"
#include "conformance/fidelity/tracks.h"
#include "conformance/runner/profile_file.h"
#include "model/conversation/name_scope.h"
#include "model/oracle/orders.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/progress.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

struct CompareOptions {
  std::string report;
  std::string output;
  std::string json;
  double min_fault_free = 90.0;
  double min_faulted = 70.0;
};

// One report, conversation by conversation.
class Comparer {
 public:
  explicit Comparer(const CompareOptions& options) : options_(options) {}

  int Go() {
    for (const std::string& file : {options_.output, options_.json}) {
      if (file.empty()) continue;
      if (std::string problem = WhyUnwritable(FromUsersFolder(file)); !problem.empty())
        return Unusable(problem);
    }
    auto read = ReadLabReport(FromUsersFolder(options_.report));
    if (const auto* problem = std::get_if<std::string>(&read)) return Unusable(*problem);
    const LabReport report = std::get<LabReport>(std::move(read));
    if (std::string problem = ReadAll(report); !problem.empty()) return Unusable(problem);
    auto profile = LoadProfile(ProfileFromUser(report.profile));
    if (const auto* problem = std::get_if<std::string>(&profile)) return Unusable(*problem);
    CompareAll();
    if (Interrupted()) return kExitInterrupted;
    return Publish(report, std::get<Profile>(profile));
  }

 private:
  // Reads everything before comparing anything: a damaged report is reported first.
  std::string ReadAll(const LabReport& report) {
    for (const fs::path& file : report.conversations) {
      auto read = ReadLabConversation(file);
      if (const auto* problem = std::get_if<std::string>(&read)) return *problem;
      histories_.push_back(std::get<History>(std::move(read)));
      const std::string& name = histories_.back().conversation.profile;
      if (!profiles_.contains(name)) {
        auto loaded = LoadProfile(ProfileFromUser(name));
        if (const auto* problem = std::get_if<std::string>(&loaded))
          return fmt::format("{}: {}", file.string(), *problem);
        profiles_.emplace(name, std::get<Profile>(std::move(loaded)));
      }
      MarkRecords(&histories_.back(), profiles_.at(name).transport);
    }
    return {};
  }

  void CompareAll() {
    Progress progress("sequences", histories_.size());
    uint64_t done = 0;
    for (const History& kernel : histories_) {
      if (Interrupted()) return;
      const Profile& profile = profiles_.at(kernel.conversation.profile);
      const std::unique_ptr<Implementation> simulator =
          MakeSimImplementation({.profile = profile,
                                 .watch_wire = false,
                                 .capabilities = kernel.conversation.capabilities});
      const History told = ToldInOrder(kernel, profile, simulator.get());
      fidelity_.Add(Compare(told, OnSimulator(told, simulator.get()), profile));
      progress.At(++done);
    }
  }

  static History OnSimulator(const History& kernel, Implementation* simulator) {
    return Perform(kernel.conversation, *simulator->Start(kernel.conversation),
                   simulator->profile().transport);
  }

  // Concurrent threads have no fixed order: tries the orders that explain the kernel's outcome, and
  // takes one in which the simulator has the same outcome, if there is one.
  static History ToldInOrder(const History& kernel, const Profile& profile,
                             Implementation* simulator) {
    if (!model::HasTogether(kernel.conversation)) return kernel;
    const auto same = [&](const History& ordered) {
      const History told = model::InSequence(ordered);
      return !FirstParting(told, OnSimulator(told, simulator));
    };
    return model::InSequence(model::FindOrder(kernel, profile, same).history);
  }

  int Publish(const LabReport& report, const Profile& profile) {
    std::string problem;
    if (!options_.output.empty())
      problem = WriteFile(FromUsersFolder(options_.output), ToMarkdown(fidelity_, report, profile));
    if (problem.empty() && !options_.json.empty())
      problem = WriteFile(FromUsersFolder(options_.json), ToJson(fidelity_, report, profile));
    if (!problem.empty()) return Unusable(problem);
    PrintShare("fault-free", fidelity_.fault_free());
    PrintShare("faulted", fidelity_.faulted());
    for (const CauseInfo& info : kCauses)
      if (const uint64_t count = fidelity_.With(info.cause); count > 0)
        fmt::print("{:>7}  {}\n", count, info.name);
    if (!options_.output.empty()) fmt::print("written     {}\n", FromUsersFolder(options_.output));
    const bool enough = Reaches(fidelity_.fault_free(), options_.min_fault_free) &&
                        Reaches(fidelity_.faulted(), options_.min_faulted);
    return enough ? kExitClean : kExitFound;
  }

  static bool Reaches(const Share& share, double percent) {
    return static_cast<double>(share.BasisPoints()) >= percent * 100.0;
  }
  static void PrintShare(std::string_view name, const Share& share) {
    fmt::print("{:<12}{} of {} sequences equal, {}.{:02} %\n", name, share.equal, share.all,
               share.BasisPoints() / 100, share.BasisPoints() % 100);
  }

  const CompareOptions& options_;
  std::vector<History> histories_;
  std::map<std::string, Profile> profiles_;
  Fidelity fidelity_;
};

}  // namespace

void AddLabCompare(Verb lab) {
  Verb verb =
      lab.Add("compare", "Replay the sequences of a lab run on the simulator, and compare", R"(
Exit code 1 when fewer sequences are equal than asked for.
Examples:
  cmcheck lab run -- --sequences 1000 --report lab-report
  cmcheck lab compare lab-report --output docs/fidelity.md --json fidelity.json)");
  auto options = std::make_shared<CompareOptions>();
  verb.Argument("report", &options->report, "The folder that `cmcheck lab run` left behind");
  verb.Text("--output", &options->output, "File for the document");
  verb.Text("--json", &options->json, "File for the figures as JSON");
  verb.PerCent("--min-fault-free", &options->min_fault_free,
               "Per cent of the fault-free sequences that must be equal");
  verb.PerCent("--min-faulted", &options->min_faulted,
               "Per cent of the faulted sequences that must be equal");
  verb.Does([options] { return Comparer(*options).Go(); });
}

}  // namespace cm
