// Prints what breaks the house rules: file:line: rule: message.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

#include "tools/lint/exceptions.h"

namespace {

void PrintRules() {
  for (const lint::Rule& rule : lint::AllRules()) fmt::print("{:<14}  {}\n", rule.id, rule.says);
}

int PrintFindings(const std::string& root) {
  const lint::Tree tree = lint::Tree::At(root);
  const std::vector<lint::Finding> findings = lint::Lint(tree);
  for (const lint::Finding& finding : findings) fmt::print("{}\n", lint::ToText(finding));
  fmt::print("{} files, {} findings\n", tree.sources().size(), findings.size());
  return findings.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Checks the house rules that no formatter and no compiler knows.", "lint");
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");  // set by bazel run
  std::string root = workspace == nullptr ? "." : workspace;
  bool print_rules = false;
  app.add_option("root", root, "the top of the workspace")->check(CLI::ExistingDirectory);
  app.add_flag("--rules", print_rules, "print the rules instead");
  CLI11_PARSE(app, argc, argv);
  if (!print_rules) return PrintFindings(root);
  PrintRules();
  return 0;
}
