// `cmcheck lab nodes`: two guests, each with a kernel of its own, joined by a wire.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/exec/exec_adapter.h"
#include "conformance/adapters/exec/sides.h"
#include "conformance/adapters/exec/site.h"
#include "conformance/runner/profile_file.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/lab.h"
#include "tools/cmcheck/run.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

// A guest has to be restored, and its time is that of a busy host.
constexpr Duration kAnswersWithin = Duration::Seconds(300);
constexpr Duration kLate = Duration::Seconds(5);

struct NodesOptions {
  std::string profiles[2] = {"6.1-rxe", "6.1-rxe"};
  std::string site;
  RunOptions run;
};

int Nodes(NodesOptions options) {
  Asked& asked = options.run.asked;
  if (asked.impl != "sim" || !asked.defects.empty() || !asked.place.empty())
    return Unusable("each node has its kernel and librdmacm: no --impl, --defect, --place");
  if (asked.profile != Asked().profile)
    return Unusable("the profiles are those of --active and --passive: no --profile");
  const auto network = NetworkOfNodes(options.site);
  if (const auto* problem = std::get_if<std::string>(&network)) return Unusable(*problem);
  const Topology& topology = std::get<Network>(network).topology;
  if (!asked.allow.empty() && topology.devices[0].v4.empty())
    return Unusable("--allow: an agent knows its interface by its IPv4 address, and there is none");
  asked.profile = fmt::format("{}+{}", options.profiles[0], options.profiles[1]);
  const auto loaded = LoadProfilesOfSides(asked.profile);
  if (const auto* problem = std::get_if<std::string>(&loaded)) return Unusable(*problem);
  const auto& [active, passive] = std::get<std::pair<Profile, Profile>>(loaded);
  auto judged_by = JointProfile(active, passive);
  if (const auto* problem = std::get_if<std::string>(&judged_by)) return Unusable(*problem);
  auto& joint = std::get<Profile>(judged_by);
  joint.timing.late = std::max(joint.timing.late, kLate);
  const OwnFolder wire((fs::temp_directory_path() / "wire").string());
  if (wire.path().empty()) return Unusable("no folder for the wire between the guests");
  const std::string site =
      options.site.empty() ? "" : " --site " + ShellWord(FromUsersFolder(options.site));
  const std::string allow = asked.allow.empty() ? "" : " --allow " + ShellWord(asked.allow);
  std::vector<OneSide> sides;
  for (const Profile* profile : {&active, &passive}) {
    if (const auto problem = ReadyNode(*profile)) return EndsBy(*problem);
    const std::string side(kSideNames[sides.size()]);
    auto made = MakeExecImplementation(
        {.place = {.command =
                       fmt::format("{}{}{}", NodeCommand(*profile, side, wire.path()), site, allow),
                   .answers_within = kAnswersWithin,
                   .interrupted = &Interrupted()},
         .profile = *profile});
    if (const auto* problem = std::get_if<std::string>(&made))
      return Unusable(fmt::format("{}: {}", side, *problem));
    sides.push_back({.side = side,
                     .implementation = std::get<std::unique_ptr<Implementation>>(std::move(made))});
  }
  auto made = MakeSidesImplementation(std::move(sides), std::move(joint));
  if (const auto* problem = std::get_if<std::string>(&made)) return Unusable(*problem);
  Answering answering{.implementation = std::get<std::unique_ptr<Implementation>>(std::move(made)),
                      .text = fmt::format("nodes {} and {}", active.name, passive.name),
                      .options = {},
                      .library = {},
                      .kernel = fmt::format("{} and {}", active.name, passive.name)};
  answering.library = answering.implementation->name();
  if (options.run.topology.empty())
    options.run.topology = options.site.empty() ? "two-kernels" : FromUsersFolder(options.site);
  return RunWith(options.run, std::move(answering),
                 fmt::format("cmcheck lab nodes --active {} --passive {}{} --{} --conversations",
                             active.name, passive.name, site, allow));
}

// The arguments after `--`, as `run` parses them.
int ParseAndRun(NodesOptions options, std::vector<std::string> arguments) {
  return ParseBehindDashes("lab nodes", "Arguments of `run` between the nodes",
                           std::move(arguments), &options.run,
                           [&options] { return Nodes(std::move(options)); });
}

}  // namespace

void AddLabNodes(Verb lab) {
  Verb verb = lab.Add("nodes", "Judge two real kernels that talk to each other", R"(
Two guests, joined by a wire, each with the kernel and librdmacm of its profile; `cmcheck agent` in each
is the driver of its side. Their time is the host's: a call that takes minutes makes its sequence
inconclusive, and a fresh guest takes over. What --allow of `run` names is done to them, and undone. Arguments after -- are for `run`; see `cmcheck run --help`.
Examples:
  cmcheck lab nodes -- --sequences 100
  cmcheck lab nodes --active 6.12-rxe --passive 6.1-rxe -- --sequences 300 --report interop)");
  auto options = std::make_shared<NodesOptions>();
  options->run.sequences = 300;
  options->run.max_inconclusive = kInconclusiveOnNodes;
  verb.Text("--active", &options->profiles[0], "Profile of the active side's guest");
  verb.Text("--passive", &options->profiles[1], "Profile of the passive side's guest");
  verb.Text("--site", &options->site, "File whose addresses the guests have (docs/nodes.md)");
  auto arguments = std::make_shared<std::vector<std::string>>();
  verb.Behind("arguments", arguments.get(), "After --: arguments of `run`");
  verb.Does([options, arguments] { return ParseAndRun(*options, *arguments); });
  AddOneOfTwo(lab);
}

}  // namespace cm
