#include "hw_tests/lab/kernel_failure.h"

#include <algorithm>
#include <array>

namespace lab {
namespace {

// In the order of their worth: what failed, before the panic that follows from it.
constexpr auto kFailures =
    std::to_array<std::string_view>({"kernel BUG at ", "BUG: kernel ", "BUG: unable to handle ",
                                     "Oops: ", "general protection fault", "Kernel panic - "});

// One line of a console, without "[   30.513707] " and what ends it.
std::string_view Message(std::string_view line) {
  const size_t end = line.find_last_not_of(" \r");
  line = line.substr(0, end == std::string_view::npos ? 0 : end + 1);
  if (!line.starts_with('[')) return line;
  const size_t closes = line.find("] ");
  return closes == std::string_view::npos ? line : line.substr(closes + 2);
}

// The first line that begins so, and what follows it.
struct Found {
  std::string_view message;
  std::string_view after;
};
std::optional<Found> FindLine(std::string_view console, std::string_view begins) {
  while (!console.empty()) {
    const size_t end = std::min(console.find('\n'), console.size());
    const std::string_view message = Message(console.substr(0, end));
    console.remove_prefix(std::min(end + 1, console.size()));
    if (message.starts_with(begins)) return Found{message, console};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> KernelFailure(std::string_view console) {
  constexpr std::string_view kPlace = "RIP: 0010:";  // of the kernel; a program's is 0033
  for (const std::string_view begins : kFailures) {
    const std::optional<Found> failure = FindLine(console, begins);
    if (!failure) continue;
    std::string said(failure->message);
    if (const std::optional<Found> place = FindLine(failure->after, kPlace))
      said.append(" in ").append(place->message.substr(kPlace.size()));
    return said;
  }
  return std::nullopt;
}

}  // namespace lab
