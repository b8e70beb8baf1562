#include "tools/cmcheck/implementations.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/adapters/dl/dl_adapter.h"
#include "conformance/adapters/exec/allow.h"
#include "conformance/adapters/exec/exec_adapter.h"
#include "conformance/adapters/exec/nodes.h"
#include "conformance/adapters/exec/sides.h"
#include "conformance/adapters/exec/site.h"
#include "conformance/adapters/lib/lib_adapter.h"
#include "conformance/defects/defective_sim.h"
#include "conformance/defects/defects.h"
#include "conformance/runner/profile_file.h"
#include "hw_tests/lab/linux_place.h"
#include "hw_tests/node/node_place.h"
#include "tools/cmcheck/other_loader.h"
#include "tools/site/gather.h"

namespace cm {
namespace {

constexpr const char* kOfEachSide = "of each side";

std::variant<Answering, std::string> ResolveSim(const Asked& asked, SimOptions options) {
  const Profile profile = options.profile;
  Answering answering;
  if (std::string why = WhyNotTogether(asked.defects); !why.empty()) return why;
  answering.implementation = MakeDefectiveSim(std::move(options), asked.defects);
  answering.text = "sim";
  answering.options = "--impl sim";
  for (const std::string& defect : asked.defects) {
    answering.text += "+" + defect;
    answering.options += " --defect " + defect;
    if (const std::string_view other = WhoShows(defect, profile); !other.empty())
      fmt::print(stderr, "cmcheck: profile {} does not show the defect {}: {} does\n", profile.name,
                 defect, other);
  }
  answering.library = "simulated";
  answering.kernel = "simulated";
  return answering;
}

// The host of an agent that may do something to it.
std::variant<std::unique_ptr<Place>, std::string> NodePlace(const Asked& asked) {
  auto allow = ParseAllow(asked.allow);
  if (auto* problem = std::get_if<std::string>(&allow)) return "--allow: " + std::move(*problem);
  node::NodeSettings settings{.allow = std::get<AllowList>(std::move(allow)),
                              .address = asked.address,
                              .control = asked.control,
                              .input = STDIN_FILENO};
  if (!asked.records.empty()) settings.folder = FromUsersFolder(asked.records);
  const char* const ssh = std::getenv("SSH_CONNECTION");
  if (settings.control.empty() && ssh != nullptr)
    settings.control = site::ControlInterface(site::InterfacesOfHost(), ssh);
  return node::OpenNode(settings, MakeBarePlace());
}

std::variant<std::unique_ptr<Place>, std::string> PlaceOf(const Asked& asked) {
  const std::string& name = asked.place;
  if (!asked.allow.empty()) {
    if (!name.empty()) return "--allow goes with no --place";
    return NodePlace(asked);
  }
  if (name.empty() || name == "bare") return MakeBarePlace();
  if (name != "guest") return fmt::format("there is no place '{}'; places are bare, guest", name);
  lab::Outcome<std::unique_ptr<Place>> guest = lab::LinuxPlace::Open();
  if (!guest.ok()) return guest.problem().line;
  return std::move(guest.value());
}

std::variant<Answering, std::string> ResolveDl(const Asked& asked, DlOptions options) {
  const size_t colon = asked.impl.find(':');
  if (colon != std::string::npos) options.path = asked.impl.substr(colon + 1);
  if (options.path.empty()) return "--impl dl: has no path after the colon";
  if (options.path.find('/') != std::string::npos) options.path = FromUsersFolder(options.path);
  auto found = PlaceOf(asked);
  if (auto* problem = std::get_if<std::string>(&found)) return std::move(*problem);
  std::unique_ptr<Place> place = std::get<std::unique_ptr<Place>>(std::move(found));
  Answering answering{.implementation = nullptr,
                      .text = "dl:" + options.path,
                      .options = "--impl " + ShellWord("dl:" + options.path),
                      .library = {},
                      .kernel = place->name()};
  if (std::string problem = Probe(options); !problem.empty()) return problem;
  auto made = MakeDlImplementation(std::move(options), std::move(place));
  if (auto* problem = std::get_if<std::string>(&made)) return std::move(*problem);
  answering.implementation = std::get<std::unique_ptr<Implementation>>(std::move(made));
  answering.library = answering.implementation->name();
  return answering;
}

std::variant<Answering, std::string> ResolveLib(const Asked& asked, LibOptions options) {
  const size_t colon = asked.impl.find(':');
  if (colon != std::string::npos) options.path = asked.impl.substr(colon + 1);
  if (options.path.empty()) return "--impl lib: has no path after the colon";
  const bool is_path = options.path.find('/') != std::string::npos;
  if (is_path) options.path = FromUsersFolder(options.path);
  const std::string path = options.path;
  Answering answering{.implementation = nullptr,
                      .text = "lib:" + options.path,
                      .options = "--impl " + ShellWord("lib:" + options.path),
                      .library = {},
                      .kernel = "simulated"};
  auto made = MakeLibImplementation(std::move(options));
  if (auto* problem = std::get_if<std::string>(&made)) {
    const std::string why_not = is_path ? StartAgainByLoaderOf(path) : "";
    const bool needs_it = is_path && problem->find("GLIBC_") != std::string::npos;
    return needs_it ? fmt::format("{}; {}", *problem, why_not) : *problem;
  }
  answering.implementation = std::get<std::unique_ptr<Implementation>>(std::move(made));
  answering.library = answering.implementation->name();
  return answering;
}

// An implementation of one driver or more, named by the text of --impl.
Answering ByDrivers(const Asked& asked, std::unique_ptr<Implementation> implementation,
                    std::string kernel) {
  Answering answering{.implementation = std::move(implementation),
                      .text = asked.impl,
                      .options = "--impl " + ShellWord(asked.impl),
                      .library = {},
                      .kernel = std::move(kernel)};
  answering.library = answering.implementation->name();
  return answering;
}

// A driver that is started, or that listens.
std::variant<std::unique_ptr<Implementation>, std::string> DriverAt(const std::string& impl,
                                                                    const Profile& profile) {
  const std::string where = impl.substr(impl.find(':') + 1);
  if (where.empty()) return fmt::format("--impl {} has nothing after the colon", impl);
  ExecOptions options{.profile = profile};
  options.place.interrupted = &Interrupted();
  if (impl.starts_with("exec:")) {
    options.place.command = where;
  } else {
    options.place.address = where;
    const char* const token = std::getenv(kTokenVariable);
    if (token != nullptr) options.place.token = token;
  }
  return MakeExecImplementation(std::move(options));
}

std::variant<Answering, std::string> ResolveExec(const Asked& asked, const Profile& profile) {
  auto made = DriverAt(asked.impl, profile);
  if (auto* problem = std::get_if<std::string>(&made)) return std::move(*problem);
  return ByDrivers(asked, std::get<std::unique_ptr<Implementation>>(std::move(made)),
                   "the driver's");
}

// What stands for one side.
std::variant<std::unique_ptr<Implementation>, std::string> SideAt(Asked asked, const SideText& side,
                                                                  const Profile& profile) {
  asked.impl = side.what;
  std::variant<std::unique_ptr<Implementation>, std::string> made;
  if (side.what.starts_with("exec:") || side.what.starts_with("tcp:")) {
    made = DriverAt(side.what, profile);
  } else if (side.what == "dl" || side.what.starts_with("dl:")) {
    auto resolved = ResolveDl(asked, {.profile = profile});
    if (auto* problem = std::get_if<std::string>(&resolved)) return std::move(*problem);
    made = std::move(std::get<Answering>(resolved).implementation);
  } else {
    return fmt::format("{}: '{}' is none of exec:COMMAND, tcp:HOST:PORT, dl, dl:PATH", side.side,
                       side.what);
  }
  if (auto* problem = std::get_if<std::string>(&made))
    return fmt::format("{}: {}", side.side, *problem);
  return made;
}

std::variant<Answering, std::string> ResolveSides(const Asked& asked, const Profile& profile) {
  auto parsed = ParseSides(asked.impl.substr(asked.impl.find(':') + 1));
  if (auto* problem = std::get_if<std::string>(&parsed)) return std::move(*problem);
  const auto loaded = LoadProfilesOfSides(ProfileFromUser(asked.profile));
  if (const auto* problem = std::get_if<std::string>(&loaded)) return *problem;
  const auto& [active, passive] = std::get<std::pair<Profile, Profile>>(loaded);
  std::vector<OneSide> sides;
  for (const SideText& side : std::get<std::vector<SideText>>(parsed)) {
    auto made = SideAt(asked, side, sides.empty() ? active : passive);
    if (auto* problem = std::get_if<std::string>(&made)) return std::move(*problem);
    sides.push_back({.side = side.side,
                     .implementation = std::get<std::unique_ptr<Implementation>>(std::move(made))});
  }
  auto made = MakeSidesImplementation(std::move(sides), profile);
  if (auto* problem = std::get_if<std::string>(&made)) return std::move(*problem);
  return ByDrivers(asked, std::get<std::unique_ptr<Implementation>>(std::move(made)), kOfEachSide);
}

std::variant<Answering, std::string> ResolveNodes(const Asked& asked, const Profile& profile) {
  if (asked.site.empty()) return "--impl nodes needs --site FILE (docs/nodes.md)";
  const auto read = LoadSite(FromUsersFolder(asked.site));
  if (const auto* problem = std::get_if<std::string>(&read)) return *problem;
  const Site& site = std::get<Site>(read);
  const auto loaded = LoadBasesOfSides(ProfileFromUser(asked.profile));
  if (const auto* problem = std::get_if<std::string>(&loaded)) return *problem;
  const auto lost = [](std::string_view side, const std::string& what) {
    fmt::print(stderr, "cmcheck: {}: {}; the agent is started again\n", side, what);
  };
  auto made = MakeNodesImplementation({.site = site,
                                       .allow = asked.allow,
                                       .own = std::get<std::pair<Profile, Profile>>(loaded),
                                       .joint = profile,
                                       .lost = lost,
                                       .interrupted = &Interrupted()});
  if (const auto* problem = std::get_if<std::string>(&made))
    return fmt::format("{}: {}", asked.site, *problem);
  Answering answering =
      ByDrivers(asked, std::get<std::unique_ptr<Implementation>>(std::move(made)), kOfEachSide);
  answering.text = "nodes of " + site.name;
  answering.options += " --site " + ShellWord(asked.site);
  if (!asked.allow.empty()) answering.options += " --allow " + asked.allow;
  return answering;
}

}  // namespace

std::variant<Answering, std::string> ResolveAny(const Asked& asked, const Profile& profile) {
  const bool is_dl = asked.impl == "dl" || asked.impl.starts_with("dl:");
  if (!asked.allow.empty() && asked.impl != "nodes" && !is_dl)
    return "--allow goes with --impl nodes or dl only";
  if (!asked.defects.empty() && asked.impl != "sim") return "--defect goes with --impl sim only";
  if (!asked.place.empty() && !is_dl && !asked.impl.starts_with("sides:"))
    return "--place goes with --impl dl only";
  if (asked.impl == "sim")
    return ResolveSim(asked, {.profile = profile,
                              .watch_wire = true,
                              .capabilities = profile.capabilities,
                              .on_wire = {},
                              .acks_take_no_time = asked.of_programs});
  if (is_dl) return ResolveDl(asked, {.profile = profile});
  if (asked.impl == "lib" || asked.impl.starts_with("lib:"))
    return ResolveLib(asked, {.profile = profile});
  if (asked.impl.starts_with("exec:") || asked.impl.starts_with("tcp:"))
    return ResolveExec(asked, profile);
  if (asked.impl.starts_with("sides:")) return ResolveSides(asked, profile);
  if (asked.impl == "nodes") return ResolveNodes(asked, profile);
  return fmt::format(
      "there is no implementation '{}'; accepted are sim, lib, lib:PATH, dl, dl:PATH, "
      "exec:COMMAND, tcp:HOST:PORT, sides:active=IMPL,passive=IMPL, nodes",
      asked.impl);
}

}  // namespace cm
