// A file of the workspace, with its lines and tokens.
#ifndef TOOLS_LINT_SOURCE_H_
#define TOOLS_LINT_SOURCE_H_

#include <string>
#include <string_view>
#include <vector>

namespace lint {

enum class TokenKind { kWord, kNumber, kLiteral, kPunctuation };

// One lexical token; comments are skipped. A string or character literal keeps its quotes.
struct Token {
  TokenKind kind = TokenKind::kPunctuation;
  std::string_view text;
  int line = 0;               // from 1
  bool in_directive = false;  // part of #include, #define and the like

  bool Is(std::string_view wanted) const { return text == wanted; }
};

// Letters, digits and "_".
bool IsWordCharacter(char c);

// True when `word` occurs in `line` as a whole word.
bool HasWord(std::string_view line, std::string_view word);

enum class Language { kCpp, kStarlark, kOther };

Language LanguageOf(std::string_view path);

// The tokens of the text, for C++ and for Starlark; empty for other languages. "::" and "->" are
// one token, every other punctuation character is one of its own. Tokens point into `text`.
std::vector<Token> Lex(std::string_view text, Language language);

// Owns its text. Moves keep the tokens valid, so it is not copied.
class Source {
 public:
  // `path` is relative to the workspace, with slashes.
  Source(std::string path, std::string text);
  Source(Source&&) = default;
  Source& operator=(Source&&) = default;

  const std::string& path() const { return path_; }
  Language language() const { return language_; }
  const std::vector<std::string_view>& lines() const { return lines_; }
  const std::vector<Token>& tokens() const { return tokens_; }

  // `line` counts from 1; empty past the end.
  std::string_view Line(int line) const;
  // True for a file in `folder` or below it.
  bool IsUnder(std::string_view folder) const;
  bool IsHeader() const { return path_.ends_with(".h"); }
  bool IsTest() const { return path_.ends_with("_test.cc"); }
  // A path without its folder, and a folder without its slash ("" at the top).
  std::string_view name() const;
  std::string_view folder() const;

 private:
  std::string path_;
  Language language_;
  std::vector<char> text_;  // not a string: the views stay valid when this is moved
  std::vector<std::string_view> lines_;
  std::vector<Token> tokens_;
};

}  // namespace lint

#endif  // TOOLS_LINT_SOURCE_H_
