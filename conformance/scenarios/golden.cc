#include "conformance/scenarios/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "model/conversation/print.h"
#include "model/conversation/volatile.h"
#include "model/conversation/words.h"

namespace cm {
namespace {

constexpr std::string_view kDashes = "----\n";
constexpr PrintOptions kExactly;
constexpr PrintOptions kOnlyVisible{.times = false, .wire = false};

// A line of a history that says something.
struct HistoryLine {
  int number = 0;    // in its file, from 1
  std::string text;  // its words, with one blank between two
};

std::string SecondHalf(const History& history, PrintOptions options) {
  History anonymous = history;
  anonymous.implementation.clear();
  const std::string text = ToText(anonymous, options);
  return text.substr(FindDashes(text)->end);
}

std::string WithOneBlank(std::string_view line) {
  std::string text;
  for (Words words(line); !words.empty();) {
    if (!text.empty()) text += ' ';
    text += words.Next("a word");
  }
  return text;
}

// Without blank lines, comments and the name of the implementation, as the parser reads them.
// `number` is that of the first line.
std::vector<HistoryLine> LinesThatCount(std::string_view text, int number) {
  std::vector<HistoryLine> lines;
  for (; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    std::string words = WithOneBlank(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words.starts_with('#') || words.starts_with("implementation ")) continue;
    lines.push_back({number, std::move(words)});
  }
  return lines;
}

std::string FirstDifference(const std::vector<HistoryLine>& expected,
                            const std::vector<HistoryLine>& seen) {
  const size_t both = std::min(expected.size(), seen.size());
  for (size_t i = 0; i < both; ++i)
    if (expected[i].text != seen[i].text)
      return fmt::format("line {}: expected \"{}\", saw \"{}\"", expected[i].number,
                         expected[i].text, seen[i].text);
  if (both < expected.size())
    return fmt::format("line {}: expected \"{}\", saw nothing", expected[both].number,
                       expected[both].text);
  if (both < seen.size())
    return fmt::format("line {}: nothing was expected, saw \"{}\"", expected.back().number + 1,
                       seen[both].text);
  return {};
}

// The records of a history, with the numbers of the lines that they were parsed from.
std::vector<HistoryLine> VisibleLines(const History& history,
                                      const std::vector<HistoryLine>& parsed) {
  std::vector<HistoryLine> lines =
      LinesThatCount(SecondHalf(WithoutVolatile(history), kOnlyVisible), 1);
  // The messages of the records before a record stand before it.
  for (size_t i = 0, messages = 0; i < lines.size(); ++i) {
    while (messages < history.wire.size() && history.wire[messages].record < i) ++messages;
    lines[i].number = parsed[i + messages].number;
  }
  return lines;
}

std::string WithCarriageReturns(std::string_view text) {
  std::string lines;
  for (const char c : text) lines += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return lines;
}

}  // namespace

std::variant<Golden, TextProblem> ReadGolden(std::string_view text) {
  auto parsed = ParseConversation(text);
  if (auto* problem = std::get_if<TextProblem>(&parsed)) return std::move(*problem);
  const std::optional<Dashes> dashes = FindDashes(text);
  Golden golden{.written = std::string(text.substr(0, dashes ? dashes->begin : text.size())),
                .conversation = std::get<Conversation>(std::move(parsed)),
                .expected = {}};
  if (!golden.written.ends_with('\n')) golden.written += '\n';
  if (dashes) golden.expected = text.substr(dashes->end);
  return golden;
}

std::string Rewritten(const Golden& golden, const History& history) {
  const std::string behind = std::string(kDashes) + SecondHalf(history, kExactly);
  return golden.written + (golden.written.ends_with("\r\n") ? WithCarriageReturns(behind) : behind);
}

std::string Difference(const Golden& golden, const History& history, GoldenView view) {
  const auto before = std::ranges::count(golden.written, '\n') + 1;
  const std::vector<HistoryLine> expected =
      LinesThatCount(golden.expected, static_cast<int>(before) + 1);
  if (expected.empty()) return "nothing is expected yet: the file has no second half";
  if (view == GoldenView::kExact)
    return FirstDifference(expected, LinesThatCount(SecondHalf(history, kExactly), 1));
  const auto parsed = ParseHistory(golden.written + std::string(kDashes) + golden.expected);
  if (const auto* problem = std::get_if<TextProblem>(&parsed))
    return fmt::format("line {} of the file cannot be read: {}", problem->line, problem->what);
  return FirstDifference(VisibleLines(std::get<History>(parsed), expected),
                         LinesThatCount(SecondHalf(WithoutVolatile(history), kOnlyVisible), 1));
}

}  // namespace cm
