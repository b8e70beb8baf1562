#include "model/conversation/parse.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "model/conversation/fault_check.h"
#include "model/conversation/history_parser.h"
#include "model/conversation/line_parser.h"
#include "model/conversation/name_scope.h"
#include "model/conversation/topology_text.h"
#include "model/conversation/words.h"
#include "model/vocabulary/topology_ref.h"

namespace cm {
namespace {

constexpr std::string_view kDashes = "----";

std::string_view Trimmed(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t'))
    line.remove_suffix(1);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  return line;
}

// The text line by line, with numbers from 1.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool Next(std::string_view* line) {
    if (rest_.empty()) return false;
    const size_t end = rest_.find('\n');
    *line = Trimmed(rest_.substr(0, end));
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    ++number_;
    return true;
  }
  int number() const { return number_; }
  // The bytes of the lines that are left.
  size_t left() const { return rest_.size(); }
  // The first word of the next line that is not empty.
  std::string_view WordAhead() const {
    Lines ahead = *this;
    std::string_view line;
    while (ahead.Next(&line))
      if (!line.empty() && line.front() != '#') return line.substr(0, line.find(' '));
    return {};
  }

 private:
  std::string_view rest_;
  int number_ = 0;
};

std::string KnownTopologies() {
  std::string names;
  for (const Topology& topology : AllTopologies())
    names += (names.empty() ? "" : ", ") + std::string(topology.name);
  return names;
}

// Returns the first that is none.
std::string UnknownCapabilityIn(std::string_view names) {
  Words words(names);
  std::string_view name = words.Next("a capability");
  while (name == "none" || ParseCapability(name)) name = words.Next("a capability");
  std::string all;
  for (int i = 0; i < kCapabilityCount; ++i)
    all += (all.empty() ? "" : ", ") + std::string(ToString(static_cast<Capability>(i)));
  return fmt::format("capabilities: \"{}\" is none of {}; or none", name, all);
}

// Parses the header lines and then the conversation.
class FileParser {
 public:
  // Returns an error, or an empty text. `ahead` is the first word of the following line.
  std::string Header(std::string_view line, std::string_view ahead) {
    Words words(line);
    const std::string_view key = words.Next("a word");
    if (TopologyParser::Begins(key)) return ReadTopologyLine(line, ahead);
    if (key == "conversation") {
      if (words.Next("a version") != "1") return "this program reads version 1 of conversations";
    } else if (key == "topology") {
      const std::string_view name = words.Next("a topology");
      conversation_.topology = FindTopology(name);
      own_topology_.reset();
      if (TopologyParser::Begins(ahead)) {
        if (conversation_.topology != nullptr)
          return fmt::format("topology {}: that is a built-in one; another name is wanted", name);
        CheckName(name, words);
        own_topology_.emplace(name);
      } else if (conversation_.topology == nullptr) {
        return fmt::format(
            "topology {}: there are {}, or one of the conversation's own, if lines such as `host "
            "a` follow",
            name, KnownTopologies());
      }
    } else if (key == "profile") {
      if (!conversation_.profile.empty())
        return fmt::format("profile: it is {} already", conversation_.profile);
      conversation_.profile = words.Next("a profile");
    } else if (key == "capabilities") {
      return ReadCapabilities(line);
    } else if (key == "order") {
      return ReadOrder(words);
    } else {
      return ReadOrigin(words);
    }
    words.Finish();
    return words.problem();
  }

  static bool IsHeader(std::string_view line) {
    const std::string_view key = line.substr(0, line.find(' '));
    return key == "conversation" || key == "topology" || key == "profile" ||
           key == "capabilities" || key == "seed" || key == "order" || TopologyParser::Begins(key);
  }

  void Comment(std::string_view line) {
    line.remove_prefix(1);
    if (line.starts_with(' ')) line.remove_prefix(1);
    conversation_.comment += std::string(line) + "\n";
  }

  std::string Body(std::string_view line) {
    if (conversation_.topology == nullptr) return "a line `topology NAME` must come first";
    const size_t before = conversation_.lines.size();
    std::string problem = LineParser(&conversation_).Parse(line);
    // Walks draw faults without effect as well, to see that nothing happens.
    if (!problem.empty() || conversation_.origin) return problem;
    if (!faults_) faults_.emplace(*conversation_.topology, FindProfile(conversation_.profile));
    for (size_t i = before; i < conversation_.lines.size() && problem.empty(); ++i)
      if (const auto* injects = std::get_if<line::Injects>(&conversation_.lines[i]))
        problem = faults_->Take(injects->fault);
    return problem;
  }

  Conversation& conversation() { return conversation_; }

 private:
  // A topology is complete at the end of its lines.
  std::string ReadTopologyLine(std::string_view line, std::string_view ahead) {
    if (!own_topology_) return "a line `topology NAME` must come first, right before the hosts";
    std::string problem = own_topology_->Parse(line);
    if (!problem.empty() || TopologyParser::Begins(ahead)) return problem;
    problem = own_topology_->Missing();
    if (problem.empty()) conversation_.topology = TopologyRef(own_topology_->Take());
    own_topology_.reset();
    return problem;
  }

  std::string ReadCapabilities(std::string_view line) {
    const std::string_view names = Trimmed(line.substr(std::string_view("capabilities").size()));
    const std::optional<Capabilities> all = ParseCapabilities(names);
    if (!all) return UnknownCapabilityIn(names);
    conversation_.capabilities = *all;
    return {};
  }

  static uint64_t Number(Words& words, std::string_view what) {
    const std::string_view digits = words.Next(what);
    uint64_t n = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, n);
    if (error != std::errc() || end != last || digits.empty())
      words.Complain(fmt::format("\"{}\": {} is wanted", digits, what));
    return n;
  }

  std::string ReadOrder(Words& words) {
    conversation_.order.clear();
    do {
      conversation_.order.push_back(Number(words, "a number"));
    } while (words.ok() && !words.empty());
    words.Finish();
    return words.problem();
  }

  std::string ReadOrigin(Words& words) {
    Origin origin;
    const auto number = [&words](std::string_view what) { return Number(words, what); };
    const auto keyword = [&words](std::string_view key) {
      if (words.Next(key) != key) words.Complain(fmt::format("{} ... is wanted", key));
    };
    origin.seed = number("a seed");
    keyword("index");
    origin.index = number("an index");
    keyword("walk");
    origin.walk = words.Next("a walk");
    keyword("options");
    origin.options = words.Next("options");
    if (origin.options == "none") origin.options.clear();
    words.Finish();
    conversation_.origin = origin;
    return words.problem();
  }

  Conversation conversation_;
  std::optional<TopologyParser> own_topology_;
  std::optional<FaultCheck> faults_;
};

struct Parsed {
  History history;
  bool has_history = false;
  std::optional<TextProblem> problem;
};

Parsed ParseFile(std::string_view text, bool want_history) {
  Parsed parsed;
  FileParser file;
  Lines lines(text);
  std::string_view line;
  bool body_begun = false;
  while (lines.Next(&line)) {
    std::string problem;
    if (line.empty()) continue;
    if (line == kDashes) {
      parsed.has_history = true;
      break;
    }
    if (line.front() == '#') {
      if (!body_begun) file.Comment(line);
    } else if (!body_begun && FileParser::IsHeader(line)) {
      problem = file.Header(line, lines.WordAhead());
    } else {
      body_begun = true;
      problem = file.Body(line);
    }
    if (!problem.empty()) {
      parsed.problem = TextProblem{lines.number(), problem};
      return parsed;
    }
  }
  if (file.conversation().topology == nullptr) {
    parsed.problem = TextProblem{lines.number(), "not a conversation: no line `topology NAME`"};
    return parsed;
  }
  parsed.history.conversation = std::move(file.conversation());
  if (!parsed.has_history || !want_history) return parsed;
  HistoryParser history(&parsed.history);
  while (lines.Next(&line)) {
    if (line.empty() || line.front() == '#') continue;
    const std::string problem = history.Parse(line);
    if (problem.empty()) continue;
    parsed.problem = TextProblem{lines.number(), problem};
    return parsed;
  }
  if (!history.Complete()) {
    parsed.problem =
        TextProblem{lines.number(),
                    fmt::format("the history ends early: it has {} of {} lines",
                                history.lines_seen(), parsed.history.conversation.lines.size())};
  }
  return parsed;
}

}  // namespace

std::optional<Dashes> FindDashes(std::string_view text) {
  Lines lines(text);
  std::string_view line;
  for (size_t begin = 0; lines.Next(&line); begin = text.size() - lines.left())
    if (line == kDashes) return Dashes{.begin = begin, .end = text.size() - lines.left()};
  return std::nullopt;
}

std::variant<Conversation, TextProblem> ParseConversation(std::string_view text) {
  Parsed parsed = ParseFile(text, false);
  if (parsed.problem) return *parsed.problem;
  return std::move(parsed.history.conversation);
}

std::variant<History, TextProblem> ParseHistory(std::string_view text) {
  Parsed parsed = ParseFile(text, true);
  if (parsed.problem) return *parsed.problem;
  if (!parsed.has_history) return TextProblem{0, "there is no history behind a line of dashes"};
  MarkRecords(&parsed.history);
  return std::move(parsed.history);
}

}  // namespace cm
