// Enumerations: nothing is left to a `default:`, and nothing depends on the order of enumerators.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "tools/lint/rules.h"
#include "tools/lint/usage.h"

namespace lint {
namespace {

using Names = std::set<std::string_view>;

// kName
bool IsConstant(std::string_view word) {
  return word.size() > 1 && word[0] == 'k' &&
         std::isupper(static_cast<unsigned char>(word[1])) != 0;
}

// Where the name of an enumeration stands that is defined at `at`, its "enum"; 0 elsewhere.
size_t NameOfEnum(Tokens tokens, size_t at) {
  if (!tokens[at].Is("enum") || Neighbour(tokens, at, -1).Is("using")) return 0;
  const size_t name = at + (Neighbour(tokens, at, 1).Is("class") ? 2 : 1);
  return name < tokens.size() && tokens[name].kind == TokenKind::kWord ? name : 0;
}

// The "{" of the enumeration whose name stands at `name`; the number of tokens when it is only
// declared.
size_t BodyOfEnum(Tokens tokens, size_t name) {
  size_t at = name;
  while (at < tokens.size() && !tokens[at].Is("{") && !tokens[at].Is(";")) ++at;
  return at < tokens.size() && tokens[at].Is("{") ? at : tokens.size();
}

// All enumerations of a tree, and all enumerators.
struct Enumerations {
  Names types;
  Names values;
};

Enumerations EnumerationsOf(const Tree& tree) {
  Enumerations all;
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source)) continue;
    const Tokens tokens = source.tokens();
    for (size_t i = 0; i < tokens.size(); ++i) {
      const size_t name = NameOfEnum(tokens, i);
      if (name == 0) continue;
      all.types.insert(tokens[name].text);
      const size_t body = BodyOfEnum(tokens, name);
      if (body == tokens.size()) continue;
      for (size_t at = body; at < Closing(tokens, body); ++at)
        if (IsConstant(tokens[at].text)) all.values.insert(tokens[at].text);
    }
  }
  return all;
}

bool UsesEnum(Tokens tokens) {
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].Is("using") && Neighbour(tokens, i, 1).Is("enum")) return true;
  return false;
}

// `CallKind::kX`, by its last word.
bool IsQualifiedEnumerator(Tokens tokens, size_t at, const Enumerations& all) {
  return IsConstant(tokens[at].text) && Neighbour(tokens, at, -1).Is("::") &&
         all.types.contains(Neighbour(tokens, at, -2).text);
}

// The label of the `case` at `at` is an enumerator; unqualified where the file uses enumerations.
bool IsCaseOfOurs(Tokens tokens, size_t at, const Enumerations& all, bool uses_enum) {
  for (size_t i = at + 1; i < tokens.size() && !tokens[i].Is(":"); ++i) {
    if (IsQualifiedEnumerator(tokens, i, all)) return true;
    const bool alone = i == at + 1 && Neighbour(tokens, i, 1).Is(":");
    if (alone && uses_enum && all.values.contains(tokens[i].text)) return true;
  }
  return false;
}

void SwitchDefault(const Tree& tree, Report& report) {
  const Enumerations all = EnumerationsOf(tree);
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source)) continue;
    const Tokens tokens = source.tokens();
    const bool uses_enum = UsesEnum(tokens);
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (!tokens[i].Is("switch") || !tokens[i + 1].Is("(")) continue;
      const size_t open = Closing(tokens, i + 1) + 1;
      if (open >= tokens.size() || !tokens[open].Is("{")) continue;
      bool ours = false;
      const Token* otherwise = nullptr;
      for (size_t at = open + 1; at < tokens.size() && !tokens[at].Is("}"); ++at) {
        if (tokens[at].Is("{") || tokens[at].Is("(")) at = Closing(tokens, at);
        if (at >= tokens.size()) break;
        ours |= tokens[at].Is("case") && IsCaseOfOurs(tokens, at, all, uses_enum);
        if (tokens[at].Is("default") && Neighbour(tokens, at, 1).Is(":")) otherwise = &tokens[at];
      }
      if (!ours || otherwise == nullptr) continue;
      report.Add(source, otherwise->line,
                 "`default:` hides an enumerator that is forgotten: list all cases, or say it with "
                 "`if` or a table");
    }
  }
}

// "<", ">", "<=" or ">=" with spaces around it, as a comparison has and a template has not. `at`:
// its last token.
bool IsComparison(Tokens tokens, size_t at) {
  if (at == 0 || at + 1 >= tokens.size()) return false;
  size_t first = at;
  if (tokens[at].Is("=") && tokens[at - 1].text.data() + 1 == tokens[at].text.data()) --first;
  if (!tokens[first].Is("<") && !tokens[first].Is(">")) return false;
  const char* const begin = tokens[first].text.data();
  const char* const end = tokens[at].text.data() + 1;
  const bool apart = tokens[first - 1].text.data() + tokens[first - 1].text.size() != begin &&
                     tokens[at + 1].text.data() != end;
  return first > 0 && apart;
}

void EnumOrder(const Tree& tree, Report& report) {
  const Enumerations all = EnumerationsOf(tree);
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source)) continue;
    const Tokens tokens = source.tokens();
    int behind_enum = -9;  // the line of the end of the last enumeration
    for (size_t i = 0; i < tokens.size(); ++i) {
      const size_t name = NameOfEnum(tokens, i);
      const size_t body = name == 0 ? tokens.size() : BodyOfEnum(tokens, name);
      const size_t end = body == tokens.size() ? body : Closing(tokens, body);
      if (end < tokens.size()) behind_enum = tokens[end].line;
      if (IsQualifiedEnumerator(tokens, i, all)) {
        size_t before = i - 3;  // of the qualified name
        while (before > 1 && tokens[before].Is("::")) before -= 2;
        const size_t behind = i + (Neighbour(tokens, i, 2).Is("=") ? 2 : 1);
        if (!IsComparison(tokens, before) && !IsComparison(tokens, behind)) continue;
        report.Add(
            source, tokens[i].line,
            fmt::format("compared with `{}` by order: say which values are meant", tokens[i].text));
      }
      const bool counts = IsConstant(tokens[i].text) && tokens[i].text.ends_with("Count") &&
                          Neighbour(tokens, i, 1).Is("=") &&
                          Neighbour(tokens, i, 2).kind == TokenKind::kNumber &&
                          Neighbour(tokens, i, 3).Is(";");
      if (!counts || tokens[i].line - behind_enum > 3) continue;
      report.Add(source, tokens[i].line,
                 fmt::format("`{}` is counted by hand: compute it", tokens[i].text));
    }
  }
}

constexpr auto kEnumRules = std::to_array<Rule>({
    {"switch-default", "A switch over an enumeration of ours lists its values; it has no default.",
     SwitchDefault},
    {"enum-order", "Nothing depends on the order of enumerators, or on their number by hand.",
     EnumOrder},
});

}  // namespace

std::span<const Rule> EnumRules() { return kEnumRules; }

}  // namespace lint
