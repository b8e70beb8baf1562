#include "conformance/runner/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "conformance/properties/registry.h"
#include "conformance/runner/verdict.h"
#include "model/base/files.h"
#include "model/base/json.h"

namespace cm {
namespace {

std::string ProfileNames() {
  std::vector<std::string_view> names;
  for (const Profile& profile : Profiles()) names.push_back(profile.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

using Keys = std::vector<std::string_view>;

// The fields of one object of the file. Keeps the first error of the whole file, and reads nothing
// after it.
class Fields {
 public:
  Fields(const nlohmann::json& object, const std::string& where, const Keys& keys,
         std::string* problem)
      : object_(object), problem_(*problem) {
    if (!object.is_object()) {
      Object(fmt::format("{} is {}; it has to be an object", where, JsonText(object)));
      return;
    }
    for (const auto& [key, value] : object.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        Object(fmt::format("{} has no '{}'; it may have {}", where, key, fmt::join(keys, ", ")));
  }

  // Null when there is none, or after an error.
  const nlohmann::json* Find(const char* key) const {
    if (!problem_.empty()) return nullptr;
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  void Read(const char* key, std::string* field) {
    const nlohmann::json* value = Find(key);
    if (value == nullptr) return;
    if (value->is_string())
      *field = value->get<std::string>();
    else
      Object(fmt::format("'{}' is {}; it has to be a text", key, JsonText(*value)));
  }
  void Read(const char* key, bool* field) {
    const nlohmann::json* value = Find(key);
    if (value == nullptr) return;
    if (value->is_boolean())
      *field = value->get<bool>();
    else
      Object(fmt::format("'{}' is {}; it has to be true or false", key, JsonText(*value)));
  }
  template <typename T>
  void Read(const char* key, int64_t least, int64_t most, T* field) {
    const nlohmann::json* value = Find(key);
    if (value == nullptr) return;
    if (value->is_number_integer() && *value >= least && *value <= most)
      *field = static_cast<T>(value->get<int64_t>());
    else
      Object(fmt::format("'{}' is {}; it has to be a whole number from {} to {}", key,
                         JsonText(*value), least, most));
  }
  void ReadSpan(const char* key, Duration* field) {
    int64_t milliseconds = -1;
    Read(key, 0, 3'600'000, &milliseconds);
    if (milliseconds >= 0) *field = Duration::Milliseconds(milliseconds);
  }
  void Object(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

 private:
  const nlohmann::json& object_;
  std::string& problem_;
};

void ReadTiming(const nlohmann::json& json, Timing* timing, std::string* problem) {
  Fields fields(
      json, "'timing'",
      {"packet_lifetime", "ack_delay", "response_timeout", "max_retries", "mra_service_timeout",
       "prompt_ms", "quiet_ms", "late_percent", "late_ms", "clock"},
      problem);
  fields.Read("packet_lifetime", 0, 31, &timing->packet_lifetime);
  fields.Read("ack_delay", 0, 31, &timing->ack_delay);
  fields.Read("response_timeout", 0, 31, &timing->response_timeout);
  fields.Read("max_retries", 0, 15, &timing->max_retries);
  fields.Read("mra_service_timeout", 0, 31, &timing->mra_service_timeout);
  fields.ReadSpan("prompt_ms", &timing->prompt);
  fields.ReadSpan("quiet_ms", &timing->quiet);
  fields.Read("late_percent", 0, 1000, &timing->late_percent);
  fields.ReadSpan("late_ms", &timing->late);
  std::string clock = timing->clock == TimerClock::kWheel ? "wheel" : "exact";
  fields.Read("clock", &clock);
  if (clock != "wheel" && clock != "exact")
    fields.Object(fmt::format("'clock' is '{}'; it may be exact or wheel", clock));
  timing->clock = clock == "wheel" ? TimerClock::kWheel : TimerClock::kExact;
}

void ReadLimits(const nlohmann::json& json, Limits* limits, std::string* problem) {
  Fields fields(
      json, "'limits'",
      {"request_data", "reply_data", "reject_data", "datagram_request_data", "datagram_reply_data",
       "max_depth", "max_retry_count", "max_backlog", "max_outstanding", "max_address_handles"},
      problem);
  fields.Read("request_data", 0, 255, &limits->request_data);
  fields.Read("reply_data", 0, 255, &limits->reply_data);
  fields.Read("reject_data", 0, 255, &limits->reject_data);
  fields.Read("datagram_request_data", 0, 255, &limits->datagram_request_data);
  fields.Read("datagram_reply_data", 0, 255, &limits->datagram_reply_data);
  fields.Read("max_depth", 0, 255, &limits->max_depth);
  fields.Read("max_retry_count", 0, 7, &limits->max_retry_count);
  fields.Read("max_backlog", 1, INT32_MAX, &limits->max_backlog);
  fields.Read("max_outstanding", 0, INT32_MAX, &limits->max_outstanding);
  fields.Read("max_address_handles", 0, INT32_MAX, &limits->max_address_handles);
}

struct DialectField {
  const char* name = "";
  bool Dialect::*member = nullptr;
};

constexpr auto kDialectFields = std::to_array<DialectField>({
    {"link_down_fails_sends", &Dialect::link_down_fails_sends},
    {"link_down_keeps_sends", &Dialect::link_down_keeps_sends},
    {"link_down_mutes", &Dialect::link_down_mutes},
    {"long_messages_as_manual", &Dialect::long_messages_as_manual},
    {"accept_releases_datagram_request", &Dialect::accept_releases_datagram_request},
    {"last_receive_is_told", &Dialect::last_receive_is_told},
    {"neighbour_changes_are_told", &Dialect::neighbour_changes_are_told},
    {"refused_resolve_clears_destination", &Dialect::refused_resolve_clears_destination},
    {"route_timeout_may_be_zero", &Dialect::route_timeout_may_be_zero},
    {"unknown_path_is_fatal", &Dialect::unknown_path_is_fatal},
    {"delayed_reply_outlives_dreq", &Dialect::delayed_reply_outlives_dreq},
    {"get_request_sets_status", &Dialect::get_request_sets_status},
    {"late_sends_are_flushed", &Dialect::late_sends_are_flushed},
    {"refused_posts_are_negative", &Dialect::refused_posts_are_negative},
});
static_assert(sizeof(Dialect) == kDialectFields.size() * sizeof(bool), "each field is listed");

void ReadDialect(const nlohmann::json& json, Dialect* dialect, std::string* problem) {
  Keys names;
  for (const DialectField& field : kDialectFields) names.push_back(field.name);
  Fields fields(json, "'dialect'", names, problem);
  for (const DialectField& field : kDialectFields)
    fields.Read(field.name, &(dialect->*field.member));
}

bool IsClaim(const std::string& id) {
  return FindProperty(id) != nullptr ||
         std::any_of(kRunnerClaims.begin(), kRunnerClaims.end(),
                     [&](const RunnerClaim& claim) { return claim.id == id; });
}

Deviation DeviationOf(const nlohmann::json& json, std::string* problem) {
  Fields fields(json, "a deviation", {"id", "reason", "cause"}, problem);
  Deviation deviation;
  fields.Read("id", &deviation.id);
  fields.Read("reason", &deviation.reason);
  fields.Read("cause", &deviation.cause);
  if (!IsClaim(deviation.id))
    fields.Object(fmt::format("a deviation names '{}'; `cmcheck list properties` has the names",
                              deviation.id));
  if (deviation.reason.empty())
    fields.Object(fmt::format("the deviation {} has no 'reason'", deviation.id));
  return deviation;
}

Capabilities CapabilitiesOf(const std::string& text, Fields* fields) {
  const auto capabilities = ParseCapabilities(text);
  if (capabilities) return *capabilities;
  Capabilities all;
  for (int i = 0; i < kCapabilityCount; ++i) all = all.With(static_cast<Capability>(i));
  fields->Object(
      fmt::format("'capabilities' are '{}'; they may be none, or of {}", text, ToString(all)));
  return {};
}

std::vector<Deviation> DeviationsOf(const nlohmann::json& json, Fields* fields,
                                    std::string* problem) {
  std::vector<Deviation> deviations;
  if (!json.is_array())
    fields->Object(fmt::format("'deviations' is {}; it has to be a list", JsonText(json)));
  else
    for (const nlohmann::json& deviation : json)
      deviations.push_back(DeviationOf(deviation, problem));
  return deviations;
}

constexpr const char* kUsualBase = "6.1-rxe";

Profile ProfileOf(const nlohmann::json& json, std::string* problem) {
  Fields fields(
      json, "a profile",
      {"name", "base", "sentence", "timing", "limits", "dialect", "capabilities", "deviations"},
      problem);
  std::string base = kUsualBase;
  fields.Read("base", &base);
  const Profile* known = FindProfile(base);
  if (known == nullptr) {
    fields.Object(fmt::format("'base' is '{}'; it may be {}", base, ProfileNames()));
    return {};
  }
  Profile profile = *known;
  profile.name.clear();
  profile.sentence.clear();
  fields.Read("name", &profile.name);
  if (profile.name.empty()) fields.Object("a profile needs a 'name'");
  fields.Read("sentence", &profile.sentence);
  if (const nlohmann::json* timing = fields.Find("timing"))
    ReadTiming(*timing, &profile.timing, problem);
  if (const nlohmann::json* limits = fields.Find("limits"))
    ReadLimits(*limits, &profile.limits, problem);
  if (const nlohmann::json* dialect = fields.Find("dialect"))
    ReadDialect(*dialect, &profile.dialect, problem);
  std::string capabilities = ToString(profile.capabilities);
  fields.Read("capabilities", &capabilities);
  profile.capabilities = CapabilitiesOf(capabilities, &fields);
  if (const nlohmann::json* deviations = fields.Find("deviations"))
    for (Deviation& deviation : DeviationsOf(*deviations, &fields, problem))
      profile.deviations.push_back(std::move(deviation));
  return profile;
}

}  // namespace

std::variant<Profile, std::string> ParseProfile(std::string_view text) {
  std::string problem;
  const nlohmann::json json = ParseJson(text, &problem);
  if (!problem.empty()) return problem;
  Profile profile = ProfileOf(json, &problem);
  if (!problem.empty()) return problem;
  return profile;
}

bool IsProfileName(std::string_view name) {
  const size_t plus = name.find('+');
  if (plus == std::string_view::npos) return FindProfile(name) != nullptr;
  return FindProfile(name.substr(0, plus)) != nullptr &&
         FindProfile(name.substr(plus + 1)) != nullptr;
}

std::variant<std::pair<Profile, Profile>, std::string> LoadProfilesOfSides(
    const std::string& name_or_path) {
  const size_t plus = name_or_path.find('+');
  if (plus != std::string::npos && IsProfileName(name_or_path))
    return std::pair{*FindProfile(name_or_path.substr(0, plus)),
                     *FindProfile(name_or_path.substr(plus + 1))};
  auto one = LoadProfile(name_or_path);
  if (auto* problem = std::get_if<std::string>(&one)) return std::move(*problem);
  return std::pair{std::get<Profile>(one), std::get<Profile>(one)};
}

std::variant<std::pair<Profile, Profile>, std::string> LoadBasesOfSides(
    const std::string& name_or_path) {
  auto own = LoadProfilesOfSides(name_or_path);
  if (std::holds_alternative<std::string>(own) || IsProfileName(name_or_path)) return own;
  const nlohmann::json json = ParseJson(ReadFile(name_or_path).value_or(""));
  const Profile* const base =
      json.is_object() ? FindProfile(json.value("base", kUsualBase)) : nullptr;
  if (base == nullptr) return fmt::format("{}: it has changed", name_or_path);
  return std::pair{*base, *base};
}

std::variant<Profile, std::string> JointProfile(const Profile& active, const Profile& passive) {
  if (active == passive) return active;
  Profile joint = active;
  joint.name = fmt::format("{}+{}", active.name, passive.name);
  joint.sentence =
      fmt::format("{} on the active side, {} on the passive one.", active.name, passive.name);
  Limits limits = passive.limits;
  // Zero is none.
  joint.limits.max_outstanding = limits.max_outstanding =
      std::max(active.limits.max_outstanding, passive.limits.max_outstanding);
  joint.limits.max_address_handles = limits.max_address_handles =
      std::max(active.limits.max_address_handles, passive.limits.max_address_handles);
  Timing timing = passive.timing;
  timing.packet_lifetime = active.timing.packet_lifetime;
  if (active.transport != passive.transport || joint.limits != limits || joint.timing != timing)
    return fmt::format("profiles {} and {} differ in more than two ends of a connection can",
                       active.name, passive.name);
  const Duration one = active.timing.Timewait();
  const Duration other = passive.timing.Timewait();
  joint.timing.packet_lifetime =
      std::min(active.timing.packet_lifetime, passive.timing.packet_lifetime);
  joint.timing.late = active.timing.late + std::max(one, other) - std::min(one, other);
  // Most requests are accepted by the passive side, and most ids resolved by the active one.
  joint.dialect = passive.dialect;
  for (const auto field :
       {&Dialect::route_timeout_may_be_zero, &Dialect::refused_resolve_clears_destination,
        &Dialect::get_request_sets_status})
    joint.dialect.*field = active.dialect.*field;
  joint.dialect.unknown_path_is_fatal |= active.dialect.unknown_path_is_fatal;
  joint.capabilities = Common(active.capabilities, passive.capabilities)
                           .Without({Capability::kTime, Capability::kTester});
  const Dialect& a = active.dialect;
  const Dialect& b = passive.dialect;
  if (a.last_receive_is_told != b.last_receive_is_told ||
      a.long_messages_as_manual != b.long_messages_as_manual ||
      a.late_sends_are_flushed != b.late_sends_are_flushed ||
      a.refused_posts_are_negative != b.refused_posts_are_negative)
    joint.capabilities = joint.capabilities.Without(Capability::kData);
  if (a.link_down_fails_sends != b.link_down_fails_sends ||
      a.link_down_keeps_sends != b.link_down_keeps_sends || a.link_down_mutes != b.link_down_mutes)
    joint.capabilities = joint.capabilities.Without({Capability::kLink, Capability::kFlap});
  if (a.neighbour_changes_are_told != b.neighbour_changes_are_told)
    joint.capabilities = joint.capabilities.Without(
        {Capability::kNeighbour, Capability::kDuplicateAddress, Capability::kFailOver});
  joint.deviations.insert(joint.deviations.end(), passive.deviations.begin(),
                          passive.deviations.end());
  return joint;
}

std::variant<Profile, std::string> LoadProfile(const std::string& name_or_path) {
  if (const Profile* known = FindProfile(name_or_path)) return *known;
  if (IsProfileName(name_or_path)) {
    const auto both = std::get<std::pair<Profile, Profile>>(LoadProfilesOfSides(name_or_path));
    return JointProfile(both.first, both.second);
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(name_or_path, ignored))
    return fmt::format("{} is a directory, not a profile", name_or_path);
  const std::optional<std::string> text = ReadFile(name_or_path);
  if (!text) {
    const std::string why = WhyNotRead(name_or_path);
    return why == kNoSuchFile
               ? fmt::format("there is no profile '{}' and no such file; profiles are {}",
                             name_or_path, ProfileNames())
               : fmt::format(
                     "there is no profile '{}', and the file cannot be read: {}; profiles "
                     "are {}",
                     name_or_path, why, ProfileNames());
  }
  auto parsed = ParseProfile(*text);
  if (auto* problem = std::get_if<std::string>(&parsed))
    return fmt::format("{}: {}", name_or_path, *problem);
  return std::get<Profile>(std::move(parsed));
}

}  // namespace cm
