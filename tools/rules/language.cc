#include "tools/rules/language.h"

#include <fmt/format.h>

#include <utility>

#include "model/conversation/call_syntax.h"
#include "model/vocabulary/call.h"

namespace cm::ruledoc {
namespace {

// In a cell of a table, as code; empty where there is nothing to say.
std::string Code(std::string_view text) {
  if (text.empty()) return {};
  std::string code = "`";
  for (const char c : text) code += c == '|' ? "\\|" : std::string(1, c);
  return code + "`";
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

std::string WithRegion(std::string page, std::string_view name, std::string_view text) {
  const std::string begin = fmt::format("<!-- generated: {} -->\n", name);
  const std::string end = fmt::format("<!-- end: {} -->\n", name);
  const size_t from = page.find(begin);
  const size_t until = page.find(end);
  if (from == page.npos || until == page.npos || until < from) return page;
  return page.replace(from + begin.size(), until - from - begin.size(), text);
}

std::string LanguageMarkdown(std::string page) {
  return WithRegion(std::move(page), "calls", CallsMarkdown());
}

}  // namespace cm::ruledoc
