// The programs of docs/programs.md on the real kernel of the lab and on the simulated one: they
// print the same, hear of the same events, and end in the same way, but for what beside.cc names.
//
// They run in two guests, which are put back before each: one for programs with many files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/process/process.h"
#include "hw_tests/lab/cache.h"
#include "hw_tests/lab/guest.h"
#include "hw_tests/lab/image.h"
#include "hw_tests/lab/own_programs.h"
#include "tools/app/beside.h"
#include "tools/app/runs.h"
#include "tools/app/stock_programs.h"

namespace cm::app {

void PrintTo(const StockProgram& program, std::ostream* out) { *out << program.name; }

namespace {

namespace fs = std::filesystem;

using testing::ElementsAreArray;

constexpr std::string_view kSides[] = {"active", "passive"};
// Objects that programs open by themselves.
constexpr std::string_view kObjects[] = {"/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so",
                                         "/usr/lib/x86_64-linux-gnu/libdaplofa.so.2",
                                         "/usr/lib/x86_64-linux-gnu/ucx/libuct_ib.so.0",
                                         "/usr/lib/x86_64-linux-gnu/ucx/libuct_rdmacm.so.0"};

struct Side {
  std::vector<std::string> lines;   // that it prints, and "exit N"
  std::vector<std::string> events;  // that its kernel gives it, in order
};
using Sides = std::map<std::string, Side, std::less<>>;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// In the guest as well.
fs::path EventsObject() { return fs::canonical("tools/app") / "libkernel_events.so"; }

// Programs of one guest, or of the other.
bool HasManyFiles(const StockProgram& program) { return !ComparisonOf(program).files.empty(); }

// A file, or those of a folder, but for Python's tests and what builds of its extensions need.
void AddFiles(const fs::path& from, std::vector<fs::path>* files) {
  constexpr std::string_view kLeft[] = {"config-3.11-x86_64-linux-gnu", "pydoc_data", "test"};
  if (!fs::is_directory(from)) {
    if (fs::exists(from)) files->push_back(from);
    return;
  }
  for (fs::recursive_directory_iterator at(from), end; at != end; ++at) {
    if (std::ranges::count(kLeft, at->path().filename().string()) != 0)
      at.disable_recursion_pending();
    if (!at->is_directory() && at->exists()) files->push_back(at->path());
  }
}

std::vector<fs::path> FilesOfPrograms(bool many) {
  std::vector<fs::path> files = {EventsObject()};
  const auto add = [&](const std::string& name) {
    const auto found = FindProgram(name, SearchPath());
    if (const auto* const path = std::get_if<std::string>(&found)) files.emplace_back(*path);
  };
  for (const StockProgram& program : StockPrograms()) {
    const Comparison beside = ComparisonOf(program);
    if (HasManyFiles(program) != many || !IsInstalled(program)) continue;
    for (const std::string_view text : {program.name.substr(0, program.name.find(' ')),
                                        program.passive, program.active, program.needs})
      for (const std::string& word : Words(kActiveSide, text).words) add(word);
    for (const std::string& file : Words(kActiveSide, beside.files).words) AddFiles(file, &files);
  }
  for (const std::string_view object : kObjects) AddFiles(object, &files);
  return files;
}

lab::Image MakeImage(bool many) {
  lab::ImageSettings settings;
  const lab::Outcome<fs::path> chosen = lab::DefaultCache();
  settings.cache = chosen.ok() ? chosen.value() : fs::path(testing::TempDir());
  const lab::Image of_kernel = lab::Image::Ensure(settings, {}).value();
  const fs::path folder = fs::path(testing::TempDir()) / (many ? "many_files" : "programs");
  fs::remove_all(folder);
  fs::create_directories(folder);
  return lab::WithPrograms(of_kernel, FilesOfPrograms(many), folder).value();
}

std::string Quoted(std::string_view word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// Of `env NAME=VALUE PROGRAM`, NAME='VALUE' for a shell, and empty for another word: the guest's
// env would start its own program of that name.
std::string Assigned(const std::string& word, const std::string& object) {
  const size_t at = word.find('=');
  if (at == std::string::npos) return "";
  const std::string name = word.substr(0, at);
  return name + "=" + Quoted(word.substr(at + 1) + (name == "LD_PRELOAD" ? ":" + object : ""));
}

// The command for a shell, with its output and its events in files.
std::string CommandOf(std::string_view side, const std::vector<std::string>& words) {
  const std::string object = EventsObject().string();
  const std::string name(side);
  std::string command =
      "CMSIM_HOST=/tmp/host." + name + " CM_EVENTS=/tmp/" + name + ".events LD_PRELOAD=" + object;
  bool in_env = words[0] == "env";
  for (size_t i = in_env ? 1 : 0; i < words.size(); ++i) {
    const std::string assigned = in_env ? Assigned(words[i], object) : "";
    in_env = !assigned.empty();
    command += " " + (in_env ? assigned : Quoted(words[i]));
  }
  return command + " >/tmp/" + name + " 2>&1; echo exit $? >>/tmp/" + name;
}

// mpirun starts the other one of its hosts with ssh.
constexpr std::string_view kSsh =
    R"(printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nshift\nexec sh -c "$*"\n' )"
    ">/bin/ssh; chmod 755 /bin/ssh\n";

// As the simulator starts them, one after the other. What serves for ever is left.
std::string ScriptOf(const StockProgram& program) {
  const Comparison beside = ComparisonOf(program);
  std::string script =
      "mkdir -p /dev/shm /tmp/host.active /tmp/host.passive; mount -t tmpfs tmpfs /dev/shm\n"
      "mkdir /dev/shm/tmp; export TMPDIR=/dev/shm/tmp\n"
      "hostname active; echo active >/etc/hostname\n"
      "printf '10.0.0.1 active\\n10.0.1.1 passive\\n' >>/etc/hosts\n"
      "cd /tmp; ulimit -l unlimited; export UCX_NET_DEVICES=rxe1:1 UCX_IB_GID_INDEX=0; : >active; "
      ": >passive\n";
  script += kSsh;
  if (beside.killed_after != Duration()) script += "export CM_LINES=1\n";
  if (!program.passive.empty())
    script +=
        "{ " + CommandOf("passive", Words(kPassiveSide, program.passive).words) + "; } & sleep 1\n";
  script += "{ " + CommandOf("active", Words(kActiveSide, program.active).words) + "; } &\n";
  if (beside.killed_after != Duration()) {
    const Duration later = beside.killed_after - Duration::Seconds(1);
    return script + "usleep " + std::to_string(later.microseconds()) + "; killall -KILL " +
           std::string(program.name.substr(0, program.name.find(' '))) + "; sleep 1\n";
  }
  return script +
         "for i in $(seq 60); do grep -q '^exit' active && break; sleep 1; done; sleep 20\n";
}

// That of a program, as it was when it had started.
std::optional<lab::Guest>& GuestOf(const StockProgram& program) {
  static std::map<bool, std::optional<lab::Guest>> guests;
  const bool many = HasManyFiles(program);
  std::optional<lab::Guest>& guest = guests[many];
  if (guest) {
    if (const auto problem = guest->Restore()) {
      ADD_FAILURE() << problem->line;
      guest.reset();
    }
    return guest;
  }
  lab::Outcome<lab::Guest> started = lab::Guest::Start(MakeImage(many), {}, {});
  if (started.ok())
    guest.emplace(std::move(started.value()));
  else
    ADD_FAILURE() << started.problem().line;
  return guest;
}

Sides InTheLab(const StockProgram& program) {
  std::optional<lab::Guest>& guest = GuestOf(program);
  Sides sides;
  if (!guest) return sides;
  const auto run = [&](const std::string& command) -> std::string {
    const lab::Outcome<lab::Ended> ended =
        guest->Run(command, {.wall_limit = std::chrono::seconds(180)});
    if (ended.ok()) return ended.value().output;
    ADD_FAILURE() << ended.problem().line;
    return "";
  };
  run(ScriptOf(program));
  for (const std::string_view side : kSides) {
    const std::string file = "/tmp/" + std::string(side);
    sides[std::string(side)] = {.lines = LinesOf(run("cat " + file)),
                                .events = LinesOf(run("cat " + file + ".events 2>/dev/null"))};
    // What the shell says of a program that was killed, here nothing does.
    if (ComparisonOf(program).killed_after != Duration())
      std::erase_if(sides[std::string(side)].lines,
                    [](const std::string& line) { return line == "Killed" || line == "exit 137"; });
  }
  return sides;
}

// "  12us  active.2 rdma_get_cm_event file=1 -> RDMA_CM_EVENT_REJECTED id=1 status=28": the side,
// and "REJECTED 28".
void NoteEvent(const std::string& line, Sides* sides) {
  std::istringstream words(line);
  std::string instant;
  std::string who;
  std::string call;
  words >> instant >> who >> call;
  if (call != "rdma_get_cm_event") return;
  std::string event;
  for (std::string word; words >> word;) {
    const std::string_view name = "RDMA_CM_EVENT_";
    const std::string_view status = "status=";
    if (word.starts_with(name)) event = word.substr(name.size());
    if (word.starts_with(status)) event += " " + word.substr(status.size());
  }
  if (!event.empty()) (*sides)[who.substr(0, who.find('.'))].events.push_back(event);
}

Sides Simulated(const StockProgram& program, const Comparison& beside) {
  if (beside.one_kernel)
    setenv("UCX_NET_DEVICES", "rxe1:1", 1);
  else
    unsetenv("UCX_NET_DEVICES");
  setenv("UCX_IB_GID_INDEX", "0", 1);
  std::vector<ProgramToRun> programs;
  if (!program.passive.empty()) programs.push_back(Words(kPassiveSide, program.passive));
  programs.push_back(Words(kActiveSide, program.active));
  RunOptions options{.seed = beside.seed, .limit = Duration::Seconds(60)};
  if (beside.killed_after != Duration()) options.limit = beside.killed_after;
  if (program.stays) options.staying = {kPassiveSide};
  // The two devices of the lab are of one kernel.
  if (beside.one_kernel) options.topology = "one-kernel-two-devices";
  const Ran ran = RunPrograms(std::move(programs), options);
  Sides sides;
  if (!ran.problem.empty()) ADD_FAILURE() << ran.problem;
  for (const std::string& line : ran.output)
    sides[line.substr(0, line.find('|'))].lines.push_back(line.substr(line.find('|') + 2));
  for (const std::string& line : ran.trace) NoteEvent(line, &sides);
  for (const EndOfProgram& end : ran.report.programs)
    if (end.ended)
      sides[end.name].lines.push_back("exit " + std::to_string(ExitCodeOf(end.status)));
  return sides;
}

std::vector<std::string> Steady(std::vector<std::string> events, const Comparison& beside) {
  std::erase(events, beside.unsteady);
  return events;
}

class StockBeside : public testing::TestWithParam<StockProgram> {
 protected:
  // tgtd is where a test's PATH does not lead.
  static void SetUpTestSuite() { setenv("PATH", (SearchPath() + ":/usr/sbin").c_str(), 1); }
};

TEST_P(StockBeside, PrintsTheSameOnTheRealKernel) {
  const StockProgram& program = GetParam();
  const Comparison beside = ComparisonOf(program);
  if (!IsInstalled(program))
    GTEST_SKIP() << "unsupported: the package " << program.package << " is not installed";
  const Sides real = InTheLab(program);
  const Sides simulated = Simulated(program, beside);
  for (const std::string_view side : kSides) {
    // What serves for ever is killed, and has not written all of its lines.
    if (side == "passive" && (program.stays || program.passive.empty())) continue;
    SCOPED_TRACE(side);
    ASSERT_TRUE(real.contains(side) && simulated.contains(side));
    const Side& there = real.find(side)->second;
    const Side& here = simulated.find(side)->second;
    if (!beside.compared) continue;
    EXPECT_FALSE(there.lines.empty());
    EXPECT_THAT(Settled(here.lines, beside), ElementsAreArray(Settled(there.lines, beside)));
    if (beside.events) {
      EXPECT_THAT(Steady(here.events, beside), ElementsAreArray(Steady(there.events, beside)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lab, StockBeside, testing::ValuesIn(StockPrograms()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::erase_if(name, [](char c) {
                             return std::isalnum(static_cast<unsigned char>(c)) == 0;
                           });
                           return name;
                         });

}  // namespace
}  // namespace cm::app
