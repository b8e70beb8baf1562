#include "model/base/duration.h"

#include <array>
#include <charconv>

namespace cm {
namespace {

struct Unit {
  std::string_view name;
  int64_t nanoseconds;
};

constexpr std::array<Unit, 4> kUnits = {
    {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}}};

}  // namespace

std::string ToString(Duration duration) {
  const int64_t ns = duration.nanoseconds();
  if (ns == 0) return "0us";
  for (const Unit& unit : kUnits) {
    if (ns % unit.nanoseconds == 0)
      return std::to_string(ns / unit.nanoseconds) + std::string(unit.name);
  }
  return {};  // Not reached: every number is a whole number of nanoseconds.
}

std::string ToString(Instant instant) {
  return ToString(Duration::Nanoseconds(instant.nanoseconds()));
}

std::optional<Duration> ParseDuration(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  const std::string_view name(end, static_cast<size_t>(text.data() + text.size() - end));
  for (const Unit& unit : kUnits) {
    if (name != unit.name) continue;
    if (number > Duration::Max().nanoseconds() / unit.nanoseconds) return std::nullopt;
    return Duration::Nanoseconds(number * unit.nanoseconds);
  }
  return std::nullopt;
}

}  // namespace cm
