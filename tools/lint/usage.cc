#include "tools/lint/usage.h"

#include <algorithm>
#include <array>

namespace lint {
namespace {

// Words that an expression may follow, so that the next word is not being declared.
constexpr auto kBeforeExpression =
    std::to_array<std::string_view>({"return", "co_return", "co_yield", "case", "else", "do"});

constexpr auto kStdScopes =
    std::to_array<std::string_view>({"std", "ranges", "chrono", "this_thread"});

bool Contains(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

}  // namespace

const Token& Neighbour(Tokens tokens, size_t at, int offset) {
  static const Token kNone;
  const size_t there = at + offset;  // wraps to a large number before the start
  return there < tokens.size() ? tokens[there] : kNone;
}

bool IsCallOfFree(Tokens tokens, size_t at) {
  if (!Neighbour(tokens, at, 1).Is("(")) return false;
  const Token& before = Neighbour(tokens, at, -1);
  if (before.Is(".") || before.Is("->")) return false;
  if (before.Is("::")) {
    const Token& scope = Neighbour(tokens, at, -2);
    return scope.kind != TokenKind::kWord || Contains(kStdScopes, scope.text) ||
           Contains(kBeforeExpression, scope.text);
  }
  return before.kind != TokenKind::kWord || Contains(kBeforeExpression, before.text);
}

bool IsCallOfMember(Tokens tokens, size_t at) {
  const Token& before = Neighbour(tokens, at, -1);
  return Neighbour(tokens, at, 1).Is("(") && (before.Is(".") || before.Is("->"));
}

bool IsOfStd(Tokens tokens, size_t at) {
  return Neighbour(tokens, at, -1).Is("::") && Contains(kStdScopes, Neighbour(tokens, at, -2).text);
}

size_t Closing(Tokens tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if (text == ")" || text == "]" || text == "}") --depth;
    if (depth == 0) return i;
  }
  return tokens.size();
}

}  // namespace lint
