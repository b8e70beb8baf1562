#include "tools/lint/source.h"

#include <cctype>
#include <utility>

namespace lint {
namespace {

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace

bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool HasWord(std::string_view line, std::string_view word) {
  for (size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const bool starts = at == 0 || !IsWordCharacter(line[at - 1]);
    const size_t end = at + word.size();
    if (starts && (end == line.size() || !IsWordCharacter(line[end]))) return true;
  }
  return false;
}

Language LanguageOf(std::string_view path) {
  if (path.ends_with(".cc") || path.ends_with(".h")) return Language::kCpp;
  if (path == "BUILD" || path.ends_with("/BUILD") || path.ends_with(".bzl")) {
    return Language::kStarlark;
  }
  return Language::kOther;
}

Source::Source(std::string path, std::string text)
    : path_(std::move(path)), language_(LanguageOf(path_)), text_(text.begin(), text.end()) {
  const std::string_view view(text_.data(), text_.size());
  lines_ = Lines(view);
  tokens_ = Lex(view, language_);
}

std::string_view Source::Line(int line) const {
  if (line < 1 || static_cast<size_t>(line) > lines_.size()) return {};
  return lines_[line - 1];
}

bool Source::IsUnder(std::string_view folder) const {
  return path_.size() > folder.size() && path_.starts_with(folder) && path_[folder.size()] == '/';
}

std::string_view Source::name() const {
  const std::string_view path = path_;
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::string_view Source::folder() const {
  const std::string_view path = path_;
  const size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace lint
