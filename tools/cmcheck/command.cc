#include "tools/cmcheck/command.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "conformance/adapters/dl/dl_adapter.h"
#include "conformance/adapters/lib/lib_adapter.h"
#include "conformance/defects/defective_sim.h"
#include "conformance/defects/defects.h"
#include "conformance/runner/profile_file.h"
#include "hw_tests/lab/linux_place.h"
#include "model/vocabulary/topology.h"
#include "tools/cmcheck/other_loader.h"

namespace cm {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

std::atomic<int> signals{0};

// `timeout` sends its signal twice in a row: the second still leaves time to clean up.
void NoteInterrupt(int signal) {
  interrupted = true;
  if (++signals >= 2) ::signal(signal, SIG_DFL);
}

std::string DefectNames() {
  std::vector<std::string_view> names;
  for (const Defect& defect : Defects()) names.push_back(defect.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::variant<Answering, std::string> ResolveSim(const Asked& asked, SimOptions options) {
  if (!asked.place.empty()) return "--place goes with --impl dl only";
  const Profile profile = options.profile;
  Answering answering;
  answering.implementation = MakeDefectiveSim(std::move(options), asked.defect);
  if (answering.implementation == nullptr)
    return fmt::format("there is no defect '{}'; defects are {}", asked.defect, DefectNames());
  answering.text = asked.defect.empty() ? "sim" : "sim+" + asked.defect;
  if (const std::string_view other = WhoShows(asked.defect, profile); !other.empty())
    fmt::print(stderr, "cmcheck: profile {} does not show the defect {}: {} does\n", profile.name,
               asked.defect, other);
  answering.options = "--impl sim";
  if (!asked.defect.empty()) answering.options += " --defect " + asked.defect;
  answering.library = "simulated";
  answering.kernel = "simulated";
  return answering;
}

std::variant<std::unique_ptr<Place>, std::string> PlaceNamed(const std::string& name) {
  if (name.empty() || name == "bare") return MakeBarePlace();
  if (name != "guest") return fmt::format("there is no place '{}'; places are bare, guest", name);
  lab::Outcome<std::unique_ptr<Place>> guest = lab::LinuxPlace::Open();
  if (!guest.ok()) return guest.problem().line;
  return std::move(guest.value());
}

std::variant<Answering, std::string> ResolveDl(const Asked& asked, DlOptions options) {
  if (!asked.defect.empty()) return "--defect goes with --impl sim only";
  const size_t colon = asked.impl.find(':');
  if (colon != std::string::npos) options.path = asked.impl.substr(colon + 1);
  if (options.path.empty()) return "--impl dl: has no path after the colon";
  if (options.path.find('/') != std::string::npos) options.path = FromUsersFolder(options.path);
  auto found = PlaceNamed(asked.place);
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
  if (!asked.defect.empty()) return "--defect goes with --impl sim only";
  if (!asked.place.empty()) return "--place goes with --impl dl only";
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

}  // namespace

int Unusable(const std::string& what) {
  fmt::print(stderr, "cmcheck: {}\n", what);
  return kExitUnusable;
}

const std::atomic<bool>& Interrupted() { return interrupted; }

void StopWork() { interrupted = true; }

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = NoteInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // nohup ignores SIGHUP: the run continues.
  struct sigaction before = {};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
}

bool ColoursOn(int descriptor) {
  return isatty(descriptor) == 1 && std::getenv("NO_COLOR") == nullptr;
}

std::string FromUsersFolder(const std::string& path) {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  return folder == nullptr ? path : (std::filesystem::path(folder) / path).string();
}

std::string ShellWord(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return (std::isalnum(static_cast<unsigned char>(c)) != 0) ||
           std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::variant<std::string, std::monostate> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) return std::monostate{};
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void AddAnswering(Verb verb, Asked* asked) {
  verb.Text("--impl", &asked->impl,
            "Implementation: sim; lib or lib:PATH (the installed librdmacm, or any, on the "
            "simulated kernel); dl or dl:PATH (the same on this machine's kernel)");
  verb.Text("--defect", &asked->defect, "A named defect of sim; `cmcheck list defects`");
  verb.Text("--place", &asked->place, "Where dl runs: bare, or guest inside the lab");
}

void AddSetting(Verb verb, Asked* asked) {
  verb.Text("--profile", &asked->profile, "A name of `cmcheck list profiles`, or a file");
  verb.Text("--capabilities", &asked->capabilities,
            "What the environment may do, in quotes, or none; default: all that it can");
}

void AddAsked(Verb verb, Asked* asked) {
  AddAnswering(verb, asked);
  AddSetting(verb, asked);
}

std::variant<Answering, std::string> Resolve(const Asked& asked) {
  const std::string profile_name =
      FindProfile(asked.profile) != nullptr ? asked.profile : FromUsersFolder(asked.profile);
  auto profile = LoadProfile(profile_name);
  if (auto* problem = std::get_if<std::string>(&profile)) return std::move(*problem);
  const Profile& known = std::get<Profile>(profile);
  std::variant<Answering, std::string> answering;
  if (asked.impl == "sim")
    answering = ResolveSim(
        asked, {.profile = known, .watch_wire = true, .capabilities = known.capabilities});
  else if (asked.impl == "dl" || asked.impl.starts_with("dl:"))
    answering = ResolveDl(asked, {.profile = known});
  else if (asked.impl == "lib" || asked.impl.starts_with("lib:"))
    answering = ResolveLib(asked, {.profile = known});
  else
    return fmt::format(
        "there is no implementation '{}'; accepted are sim, lib, lib:PATH, dl, dl:PATH",
        asked.impl);
  if (auto* found = std::get_if<Answering>(&answering);
      found != nullptr && asked.profile != "6.1-rxe")
    found->options += " --profile " + ShellWord(profile_name);
  return answering;
}

std::vector<TopologyShare> MixedTopologies() {
  return {{.topology = FindTopology("two-kernels"), .weight = 4},
          {.topology = FindTopology("one-kernel-two-devices"), .weight = 3},
          {.topology = FindTopology("bond"), .weight = 2}};
}

std::string TopologyNames() {
  std::vector<std::string_view> names;
  for (const Topology& topology : AllTopologies()) names.push_back(topology.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace cm
