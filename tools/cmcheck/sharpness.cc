#include "conformance/sharpness/sharpness.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "conformance/runner/profile_file.h"
#include "conformance/sharpness/measure.h"
#include "model/base/files.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/progress.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

struct SharpnessOptions {
  std::vector<std::string> folders;
  std::string profile;
  std::string page;
  double at_least = 95;
  int jobs = 1;
  bool list_permitted = false;
};

// The files of all folders, or the error.
std::variant<std::vector<fs::path>, std::string> FilesOf(const std::vector<std::string>& folders) {
  std::vector<fs::path> files;
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::path path = FromUsersFolder(folder);
    if (!fs::exists(path, error))
      return fmt::format("{}: {}", folder, error ? WhyNotRead(path) : "there is no such file");
    if (std::string problem = WhyUnreadable(folder); !problem.empty()) return problem;
    const std::vector<fs::path> found = MeasurableFiles(path);
    files.insert(files.end(), found.begin(), found.end());
  }
  if (files.empty())
    return "there is no recording (.jsonl), conversation (.conv) or capture (.pcap) in " +
           fmt::format("{}", fmt::join(folders, ", "));
  return files;
}

void PrintPermitted(const Sharpness& sharpness) {
  for (const FileSharpness& file : sharpness.files()) {
    for (const PermittedAlteration& one : file.permitted)
      fmt::print("permitted {}\n          {}\n", one.name,
                 one.reason.empty() ? "no reason is listed" : one.reason);
    for (const std::string& name : file.listed_and_refused)
      fmt::print("listed as permitted, and refused {}\n", name);
  }
}

int Judge(const Sharpness& sharpness, double at_least) {
  for (const FileSharpness& file : sharpness.files())
    if (file.problem != FileProblem::kNone)
      fmt::print("not measured {}: {}\n", file.path.string(), file.why);
  const auto basis_points = static_cast<size_t>(std::llround(at_least * 100));
  const std::vector<std::string> below = sharpness.Below(basis_points);
  for (const std::string& kind : below) fmt::print("below {} %: {}\n", at_least, kind);
  if (!below.empty() || sharpness.Has(FileProblem::kRefused)) return kExitFound;
  if (sharpness.Has(FileProblem::kUnreadable)) return kExitUnusable;
  return sharpness.Has(FileProblem::kUndecided) ? kExitInconclusive : kExitClean;
}

int DoSharpness(const SharpnessOptions& options) {
  std::optional<Profile> profile;
  if (!options.profile.empty()) {
    auto loaded = LoadProfile(ProfileFromUser(options.profile));
    if (auto* problem = std::get_if<std::string>(&loaded)) return Unusable(*problem);
    profile = std::get<Profile>(std::move(loaded));
  }
  const auto found = FilesOf(options.folders);
  if (const auto* problem = std::get_if<std::string>(&found)) return Unusable(*problem);
  const auto& files = std::get<std::vector<fs::path>>(found);
  const std::string page = options.page.empty() ? "" : FromUsersFolder(options.page);
  if (std::string why = page.empty() ? "" : WhyUnwritable(page); !why.empty()) return Unusable(why);
  Progress progress("files", files.size());
  const Sharpness sharpness =
      Measure(files, {.profile = profile ? &*profile : nullptr,
                      .jobs = options.jobs,
                      .stopped = [] { return Interrupted().load(); },
                      .on_file = [&](size_t done, size_t /*total*/) { progress.At(done); }});
  progress.Clear();
  fmt::print("{}", SharpnessTable(sharpness));
  if (options.list_permitted) PrintPermitted(sharpness);
  if (Interrupted()) return kExitInterrupted;
  if (!page.empty())
    if (std::string why = WriteFile(page, SharpnessMarkdown(sharpness)); !why.empty())
      return Unusable(why);
  return Judge(sharpness, options.at_least);
}

}  // namespace

void AddSharpness(Verb cmcheck) {
  Verb verb = cmcheck.Add("sharpness",
                          "Alter what was observed in every way, and count what is refused", R"(
Recordings (.jsonl), conversations with a history (.conv) and captures (.pcap) are altered in one
place each time, and judged: another errno, event or status, quiet or readable, late, never, ...
A recording is judged by the profile that a folder above it is named after, a conversation by its
own. The nearest admissible.txt above a file lists alterations that are permitted, with the reason.
Exit code 1 when a smaller share of a kind is refused than --at-least and not all others are listed,
or a file is refused as it stands; 2 when one cannot be read; 3 when one is not decided.
Examples:
  cmcheck sharpness conformance/recordings/6.1-rxe --jobs 2
  cmcheck sharpness conformance/scenarios/rejection --list-permitted
  cmcheck sharpness model/mad/captures --at-least 90
  cmcheck sharpness my-recordings --profile mine.json)");
  auto options = std::make_shared<SharpnessOptions>();
  verb.Arguments("folder", &options->folders, "Folders, or single files");
  verb.Text("--profile", &options->profile,
            "Profile of all files: a name of `cmcheck list profiles`, or a file");
  verb.PerCent("--at-least", &options->at_least,
               "The share of each kind that must be refused, in percent");
  verb.Flag("--list-permitted", &options->list_permitted,
            "Alterations that are not refused: place, what, and the reason if one is listed");
  verb.Number("-j,--jobs", &options->jobs, 1, 64, "Threads; the result is the same");
  verb.Text("--page", &options->page, "Also write the tables and the reasons as Markdown");
  verb.Does([options] { return DoSharpness(*options); });
}

}  // namespace cm
