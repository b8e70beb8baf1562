// `cmcheck lab nodes`: two guests, each with a kernel of its own, joined by a wire. `cmcheck lab
// node` is one of them, as a driver.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/exec/exec_adapter.h"
#include "conformance/adapters/exec/sides.h"
#include "conformance/adapters/exec/site.h"
#include "conformance/process/descriptor.h"
#include "conformance/process/process.h"
#include "conformance/runner/profile_file.h"
#include "hw_tests/lab/guest.h"
#include "hw_tests/lab/image.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/lab.h"
#include "tools/cmcheck/run.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

// A guest has to be restored, and its time is that of a busy host.
constexpr Duration kAnswersWithin = Duration::Seconds(90);
constexpr Duration kLate = Duration::Seconds(5);
constexpr auto kLongestLife = std::chrono::hours(24);

fs::path OwnProgram() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

int Report(const lab::Problem& problem) {
  return problem.kind == lab::ProblemKind::kCancelled ? kExitInterrupted : Unusable(problem.line);
}

struct NodeOptions {
  std::string profile = "6.1-rxe";
  std::string side;
  std::string wire;
  std::string site;
  std::string allow;
};

struct Network {
  Topology topology;
  std::string host_options;  // of the agents
};

// The built-in addresses, or those of the site.
std::variant<Network, std::string> NetworkOfNodes(const std::string& site) {
  if (site.empty()) return Network{.topology = *FindTopology("two-kernels"), .host_options = {}};
  const auto read = LoadSite(FromUsersFolder(site));
  if (const auto* problem = std::get_if<std::string>(&read)) return *problem;
  return Network{.topology = TopologyOf(std::get<Site>(read)),
                 .host_options = HostOptionsOf(std::get<Site>(read))};
}

// Of net_node.sh: number, addresses, addresses of the other.
std::string AddressesOf(const Topology& topology, size_t side) {
  const DeviceInfo& here = topology.devices[topology.sides[side].device];
  const DeviceInfo& there = topology.devices[topology.sides[1 - side].device];
  const auto or_none = [](const std::string& v4) { return v4.empty() ? "none" : v4; };
  return fmt::format("{} {} {} {} {}", side, or_none(here.v4), here.v6, or_none(there.v4),
                     there.v6);
}

// The suite is reached over no interface.
std::string AllowanceOf(const std::string& allow, const Topology& topology, size_t side) {
  if (allow.empty()) return {};
  return fmt::format(" --allow {} --control none --address {}", allow,
                     topology.devices[topology.sides[side].device].v4);
}

// Serves until its input ends: the guest's second port leads to the suite itself.
int Node(const NodeOptions& options) {
  const bool active = options.side == kSideNames[0];
  if (!active && options.side != kSideNames[1])
    return Unusable(fmt::format("--side '{}' is neither active nor passive", options.side));
  const auto network = NetworkOfNodes(options.site);
  if (const auto* problem = std::get_if<std::string>(&network)) return Unusable(*problem);
  const auto& [topology, host_options] = std::get<Network>(network);
  const Profile* const profile = FindProfile(options.profile);
  if (profile == nullptr) return Unusable(fmt::format("there is no profile '{}'", options.profile));
  struct stat input = {};
  if (fstat(STDIN_FILENO, &input) != 0 || !S_ISSOCK(input.st_mode))
    return Unusable("lab node is started by a suite, over a socket");
  const Descriptor suite(fcntl(STDIN_FILENO, F_DUPFD, STDERR_FILENO + 1));
  lab::Outcome<lab::Image> image = EnsureImage(*profile);
  if (!image.ok()) return Report(image.problem());
  const fs::path program = OwnProgram();
  const fs::path wire = options.wire;
  lab::GuestSettings settings{
      .topology = lab::Topology::kNode, .share = program.parent_path(), .share_writable = false};
  settings.node = {.driver = suite.get(),
                   .wire_here = wire / kSideNames[active ? 0 : 1],
                   .wire_there = wire / kSideNames[active ? 1 : 0]};
  lab::Outcome<lab::Guest> guest = lab::Guest::Start(image.value(), settings, ShowingProgress());
  if (!guest.ok()) return Report(guest.problem());
  const auto to_errors = [](std::string_view text) { fmt::print(stderr, "{}", text); };
  const lab::RunSettings run{
      .wall_limit = kLongestLife, .output = to_errors, .error = to_errors, .cancelled = [] {
        return Interrupted().load();
      }};
  const lab::Outcome<lab::Ended> ended = guest.value().Run(
      fmt::format("cp /host/{} /tmp/cmcheck && sh /lab/net_node.sh {} && "
                  "exec /tmp/cmcheck agent --profile {}{}{} 0<>/dev/vport0p2 >&0",
                  program.filename().string(), AddressesOf(topology, active ? 0 : 1), profile->name,
                  host_options, AllowanceOf(options.allow, topology, active ? 0 : 1)),
      run);
  return ended.ok() ? ended.value().status : Report(ended.problem());
}

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
    int exit_code = kExitUnusable;
    if (const std::string problem = ReadyNode(*profile, &exit_code); !problem.empty())
      return exit_code == kExitUnusable ? Unusable(problem) : exit_code;
    const std::string side(kSideNames[sides.size()]);
    auto made = MakeExecImplementation(
        {.place = {.command =
                       fmt::format("{}{}{}", NodeCommand(*profile, side, wire.path()), site, allow),
                   .answers_within = kAnswersWithin},
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

std::string ReadyNode(const Profile& profile, int* exit_code) {
  const lab::Outcome<std::string> emulator = lab::FindEmulator(cm::SearchPath());
  if (!emulator.ok()) return emulator.problem().line;
  const lab::Outcome<lab::Image> image = EnsureImage(profile);
  const lab::Outcome<fs::path> saved =
      image.ok() ? lab::EnsureSnapshot(image.value(), lab::Topology::kNode, emulator.value(),
                                       ShowingProgress())
                 : lab::Outcome<fs::path>(image.problem());
  if (saved.ok()) return {};
  if (saved.problem().kind == lab::ProblemKind::kCancelled) *exit_code = kExitInterrupted;
  return saved.problem().line;
}

std::string NodeCommand(const Profile& profile, std::string_view side, const fs::path& wire) {
  return fmt::format("exec {} lab node --profile {} --side {} --wire {}",
                     ShellWord(OwnProgram().string()), profile.name, side,
                     ShellWord(wire.string()));
}

namespace {

void AddNode(Verb lab) {
  Verb verb = lab.Add("node", "One of the guests of `lab nodes`, as a driver", R"(
Speaks the driver protocol (docs/driver_protocol.md) over the socket that is its standard input.
Example:
  cmcheck run --profile 6.1-rxe --impl 'sides:active=exec:cmcheck lab node --side active --wire /tmp/w,passive=exec:cmcheck lab node --side passive --wire /tmp/w')");
  auto options = std::make_shared<NodeOptions>();
  verb.Text("--profile", &options->profile, "Its kernel and librdmacm are those of this profile");
  verb.Text("--side", &options->side, "active or passive");
  verb.Text("--wire", &options->wire, "A folder that both share, for the ends of the wire");
  verb.Text("--site", &options->site, "File whose addresses it has (docs/nodes.md)");
  verb.Text("--allow", &options->allow, "What may be done to it, as `run --allow` says");
  verb.Does([options] { return Node(*options); });
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
  AddNode(lab);
}

}  // namespace cm
