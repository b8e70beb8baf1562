#include "tools/rules/lab_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "model/base/files.h"
#include "model/base/json.h"

namespace cm::ruledoc {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kLab = "lab ";

LabRun RunOf(const nlohmann::json& json, std::string name) {
  return {.name = std::move(name),
          .library = json.at("library"),
          .kernel = json.at("kernel"),
          .digest = json.at("digest"),
          .sequences = json.at("sequences"),
          .confirmed = json.at("confirmed")};
}

std::optional<LabRun> FromCarried(const std::string& text) {
  try {
    const nlohmann::json json = ParseJson(text);
    return RunOf(json, json.at("name"));
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::variant<LabRun, std::string> ReadResults(std::string_view text, std::string_view walk) {
  try {
    const nlohmann::json json = ParseJson(text);
    const std::string implementation = json.at("implementation");
    if (!implementation.starts_with("librdmacm"))
      return fmt::format("it is of \"{}\", and not of a real library", implementation);
    if (json.at("failed") != 0) return "it has findings: what they say is not settled";
    return RunOf(json, fmt::format("lab {}{}{}, seed {}", std::string(json.at("profile")),
                                   walk.empty() ? "" : " ", walk, uint64_t{json.at("seed")}));
  } catch (const nlohmann::json::exception& problem) {
    return fmt::format("it is no results.json of a run in the lab: {}", problem.what());
  }
}

std::string FileNameOf(const LabRun& run) {
  std::string name = run.name.substr(kLab.size());
  std::erase(name, ',');
  std::ranges::replace(name, ' ', '-');
  return name + ".json";
}

std::string ToJson(const LabRun& run) {
  const Json json = {{"name", run.name},     {"library", run.library},
                     {"kernel", run.kernel}, {"sequences", run.sequences},
                     {"digest", run.digest}, {"confirmed", run.confirmed}};
  return JsonText(json, 1) + "\n";
}

std::vector<LabRun> ReadLabRuns(const fs::path& folder) {
  std::vector<LabRun> runs;
  for (const fs::path& path : FilesIn(folder, ".json"))
    if (auto run = FromCarried(ReadFile(path).value_or(""))) runs.push_back(*std::move(run));
  return runs;
}

std::string FirstConfirmed(std::string_view id, std::span<const LabRun> runs) {
  for (const LabRun& run : runs)
    if (run.confirmed.contains(std::string(id))) return run.name;
  return "";
}

std::string WhyNotConfirmed(std::string_view id, std::string_view observed,
                            std::span<const LabRun> runs) {
  const auto run = std::ranges::find(runs, observed, &LabRun::name);
  if (run == runs.end()) return fmt::format("there is no run \"{}\"", observed);
  if (run->confirmed.contains(std::string(id))) return "";
  const std::string other = FirstConfirmed(id, runs);
  return other.empty() ? "no run has confirmed it" : fmt::format("\"{}\" has confirmed it", other);
}

}  // namespace cm::ruledoc
