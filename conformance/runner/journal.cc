#include "conformance/runner/journal.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "conformance/properties/registry.h"
#include "model/base/digest.h"
#include "model/base/files.h"
#include "model/base/json.h"

namespace cm {
namespace {

using Json = nlohmann::ordered_json;
using model::RuleBits;

// Ids of rows and properties, which a line stores as numbers.
uint64_t Vocabulary() {
  Digest digest;
  for (const model::RuleInfo& rule : model::AllRules()) digest.Text(rule.id);
  for (const Property& property : Properties()) digest.Text(property.id);
  return digest.Value();
}

std::string HeaderFor(const std::string& campaign) {
  return JsonText(Json{{"journal", 1},
                       {"vocabulary", fmt::format("{:016x}", Vocabulary())},
                       {"campaign", campaign}});
}

std::string ToHex(const RuleBits& bits) {
  std::string text;
  for (size_t i = 0; i < bits.size(); i += 4) {
    unsigned digit = 0;
    for (size_t k = 0; k < 4; ++k) digit |= static_cast<unsigned>(bits[i + k]) << k;
    text += fmt::format("{:x}", digit);
  }
  while (!text.empty() && text.back() == '0') text.pop_back();
  return text;
}

RuleBits BitsOf(const std::string& hex) {
  RuleBits bits;
  for (size_t i = 0; i < hex.size() && i * 4 < bits.size(); ++i) {
    unsigned digit = 0;
    std::from_chars(&hex[i], &hex[i] + 1, digit, 16);
    for (size_t k = 0; k < 4; ++k) bits[i * 4 + k] = ((digit >> k) & 1) != 0;
  }
  return bits;
}

Json ToJson(const Finding& finding) {
  return {{"id", finding.id},
          {"about", finding.about},
          {"rule", finding.rule},
          {"field", finding.field},
          {"value", finding.value},
          {"saw", finding.saw},
          {"permitted", finding.permitted},
          {"source", finding.source},
          {"record", finding.record},
          {"where", finding.where}};
}

Finding FindingOf(const nlohmann::json& json, uint64_t index) {
  return {.id = json.at("id"),
          .about = json.at("about"),
          .rule = json.at("rule"),
          .field = json.at("field"),
          .value = json.at("value"),
          .saw = json.at("saw"),
          .permitted = json.at("permitted"),
          .source = json.at("source"),
          .index = index,
          .record = json.at("record"),
          .where = json.at("where")};
}

uint64_t NumberOfHex(const std::string& hex) {
  uint64_t number = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
  return number;
}

std::variant<SequenceResult, std::string> ResultOf(const nlohmann::json& json) {
  SequenceResult result;
  result.index = json.at("i");
  result.walk = json.at("walk");
  result.topology = json.at("topology");
  const std::string named = json.at("verdict");
  const auto verdict = ParseVerdict(named);
  if (!verdict) return fmt::format("'{}' is no verdict", named);
  result.verdict = *verdict;
  result.reason = json.value("reason", "");
  result.digest = NumberOfHex(json.at("digest"));
  result.wire_digest = NumberOfHex(json.at("wire_digest"));
  result.calls = json.at("calls");
  result.events = json.at("events");
  result.frames = json.at("frames");
  result.observations = json.at("observations");
  result.sharp = json.at("sharp");
  result.largest_set = json.at("set");
  result.followed_in_part = json.value("in_part", false);
  result.reached = BitsOf(json.at("reached"));
  result.confirmed = BitsOf(json.at("confirmed"));
  result.heard = json.at("heard");
  result.arose = json.at("arose").get<std::vector<uint32_t>>();
  if (json.contains("findings"))
    for (const nlohmann::json& finding : json.at("findings"))
      result.findings.push_back(FindingOf(finding, result.index));
  return result;
}

// Removes a partial last line.
std::error_code CutOffHalfLine(const std::string& path) {
  std::error_code error;
  const std::optional<std::string> text = ReadFile(path);
  if (!text) return {};
  const size_t end = text->rfind('\n') + 1;  // npos + 1 is 0
  if (end < text->size()) std::filesystem::resize_file(path, end, error);
  return error;
}

}  // namespace

std::string ToJsonLine(const SequenceResult& result) {
  Json json = {{"i", result.index},
               {"walk", result.walk},
               {"topology", result.topology},
               {"verdict", ToString(result.verdict)},
               {"digest", fmt::format("{:016x}", result.digest)},
               {"wire_digest", fmt::format("{:016x}", result.wire_digest)},
               {"calls", result.calls},
               {"events", result.events},
               {"frames", result.frames},
               {"observations", result.observations},
               {"sharp", result.sharp},
               {"set", result.largest_set},
               {"reached", ToHex(result.reached)},
               {"confirmed", ToHex(result.confirmed)},
               {"heard", result.heard},
               {"arose", result.arose}};
  if (result.followed_in_part) json["in_part"] = true;
  if (!result.reason.empty()) json["reason"] = result.reason;
  for (const Finding& finding : result.findings) json["findings"].push_back(ToJson(finding));
  return JsonText(json);
}

std::variant<SequenceResult, std::string> ParseJsonLine(const std::string& line) {
  std::string problem;
  const nlohmann::json json = ParseJson(line, &problem);
  if (!problem.empty()) return problem;
  try {
    return ResultOf(json);
  } catch (const std::exception& wrong) {  // thrown by the library; caught here
    return JsonMessage(wrong);
  }
}

std::variant<JournalContent, std::string> ReadJournal(const std::string& path,
                                                      const std::string& campaign) {
  JournalContent content;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return fmt::format("{} is no regular file, so no journal", path);
  std::ifstream in(path, std::ios::binary);
  std::string line;
  if (!std::getline(in, line)) return content;
  const std::string header = HeaderFor(campaign);
  if (in.eof() && header.starts_with(line)) return content;  // killed while it began
  if (line != header)
    return fmt::format("{} is the journal of another campaign or of another build", path);
  // A last line without its end is cut off by Journal::Open, whole or not.
  for (int number = 2; std::getline(in, line) && !in.eof(); ++number) {
    auto parsed = ParseJsonLine(line);
    if (const auto* problem = std::get_if<std::string>(&parsed))
      return fmt::format("{}:{}: {}", path, number, *problem);
    auto& result = std::get<SequenceResult>(parsed);
    const uint64_t index = result.index;
    content.insert_or_assign(index, std::move(result));
  }
  return content;
}

std::variant<std::unique_ptr<Journal>, std::string> Journal::Open(const std::string& path,
                                                                  const std::string& campaign) {
  const auto problem = [&] { return fmt::format("{}: {}", path, std::strerror(errno)); };
  if (const std::error_code error = CutOffHalfLine(path))
    return fmt::format("{}: {}", path, error.message());
  std::FILE* file = std::fopen(path.c_str(), "ab");
  if (file == nullptr) return problem();
  std::unique_ptr<Journal> journal(new Journal(file));
  if (std::ftell(file) == 0) {
    const std::string header = HeaderFor(campaign) + "\n";
    if (std::fwrite(header.data(), 1, header.size(), file) != header.size()) return problem();
  }
  if (std::fflush(file) != 0) return problem();
  return journal;
}

std::string Journal::Add(const SequenceResult& result) {
  const std::string line = ToJsonLine(result) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() ||
      std::fflush(file_.get()) != 0)
    return std::strerror(errno);
  return {};
}

}  // namespace cm
