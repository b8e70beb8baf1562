#include "tools/cmcheck/command.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/runner/profile_file.h"
#include "model/vocabulary/topology.h"
#include "tools/cmcheck/progress.h"

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

// The bytes of the character that the text begins with; 0 where it begins with a control character
// or with no UTF-8.
size_t LengthOfCharacter(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80)
    return (first >= ' ' && first != 0x7f) || first == '\n' || first == '\t' ? 1 : 0;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool is_control = first == 0xc2 && byte(1) < 0xa0;  // U+0080 to U+009F
  return is_control ? 0 : length;
}

// Messages quote what was given: a terminal must not obey it.
std::string Escaped(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const size_t length = LengthOfCharacter(text);
    escaped += length == 0 ? fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()))
                           : std::string(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return escaped;
}

ResolveOther resolve_other = nullptr;

// The simulator as it is.
Answering Simulator(const Profile& profile, bool of_programs) {
  return {.implementation = MakeSimImplementation({.profile = profile,
                                                   .watch_wire = true,
                                                   .capabilities = profile.capabilities,
                                                   .on_wire = {},
                                                   .acks_take_no_time = of_programs}),
          .text = "sim",
          .options = "--impl sim",
          .library = "simulated",
          .kernel = "simulated"};
}

}  // namespace

int Unusable(const std::string& what) {
  // Not by fmt::print, which throws where stderr cannot be written either, as in `2>&1 | head`.
  static_cast<void>(std::fputs(fmt::format("cmcheck: {}\n", Escaped(what)).c_str(), stderr));
  return signals > 0 ? kExitInterrupted : kExitUnusable;
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
  return std::getenv("NO_COLOR") == nullptr && TakesSequences(descriptor);
}

std::string FromUsersFolder(const std::string& path) {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  return folder == nullptr ? path : (std::filesystem::path(folder) / path).string();
}

std::string ProfileFromUser(const std::string& name_or_path) {
  return IsProfileName(name_or_path) ? name_or_path : FromUsersFolder(name_or_path);
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

void AddAnswering(Verb verb, Asked* asked) {
  verb.Text("--impl", &asked->impl,
            "Implementation: sim; lib or lib:PATH (the installed librdmacm, or any, on the "
            "simulated kernel); dl or dl:PATH (the same on this machine's kernel); exec:COMMAND or "
            "tcp:HOST:PORT (a driver in any language, docs/driver_protocol.md); "
            "sides:active=IMPL,passive=IMPL (each side another one of dl, exec, tcp); nodes "
            "(`cmcheck agent` on two hosts of --site)");
  verb.Texts("--defect", &asked->defects,
             "A named defect of sim, may be repeated; `cmcheck list defects`");
  verb.Text("--site", &asked->site, "File with the two hosts of --impl nodes (docs/nodes.md)");
  verb.Text("--allow", &asked->allow,
            "What may be done to the hosts of --impl nodes, where their site's file allows it: "
            "link, neighbour, address, device, loss, time (docs/nodes.md)");
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

void ResolveOthersBy(ResolveOther resolve) { resolve_other = resolve; }

std::variant<Answering, std::string> Resolve(const Asked& asked) {
  const std::string profile_name = ProfileFromUser(asked.profile);
  auto profile = LoadProfile(profile_name);
  if (auto* problem = std::get_if<std::string>(&profile)) return std::move(*problem);
  Profile& known = std::get<Profile>(profile);
  if (asked.of_programs) known.timing.clock = TimerClock::kWheel;
  if (!asked.site.empty() && asked.impl != "nodes") return "--site goes with --impl nodes only";
  std::variant<Answering, std::string> answering;
  if (asked.impl == "sim" && asked.defects.empty() && asked.place.empty() && asked.allow.empty())
    answering = Simulator(known, asked.of_programs);
  else if (resolve_other != nullptr)
    answering = resolve_other(asked, known);
  else
    return "--allow, --defect, --place and --impl other than sim need cmcheck, which tools/run "
           "builds";
  if (auto* found = std::get_if<Answering>(&answering);
      found != nullptr && asked.profile != "6.1-rxe")
    found->options += " --profile " + ShellWord(profile_name);
  return answering;
}

std::string TopologyNames() {
  std::vector<std::string_view> names;
  for (const Topology& topology : AllTopologies()) names.push_back(topology.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace cm
