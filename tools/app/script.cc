#include "tools/app/script.h"

#include <fmt/format.h>

#include <cstddef>
#include <sstream>
#include <utility>

#include "model/conversation/conversation.h"
#include "model/conversation/fault_check.h"
#include "model/conversation/line_parser.h"
#include "model/vocabulary/topology_ref.h"

namespace cm::app {
namespace {

constexpr const char* kAccepted = "accepted are fault, heal and pass";

// Without a carriage return at the end of the line, and without a comment.
std::string_view Told(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  for (size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '#' || (at > 0 && kBlanks.find(line[at - 1]) == std::string_view::npos))
      continue;
    line = line.substr(0, at);
    break;
  }
  const size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) + 1 - first);
}

// Empty, or the reason why it is no script line.
std::string WhyNone(std::string_view line, const Topology& topology) {
  const std::string_view first = line.substr(0, line.find_first_of(" \t"));
  if (first != "fault" && first != "heal" && first != "pass") return kAccepted;
  std::istringstream words{std::string(line)};
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (equals == std::string::npos || (key != "from" && key != "to" && key != "side")) continue;
    const std::string side = word.substr(equals + 1);
    const bool any = side == "any" && key != "side";
    if (any || topology.SideNamed(side)) continue;
    std::string names;
    for (const SideInfo& one : topology.sides) names += (names.empty() ? "" : ", ") + one.name;
    return fmt::format("{} is no side; topology {} has {}", word, topology.name, names);
  }
  return {};
}

class Reader {
 public:
  Reader(const TopologyRef& topology, const Profile* profile)
      : parser_(&conversation_), profile_(profile), check_(*topology, profile) {
    conversation_.topology = topology;
  }

  // Empty, or the error.
  std::string Take(std::string_view text) {
    std::string problem = WhyNone(text, *conversation_.topology);
    if (problem.empty()) problem = parser_.Parse(text);
    for (const Line& line : conversation_.lines)
      if (problem.empty()) problem = Add(line, std::string(text));
    conversation_.lines.clear();
    return problem;
  }
  std::vector<Happening> TakeHappenings() { return std::move(happenings_); }

 private:
  std::string Add(const Line& line, std::string text) {
    if (const auto* passes = std::get_if<line::Passes>(&line)) {
      now_ = now_ + passes->span;
      waits_ = std::move(text);
      return {};
    }
    Happening happening{.at = now_,
                        .fault = std::nullopt,
                        .text = std::move(text),
                        .waits = std::exchange(waits_, {})};
    if (const auto* injects = std::get_if<line::Injects>(&line)) {
      if (injects->fault.kind == FaultKind::kExit) return "programs exit by themselves";
      happening.in_vain = check_.Take(injects->fault);
      std::string ever = FaultCheck(*conversation_.topology, profile_).Take(injects->fault);
      if (!happening.in_vain.empty() && !ever.empty()) return happening.in_vain;
      if (std::string lacking = Lacking(injects->fault); !lacking.empty()) return lacking;
      happening.fault = injects->fault;
    } else if (!std::holds_alternative<line::Heals>(line)) {
      return kAccepted;
    }
    happenings_.push_back(std::move(happening));
    return {};
  }

  // Empty, or what the profile lacks for the fault: a replay of the run would be refused.
  std::string Lacking(const Fault& fault) const {
    if (profile_ == nullptr || profile_->capabilities.Includes(Needs(fault))) return {};
    return fmt::format("it needs {}, which profile {} does not have",
                       ToString(Needs(fault).Without(profile_->capabilities)), profile_->name);
  }

  Conversation conversation_;
  LineParser parser_;
  const Profile* profile_;
  FaultCheck check_;
  std::vector<Happening> happenings_;
  Instant now_;
  std::string waits_;
};

}  // namespace

std::variant<std::vector<Happening>, std::string> ReadScript(std::string_view text,
                                                             const TopologyRef& topology,
                                                             const Profile* profile) {
  Reader reader(topology, profile);
  std::istringstream lines{std::string(text)};
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string_view told = Told(line);
    if (told.empty()) continue;
    if (const std::string problem = reader.Take(told); !problem.empty())
      return fmt::format("line {}: '{}': {}", number, told, problem);
  }
  return reader.TakeHappenings();
}

std::optional<std::vector<Happening>> ReadIfPossible(std::string_view text,
                                                     const TopologyRef& topology,
                                                     const Profile& profile) {
  auto read = ReadScript(text, topology, &profile);
  auto* const script = std::get_if<std::vector<Happening>>(&read);
  if (script == nullptr) return std::nullopt;
  return std::move(*script);
}

}  // namespace cm::app
