#include "conformance/scenarios/golden.h"

#include <fmt/format.h>

#include <utility>

#include "model/conversation/print.h"
#include "model/conversation/volatile.h"

namespace cm {
namespace {

constexpr std::string_view kDashes = "----\n";
constexpr PrintOptions kExactly;
constexpr PrintOptions kOnlyVisible{.times = false, .wire = false};

// Where the line of dashes begins.
size_t FindDashes(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(kDashes)) return at;
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    at += end + 1;
  }
  return text.size();
}

std::string SecondHalf(const History& history, PrintOptions options) {
  History anonymous = history;
  anonymous.implementation.clear();
  const std::string text = ToText(anonymous, options);
  return text.substr(FindDashes(text) + kDashes.size());
}

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string_view WithoutFirstLine(std::string_view text) {
  const size_t end = text.find('\n');
  return end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
}

std::string FirstDifference(std::string_view expected, std::string_view seen) {
  for (int number = 1; !expected.empty() || !seen.empty(); ++number) {
    const std::string_view wanted = FirstLine(expected);
    const std::string_view got = FirstLine(seen);
    if (expected.empty())
      return fmt::format("line {}: nothing was expected, saw \"{}\"", number, got);
    if (seen.empty()) return fmt::format("line {}: expected \"{}\", saw nothing", number, wanted);
    if (wanted != got)
      return fmt::format("line {}: expected \"{}\", saw \"{}\"", number, wanted, got);
    expected = WithoutFirstLine(expected);
    seen = WithoutFirstLine(seen);
  }
  return {};
}

}  // namespace

std::variant<Golden, TextProblem> ReadGolden(std::string_view text) {
  auto parsed = ParseConversation(text);
  if (auto* problem = std::get_if<TextProblem>(&parsed)) return std::move(*problem);
  const size_t dashes = FindDashes(text);
  Golden golden{.written = std::string(text.substr(0, dashes)),
                .conversation = std::get<Conversation>(std::move(parsed)),
                .expected = {}};
  if (!golden.written.ends_with('\n')) golden.written += '\n';
  if (dashes < text.size()) golden.expected = text.substr(dashes + kDashes.size());
  return golden;
}

std::string Rewritten(const Golden& golden, const History& history) {
  return golden.written + std::string(kDashes) + SecondHalf(history, kExactly);
}

std::string Difference(const Golden& golden, const History& history, GoldenView view) {
  if (golden.expected.empty()) return "nothing is expected yet: the file has no second half";
  if (view == GoldenView::kExact)
    return FirstDifference(golden.expected, SecondHalf(history, kExactly));
  const auto parsed = ParseHistory(golden.written + std::string(kDashes) + golden.expected);
  if (const auto* problem = std::get_if<TextProblem>(&parsed))
    return fmt::format("line {} of the file cannot be read: {}", problem->line, problem->what);
  const History expected = WithoutVolatile(std::get<History>(parsed));
  return FirstDifference(SecondHalf(expected, kOnlyVisible),
                         SecondHalf(WithoutVolatile(history), kOnlyVisible));
}

}  // namespace cm
