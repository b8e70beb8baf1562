#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "conformance/runner/campaign.h"
#include "conformance/scenarios/golden.h"
#include "model/base/files.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

struct RewriteOptions {
  Asked asked;
  std::vector<std::string> paths;
};

struct Counts {
  int written = 0;
  int unchanged = 0;
  int findings = 0;
};

// Empty, or the error.
std::string RewriteOne(const RewriteOptions& options, const std::string& path, Counts* counts) {
  const std::string real_path = FromUsersFolder(path);
  auto content = ReadFile(real_path);
  if (!content) return fmt::format("{} cannot be read: {}", path, WhyNotRead(real_path));
  if (std::string problem = CutOff(path, *content); !problem.empty()) return problem;
  auto golden = ReadGolden(*content);
  if (const auto* problem = std::get_if<TextProblem>(&golden))
    return fmt::format("{}:{}: {}", path, problem->line, problem->what);
  const Golden& known = std::get<Golden>(golden);
  auto carried = CarryOut(path, known.conversation, *content, options.asked);
  if (auto* problem = std::get_if<std::string>(&carried)) return *problem;
  const SequenceRun& judged = std::get<CarriedOut>(carried).run;
  const std::string text = Rewritten(known, judged.history);
  for (const Finding& finding : judged.result.findings) {
    ++counts->findings;
    fmt::print("{}: {} at {}: saw {}\n", path, finding.id, finding.where, finding.saw);
  }
  if (text == *content) {
    ++counts->unchanged;
    return {};
  }
  std::string problem = WriteFile(real_path, text);
  if (problem.empty()) {
    ++counts->written;
    fmt::print("wrote {}\n", path);
  }
  return problem;
}

int Rewrite(const RewriteOptions& options) {
  Counts counts;
  int code = kExitClean;
  for (const std::string& path : options.paths) {
    if (Interrupted()) return kExitInterrupted;
    if (std::string problem = RewriteOne(options, path, &counts); !problem.empty())
      code = Unusable(problem);
  }
  if (counts.written + counts.unchanged > 0)
    fmt::print("{} written, {} unchanged\n", counts.written, counts.unchanged);
  return code == kExitClean && counts.findings > 0 ? kExitFound : code;
}

}  // namespace

void AddRewrite(Verb cmcheck) {
  Verb verb =
      cmcheck.Add("rewrite", "Write the outcome of golden conversations after their dashes", R"(
Writes and prints the files that change; commit a change only when you can say why it is right. A file without
the line of dashes gets one. One that cannot be carried out is printed and left as it is, and the exit
code is 2 when the others are done.
Example:
  cmcheck rewrite conformance/scenarios/loss/*.conv)");
  auto options = std::make_shared<RewriteOptions>();
  options->asked.profile.clear();
  AddAsked(verb, &options->asked);
  verb.Arguments("files", &options->paths, "Conversations");
  verb.Does([options] { return Rewrite(*options); });
}

}  // namespace cm
