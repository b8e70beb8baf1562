// The same unmodified programs on the real kernel of the lab and on the simulated one: they print
// the same lines and end in the same way.
//
// Compares the lines of each program in any order: a program writes to two streams, and its output
// to a file comes late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hw_tests/lab/cache.h"
#include "hw_tests/lab/guest.h"
#include "hw_tests/lab/image.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/app/broker.h"

namespace cm {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

constexpr std::array<std::string_view, 2> kSides = {"active", "passive"};

struct Pair {
  std::string name;
  std::string passive;  // the program that is started first; empty: none
  std::string active;
  std::string faults = {};      // of the simulator, `fault` lines of conversations
  std::string lab_faults = {};  // the same as commands of the lab
  bool passive_stays = false;   // it serves for ever, and is killed; unwritten output is lost
  bool prints_times = false;    // compare its lines without numbers
  // A thread prints this line unless its program ends first.
  std::string maybe = {};
};

// The output of the programs, and `exit N` for one that has ended by itself; by side.
using Printed = std::map<std::string, std::vector<std::string>>;

std::string WithoutNumbers(std::string_view line) {
  std::string rest;
  for (const char c : line)
    if (std::isdigit(static_cast<unsigned char>(c)) == 0 && c != '.' && c != ' ') rest += c;
  return rest;
}

// Sorted, so that the order of the run does not matter.
void Settle(const Pair& pair, Printed* printed) {
  for (auto& [side, lines] : *printed) {
    std::erase_if(lines,
                  [&](const std::string& line) { return line.empty() || line == pair.maybe; });
    if (pair.prints_times)
      for (std::string& line : lines)
        if (!line.starts_with("exit")) line = WithoutNumbers(line);
    std::ranges::sort(lines);
  }
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

const lab::Image& TheImage() {
  static const lab::Image* const image = [] {
    lab::ImageSettings settings;
    const lab::Outcome<std::filesystem::path> chosen = lab::DefaultCache();
    settings.cache = chosen.ok() ? chosen.value() : std::filesystem::path(testing::TempDir());
    return new lab::Image(lab::Image::Ensure(settings, {}).value());
  }();
  return *image;
}

// One after the other, as the simulator starts them. The server may end when its client has ended.
std::string ScriptOf(const Pair& pair) {
  std::string script = "cd /tmp; : >passive; : >active; " + pair.lab_faults + "\n";
  if (!pair.passive.empty())
    script += "{ " + pair.passive + " >passive 2>&1; echo exit $? >>passive; } & sleep 1\n";
  script += pair.active + " >active 2>&1; echo exit $? >>active; sleep 120\n";
  return script;
}

Printed InTheLab(const Pair& pair) {
  Printed printed;
  lab::Outcome<lab::Guest> guest = lab::Guest::Start(TheImage(), {}, {});
  if (!guest.ok()) {
    ADD_FAILURE() << guest.problem().line;
    return printed;
  }
  const auto run = [&guest](const std::string& command) -> std::string {
    const lab::Outcome<lab::Ended> ended = guest.value().Run(command, {});
    if (ended.ok()) return ended.value().output;
    ADD_FAILURE() << command << ": " << ended.problem().line;
    return "";
  };
  run(ScriptOf(pair));
  for (const std::string_view side : kSides)
    printed[std::string(side)] = LinesOf(run("cat /tmp/" + std::string(side)));
  if (!pair.lab_faults.empty()) {
    EXPECT_THAT(run("cmfault show"), Not(HasSubstr("hit 0")));
  }
  return printed;
}

app::ProgramToRun Words(uint8_t side, const std::string& text) {
  app::ProgramToRun program{.side = side, .words = {}};
  std::istringstream words(text);
  for (std::string word; words >> word;) program.words.push_back(word);
  return program;
}

// The two devices of the lab are of one kernel.
Printed Simulated(const Pair& pair, uint64_t seed) {
  Printed printed;
  for (const std::string_view side : kSides) printed[std::string(side)];
  app::Setting setting{.topology = FindTopology("one-kernel-two-devices"),
                       .profile = *FindProfile("6.1-rxe"),
                       .seed = seed,
                       .programs = {},
                       .staying_sides = {},
                       .script = {}};
  if (!pair.passive.empty()) setting.programs.push_back(Words(kPassiveSide, pair.passive));
  setting.programs.push_back(Words(kActiveSide, pair.active));
  if (pair.passive_stays) setting.staying_sides = {kPassiveSide};
  auto happenings = app::ReadScript(pair.faults, setting.topology);
  if (const auto* problem = std::get_if<std::string>(&happenings)) {
    ADD_FAILURE() << *problem;
    return printed;
  }
  setting.script = std::get<std::vector<app::Happening>>(std::move(happenings));
  setting.hears = [&printed](std::string_view who, std::string_view line) {
    printed[std::string(who)].emplace_back(line);
  };
  const auto ran = app::Run(setting);
  if (const auto* problem = std::get_if<std::string>(&ran)) {
    ADD_FAILURE() << *problem;
    return printed;
  }
  for (const app::EndOfProgram& program : std::get<app::Report>(ran).programs)
    if (program.ended && WIFEXITED(program.status))
      printed[program.name].push_back("exit " + std::to_string(WEXITSTATUS(program.status)));
  return printed;
}

std::ostream& operator<<(std::ostream& out, const Pair& pair) {
  return out << pair.passive << " : " << pair.active << "; " << pair.lab_faults;
}

class SamePrograms : public testing::TestWithParam<Pair> {};

TEST_P(SamePrograms, PrintTheSameOnTheRealKernel) {
  Printed real = InTheLab(GetParam());
  Settle(GetParam(), &real);
  EXPECT_FALSE(real["active"].empty());
  for (const uint64_t seed : {0, 1, 2}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Printed simulated = Simulated(GetParam(), seed);
    Settle(GetParam(), &simulated);
    EXPECT_THAT(simulated["active"], ElementsAreArray(real["active"]));
    if (!GetParam().passive_stays) {
      EXPECT_THAT(simulated["passive"], ElementsAreArray(real["passive"]));
    }
  }
}

std::vector<Pair> Pairs() {
  const Pair cmatose{
      .name = "Ucmatose", .passive = "ucmatose", .active = "ucmatose -b 10.0.0.1 -s 10.0.1.1"};
  std::vector<Pair> pairs = {
      {.name = "Rping",
       .passive = "rping -s -a 10.0.1.1 -C 3 -v",
       .active = "rping -c -I 10.0.0.1 -a 10.0.1.1 -C 3 -v",
       .maybe = "client DISCONNECT EVENT..."},
      cmatose,
      {.name = "UcmatoseOfFourConnections",
       .passive = "ucmatose -c 4 -C 3 -S 1000",
       .active = "ucmatose -b 10.0.0.1 -s 10.0.1.1 -c 4 -C 3 -S 1000"},
      {.name = "Udaddy", .passive = "udaddy", .active = "udaddy -b 10.0.0.1 -s 10.0.1.1"},
      {.name = "Mckey",
       .passive = "mckey -m 239.1.1.1 -b 10.0.1.1",
       .active = "mckey -s -m 239.1.1.1 -b 10.0.0.1"},
      {.name = "Cmtime",
       .passive = "cmtime -b 10.0.1.1 -c 5",
       .active = "cmtime -b 10.0.0.1 -s 10.0.1.1 -c 5",
       .passive_stays = true,
       .prints_times = true},
      {.name = "RdmaClient", .passive = "rdma_server", .active = "rdma_client -s 10.0.1.1"},
      {.name = "RdmaXclient", .passive = "rdma_xserver", .active = "rdma_xclient -s 10.0.1.1"},
      {.name = "NobodyListens", .passive = "", .active = "ucmatose -b 10.0.0.1 -s 10.0.1.1"},
      {.name = "NobodyHasTheAddress",
       .passive = "",
       .active = "ucmatose -b 10.0.0.1 -s 10.0.1.99"}};
  struct Loss {
    const char* name;
    const char* message;
    const char* from;
    const char* to;
  };
  for (const Loss loss : {Loss{"Req", "REQ", "active", "passive"},
                          {"Rep", "REP", "passive", "active"},
                          {"Rtu", "RTU", "active", "passive"},
                          {"Dreq", "DREQ", "passive", "active"},
                          {"Drep", "DREP", "active", "passive"}}) {
    Pair lossy = cmatose;
    lossy.name = std::string("TheFirst") + loss.name + "IsLost";
    lossy.faults = std::string("fault drop ") + loss.message + " from=" + loss.from + " nth=1\n";
    lossy.lab_faults = std::string("cmfault drop ") + loss.message + " " + loss.to + " 1";
    pairs.push_back(lossy);
  }
  Pair deaf = cmatose;
  deaf.name = "EveryReqIsLost";
  deaf.passive_stays = true;
  deaf.faults = "fault drop REQ from=active\n";
  deaf.lab_faults = "cmfault drop REQ passive";
  pairs.push_back(deaf);
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Lab, SamePrograms, testing::ValuesIn(Pairs()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace cm
