// `cmcheck site discover`: writes the file of a site by what its hosts say of themselves. `cmcheck
// site facts` is what they are asked.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/exec/connection.h"
#include "conformance/adapters/exec/site.h"
#include "conformance/process/real_time.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"
#include "tools/site/choose.h"
#include "tools/site/facts.h"
#include "tools/site/gather.h"
#include "tools/site/site_text.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostLines = 10'000;
// All of them are words of one command, which has to stay below the kernel's limit for a word.
constexpr size_t kMostPairs = 500;

bool IsAddress(const std::string& text) {
  in6_addr bytes = {};
  return inet_pton(AF_INET, text.c_str(), &bytes) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &bytes) == 1;
}

int Facts(const std::vector<std::string>& reach) {
  std::vector<site::Pair> pairs;
  for (const std::string& words : reach) {
    const size_t comma = words.find(',');
    const std::string from = words.substr(0, comma);
    const std::string to = comma == std::string::npos ? "" : words.substr(comma + 1);
    if (!IsAddress(from) || !IsAddress(to))
      return Unusable(fmt::format("--reach '{}' is not ADDRESS,ADDRESS", words));
    pairs.push_back({from, to});
  }
  site::HostFacts facts = site::GatherFacts();
  facts.reached = site::TryToReach(pairs);
  fmt::print("{}", ToLines(facts));
  return kExitClean;
}

struct DiscoverOptions {
  std::string file;
  std::string hosts[2];
  std::string launcher = "ssh {host} {command}";
  std::string cmcheck = "cmcheck";
  std::string name;
  uint64_t answers_within = 60;
};

using FactsOrProblem = std::variant<site::HostFacts, std::string>;

// What that exit code says of a launcher.
std::string_view HintOf(std::string_view ending) {
  if (ending.ends_with(" exit code 127"))
    return ": cmcheck is not there; --cmcheck says where it is";
  if (ending.ends_with(" exit code 255")) return ": ssh does not reach the host, or may not";
  return {};
}

// Milliseconds until a wait looks whether the command is interrupted.
constexpr int64_t kLook = 200;

FactsOrProblem AskHost(const std::string& command, Duration within) {
  auto started = Connection::Run(command);
  if (auto* problem = std::get_if<std::string>(&started)) return *problem;
  Connection& connection = *std::get<std::unique_ptr<Connection>>(started);
  const Deadline deadline(within);
  std::vector<std::string> lines;
  std::string ending;
  for (;;) {
    if (Interrupted()) return std::string("interrupted");
    const int64_t left = deadline.milliseconds_left();
    const Heard heard = connection.Receive(Duration::Milliseconds(std::min(left, kLook)));
    if (heard.kind == Heard::Kind::kSilent && left > kLook) continue;
    if (heard.kind == Heard::Kind::kLine) {
      if (heard.text.starts_with('{')) lines.push_back(heard.text);
      if (site::EndsFacts(heard.text)) break;
      if (lines.size() > kMostLines) return fmt::format("more than {} lines came", kMostLines);
      // A flood is always ready to be read.
      if (deadline.milliseconds_left() > 0) continue;
    }
    const bool silent = heard.kind == Heard::Kind::kLine || heard.kind == Heard::Kind::kSilent;
    ending = silent ? fmt::format("no more within {} s", within.milliseconds() / 1000) : heard.text;
    ending += HintOf(ending);
    break;
  }
  auto parsed = site::ParseFacts(lines);
  if (auto* problem = std::get_if<std::string>(&parsed); problem != nullptr && !ending.empty())
    *problem += "; " + ending;
  return parsed;
}

// The facts of both hosts, with what they reach; or which of them did not say them.
std::variant<site::BothFacts, std::string> AskBoth(const Site& site, const std::string& cmcheck,
                                                   Duration within) {
  site::BothFacts facts;
  const auto ask = [&](size_t side, const std::string& options) -> std::string {
    const std::string command = Launched(site, side, cmcheck + " site facts" + options);
    auto asked = AskHost(command, within);
    if (auto* problem = std::get_if<std::string>(&asked))
      return fmt::format("{}: {}: {}", kSideNames[side], command.substr(0, 200), *problem);
    facts[side] = std::get<site::HostFacts>(std::move(asked));
    return {};
  };
  for (const size_t side : {0, 1})
    if (std::string problem = ask(side, ""); !problem.empty()) return problem;
  const site::BothFacts before = facts;
  for (const size_t side : {0, 1}) {
    std::vector<site::Pair> pairs = PairsToTry(before, side);
    if (pairs.size() > kMostPairs) pairs.resize(kMostPairs);
    std::string options;
    for (const site::Pair& pair : pairs)
      options += fmt::format(" --reach {},{}", pair.from, pair.to);
    if (options.empty()) continue;
    if (std::string problem = ask(side, options); !problem.empty()) return problem;
  }
  return facts;
}

int Discover(const DiscoverOptions& options) {
  const fs::path file = FromUsersFolder(options.file);
  if (fs::exists(file)) return Unusable(fmt::format("{} exists; remove it first", options.file));
  if (std::string problem = WhyUnwritable(file); !problem.empty()) return Unusable(problem);
  if (options.hosts[0].empty() || options.hosts[1].empty())
    return Unusable("--active and --passive name the hosts, as the launcher takes them");
  Site site{.name = options.name.empty() ? file.stem().string() : options.name,
            .launcher = options.launcher,
            .agent = options.cmcheck + " agent",
            .sides = {}};
  for (const size_t side : {0, 1}) site.sides[side].host = options.hosts[side];
  const site::Placement any{.v4 = {"10.0.0.1", "10.0.0.2"}, .v6 = {"fd00::1", "fd00::2"}};
  if (const auto tried = ParseSite(SiteText(site, any, {}));
      std::holds_alternative<std::string>(tried))
    return Unusable(std::get<std::string>(tried));
  const auto asked = AskBoth(site, options.cmcheck,
                             Duration::Seconds(static_cast<int64_t>(options.answers_within)));
  if (Interrupted()) return kExitInterrupted;
  if (const auto* problem = std::get_if<std::string>(&asked)) return Unusable(*problem);
  const auto& facts = std::get<site::BothFacts>(asked);
  const site::Placements placements = site::Rank(facts);
  site::Said said = Explain(facts, site, placements);
  std::vector<std::string> lines;
  for (const size_t side : {0, 1})
    for (std::string& line :
         LinesOf(std::string(kSideNames[side]), site.sides[side].host, facts[side]))
      lines.push_back(std::move(line));
  for (std::string& line : said.chosen) lines.push_back(std::move(line));
  for (const std::string& line : said.to_do) lines.push_back("to do: " + line);
  const auto best = placements.good.empty() ? std::nullopt : std::optional(placements.good.front());
  const std::string text = SiteText(site, best, lines);
  for (const std::string& line : lines) fmt::print("{}\n", line);
  if (best && best->missing.empty())
    if (const auto parsed = ParseSite(text); std::holds_alternative<std::string>(parsed))
      return Unusable(fmt::format("it would be no site: {}", std::get<std::string>(parsed)));
  if (std::string problem = WriteFile(file, text); !problem.empty()) return Unusable(problem);
  fmt::print("written: {}; next: {}cmcheck site check {}\n", options.file,
             said.to_do.empty() ? "" : "what is to do, then ", options.file);
  if (facts[0].ports.empty() || facts[1].ports.empty()) return kExitNoDevice;
  return said.to_do.empty() ? kExitClean : kExitFound;
}

void AddFacts(Verb site) {
  Verb verb = site.Add("facts", "Say what this host has, for `site discover`", R"(
RDMA devices with ports and GIDs, interfaces with addresses and MTU, kernel, C library, librdmacm and
rights, as JSON, one object a line; nothing is changed. --reach also connects over TCP from an address
of this host, to a port where as a rule nothing listens: a refusal is an answer.
Examples:
  cmcheck site facts
  cmcheck site facts --reach 192.168.7.1,192.168.7.2)");
  auto reach = std::make_shared<std::vector<std::string>>();
  verb.Texts("--reach", reach.get(), "FROM,TO: whether TO answers FROM; may be repeated");
  verb.Does([reach] { return Facts(*reach); });
}

}  // namespace

void AddSiteDiscover(Verb site) {
  Verb verb = site.Add("discover", "Write the file of a site, by asking its hosts", R"(
Asks both hosts what they have (`cmcheck site facts`, through the launcher), takes a pair of addresses
over RDMA devices that reach each other, and says what it took, why, and what is left to do. The
interface of the control connection is taken last. What was not found is a comment in the file.
Exit code: 0 complete, 1 something is to do, 2 a host did not say what it has, 4 a host has no RDMA
device, 130 interrupted.
Examples:
  cmcheck site discover rack7.json --active node1 --passive node2
  cmcheck site discover rack7.json --active node1 --passive node2 --launcher 'srun -w {host} {command}'
  cmcheck site discover one.json --active here --passive here --launcher '{command}'
  cmcheck site discover two.json --active ns1 --passive ns2 --launcher 'ip netns exec {host} {command}')");
  auto options = std::make_shared<DiscoverOptions>();
  verb.Argument("file", &options->file, "Where the site is written; it may not exist");
  verb.Text("--active", &options->hosts[0], "The active side's host");
  verb.Text("--passive", &options->hosts[1],
            "The passive side's host; the same: one host for both");
  verb.Text("--launcher", &options->launcher,
            "Command of the shell here that runs {command} on {host}; also {side}");
  verb.Text("--cmcheck", &options->cmcheck, "cmcheck on the hosts");
  verb.Text("--name", &options->name, "Name of the site; default: that of the file");
  verb.Number("--answers-within", &options->answers_within, 1, 3600,
              "Seconds of this machine's clock within which a host answers");
  verb.Does([options] { return Discover(*options); });
  AddFacts(site);
}

}  // namespace cm
