#include "conformance/defects/source_text.h"

#include <algorithm>
#include <array>
#include <optional>

namespace cm::defects {
namespace {

constexpr size_t kNone = std::string_view::npos;

bool InWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

size_t SkipSpace(std::string_view code, size_t at) {
  return std::min(code.find_first_not_of(" \t\n", at), code.size());
}

// After the literal that begins at `at`.
size_t EndOfLiteral(std::string_view text, size_t at) {
  if (text[at] == '"' && at > 0 && text[at - 1] == 'R') {
    const size_t open = text.find('(', at);
    const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
    return std::min(text.find(close, open), text.size() - close.size()) + close.size();
  }
  size_t end = at + 1;
  while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

// After the bracket that closes the one at `at`; npos when there is none.
size_t Closed(std::string_view code, size_t at, char open, char close) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    if (code[at] == open) ++depth;
    if (code[at] == close && --depth == 0) return at + 1;
  }
  return kNone;
}

// After the tokens between the parameters and the body.
size_t SkipQualifiers(std::string_view code, size_t at) {
  constexpr std::array<std::string_view, 4> kQualifiers = {"const", "noexcept", "override",
                                                           "final"};
  for (;;) {
    at = SkipSpace(code, at);
    const auto known = std::ranges::find_if(
        kQualifiers, [&](std::string_view one) { return code.substr(at).starts_with(one); });
    if (known == kQualifiers.end()) return at;
    at += known->size();
  }
}

std::optional<Body> BodyAt(std::string_view code, size_t brace) {
  if (brace >= code.size() || code[brace] != '{') return std::nullopt;
  const size_t end = Closed(code, brace, '{', '}');
  if (end == kNone) return std::nullopt;
  return Body{.begin = brace + 1, .end = end - 1};
}

}  // namespace

std::string CodeOnly(std::string_view text) {
  std::string code(text);
  const auto blank = [&](size_t from, size_t to) {
    for (size_t i = from; i < std::min(to, code.size()); ++i)
      if (code[i] != '\n') code[i] = ' ';
    return to;
  };
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const bool separates = text[at] == '\'' && at > 0 && InWord(text[at - 1]);  // 1'000
    if (rest.starts_with("//"))
      at = blank(at, std::min(text.find('\n', at), text.size()));
    else if (rest.starts_with("/*"))
      at = blank(at, std::min(text.find("*/", at + 2), text.size() - 2) + 2);
    else if (text[at] == '"' || (text[at] == '\'' && !separates))
      at = blank(at, EndOfLiteral(text, at));
    else
      ++at;
  }
  return code;
}

size_t FindWord(std::string_view code, std::string_view word, size_t from) {
  for (size_t at = code.find(word, from); at != kNone; at = code.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !InWord(code[at - 1])) && (end == code.size() || !InWord(code[end]))) return at;
  }
  return kNone;
}

std::vector<Body> BodiesOf(std::string_view code, std::string_view name) {
  const bool of_type = name.starts_with("struct ") || name.starts_with("class ");
  std::vector<Body> bodies;
  for (size_t at = FindWord(code, name, 0); at != kNone; at = FindWord(code, name, at + 1)) {
    size_t next = SkipSpace(code, at + name.size());
    if (of_type) {  // behind its bases
      next = code.find_first_of("{;(", next);
    } else {
      if (next >= code.size() || code[next] != '(') continue;
      next = Closed(code, next, '(', ')');
      if (next == kNone) continue;
      next = SkipQualifiers(code, next);
    }
    if (const std::optional<Body> body = BodyAt(code, next)) bodies.push_back(*body);
  }
  return bodies;
}

}  // namespace cm::defects
