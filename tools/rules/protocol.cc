#include "tools/rules/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>
#include <utility>
#include <variant>

#include "model/base/check.h"
#include "model/base/files.h"
#include "model/vocabulary/profile.h"

namespace cm::ruledoc {
namespace {

constexpr int kLastScenario = 77;
constexpr size_t kMostOthers = 2;
constexpr std::string_view kProtocol = "protocol/";

bool IsRowName(std::string_view name) {
  size_t at = 1;
  if (name.empty() || std::string_view("NRLDM").find(name[0]) == std::string_view::npos)
    return false;
  while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0) ++at;
  return at > 1 && (at == name.size() || (at + 1 == name.size() &&
                                          std::islower(static_cast<unsigned char>(name[at])) != 0));
}

// "R2, R29" as names; empty when one of them is unknown.
std::vector<std::string> NamesIn(std::string_view inside) {
  std::vector<std::string> names;
  std::istringstream in{std::string(inside)};
  for (std::string name; std::getline(in, name, ',');) {
    name.erase(0, name.find_first_not_of(' '));
    if (!IsRowName(name)) return {};
    names.push_back(name);
  }
  return names;
}

bool Needs(const Told& told, const std::vector<model::RuleNumber>& rules) {
  return std::ranges::any_of(rules, [&](model::RuleNumber r) { return told.permitted[r]; });
}

std::map<std::string, std::vector<model::RuleNumber>> RulesByRow() {
  std::map<std::string, std::vector<model::RuleNumber>> by_row;
  const auto rules = model::AllRules();
  for (size_t i = 0; i < rules.size(); ++i)
    for (const std::string& row : RowsNamedIn(rules[i].evidence.source))
      by_row[row].push_back(static_cast<model::RuleNumber>(i));
  return by_row;
}

std::string LinkTo(const Told& told) {
  std::string name = ScenarioNumberOf(told.path);
  if (name.empty()) name = told.path;
  return fmt::format("[{}]({}{})", name, kScenarios, told.path);
}

std::string LinksTo(const std::vector<const Told*>& told, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(most, told.size()); ++i)
    text += (text.empty() ? "" : " ") + LinkTo(*told[i]);
  return text;
}

std::string LineOf(const RowReach& reach) {
  std::vector<std::string> rules;
  for (const model::RuleNumber rule : reach.rules)
    rules.push_back(fmt::format("`{}`", model::InfoOf(rule).id));
  std::string where = LinksTo(reach.conversations, reach.conversations.size());
  if (where.empty()) where = LinksTo(reach.others, kMostOthers);
  if (where.empty() && !reach.row->unreachable.empty())
    where = fmt::format("not reached: {}", reach.row->unreachable);
  return fmt::format("| {} | {} | {} | {} |\n", reach.row->name, reach.row->says,
                     fmt::join(rules, " "), where);
}

std::string InLab(const Told& told, std::span<const LabScenarios> kernels) {
  if (!told.not_in_lab.empty()) return told.not_in_lab;
  std::vector<std::string_view> profiles;
  for (const LabScenarios& kernel : kernels)
    if (kernel.Find(std::string_view(told.path).substr(kProtocol.size())) != nullptr)
      profiles.push_back(kernel.profile);
  return fmt::format("{}", fmt::join(profiles, ", "));
}

std::string TitleOf(const Told& told) {
  const size_t stop = told.says.find(". ");
  return stop == std::string::npos ? told.says : told.says.substr(stop + 2);
}

}  // namespace

std::vector<std::string> RowsNamedIn(std::string_view source) {
  std::vector<std::string> rows;
  for (size_t open = source.find('('); open != std::string_view::npos;
       open = source.find('(', open + 1)) {
    const size_t close = source.find(')', open);
    if (close == std::string_view::npos) break;
    for (std::string& name : NamesIn(source.substr(open + 1, close - open - 1)))
      rows.push_back(std::move(name));
  }
  return rows;
}

std::vector<RowReach> RowsReached(std::span<const Told> told) {
  auto by_row = RulesByRow();
  std::vector<RowReach> reached;
  for (const ProtocolRow& row : ProtocolRows()) {
    RowReach& reach = reached.emplace_back();
    reach.row = &row;
    reach.rules = by_row[std::string(row.name)];
    std::vector<model::RuleNumber> its_own;
    for (const model::RuleNumber rule : reach.rules)
      if (RowsNamedIn(model::InfoOf(rule).evidence.source).size() == 1) its_own.push_back(rule);
    for (const Told& one : told) {
      const bool claims = std::ranges::find(one.rows, row.name) != one.rows.end();
      if (claims && Needs(one, reach.rules)) reach.conversations.push_back(&one);
      if (!claims && Needs(one, its_own)) reach.others.push_back(&one);
    }
  }
  return reached;
}

std::vector<std::string> UnfoundedClaims(std::span<const Told> told) {
  auto by_row = RulesByRow();
  std::vector<std::string> unfounded;
  for (const Told& one : told)
    for (const std::string& row : one.rows)
      if (!Needs(one, by_row[row])) unfounded.push_back(fmt::format("{}: {}", one.path, row));
  return unfounded;
}

std::vector<std::string> ScenarioNumbers() {
  std::vector<std::string> numbers;
  for (int i = 1; i <= kLastScenario; ++i) {
    numbers.push_back(fmt::format("S{:02}", i));
    if (i == 30) numbers.emplace_back("S30b");
  }
  return numbers;
}

std::string ScenarioNumberOf(std::string_view path) {
  if (!path.starts_with(kProtocol)) return {};
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file.size() < 2 || file[0] != 's' || std::isdigit(static_cast<unsigned char>(file[1])) == 0)
    return {};
  return "S" + std::string(file.substr(1, file.find('-') - 1));
}

std::string ProtocolMarkdown(std::span<const Told> told, std::span<const LabScenarios> kernels) {
  std::string text =
      "# The protocol\n\n" + std::string(kGenerated) +
      R"(The messages of the connection manager, as Linux treats them: what becomes of a request that
arrives (N), of any other message (R), of a local call (L), of an id that is destroyed (D) and of a
timer (M). A row is implemented by the [rows](rules.md) of the model whose source names it, and reached
by the conversations in whose explanation one of those stands. The simulator has code of its
own for all of it.

| row | what happens | rows of the model | reached by |
|---|---|---|---|
)";
  for (const RowReach& reach : RowsReached(told)) text += LineOf(reach);
  text += R"(
## Scenarios

Each is carried out by the simulator under the profile that it names, and one of `6.1-rxe` under those of
the later kernels, too; what its comment says of events, times and messages is compared with what happens
by `//conformance/scenarios:protocol_test`.
The last column says which kernels were asked the same, by their profiles, or why none was; what they
answered stands in [scenarios.md](scenarios.md).

| scenario | what happens | in the lab |
|---|---|---|
)";
  for (const std::string& number : ScenarioNumbers()) {
    for (const Told& one : told)
      if (ScenarioNumberOf(one.path) == number)
        text += fmt::format("| {} | {} | {} |\n", LinkTo(one), TitleOf(one), InLab(one, kernels));
  }
  return text;
}

std::vector<LabScenarios> KernelScenarios(const std::filesystem::path& root) {
  std::vector<LabScenarios> kernels;
  for (const Profile& profile : Profiles()) {
    const std::optional<std::string> text =
        ReadFile(root / fmt::format("conformance/recordings/lab/scenarios/{}.json", profile.name));
    if (!text) continue;
    auto read = ReadLabScenarios(*text);
    CM_CHECK(std::holds_alternative<LabScenarios>(read));
    kernels.push_back(std::get<LabScenarios>(std::move(read)));
  }
  return kernels;
}

std::vector<ScenarioComparison> ComparedWith(std::span<const Told> told,
                                             const LabScenarios& kernel) {
  const Profile* const profile = FindProfile(kernel.profile);
  CM_CHECK(profile != nullptr);
  std::vector<ScenarioComparison> compared;
  for (const Told& one : told) {
    if (!one.path.starts_with(kProtocol)) continue;
    const LabScenario* const scenario =
        kernel.Find(std::string_view(one.path).substr(kProtocol.size()));
    if (scenario != nullptr)
      compared.push_back(Compare(*scenario, ToldUnder(one, *profile), *profile));
  }
  return compared;
}

std::string ScenariosMarkdown(std::span<const Told> told, std::span<const LabScenarios> kernels) {
  std::string summary;
  std::string tables;
  for (const LabScenarios& kernel : kernels) {
    const std::vector<ScenarioComparison> compared = ComparedWith(told, kernel);
    const auto same = std::ranges::count_if(compared, &ScenarioComparison::same);
    summary += fmt::format("| `{}` | Linux {} | {} | **{} of {}** |\n", kernel.profile,
                           kernel.kernel, kernel.library, same, compared.size());
    for (const ScenarioComparison& one : compared) {
      // Events are the same under every profile of a link; the times of one of them suffice.
      const bool shown =
          &kernel == &kernels.front() || !one.same() || kernels.front().Find(one.path) == nullptr;
      const auto& as_told =
          *std::ranges::find(told, std::string(kProtocol) + one.path, &Told::path);
      if (shown)
        tables += fmt::format("\n## {}, {}{}\n\n{}\n\n{}", one.path, kernel.profile,
                              one.same() ? "" : ": different", as_told.says, ToMarkdown(one));
    }
  }
  return fmt::format(R"(# Scenarios in the lab

{}What each side heard, and when, in seconds after the first `rdma_connect`: the simulator under the
profile of a kernel, whose times are nominal, and that kernel, in runs that begin with another scenario
each. An event is the same when it comes on the same side in the same place with
the same status, not before its nominal time, and not later than the kernel's timers may be late:
each firing by the step of the timer wheel at its length (4 ms below 0.252 s, 32 ms below 2.048 s,
256 ms below 16.4 s, 2.048 s below 131 s), one on top of the other along what led to the event, and
{} for an emulated computer. `cmcheck lab scenarios --profile NAME` runs them again;
`cmcheck lab scenarios --profile NAME --from conformance/recordings/lab/scenarios/NAME.json` prints
all tables of that kernel. Below stand those of the first, and of the others what the first
has not.

| profile | kernel | librdmacm | the same |
|---|---|---|---|
{}{})",
                     kGenerated, ToString(kGuestSlack), summary, tables);
}

}  // namespace cm::ruledoc
