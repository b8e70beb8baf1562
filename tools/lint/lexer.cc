#include <cctype>

#include "tools/lint/source.h"

namespace lint {
namespace {

class Lexer {
 public:
  Lexer(std::string_view text, Language language) : text_(text), language_(language) {}

  std::vector<Token> Run() {
    while (at_ < text_.size()) Step();
    return std::move(tokens_);
  }

 private:
  void Step() {
    const char c = text_[at_];
    if (c == '\n') {
      EndLine();
    } else if (c == '\\' && Peek(1) == '\n') {  // line continuation
      ++line_;
      at_ += 2;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      ++at_;
    } else if (IsComment()) {
      SkipComment();
    } else {
      if (language_ == Language::kCpp && c == '#' && !line_has_token_) in_directive_ = true;
      TakeToken(c);
      line_has_token_ = true;
    }
  }

  void TakeToken(char c) {
    const size_t raw = RawStringPrefix();
    if (raw > 0) {
      TakeRawString(raw);
    } else if (c == '"' || c == '\'') {
      TakeLiteral(c);
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      TakeNumber();
    } else if (IsWordCharacter(c)) {
      size_t end = at_;
      while (end < text_.size() && IsWordCharacter(text_[end])) ++end;
      Take(TokenKind::kWord, end);
    } else {
      const std::string_view pair = text_.substr(at_, 2);
      Take(TokenKind::kPunctuation, at_ + (pair == "::" || pair == "->" ? 2 : 1));
    }
  }

  void EndLine() {
    ++at_;
    ++line_;
    in_directive_ = false;
    line_has_token_ = false;
  }

  char Peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  bool IsComment() const {
    if (language_ == Language::kStarlark) return text_[at_] == '#';
    return text_[at_] == '/' && (Peek(1) == '/' || Peek(1) == '*');
  }

  void SkipComment() {
    const bool is_block = language_ == Language::kCpp && Peek(1) == '*';
    const size_t end = is_block ? text_.find("*/", at_ + 2) : text_.find('\n', at_);
    const size_t stop = end == text_.npos ? text_.size() : end + (is_block ? 2 : 0);
    CountLines(stop);
    at_ = stop;
  }

  // The number of characters that introduce a raw string here, up to its quote; 0 when none starts
  // here.
  size_t RawStringPrefix() const {
    if (language_ != Language::kCpp) return 0;
    for (const std::string_view prefix : {"R\"", "u8R\"", "uR\"", "UR\"", "LR\""}) {
      if (text_.substr(at_).starts_with(prefix)) return prefix.size();
    }
    return 0;
  }

  void TakeRawString(size_t prefix) {
    const size_t open = text_.find('(', at_ + prefix);
    if (open == text_.npos) return Take(TokenKind::kLiteral, text_.size());
    const std::string closing =
        ")" + std::string(text_.substr(at_ + prefix, open - at_ - prefix)) + "\"";
    const size_t end = text_.find(closing, open);
    Take(TokenKind::kLiteral, end == text_.npos ? text_.size() : end + closing.size());
  }

  // An unfinished literal ends with its line; Starlark's triple-quoted ones may span lines.
  void TakeLiteral(char quote) {
    const std::string three(3, quote);
    if (language_ == Language::kStarlark && text_.substr(at_, 3) == three) {
      const size_t end = text_.find(three, at_ + 3);
      return Take(TokenKind::kLiteral, end == text_.npos ? text_.size() : end + 3);
    }
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' && end + 1 < text_.size() ? 2 : 1;
    }
    if (end < text_.size() && text_[end] == quote) ++end;
    Take(TokenKind::kLiteral, end);
  }

  // Digit separators and exponents belong to the number.
  void TakeNumber() {
    size_t end = at_;
    while (end < text_.size() &&
           (IsWordCharacter(text_[end]) || text_[end] == '.' || text_[end] == '\'')) {
      ++end;
    }
    Take(TokenKind::kNumber, end);
  }

  void Take(TokenKind kind, size_t end) {
    tokens_.push_back({kind, text_.substr(at_, end - at_), line_, in_directive_});
    CountLines(end);
    at_ = end;
  }

  void CountLines(size_t end) {
    for (size_t i = at_; i < end && i < text_.size(); ++i) line_ += text_[i] == '\n';
  }

  std::string_view text_;
  Language language_;
  size_t at_ = 0;
  int line_ = 1;
  bool in_directive_ = false;
  bool line_has_token_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> Lex(std::string_view text, Language language) {
  if (language == Language::kOther) return {};
  return Lexer(text, language).Run();
}

}  // namespace lint
