#include "sim/core/journal.h"

#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

namespace cm::sim {
namespace {

char* Put(std::string_view text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

constexpr std::string_view kDigits = "0123456789abcdef";

// Two digits of every byte, so that a word takes eight steps.
constexpr auto kBytes = [] {
  std::array<char, 512> bytes{};
  for (size_t byte = 0; byte < 256; ++byte) {
    bytes[2 * byte] = kDigits[byte / 16];
    bytes[2 * byte + 1] = kDigits[byte % 16];
  }
  return bytes;
}();

char* PutHex(uint64_t word, char* to) {
  for (int shift = 56; shift >= 0; shift -= 8, to += 2)
    std::memcpy(to, kBytes.data() + 2 * ((word >> shift) & 0xff), 2);
  return to;
}

}  // namespace

void AppendJsonLine(const Record& record, std::string* text) {
  constexpr size_t kLongest = 160;  // two numbers of 20 digits at most, a name, and what is between
  std::array<char, kLongest> line;
  char* const end = line.data() + line.size();
  char* to = Put("{\"at\":", line.data());
  to = std::to_chars(to, end, record.event.at.nanoseconds()).ptr;
  to = Put(",\"kind\":\"", to);
  to = Put(ToString(record.event.kind()), to);
  to = Put("\",\"on\":", to);
  to = std::to_chars(to, end, record.event.on()).ptr;
  to = Put(",\"fingerprint\":\"", to);
  to = PutHex(record.fingerprint, to);
  to = Put("\"}\n", to);
  text->append(line.data(), static_cast<size_t>(to - line.data()));
}

}  // namespace cm::sim
