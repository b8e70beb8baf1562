#include "conformance/fidelity/lab_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "model/base/files.h"
#include "model/base/json.h"
#include "model/conversation/parse.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

// Reads fields of an object, and stores the first that is missing or invalid.
class Fields {
 public:
  explicit Fields(const nlohmann::json& json) : json_(json) {}

  void Take(const char* key, std::string* value) {
    if (const nlohmann::json* found = Find(key, &nlohmann::json::is_string, "a text"))
      *value = found->get<std::string>();
  }
  void Take(const char* key, uint64_t* value) {
    if (const nlohmann::json* found = Find(key, &nlohmann::json::is_number_unsigned, "a number"))
      *value = found->get<uint64_t>();
  }
  const std::string& problem() const { return problem_; }

 private:
  using Test = bool (nlohmann::json::*)() const;
  const nlohmann::json* Find(const char* key, Test fits, const char* what) {
    if (!problem_.empty()) return nullptr;
    const auto found = json_.find(key);
    if (found == json_.end())
      problem_ = fmt::format("\"{}\" is missing", key);
    else if (!((*found).*fits)())
      problem_ = fmt::format("\"{}\" is not {}", key, what);
    return problem_.empty() ? &*found : nullptr;
  }

  const nlohmann::json& json_;
  std::string problem_;
};

std::string ReadResults(const fs::path& path, LabReport* report) {
  const std::optional<std::string> text = ReadFile(path);
  if (!text)
    return fmt::format("{} cannot be read: no report of a finished `cmcheck lab run`",
                       path.string());
  const nlohmann::json json = ParseJson(*text);
  if (!json.is_object()) return fmt::format("{}: not a whole JSON object", path.string());
  Fields fields(json);
  fields.Take("implementation", &report->implementation);
  fields.Take("profile", &report->profile);
  fields.Take("topology", &report->topology);
  fields.Take("library", &report->library);
  fields.Take("kernel", &report->kernel);
  fields.Take("digest", &report->digest);
  fields.Take("seed", &report->seed);
  fields.Take("first", &report->first);
  fields.Take("sequences", &report->sequences);
  fields.Take("failed", &report->failed);
  fields.Take("inconclusive", &report->inconclusive);
  if (fields.problem().empty()) return {};
  return fmt::format("{}: {}", path.string(), fields.problem());
}

}  // namespace

std::variant<LabReport, std::string> ReadLabReport(const fs::path& folder) {
  LabReport report;
  if (std::string problem = ReadResults(folder / "results.json", &report); !problem.empty())
    return problem;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "conversations", error))
    if (entry.path().extension() == ".conv") report.conversations.push_back(entry.path());
  if (error) return fmt::format("{}: {}", (folder / "conversations").string(), error.message());
  if (report.conversations.empty())
    return fmt::format("{} has no conversations", (folder / "conversations").string());
  std::ranges::sort(report.conversations);  // lint: keys are unique
  return report;
}

std::variant<History, std::string> ReadLabConversation(const fs::path& file) {
  const std::optional<std::string> text = ReadFile(file);
  if (!text) return fmt::format("{} cannot be read", file.string());
  auto parsed = ParseHistory(*text);
  if (const auto* problem = std::get_if<TextProblem>(&parsed))
    return fmt::format("{}:{}: {}", file.string(), problem->line, problem->what);
  History history = std::get<History>(std::move(parsed));
  if (!history.conversation.origin)
    return fmt::format("{}: it does not say which seed and number it was drawn from",
                       file.string());
  return history;
}

}  // namespace cm
