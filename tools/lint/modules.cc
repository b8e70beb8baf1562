// The size and the coupling of modules: classes over files, functions of a header, files that
// include each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/lint/functions.h"
#include "tools/lint/rules.h"

namespace lint {
namespace {

constexpr size_t kFilesOfClassMax = 3;
constexpr size_t kHeaderFunctionsMax = 25;

void ScatteredClass(const Tree& tree, Report& report) {
  using Class = std::pair<std::string_view, std::string>;  // folder and name
  std::map<Class, std::set<const Source*>> files;
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source) || source.IsHeader() || source.IsTest()) continue;
    for (const Function& function : Functions(source.tokens()))
      if (!function.scope.empty()) files[{source.folder(), function.scope}].insert(&source);
  }
  for (const auto& [name, sources] : files) {
    if (sources.size() <= kFilesOfClassMax) continue;
    std::set<std::string_view> names;
    for (const Source* source : sources) names.insert(source->name());
    report.Add(*tree.Find(fmt::format("{}/{}", name.first, *names.begin())), 1,
               fmt::format("the methods of {} stand in {} files, the most is {}: {}", name.second,
                           sources.size(), kFilesOfClassMax, fmt::join(names, ", ")));
  }
}

// Reads a header and counts the functions that it offers: those of namespaces and those that are
// public in a class. Friends, private parts, and what is defaulted or deleted are not counted.
class PublicFunctions {
 public:
  explicit PublicFunctions(Tokens tokens) : tokens_(tokens) { Read(0, tokens.size(), true); }
  size_t count() const { return count_; }

 private:
  void Read(size_t begin, size_t end, bool is_public) {
    std::vector<Token> head;
    for (size_t i = begin; i < end; ++i) {
      const Token& token = tokens_[i];
      if (token.in_directive) continue;
      if (token.Is("(")) {
        head.push_back(token);
        i = std::min(Closing(tokens_, i), end);
      } else if (token.Is(":") && head.size() == 1 && IsAccess(head[0])) {
        is_public = head[0].Is("public");
        head.clear();
      } else if (token.Is("{")) {
        const size_t close = std::min(Closing(tokens_, i), end);
        if (Has(head, "namespace")) {
          Read(i + 1, close, !Has(head, "internal"));
        } else if (is_public && !Has(head, "enum") && (Has(head, "class") || Has(head, "struct")) &&
                   !Declares(head)) {
          Read(i + 1, close, !Has(head, "class"));
        } else if (Declares(head)) {
          count_ += is_public ? 1 : 0;
        }
        // What follows a body is a new declaration; what follows an initialiser ends with ";".
        head.clear();
        i = close;
      } else if (token.Is(";")) {
        count_ += is_public && Declares(head) ? 1 : 0;
        head.clear();
      } else {
        head.push_back(token);
      }
    }
  }

  static bool IsAccess(const Token& t) {
    return t.Is("public") || t.Is("private") || t.Is("protected");
  }
  static bool Has(const std::vector<Token>& head, std::string_view word) {
    return std::ranges::find(head, word, &Token::text) != head.end();
  }
  // The head of a declaration of a function: a name before a parenthesis, and no "=" before that.
  static bool Declares(const std::vector<Token>& head) {
    constexpr auto kNone = std::to_array<std::string_view>(
        {"using", "typedef", "friend", "static_assert", "extern", "concept"});
    if (head.empty() || std::ranges::find(kNone, head[0].text) != kNone.end()) return false;
    if (head.back().Is("default") || head.back().Is("delete")) return false;
    for (size_t i = 1; i < head.size(); ++i) {
      if (head[i - 1].Is("operator")) return true;
      if (head[i].Is("=") || Has({head[i]}, "decltype")) return false;
      if (head[i].Is("(") && head[i - 1].kind == TokenKind::kWord && !head[i - 1].Is("requires"))
        return true;
    }
    return false;
  }

  Tokens tokens_;
  size_t count_ = 0;
};

void WideHeader(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source) || !source.IsHeader()) continue;
    const size_t count = PublicFunctions(source.tokens()).count();
    if (count <= kHeaderFunctionsMax) continue;
    report.Add(
        source, 1,
        fmt::format("{} public functions, the most is {}: look for a noun that some of them share",
                    count, kHeaderFunctionsMax));
  }
}

// A header and its source are one module.
std::string ModuleOf(std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); }

void IncludePair(const Tree& tree, Report& report) {
  constexpr std::string_view kInclude = "#include \"";
  std::map<std::string, std::map<std::string, std::pair<const Source*, int>>> included;
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source)) continue;
    const std::string own = ModuleOf(source.path());
    for (size_t i = 0; i < source.lines().size(); ++i) {
      const std::string_view line = source.lines()[i];
      if (!line.starts_with(kInclude)) continue;
      const std::string_view rest = line.substr(kInclude.size());
      const std::string other = ModuleOf(rest.substr(0, rest.find('"')));
      if (other != own) included[own].try_emplace(other, &source, static_cast<int>(i + 1));
    }
  }
  for (const auto& [own, others] : included) {
    for (const auto& [other, place] : others) {
      const auto back = included.find(other);
      if (own > other || back == included.end() || !back->second.contains(own)) continue;
      report.Add(*place.first, place.second,
                 fmt::format("{} and {} include each other", own, other));
    }
  }
}

constexpr auto kModuleRules = std::to_array<Rule>({
    {"scattered-class", "The methods of a class stand in at most three files.", ScatteredClass},
    {"wide-header", "A header offers at most 25 functions.", WideHeader},
    {"include-pair", "No two modules include each other.", IncludePair},
});

}  // namespace

std::span<const Rule> ModuleRules() { return kModuleRules; }

}  // namespace lint
