#include "tools/rules/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/conversation/call_syntax.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/fault_kinds.h"

namespace cm::ruledoc {
namespace {

// In a cell of a table, as code; empty where there is nothing to say.
std::string Code(std::string_view text) {
  if (text.empty()) return {};
  std::string code = "`";
  for (const char c : text) code += c == '|' ? "\\|" : std::string(1, c);
  return code + "`";
}

// "[from=SIDE]": in brackets where there is a default.
std::string ArgumentText(const FaultFieldRow& row) {
  const std::string word =
      row.key.empty() ? std::string(row.form) : fmt::format("{}={}", row.key, row.form);
  return row.otherwise.empty() ? word : fmt::format("[{}]", word);
}

}  // namespace

std::string CallsMarkdown() {
  std::string text = "| line | defaults | | source |\n|---|---|---|---|\n";
  for (int i = 0; i < kCallKindCount; ++i) {
    const auto kind = static_cast<CallKind>(i);
    text += fmt::format("| {} | {} | {} | {} |\n", Code(SyntaxOf(kind)), Code(DefaultsOf(kind)),
                        TraitsText(kind), Code(TraitsOf(kind).manual));
  }
  return text;
}

std::string FaultsMarkdown() {
  std::string text =
      "| fault | arguments | needs | what it does | ends with |\n|---|---|---|---|---|\n";
  std::vector<FaultField> fields;
  for (const FaultRow& row : kFaultKinds) {
    std::string arguments;
    for (const FaultField field : row.takes) {
      arguments += (arguments.empty() ? "" : " ") + ArgumentText(RowOf(field));
      if (std::ranges::count(fields, field) == 0) fields.push_back(field);
    }
    std::string ends = row.healed ? "`heal`" : "";
    if (row.undone_by)
      ends += fmt::format("{}`{}`", ends.empty() ? "" : ", ", ToString(*row.undone_by));
    text += fmt::format("| `{}` | {} | `{}` | {} | {} |\n", row.name, Code(arguments),
                        ToString(row.needs), row.sentence, ends);
  }
  text += "\n| argument | default | needs |\n|---|---|---|\n";
  for (const FaultField field : fields) {
    const FaultFieldRow& row = RowOf(field);
    text += fmt::format("| {} | {} | {} |\n", Code(ArgumentText(row)), row.otherwise,
                        row.asks == nullptr ? "" : fmt::format("`{}`", ToString(row.needs)));
  }
  return text;
}

std::string WithRegion(std::string page, std::string_view name, std::string_view text) {
  const std::string begin = fmt::format("<!-- generated: {} -->\n", name);
  const std::string end = fmt::format("<!-- end: {} -->\n", name);
  const size_t from = page.find(begin);
  const size_t until = page.find(end);
  if (from == page.npos || until == page.npos || until < from) return page;
  return page.replace(from + begin.size(), until - from - begin.size(), text);
}

std::string LanguageMarkdown(std::string page) {
  return WithRegion(WithRegion(std::move(page), "calls", CallsMarkdown()), "faults",
                    FaultsMarkdown());
}

}  // namespace cm::ruledoc
