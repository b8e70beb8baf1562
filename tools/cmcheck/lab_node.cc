// `cmcheck lab node` and `cmcheck lab host`: a guest that is one of two, joined by a wire, as a
// driver or as a host behind ssh.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "conformance/adapters/exec/site.h"
#include "conformance/process/descriptor.h"
#include "conformance/process/process.h"
#include "hw_tests/lab/guest.h"
#include "hw_tests/lab/image.h"
#include "model/base/files.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/lab.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

constexpr auto kLongestLife = std::chrono::hours(24);

fs::path OwnProgram() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

// A guest that is one of two.
struct NodeOptions {
  std::string profile = "6.1-rxe";
  std::string side;
  std::string wire;
  std::string site;
  std::string allow;  // of a driver
  int port = 0;       // of a host: on the loopback address, leads to its sshd
  std::string key;    // of a host: the file of the public key that it lets in
};

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

// Makes and starts the guest of a side, whose second port leads to `driver`; or the exit code.
std::variant<lab::Guest, int> StartNode(const NodeOptions& options, const Profile& profile,
                                        lab::NodePlaces places) {
  lab::Outcome<lab::Image> image = EnsureImage(profile);
  if (!image.ok()) return EndsBy(image.problem());
  const size_t side = options.side == kSideNames[0] ? 0 : 1;
  const fs::path wire = options.wire;
  places.wire_here = wire / kSideNames[side];
  places.wire_there = wire / kSideNames[1 - side];
  lab::Outcome<lab::Guest> guest = lab::Guest::Start(image.value(),
                                                     {.topology = lab::Topology::kNode,
                                                      .share = OwnProgram().parent_path(),
                                                      .share_writable = false,
                                                      .node = std::move(places)},
                                                     ShowingProgress());
  if (!guest.ok()) return EndsBy(guest.problem());
  return std::move(guest.value());
}

// Runs a command in the guest until it ends, or an interrupt comes.
int RunIn(lab::Guest& guest, const std::string& command) {
  const auto to_errors = [](std::string_view text) { fmt::print(stderr, "{}", text); };
  const lab::RunSettings run{
      .wall_limit = kLongestLife, .output = to_errors, .error = to_errors, .cancelled = [] {
        return Interrupted().load();
      }};
  const lab::Outcome<lab::Ended> ended = guest.Run(command, run);
  return ended.ok() ? ended.value().status : EndsBy(ended.problem());
}

struct Checked {
  size_t side = 0;
  const Profile* profile = nullptr;
  Network network;
};

std::variant<Checked, std::string> Check(const NodeOptions& options) {
  const bool active = options.side == kSideNames[0];
  if (!active && options.side != kSideNames[1])
    return fmt::format("--side '{}' is neither active nor passive", options.side);
  auto network = NetworkOfNodes(options.site);
  if (auto* problem = std::get_if<std::string>(&network)) return std::move(*problem);
  const Profile* const profile = FindProfile(options.profile);
  if (profile == nullptr) return fmt::format("there is no profile '{}'", options.profile);
  return Checked{.side = active ? 0U : 1U,
                 .profile = profile,
                 .network = std::get<Network>(std::move(network))};
}

// Serves until its input ends: the guest's second port leads to the suite itself.
int Node(const NodeOptions& options) {
  const auto checked = Check(options);
  if (const auto* problem = std::get_if<std::string>(&checked)) return Unusable(*problem);
  const auto& [side, profile, network] = std::get<Checked>(checked);
  struct stat input = {};
  if (fstat(STDIN_FILENO, &input) != 0 || !S_ISSOCK(input.st_mode))
    return Unusable("lab node is started by a suite, over a socket");
  const Descriptor suite(fcntl(STDIN_FILENO, F_DUPFD, STDERR_FILENO + 1));
  auto started = StartNode(options, *profile, {.driver = suite.get()});
  if (const int* exit_code = std::get_if<int>(&started)) return *exit_code;
  return RunIn(std::get<lab::Guest>(started),
               fmt::format("cp /host/{} /tmp/cmcheck && sh /lab/net_node.sh {} && "
                           "exec /tmp/cmcheck agent --profile {}{}{} 0<>/dev/vport0p2 >&0",
                           OwnProgram().filename().string(), AddressesOf(network.topology, side),
                           profile->name, network.host_options,
                           AllowanceOf(options.allow, network.topology, side)));
}

// A host that has cmcheck and an sshd, until it is interrupted.
int Host(const NodeOptions& options) {
  const auto checked = Check(options);
  if (const auto* problem = std::get_if<std::string>(&checked)) return Unusable(*problem);
  const auto& [side, profile, network] = std::get<Checked>(checked);
  const std::optional<std::string> key = ReadFile(FromUsersFolder(options.key));
  if (!key || key->find("ssh-") != 0)
    return Unusable(fmt::format("--key '{}' is no public key of ssh", options.key));
  if (options.port == 0) return Unusable("--port is wanted: the one that leads to its sshd");
  if (options.wire.empty()) return Unusable("--wire is wanted: the folder of the wire's ends");
  auto started = StartNode(options, *profile, {.control_port = options.port});
  if (const int* exit_code = std::get_if<int>(&started)) return *exit_code;
  return RunIn(std::get<lab::Guest>(started),
               fmt::format("cp /host/{0} /usr/bin/cmcheck && sh /lab/net_node.sh {1} && "
                           "sh /lab/net_control.sh {2} && "
                           "echo 'the {3} side has an sshd at 127.0.0.1:{4}' && exec sleep 86400",
                           OwnProgram().filename().string(), AddressesOf(network.topology, side),
                           ShellWord(*key), options.side, options.port));
}

void AddShared(Verb verb, NodeOptions* options) {
  verb.Text("--profile", &options->profile, "Its kernel and librdmacm are those of this profile");
  verb.Text("--side", &options->side, "active or passive");
  verb.Text("--wire", &options->wire, "A folder that both share, for the ends of the wire");
  verb.Text("--site", &options->site, "File whose addresses it has (docs/nodes.md)");
}

void AddNode(Verb lab) {
  Verb verb = lab.Add("node", "One of the guests of `lab nodes`, as a driver", R"(
Speaks the driver protocol (docs/driver_protocol.md) over the socket that is its standard input.
Example:
  cmcheck run --profile 6.1-rxe --impl 'sides:active=exec:cmcheck lab node --side active --wire /tmp/w,passive=exec:cmcheck lab node --side passive --wire /tmp/w')");
  auto options = std::make_shared<NodeOptions>();
  AddShared(verb, options.get());
  verb.Text("--allow", &options->allow, "What may be done to it, as `run --allow` says");
  verb.Does([options] { return Node(*options); });
}

void AddHost(Verb lab) {
  Verb verb = lab.Add("host", "One of two guests as a host behind ssh", R"(
A guest with cmcheck, a device and an sshd, until it is interrupted: one of the two hosts of a site whose
launcher is ssh (docs/nodes.md). Its user is root, and the key has no password.
Example:
  cmcheck lab host --side active --wire /tmp/wire --port 2201 --key id.pub
  ssh -i id -p 2201 root@127.0.0.1 cmcheck site facts)");
  auto options = std::make_shared<NodeOptions>();
  AddShared(verb, options.get());
  verb.Number("--port", &options->port, 1, 65535, "Of 127.0.0.1, which leads to its sshd");
  verb.Text("--key", &options->key, "File of the public key that it lets in");
  verb.Does([options] { return Host(*options); });
}

}  // namespace

std::variant<Network, std::string> NetworkOfNodes(const std::string& site) {
  if (site.empty()) return Network{.topology = *FindTopology("two-kernels"), .host_options = {}};
  const auto read = LoadSite(FromUsersFolder(site));
  if (const auto* problem = std::get_if<std::string>(&read)) return *problem;
  return Network{.topology = TopologyOf(std::get<Site>(read)),
                 .host_options = HostOptionsOf(std::get<Site>(read))};
}

std::optional<lab::Problem> ReadyNode(const Profile& profile) {
  const lab::Outcome<std::string> emulator = lab::FindEmulator(cm::SearchPath());
  if (!emulator.ok()) return emulator.problem();
  const lab::Outcome<lab::Image> image = EnsureImage(profile);
  if (!image.ok()) return image.problem();
  const auto saved =
      lab::EnsureSnapshot(image.value(), lab::Topology::kNode, emulator.value(), ShowingProgress());
  return saved.ok() ? std::nullopt : std::optional(saved.problem());
}

std::string NodeCommand(const Profile& profile, std::string_view side, const fs::path& wire) {
  return fmt::format("exec {} lab node --profile {} --side {} --wire {}",
                     ShellWord(OwnProgram().string()), profile.name, side,
                     ShellWord(wire.string()));
}

void AddOneOfTwo(Verb lab) {
  AddNode(lab);
  AddHost(lab);
}

}  // namespace cm
