#include "conformance/adapters/exec/site.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/files.h"
#include "model/base/json.h"
#include "model/conversation/parse.h"
#include "model/conversation/topology_text.h"

namespace cm {
namespace {

using Json = nlohmann::json;

// The texts of one object. Keeps the first error.
class Texts {
 public:
  Texts(const Json& object, std::string where, std::initializer_list<std::string_view> keys,
        std::string* problem)
      : object_(object), where_(std::move(where)), problem_(*problem) {
    if (!object.is_object()) Object("has to be an object");
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(keys, key) == keys.end())
        Object(fmt::format("has no '{}'; it may have {}", key, fmt::join(keys, ", ")));
      else if (!value.is_string() && !value.is_object())
        Object(fmt::format("'{}' is {}; it has to be a text", key, JsonText(value)));
    }
  }
  // Without a default it has to be there.
  std::string At(const char* key, std::string_view otherwise) {
    if (!problem_.empty()) return {};
    const auto found = object_.find(key);
    if (found != object_.end() && found->is_string()) return found->get<std::string>();
    if (otherwise.empty()) Object(fmt::format("needs a text '{}'", key));
    return std::string(otherwise);
  }
  std::string IfThere(const char* key) { return object_.contains(key) ? At(key, {}) : ""; }
  void Object(std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{} {}", where_, what);
  }

 private:
  const Json& object_;
  std::string where_;
  std::string& problem_;
};

bool IsAddress(int family, const std::string& text) {
  in6_addr bytes = {};
  return inet_pton(family, text.c_str(), &bytes) == 1;
}

void ReadHost(const Json& object, const std::string& side, SiteHost* host, std::string* problem) {
  Texts texts(object, fmt::format("'{}'", side), {"host", "v4", "v6", "allow", "control"}, problem);
  host->host = texts.At("host", {});
  host->v4 = texts.IfThere("v4");
  host->v6 = texts.At("v6", {});
  host->control = texts.IfThere("control");
  auto allow = ParseAllow(texts.IfThere("allow"));
  if (auto* list = std::get_if<AllowList>(&allow))
    host->allow = std::move(*list);
  else
    texts.Object("allows " + std::get<std::string>(allow));
  // It becomes a word of a command that a shell reads.
  if (!std::ranges::all_of(host->control, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_.-:@").find(c) != std::string_view::npos;
      }))
    texts.Object(fmt::format("has '{}', which is no interface", host->control));
  for (const auto& [family, address] : {std::pair{AF_INET, host->v4}, {AF_INET6, host->v6}}) {
    if (family == AF_INET && address.empty()) continue;
    if (problem->empty() && !IsAddress(family, address))
      texts.Object(
          fmt::format("has '{}', which is no IPv{} address", address, family == AF_INET ? 4 : 6));
  }
}

void Replace(std::string* text, std::string_view what, std::string_view by) {
  for (size_t at = 0; (at = text->find(what, at)) != std::string::npos; at += by.size())
    text->replace(at, what.size(), by);
}

auto OthersOf(const Site& site) {
  return std::to_array<std::pair<const char*, const std::string*>>(
      {{"silent", &site.silent}, {"unroutable", &site.unroutable}, {"foreign", &site.foreign}});
}

// The words that either side allows.
std::string WordsAllowed(const Site& site) {
  std::vector<std::string_view> words;
  for (const SiteHost& side : site.sides)
    for (const Allowed& one : side.allow)
      if (std::ranges::find(words, one.name) == words.end()) words.push_back(one.name);
  return words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, ", "));
}

bool IsOfASide(const HostAddress& address, const Site& site) {
  return std::ranges::any_of(site.sides, [&](const SiteHost& side) {
    return (!address.v4.empty() && address.v4 == side.v4) || address.v6 == side.v6;
  });
}

}  // namespace

std::variant<HostAddress, std::string> ParseHosts(std::string_view text) {
  const size_t comma = std::min(text.find(','), text.size());
  HostAddress hosts{.v4 = std::string(text.substr(0, comma)),
                    .v6 = std::string(text.substr(std::min(comma + 1, text.size())))};
  for (const auto& [family, host] : {std::pair{AF_INET, &hosts.v4}, {AF_INET6, &hosts.v6}}) {
    if (*host == "none")
      host->clear();
    else if (!IsAddress(family, *host))
      return fmt::format("'{}' is not of the form 192.168.8.99,fd08::99, with none for no address",
                         text);
  }
  return hosts;
}

std::variant<Site, std::string> ParseSite(std::string_view text) {
  const Json json = ParseJson(text);
  if (json.is_discarded()) return "it is no JSON";
  std::string problem;
  Texts texts(json, "a site",
              {"name", "launcher", "agent", "active", "passive", "silent", "unroutable", "foreign"},
              &problem);
  Site site{.name = texts.At("name", {}),
            .launcher = texts.At("launcher", "ssh {host} {command}"),
            .agent = texts.At("agent", "cmcheck agent"),
            .sides = {},
            .silent = texts.IfThere("silent"),
            .unroutable = texts.IfThere("unroutable"),
            .foreign = texts.IfThere("foreign")};
  if (problem.empty() && FindTopology(site.name) != nullptr)
    texts.Object(fmt::format("has the name '{}' of a built-in topology", site.name));
  for (size_t side = 0; side < kSideNames.size() && problem.empty(); ++side) {
    if (!json.contains(kSideNames[side]))
      texts.Object(fmt::format("needs '{}'", kSideNames[side]));
    else
      ReadHost(json[kSideNames[side]], std::string(kSideNames[side]), &site.sides[side], &problem);
  }
  if (site.sides[0].v4.empty() != site.sides[1].v4.empty())
    texts.Object("needs 'v4' for both sides, or for neither");
  for (const auto& [key, text] : OthersOf(site)) {
    if (text->empty()) continue;
    const auto hosts = ParseHosts(*text);
    if (const auto* wrong = std::get_if<std::string>(&hosts))
      texts.Object(fmt::format("has '{}': {}", key, *wrong));
    else if (IsOfASide(std::get<HostAddress>(hosts), site))
      texts.Object(fmt::format("has '{}': '{}' is a side's", key, *text));
  }
  if (!problem.empty()) return problem;
  const auto parsed = ParseConversation(ToText(TopologyOf(site)));
  if (const auto* wrong = std::get_if<TextProblem>(&parsed)) return wrong->what;
  return site;
}

std::variant<Site, std::string> LoadSite(const std::string& path) {
  const std::optional<std::string> text = ReadFile(path);
  if (!text) return fmt::format("{}: cannot be read: {}", path, WhyNotRead(path));
  auto parsed = ParseSite(*text);
  if (auto* problem = std::get_if<std::string>(&parsed))
    return fmt::format("{}: {}", path, *problem);
  return parsed;
}

Topology TopologyOf(const Site& site) {
  const bool one_host = site.sides[0].host == site.sides[1].host;
  Topology topology = *FindTopology(one_host ? "one-kernel-two-devices" : "two-kernels");
  topology.name = site.name;
  topology.sentence.clear();
  for (size_t side = 0; side < site.sides.size(); ++side) {
    DeviceInfo& device = topology.devices[topology.sides[side].device];
    device.v4 = site.sides[side].v4;
    device.v6 = site.sides[side].v6;
  }
  return topology;
}

std::string Launched(const Site& site, size_t side, std::string_view command) {
  std::string launched = site.launcher;
  Replace(&launched, "{host}", site.sides[side].host);
  Replace(&launched, "{side}", kSideNames[side]);
  Replace(&launched, "{command}", command);
  return launched;
}

std::string HostOptionsOf(const Site& site) {
  std::string options;
  for (const auto& [key, text] : OthersOf(site))
    if (!text->empty()) options += fmt::format(" --{} {}", key, *text);
  return options;
}

std::string CommandOf(const Site& site, size_t side, std::string_view profile,
                      const AllowList& allow) {
  const SiteHost& host = site.sides[side];
  std::string command = fmt::format("{} --profile {}{}", site.agent, profile, HostOptionsOf(site));
  if (!allow.empty()) command += fmt::format(" --allow {} --address {}", ToText(allow), host.v4);
  if (!allow.empty() && !host.control.empty()) command += " --control " + host.control;
  return Launched(site, side, command);
}

std::variant<AllowLists, std::string> AllowedOf(const Site& site, std::string_view asked) {
  const bool one_host = site.sides[0].host == site.sides[1].host;
  AllowLists allowed;
  if (!asked.empty() && site.sides[0].v4.empty())
    return "--allow: an agent knows its interface by its IPv4 address, and the site has none";
  for (size_t begin = 0; begin < asked.size();) {
    const size_t end = std::min(asked.find(',', begin), asked.size());
    const std::string_view word = asked.substr(begin, end - begin);
    begin = end + 1;
    size_t having = 0;
    for (size_t side = 0; side < allowed.size(); ++side) {
      if (std::ranges::find(allowed[side], word, &Allowed::name) != allowed[side].end())
        return fmt::format("--allow {}: '{}' is there twice", asked, word);
      const auto& list = site.sides[side].allow;
      const auto found = std::ranges::find(list, word, &Allowed::name);
      if (found == list.end()) continue;
      allowed[side].push_back(*found);
      ++having;
    }
    const bool of_both = word == "time";
    if (having == 0)
      return fmt::format("--allow {}: the site's file does not allow it for any side; it allows {}",
                         word, WordsAllowed(site));
    if (of_both && having < allowed.size())
      return fmt::format("--allow {}: the site's file does not allow it for both sides", word);
    if (one_host && word != "link" && word != "device" && !of_both)
      return fmt::format("--allow {}: both sides are on one host, whose packets do not leave it",
                         word);
  }
  return allowed;
}

}  // namespace cm
