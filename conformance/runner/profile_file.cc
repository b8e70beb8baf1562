#include "conformance/runner/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "conformance/properties/property.h"
#include "conformance/runner/verdict.h"

namespace cm {
namespace {

using Json = nlohmann::json;

// Ends in ParseProfile, which says it in one line.
class BadProfile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void AllowOnly(const Json& object, const std::string& where,
               std::initializer_list<std::string_view> keys) {
  if (!object.is_object()) throw BadProfile(fmt::format("{} is not an object", where));
  for (const auto& [key, value] : object.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw BadProfile(
          fmt::format("{} has no '{}'; it may have {}", where, key, fmt::join(keys, ", ")));
}

template <typename T>
void Read(const Json& object, const std::string& key, int64_t least, int64_t most, T* field) {
  if (!object.contains(key)) return;
  const Json& value = object.at(key);
  if (!value.is_number_integer() || value < least || value > most)
    throw BadProfile(
        fmt::format("'{}' is {}; it has to be from {} to {}", key, value.dump(), least, most));
  *field = static_cast<T>(value.get<int64_t>());
}

void ReadSpan(const Json& object, const std::string& key, Duration* field) {
  int64_t milliseconds = -1;
  Read(object, key, 0, 3'600'000, &milliseconds);
  if (milliseconds >= 0) *field = Duration::Milliseconds(milliseconds);
}

void ReadTiming(const Json& json, Timing* timing) {
  AllowOnly(json, "timing",
            {"packet_lifetime", "ack_delay", "response_timeout", "max_retries",
             "mra_service_timeout", "prompt_ms", "quiet_ms", "late_percent", "late_ms"});
  Read(json, "packet_lifetime", 0, 31, &timing->packet_lifetime);
  Read(json, "ack_delay", 0, 31, &timing->ack_delay);
  Read(json, "response_timeout", 0, 31, &timing->response_timeout);
  Read(json, "max_retries", 0, 15, &timing->max_retries);
  Read(json, "mra_service_timeout", 0, 31, &timing->mra_service_timeout);
  ReadSpan(json, "prompt_ms", &timing->prompt);
  ReadSpan(json, "quiet_ms", &timing->quiet);
  Read(json, "late_percent", 0, 1000, &timing->late_percent);
  ReadSpan(json, "late_ms", &timing->late);
}

void ReadLimits(const Json& json, Limits* limits) {
  AllowOnly(
      json, "limits",
      {"request_data", "reply_data", "reject_data", "max_depth", "max_retry_count", "max_backlog"});
  Read(json, "request_data", 0, 255, &limits->request_data);
  Read(json, "reply_data", 0, 255, &limits->reply_data);
  Read(json, "reject_data", 0, 255, &limits->reject_data);
  Read(json, "max_depth", 0, 255, &limits->max_depth);
  Read(json, "max_retry_count", 0, 7, &limits->max_retry_count);
  Read(json, "max_backlog", 1, INT32_MAX, &limits->max_backlog);
}

bool IsClaim(const std::string& id) {
  return FindProperty(id) != nullptr ||
         std::any_of(kRunnerClaims.begin(), kRunnerClaims.end(),
                     [&](const RunnerClaim& claim) { return claim.id == id; });
}

Deviation DeviationOf(const Json& json) {
  AllowOnly(json, "a deviation", {"id", "reason"});
  Deviation deviation{.id = json.value("id", ""), .reason = json.value("reason", "")};
  if (!IsClaim(deviation.id))
    throw BadProfile(fmt::format("a deviation names '{}'; `cmcheck list properties` has the names",
                                 deviation.id));
  if (deviation.reason.empty())
    throw BadProfile(fmt::format("the deviation {} has no reason", deviation.id));
  return deviation;
}

Profile ProfileOf(const Json& json) {
  AllowOnly(
      json, "a profile",
      {"name", "base", "sentence", "timing", "limits", "dialect", "capabilities", "deviations"});
  const std::string base = json.value("base", "6.1-rxe");
  const Profile* known = FindProfile(base);
  if (known == nullptr)
    throw BadProfile(fmt::format("'base' is '{}'; `cmcheck list profiles` has the names", base));
  Profile profile = *known;
  profile.name = json.value("name", "");
  if (profile.name.empty()) throw BadProfile("a profile needs a 'name'");
  profile.sentence = json.value("sentence", "");
  if (json.contains("timing")) ReadTiming(json.at("timing"), &profile.timing);
  if (json.contains("limits")) ReadLimits(json.at("limits"), &profile.limits);
  if (json.contains("dialect")) {
    AllowOnly(json.at("dialect"), "dialect", {"link_down_fails_sends"});
    profile.dialect.link_down_fails_sends =
        json.at("dialect").value("link_down_fails_sends", profile.dialect.link_down_fails_sends);
  }
  if (json.contains("capabilities")) {
    const std::string text = json.at("capabilities").get<std::string>();
    const auto capabilities = ParseCapabilities(text);
    if (!capabilities) throw BadProfile(fmt::format("'capabilities' are '{}'", text));
    profile.capabilities = *capabilities;
  }
  if (json.contains("deviations"))
    for (const Json& deviation : json.at("deviations"))
      profile.deviations.push_back(DeviationOf(deviation));
  return profile;
}

}  // namespace

std::variant<Profile, std::string> ParseProfile(std::string_view text) {
  try {
    return ProfileOf(Json::parse(text));
  } catch (const std::exception& problem) {  // of the JSON library too; goes no further
    return std::string(problem.what());
  }
}

std::variant<Profile, std::string> LoadProfile(const std::string& name_or_path) {
  if (const Profile* known = FindProfile(name_or_path)) return *known;
  std::ifstream in(name_or_path, std::ios::binary);
  if (!in) {
    std::vector<std::string_view> names;
    for (const Profile& profile : Profiles()) names.push_back(profile.name);
    return fmt::format("there is no profile '{}' and no such file; profiles are {}", name_or_path,
                       fmt::join(names, ", "));
  }
  auto parsed = ParseProfile(std::string(std::istreambuf_iterator<char>(in), {}));
  if (auto* problem = std::get_if<std::string>(&parsed))
    return fmt::format("{}: {}", name_or_path, *problem);
  return std::get<Profile>(std::move(parsed));
}

}  // namespace cm
