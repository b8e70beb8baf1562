#include "tools/lint/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace lint {

std::string ToText(const Finding& finding) {
  return fmt::format("{}:{}: {}: {}", finding.path, finding.line, finding.rule, finding.message);
}

std::vector<Rule> AllRules() {
  std::vector<Rule> all;
  for (const std::span<const Rule> family :
       {WordRules(), OrderRules(), DrawRules(), EnumRules(), ShapeRules(), ModuleRules(),
        NoteRules(), BuildRules(), DepRules(), MapRules(), LinkRules()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

std::vector<Finding> Check(const Rule& rule, const Tree& tree) {
  Report report(rule.id);
  rule.check(tree, report);
  return report.findings();
}

std::vector<Finding> CheckAll(const Tree& tree) {
  std::vector<Finding> all;
  for (const Rule& rule : AllRules()) {
    const std::vector<Finding> found = Check(rule, tree);
    all.insert(all.end(), found.begin(), found.end());
  }
  std::ranges::stable_sort(all, {}, [](const Finding& finding) {
    return std::tuple(finding.path, finding.line, finding.rule);
  });
  return all;
}

bool IsOurCpp(const Source& source) {
  return source.language() == Language::kCpp && !source.IsUnder("tools/third_party");
}

bool IsDeterministic(const Source& source) {
  return source.IsUnder("model") || source.IsUnder("sim") || source.IsUnder("conformance");
}

}  // namespace lint
