#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/perform.h"
#include "conformance/fidelity/lab_report.h"
#include "conformance/fidelity/lab_scenarios.h"
#include "conformance/runner/profile_file.h"
#include "conformance/scenarios/expectation.h"
#include "model/base/files.h"
#include "model/conversation/parse.h"
#include "model/vocabulary/profile.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/lab.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

struct ScenarioOptions {
  LabOptions lab;
  std::string folder = "conformance/scenarios/protocol";
  int runs = 3;
  std::string json;  // keeps the kernel's outcomes
  std::string from;  // reads kept outcomes
};

// A conversation for the guests.
struct Asking {
  std::string path;  // below the folder
  Conversation conversation;
};

class ScenarioRun {
 public:
  explicit ScenarioRun(ScenarioOptions options) : options_(std::move(options)) {}

  int Go() {
    auto profile = LoadProfile(ProfileFromUser(options_.lab.run.asked.profile));
    if (const auto* problem = std::get_if<std::string>(&profile)) return Unusable(*problem);
    profile_ = std::get<Profile>(std::move(profile));
    if (std::string problem = ReadFolder(); !problem.empty()) return Unusable(problem);
    if (!options_.json.empty())
      if (std::string problem = WhyUnwritable(FromUsersFolder(options_.json)); !problem.empty())
        return Unusable(problem);
    std::string problem = options_.from.empty() ? AskGuests() : ReadKept();
    if (Interrupted()) return kExitInterrupted;
    if (problem.empty() && !options_.json.empty())
      problem = WriteFile(FromUsersFolder(options_.json), ToJson(kernel_));
    return problem.empty() ? CompareAll() : Unusable(problem);
  }

 private:
  std::string ReadFolder() {
    const fs::path folder = FromUsersFolder(options_.folder);
    for (const std::string& file : ConversationFilesIn(options_.folder)) {
      auto read = ReadConversationFile(file);
      if (auto* problem = std::get_if<std::string>(&read)) return *problem;
      Conversation conversation = std::get<ConversationFile>(std::move(read)).conversation;
      const auto expectation = ReadExpectation(conversation);
      if (const auto* problem = std::get_if<std::string>(&expectation))
        return fmt::format("{}: {}", file, *problem);
      const std::string& why = std::get<Expectation>(expectation).not_in_lab;
      const std::string path = fs::path(FromUsersFolder(file)).lexically_relative(folder).string();
      const Profile* const own = FindProfile(conversation.profile);
      if (own != nullptr && own->transport != profile_.transport) continue;  // of another link
      if (!why.empty()) {
        if (options_.from.empty()) fmt::print("{}: not in the lab: {}\n", path, why);
        continue;
      }
      asked_.push_back({path, std::move(conversation)});
    }
    return asked_.empty() ? fmt::format("{} has nothing for the lab", options_.folder) : "";
  }

  // The conversations once more, each by itself, and then all runs.
  std::string AskGuests() {
    const fs::path report = FromUsersFolder(options_.lab.run.report);
    const fs::path given = report / "given";
    const fs::path folder = FromUsersFolder(options_.folder);
    bool overlaps = Overlap(folder, given);
    for (int run = 0; run < options_.runs; ++run)
      overlaps = overlaps || Overlap(folder, FolderOf(run, report));
    if (overlaps)
      return fmt::format("--folder {} is where the report keeps its copies: give another --report",
                         options_.folder);
    std::error_code error;
    fs::remove_all(given, error);
    for (const Asking& asking : asked_) {
      fs::create_directories((given / asking.path).parent_path(), error);
      fs::copy_file(fs::path(FromUsersFolder(options_.folder)) / asking.path, given / asking.path,
                    fs::copy_options::overwrite_existing, error);
      if (error) return fmt::format("{}: {}", (given / asking.path).string(), error.message());
    }
    for (const Asking& asking : asked_) kernel_.scenarios.push_back({asking.path, {}});
    for (int run = 0; run < options_.runs && !Interrupted(); ++run)
      if (std::string problem = AskOnce(run, given, report); !problem.empty()) return problem;
    return {};
  }

  static fs::path FolderOf(int run, const fs::path& report) {
    return report / fmt::format("run-{}", run + 1);
  }

  std::string AskOnce(int run, const fs::path& given, const fs::path& report) {
    LabOptions lab = options_.lab;
    lab.run.conversations = given.string();
    lab.run.report = FolderOf(run, report).string();
    lab.run.sequences = asked_.size();
    lab.begin_with = static_cast<uint64_t>(run) * asked_.size() / options_.runs;
    std::error_code ignored;
    fs::remove_all(lab.run.report, ignored);
    const int code = RunLab(lab);
    if (code == kExitUnusable) return "the guests did not finish";
    if (Interrupted()) return {};
    return TakeRun(lab.run.report);
  }

  // The reports of a run, by conversation.
  std::string TakeRun(const fs::path& folder) {
    auto read = ReadLabReport(folder);
    if (const auto* problem = std::get_if<std::string>(&read)) return *problem;
    const LabReport& done = std::get<LabReport>(read);
    kernel_.library = done.library;
    kernel_.kernel = done.kernel;
    kernel_.profile = done.profile;
    for (size_t i = 0; i < kernel_.scenarios.size(); ++i) {
      const fs::path file = folder / "conversations" / fmt::format("{:06}.conv", i);
      auto content = ReadFile(file.string());
      if (!content) return fmt::format("{} is missing: no guest has finished", file.string());
      auto history = ParseHistory(*content);
      if (const auto* problem = std::get_if<TextProblem>(&history))
        return fmt::format("{}:{}: {}", file.string(), problem->line, problem->what);
      kernel_.scenarios[i].runs.push_back(TimedEvents(std::get<History>(history)));
    }
    return {};
  }

  std::string ReadKept() {
    const fs::path from = FromUsersFolder(options_.from);
    if (fs::is_directory(from)) return ReadReport(from);
    auto content = ReadFile(from);
    if (!content) return fmt::format("{} cannot be read: {}", options_.from, WhyNotRead(from));
    auto read = ReadLabScenarios(*content);
    if (const auto* problem = std::get_if<std::string>(&read))
      return fmt::format("{}: {}", options_.from, *problem);
    kernel_ = std::get<LabScenarios>(std::move(read));
    return {};
  }

  // The report of an earlier call.
  std::string ReadReport(const fs::path& report) {
    const fs::path given = report / "given";
    for (const std::string& file : ConversationFilesIn(given.string()))
      kernel_.scenarios.push_back({fs::path(file).lexically_relative(given).string(), {}});
    for (int run = 1; fs::is_directory(report / fmt::format("run-{}", run)); ++run)
      if (std::string problem = TakeRun(report / fmt::format("run-{}", run)); !problem.empty())
        return problem;
    return {};
  }

  History OnSimulator(Conversation conversation) const {
    conversation.profile = profile_.name;
    const std::unique_ptr<Implementation> simulator =
        MakeSimImplementation({.profile = profile_, .capabilities = conversation.capabilities});
    return Perform(conversation, *simulator->Start(conversation), profile_.transport);
  }

  int CompareAll() {
    size_t same = 0;
    size_t compared = 0;
    for (const Asking& asking : asked_) {
      const LabScenario* const kernel = kernel_.Find(asking.path);
      if (kernel == nullptr) continue;
      const ScenarioComparison comparison =
          Compare(*kernel, OnSimulator(asking.conversation), profile_);
      fmt::print("{}\n", ToText(comparison));
      ++compared;
      if (comparison.same()) ++same;
    }
    fmt::print("{} of {} scenarios have the same outcome on Linux {} as on the simulator\n", same,
               compared, kernel_.kernel);
    return same == compared && compared == asked_.size() ? kExitClean : kExitFound;
  }

  ScenarioOptions options_;
  Profile profile_;
  std::vector<Asking> asked_;
  LabScenarios kernel_;
};

}  // namespace

void AddLabScenarios(Verb lab) {
  Verb verb =
      lab.Add("scenarios", "Carry out the protocol's scenarios in guests, beside the simulator", R"(
Carries out the scenarios of the profile's link. Prints each event of both with its time,
and by how much the kernel's timers may be late. Exit code 1 when an event is another one, too early
or too late.
Examples:
  cmcheck lab scenarios --json conformance/recordings/lab/scenarios/6.1-rxe.json
  cmcheck lab scenarios --profile 6.1-siw
  cmcheck lab scenarios --folder conformance/scenarios/protocol/loss --runs 1
  cmcheck lab scenarios --from conformance/recordings/lab/scenarios/6.1-rxe.json)");
  auto options = std::make_shared<ScenarioOptions>();
  options->lab.run.topology = "one-kernel-two-devices";
  verb.Text("--folder", &options->folder, "Folder of the conversations");
  verb.Number("--runs", &options->runs, 1, 100, "Runs of each, in another order every time");
  verb.Number("--guests", &options->lab.guests, 1, 16, "Concurrent guests");
  verb.Text("--profile", &options->lab.run.asked.profile, "What the guest's kernel is like");
  verb.Text("--report", &options->lab.run.report, "A folder for the reports of the runs");
  verb.Text("--json", &options->json, "File that keeps the kernel's outcomes");
  verb.Text("--from", &options->from, "Kept outcomes, a file or a report, in place of guests");
  verb.Does([options] { return ScenarioRun(*options).Go(); });
}

}  // namespace cm
