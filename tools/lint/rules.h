// The house rules: a sentence and a check for each.
#ifndef TOOLS_LINT_RULES_H_
#define TOOLS_LINT_RULES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lint/tree.h"

namespace lint {

// A place that breaks a rule.
struct Finding {
  std::string path;
  int line = 1;
  std::string_view rule;
  std::string message;
};

// file:line: rule: message
std::string ToText(const Finding& finding);

// Collects the findings of a rule.
class Report {
 public:
  explicit Report(std::string_view rule) : rule_(rule) {}

  void Add(const Source& source, int line, std::string message) {
    findings_.push_back({source.path(), line, rule_, std::move(message)});
  }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::string_view rule_;
  std::vector<Finding> findings_;
};

struct Rule {
  std::string_view id;    // permanent: exceptions.txt cites it
  std::string_view says;  // in one sentence
  void (*check)(const Tree& tree, Report& report);
};

// By family, each in the file of that name.
std::span<const Rule> WordRules();
std::span<const Rule> OrderRules();
std::span<const Rule> DrawRules();
std::span<const Rule> EnumRules();
std::span<const Rule> ShapeRules();
std::span<const Rule> ModuleRules();
std::span<const Rule> NoteRules();
std::span<const Rule> BuildRules();
std::span<const Rule> DepRules();
std::span<const Rule> MapRules();
std::span<const Rule> LinkRules();

// All of them.
std::vector<Rule> AllRules();

// The findings of one rule, and of all rules, by path, line and rule.
std::vector<Finding> Check(const Rule& rule, const Tree& tree);
std::vector<Finding> CheckAll(const Tree& tree);

// A file of C++ that is ours, whatever folder it is in.
bool IsOurCpp(const Source& source);

// In a folder whose runs must repeat exactly.
bool IsDeterministic(const Source& source);

}  // namespace lint

#endif  // TOOLS_LINT_RULES_H_
