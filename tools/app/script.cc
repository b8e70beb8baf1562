#include "tools/app/script.h"

#include <fmt/format.h>

#include <cstddef>
#include <sstream>
#include <utility>

#include "model/conversation/conversation.h"
#include "model/conversation/line_parser.h"

namespace cm::app {
namespace {

constexpr const char* kAccepted = "accepted are fault, heal and pass";

// Empty, or what the line is that nobody can do here.
std::string Add(const Line& line, Instant* now, std::vector<Happening>* happenings) {
  if (const auto* passes = std::get_if<line::Passes>(&line)) {
    *now = *now + passes->span;
  } else if (const auto* injects = std::get_if<line::Injects>(&line)) {
    if (injects->fault.kind == FaultKind::kExit) return "programs exit by themselves";
    happenings->push_back({*now, injects->fault});
  } else if (std::holds_alternative<line::Heals>(line)) {
    happenings->push_back({*now, std::nullopt});
  } else {
    return kAccepted;
  }
  return {};
}

}  // namespace

std::variant<std::vector<Happening>, std::string> ReadScript(std::string_view text,
                                                             const TopologyRef& topology) {
  Conversation conversation;
  conversation.topology = topology;
  LineParser parser(&conversation);
  std::vector<Happening> happenings;
  Instant now;
  std::istringstream lines{std::string(text)};
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    std::string problem = parser.Parse(line);
    for (const Line& one : conversation.lines)
      if (problem.empty()) problem = Add(one, &now, &happenings);
    conversation.lines.clear();
    if (!problem.empty()) return fmt::format("line {}: '{}': {}", number, line, problem);
  }
  return happenings;
}

}  // namespace cm::app
