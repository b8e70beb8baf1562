// No two draws in unspecified order: compilers evaluate arguments in different orders.
#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tools/lint/functions.h"
#include "tools/lint/rules.h"
#include "tools/lint/usage.h"

namespace lint {
namespace {

// The members of Choice, and of its wrappers, that draw.
constexpr auto kDraws = std::to_array<std::string_view>({"Below", "OneIn", "OneOf", "Between"});

// The words whose parentheses end with a full expression of their own.
constexpr auto kConditions =
    std::to_array<std::string_view>({"if", "while", "for", "switch", "constexpr"});

constexpr auto kDeclarations =
    std::to_array<std::string_view>({"class", "struct", "union", "namespace", "extern"});

template <size_t n>
bool Contains(const std::array<std::string_view, n>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// The functions of a file that draw, directly or through another function of the file. Calls of
// them are draws, too; functions of other files are not visible here.
class DrawingFunctions {
 public:
  explicit DrawingFunctions(const Source& source) : tokens_(source.tokens()) {
    const std::vector<Function> functions = Functions(tokens_);
    size_t known = 0;
    do {
      known = names_.size();
      for (const Function& function : functions) {
        if (Draws(function)) names_.insert(function.name);
      }
    } while (names_.size() > known);
  }

  bool IsDraw(size_t at) const {
    if (Contains(kDraws, tokens_[at].text) && IsCallOfMember(tokens_, at)) return true;
    return names_.contains(tokens_[at].text) && IsCallOfFree(tokens_, at) && !IsDefined(at);
  }

 private:
  bool Draws(const Function& function) const {
    for (size_t i = function.open; i < function.close; ++i) {
      if (IsDraw(i)) return true;
    }
    return false;
  }

  bool IsDefined(size_t at) const {
    const Token& after = Neighbour(tokens_, Closing(tokens_, at + 1), 1);
    return after.Is("{") || after.Is("const") || after.Is("override");
  }

  Tokens tokens_;
  std::set<std::string, std::less<>> names_;
};

// Sums up, from a file's first token to its last, the draws that one expression makes in
// unspecified order. `a ? b : c`, `a && b` and f(g()) have an order; a + b and f(a, b) have none.
class DrawCounter {
 public:
  // Counts the draws from the choice called `whose`; from all of them when that is empty.
  DrawCounter(Tokens tokens, const DrawingFunctions& drawing, std::string_view whose)
      : tokens_(tokens), drawing_(drawing), whose_(whose) {}

  // The lines of the second and later draws of an expression.
  std::vector<int> Run() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].in_directive) Step(i);
    }
    return std::move(lines_);
  }

 private:
  enum class Bracket { kBlock, kCondition, kExpression };

  // The tokens between two brackets: arguments, each with its alternatives.
  struct Level {
    Bracket bracket = Bracket::kBlock;
    bool declares = false;  // this statement opens a namespace or a type
    int drawn_on = 0;       // the line of the draw whose arguments these are, or 0
    int earlier = 0;        // draws of the arguments before this one
    int most = 0;           // maximum over the alternatives of this argument
    int now = 0;            // draws of this alternative

    void EndAlternative() {
      most = std::max(most, now);
      now = 0;
    }
    void EndArgument() {
      EndAlternative();
      earlier += most;
      most = 0;
    }
    void EndStatement() {
      earlier = most = now = 0;
      declares = false;
    }
  };

  void Step(size_t at) {
    const Token& token = tokens_[at];
    if (token.Is("(") || token.Is("[") || token.Is("{")) {
      levels_.push_back({.bracket = BracketAt(at), .drawn_on = token.Is("(") ? DrawBefore(at) : 0});
    } else if (token.Is(")") || token.Is("]") || token.Is("}")) {
      Close();
    } else if (token.Is(";")) {
      levels_.back().EndStatement();
    } else if (token.Is(",")) {
      levels_.back().EndArgument();
    } else if (IsSequencing(at)) {
      levels_.back().EndAlternative();
    } else if (Contains(kDeclarations, token.text)) {
      levels_.back().declares = true;
    }
  }

  int DrawBefore(size_t open) const {
    if (open == 0 || !drawing_.IsDraw(open - 1)) return 0;
    const bool is_mine = whose_.empty() || Neighbour(tokens_, open, -3).Is(whose_);
    return is_mine ? tokens_[open - 1].line : 0;
  }

  bool IsSequencing(size_t at) const {
    const Token& token = tokens_[at];
    if (token.Is("&") || token.Is("|")) return Neighbour(tokens_, at, -1).Is(token.text);
    return token.Is("?") || token.Is(":");
  }

  Bracket BracketAt(size_t at) const {
    const Token& before = Neighbour(tokens_, at, -1);
    if (tokens_[at].Is("(")) {
      return Contains(kConditions, before.text) ? Bracket::kCondition : Bracket::kExpression;
    }
    return tokens_[at].Is("{") && OpensBlock(before) ? Bracket::kBlock : Bracket::kExpression;
  }

  // Statements follow, not the elements of a braced list.
  bool OpensBlock(const Token& before) const {
    constexpr auto kBeforeBlock = std::to_array<std::string_view>(
        {")", "]", ":", "else", "do", "try", "const", "noexcept", "mutable", "override", "final"});
    if (Contains(kBeforeBlock, before.text)) return true;
    if (levels_.back().bracket != Bracket::kBlock) return false;
    return levels_.back().declares || before.Is("{") || before.Is("}") || before.Is(";") ||
           before.text.empty();
  }

  void Close() {
    if (levels_.size() == 1) return;
    Level closed = levels_.back();
    levels_.pop_back();
    Level& outer = levels_.back();
    closed.EndArgument();
    if (closed.bracket == Bracket::kExpression) {
      outer.now += closed.earlier;
      if (closed.drawn_on > 0 && closed.earlier == 0) Draw(closed.drawn_on);
    } else if (outer.bracket == Bracket::kBlock) {
      outer.EndStatement();
    }
  }

  void Draw(int line) {
    ++levels_.back().now;
    int unordered = 0;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      unordered += level->earlier + level->now;
      if (level->bracket != Bracket::kExpression) break;
    }
    if (unordered > 1) lines_.push_back(line);
  }

  Tokens tokens_;
  const DrawingFunctions& drawing_;
  std::string_view whose_;
  std::vector<Level> levels_ = {Level()};
  std::vector<int> lines_;
};

// Choices whose draws are counted separately. `first.Below(6, …) == second.Below(6, …)` compares,
// in a test, two independent choices; elsewhere two names may refer to one choice.
std::set<std::string_view> Choices(const Source& source, const DrawingFunctions& drawing) {
  if (!source.IsTest()) return {""};
  std::set<std::string_view> choices;
  for (size_t i = 0; i < source.tokens().size(); ++i) {
    if (drawing.IsDraw(i)) choices.insert(Neighbour(source.tokens(), i, -2).text);
  }
  return choices;
}

void OneDraw(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source)) continue;
    const DrawingFunctions drawing(source);
    for (const std::string_view whose : Choices(source, drawing)) {
      for (const int line : DrawCounter(source.tokens(), drawing, whose).Run()) {
        report.Add(source, line, "a second draw in one expression: give each a variable, in order");
      }
    }
  }
}

constexpr auto kDrawRules = std::to_array<Rule>({
    {"one-draw", "No expression draws twice from a Choice in no certain order.", OneDraw},
});

}  // namespace

std::span<const Rule> DrawRules() { return kDrawRules; }

}  // namespace lint
