#include "model/vocabulary/private_data_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

namespace cm {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kCountPrefix = "count:";
constexpr std::string_view kHexPrefix = "hex:";
constexpr size_t kLongest = 255;

bool Prints(uint8_t c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '+'; }

bool Counts(std::span<const uint8_t> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != i + 1) return false;
  return true;
}

std::optional<size_t> ParseLength(std::string_view text) {
  size_t n = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, n);
  if (error != std::errc() || end != last || n > kLongest) return std::nullopt;
  return n;
}

std::optional<std::vector<uint8_t>> ParseHex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const size_t high = kHexDigits.find(digits[i]);
    const size_t low = kHexDigits.find(digits[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes.push_back(static_cast<uint8_t>(high * 16 + low));
  }
  return bytes;
}

std::optional<std::vector<uint8_t>> ParseContent(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
    return std::vector<uint8_t>(text.begin(), text.end());
  }
  if (text.starts_with(kHexPrefix)) return ParseHex(text.substr(kHexPrefix.size()));
  if (!text.starts_with(kCountPrefix)) return std::nullopt;
  const std::optional<size_t> n = ParseLength(text.substr(kCountPrefix.size()));
  if (!n) return std::nullopt;
  const PrivateData counting = PrivateData::Counting(static_cast<uint8_t>(*n));
  return std::vector<uint8_t>(counting.bytes().begin(), counting.bytes().end());
}

}  // namespace

std::string ToText(const PrivateData& data) {
  const uint8_t significant = data.SignificantSize();
  const std::span<const uint8_t> content = data.bytes().first(significant);
  std::string text;
  if (significant > 0 && Counts(content)) {
    text = std::string(kCountPrefix) + std::to_string(significant);
  } else if (std::ranges::all_of(content, Prints)) {
    text = "\"" + std::string(content.begin(), content.end()) + "\"";
  } else {
    text = kHexPrefix;
    for (const uint8_t byte : content) {
      text += kHexDigits[byte >> 4];
      text += kHexDigits[byte & 15];
    }
  }
  const int zeros = data.size() - significant;
  if (zeros > 0) text += "+" + std::to_string(zeros);
  return text;
}

std::optional<PrivateData> ParsePrivateData(std::string_view text) {
  size_t zeros = 0;
  const size_t plus = text.rfind('+');
  if (plus != std::string_view::npos && text.find('"', plus) == std::string_view::npos) {
    const std::optional<size_t> n = ParseLength(text.substr(plus + 1));
    if (!n) return std::nullopt;
    zeros = *n;
    text = text.substr(0, plus);
  }
  std::optional<std::vector<uint8_t>> bytes = ParseContent(text);
  if (!bytes || bytes->size() + zeros > kLongest) return std::nullopt;
  bytes->resize(bytes->size() + zeros, 0);
  return PrivateData(*bytes);
}

}  // namespace cm
