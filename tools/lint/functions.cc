#include "tools/lint/functions.h"

#include <algorithm>
#include <array>

namespace lint {
namespace {

constexpr auto kAfterParameters = std::to_array<std::string_view>(
    {")", "]", "const", "noexcept", "override", "final", "mutable", "try"});

// The tokens before a "{", from the end of the last statement on.
class Head {
 public:
  void Add(const Token& token) {
    if (token.Is(":") && IsAccess()) return Clear();
    tokens_.push_back(token);
  }
  void Clear() { tokens_.clear(); }

  bool OpensFunction() const {
    if (tokens_.empty()) return false;
    if (std::ranges::find(kAfterParameters, tokens_.back().text) != kAfterParameters.end()) {
      return true;
    }
    // A trailing return type, or the initialisers of a constructor.
    return std::ranges::any_of(tokens_, [](const Token& t) { return t.Is("->"); }) ||
           ParametersBefore(":");
  }

  Function Start() const {
    Function function;
    function.first_line = tokens_.front().line;
    const auto paren = std::ranges::find(tokens_, std::string_view("("), &Token::text);
    if (paren != tokens_.begin() && paren != tokens_.end()) {
      function.name = (paren - 1)->text;
      auto at = paren - 1;
      if (at != tokens_.begin() && (at - 1)->Is("~")) --at;
      for (; at - tokens_.begin() >= 2 && (at - 1)->Is("::"); at -= 2)
        function.scope =
            std::string((at - 2)->text) + (function.scope.empty() ? "" : "::") + function.scope;
    }
    return function;
  }

 private:
  bool IsAccess() const {
    if (tokens_.size() != 1) return false;
    return tokens_[0].Is("public") || tokens_[0].Is("private") || tokens_[0].Is("protected");
  }

  bool ParametersBefore(std::string_view text) const {
    for (size_t i = 1; i < tokens_.size(); ++i) {
      if (tokens_[i].Is(text) && tokens_[i - 1].Is(")")) return true;
    }
    return false;
  }

  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Function> Functions(Tokens tokens) {
  std::vector<Function> functions;
  Head head;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.in_directive) continue;
    if (token.Is("{") && head.OpensFunction()) {
      Function function = head.Start();
      function.open = i;
      i = std::min(Closing(tokens, i), tokens.size() - 1);
      function.close = i;
      function.last_line = tokens[i].line;
      functions.push_back(function);
      head.Clear();
    } else if (token.Is(";") || token.Is("{") || token.Is("}")) {
      head.Clear();
    } else {
      head.Add(token);
    }
  }
  return functions;
}

}  // namespace lint
