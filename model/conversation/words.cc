#include "model/conversation/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace cm {
namespace {

constexpr Duration kLongest = Duration::Seconds(100'000);

bool MayBeInAName(char c) { return c > ' ' && c <= '~' && c != '"'; }

// The beginning of a text, readable.
std::string Beginning(std::string_view text) {
  constexpr size_t kEnough = 20;
  std::string beginning;
  for (const char c : text.substr(0, kEnough))
    beginning += c >= ' ' && c <= '~' ? std::string(1, c)
                                      : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text.size() > kEnough ? beginning + "..." : beginning;
}

}  // namespace

// Private data in quotes may contain an arrow, and no quote. source: private_data_text.cc
size_t ArrowIn(std::string_view text) {
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text.substr(i).starts_with(kArrow)) return i;
  }
  return std::string_view::npos;
}

Words::Words(std::string_view line) {
  words_.reserve(12);  // seldom more
  size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && (line[i] == ' ' || line[i] == '\t')) ++i;
    const size_t start = i;
    bool quoted = false;
    while (i < line.size() && (quoted || (line[i] != ' ' && line[i] != '\t'))) {
      if (line[i] == '"') quoted = !quoted;
      ++i;
    }
    if (i > start) words_.push_back(line.substr(start, i - start));
    if (quoted) Complain("a quote is not closed");
  }
}

std::string_view Words::Next(std::string_view what) {
  if (words_.empty()) {
    Complain(fmt::format("the line ends where {} should stand", what));
    return {};
  }
  const std::string_view word = words_.front();
  words_.erase(words_.begin());
  return word;
}

std::optional<std::string_view> Words::Take(std::string_view key) {
  const auto word = std::ranges::find_if(words_, [key](std::string_view w) {
    return w.size() > key.size() && w.starts_with(key) && w[key.size()] == '=';
  });
  if (word == words_.end()) return std::nullopt;
  const std::string_view value = word->substr(key.size() + 1);
  words_.erase(word);
  return value;
}

bool Words::TakeFlag(std::string_view flag) {
  const auto word = std::ranges::find(words_, flag);
  if (word == words_.end()) return false;
  words_.erase(word);
  return true;
}

std::string_view Words::Need(std::string_view key) {
  const std::optional<std::string_view> value = Take(key);
  if (!value) Complain(fmt::format("{}=... is missing", key));
  return value.value_or(std::string_view());
}

int64_t Words::Number(std::string_view key, int64_t fallback, int64_t low, int64_t high) {
  const std::optional<std::string_view> text = Take(key);
  if (!text) return fallback;
  int64_t number = 0;
  const char* const last = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), last, number);
  if (error != std::errc() || end != last || number < low || number > high) {
    Complain(fmt::format("{}={}: a number from {} to {} is wanted", key, *text, low, high));
    return fallback;
  }
  return number;
}

int32_t Words::Signed(std::string_view key) {
  return static_cast<int32_t>(
      Number(key, 0, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
}

uint64_t Words::Bits(std::string_view key, uint64_t high) {
  const std::optional<std::string_view> text = Take(key);
  if (!text) return 0;
  uint64_t bits = 0;
  const std::string_view digits = text->starts_with("0x") ? text->substr(2) : *text;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, bits, 16);
  if (error != std::errc() || end != last || bits > high)
    Complain(fmt::format("{}={}: a hexadecimal number is wanted", key, *text));
  return bits;
}

void Words::Finish() {
  if (!words_.empty()) Complain(fmt::format("\"{}\" is not understood here", words_.front()));
}

void CheckName(std::string_view name, Words& words) {
  if (!name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, MayBeInAName))
    return;
  words.Complain(
      fmt::format("\"{}\" is no name: 1 to {} characters of printable ASCII are wanted, without "
                  "blanks and quotes",
                  Beginning(name), kLongestName));
}

Duration DurationFrom(std::string_view text, Words& words) {
  const std::optional<Duration> duration = ParseDuration(text);
  if (!duration)
    words.Complain(fmt::format("\"{}\": a duration such as 20us or 3s is wanted", text));
  else if (*duration > kLongest)
    words.Complain(fmt::format("\"{}\": at most {} in one value", text, ToString(kLongest)));
  return duration.value_or(Duration());
}

}  // namespace cm
