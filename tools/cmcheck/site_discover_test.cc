// `cmcheck site discover` with hosts that are a script, and with this one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "conformance/adapters/exec/site.h"
#include "tools/cmcheck/cmcheck_process.h"
#include "tools/site/facts.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A host: says SIDE.facts, and that it reaches everything, or SIDE.problem.
constexpr const char* kHost = R"(side=$1
lines=$(($(wc -l <$side.facts) - 1))
head -n $lines $side.facts
while [ $# -gt 0 ]; do
  if [ "$1" = --reach ]; then
    echo "{\"reached\":{\"from\":\"${2%,*}\",\"to\":\"${2#*,}\",\"problem\":\"$(cat $side.problem)\"}}"
    lines=$((lines + 1))
  fi
  shift
done
echo "{\"end\":$lines}"
)";

class Discover : public testing::Test {
 protected:
  Discover() {
    folder_.Write("host.sh", kHost);
    for (const std::string side : {"active", "passive"}) {
      folder_.Write(side + ".facts", ToLines(FactsOf(side)));
      folder_.Write(side + ".problem", "");
    }
  }
  // With a device under eth1, and eth0 for control.
  static site::HostFacts FactsOf(const std::string& side) {
    const std::string n = side == "active" ? "1" : "2";
    site::HostFacts facts{.kernel = "6.1.0-56-amd64",
                          .system = "Debian GNU/Linux 12 (bookworm)",
                          .glibc = "2.36",
                          .librdmacm = "/usr/lib/librdmacm.so.1.3.44.0",
                          .librdmacm_problem = {},
                          .boot = "boot" + n,
                          .control = "eth0",
                          .superuser = true,
                          .rdma_cm_problem = {},
                          .ports = {},
                          .interfaces = {},
                          .reached = {}};
    facts.ports = {{.device = "mlx5_0",
                    .number = 1,
                    .state = "ACTIVE",
                    .link = "Ethernet",
                    .kind = "CA",
                    .driver = "mlx5_core",
                    .firmware = "20.31.1014",
                    .interfaces = {"eth1"},
                    .gids = {}}};
    facts.interfaces = {
        {.name = "eth0", .mtu = 1500, .up = true, .addresses = {{"10.0.0." + n, 24}}},
        {.name = "eth1",
         .mtu = 9000,
         .up = true,
         .addresses = {{"192.168.7." + n, 24}, {"fd07::" + n, 64}}}};
    return facts;
  }
  Ended Run(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"site",     "discover",   "rack7.json",
                                          "--active", "node1",      "--passive",
                                          "node2",    "--launcher", "sh host.sh {side} {command}"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return folder_.Cmcheck(arguments);
  }
  // Both hosts are this command.
  Ended RunWith(const std::string& launcher, const std::string& within) {
    return folder_.Cmcheck({"site", "discover", "rack7.json", "--active", "node1", "--passive",
                            "node2", "--launcher", launcher, "--answers-within", within});
  }
  bool Written() const {
    const std::vector<std::string> files = folder_.Files();
    return std::find(files.begin(), files.end(), "rack7.json") != files.end();
  }

  CmcheckFolder folder_;
};

TEST_F(Discover, WritesASiteThatIsRead) {
  const Ended ended = Run({"--cmcheck", "/opt/cmcheck"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("active: node1: Linux 6.1.0-56-amd64, Debian"),
                    HasSubstr("device mlx5_0 port 1: CA Ethernet, ACTIVE, driver mlx5_core"),
                    HasSubstr("interface eth0: up, MTU 1500, 10.0.0.1/24; the control connection"),
                    HasSubstr("chosen: passive: device mlx5_0 port 1 on eth1"),
                    HasSubstr("fd07::1 and fd07::2 reach each other, in one network"),
                    HasSubstr("next: cmcheck site check rack7.json")));
  const auto parsed = LoadSite((folder_.path() / "rack7.json").string());
  ASSERT_TRUE(std::holds_alternative<Site>(parsed)) << std::get<std::string>(parsed);
  const auto& site = std::get<Site>(parsed);
  EXPECT_EQ(site.name, "rack7");
  EXPECT_EQ(site.agent, "/opt/cmcheck agent");
  EXPECT_EQ(site.sides[1].host, "node2");
  EXPECT_EQ(site.sides[1].v4, "192.168.7.2");
  // An operator may have changed it.
  const Ended again = Run();
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.error, HasSubstr("rack7.json exists"));
}

TEST_F(Discover, WhatIsMissingIsAComment) {
  site::HostFacts passive = FactsOf("passive");
  passive.interfaces[1].addresses.pop_back();
  folder_.Write("passive.facts", ToLines(passive));
  const Ended ended = Run();
  EXPECT_EQ(ended.exit_code, 1) << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("to do: IPv6: eth1 of the passive side has no IPv6 address"));
  EXPECT_THAT(folder_.Read("rack7.json"), HasSubstr(R"(    // "v6": "",  not found)"));
  const Ended check = folder_.Cmcheck({"site", "check", "rack7.json"});
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_THAT(check.error, HasSubstr("'active' needs a text 'v6'"));
}

TEST_F(Discover, HostsThatDoNotReachEachOtherAreNotChosen) {
  folder_.Write("passive.problem", "No route to host");
  const Ended ended = Run();
  EXPECT_EQ(ended.exit_code, 1) << ended.error;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("chosen: nothing"),
                                  HasSubstr("not chosen: eth1 to eth1: 192.168.7.2 does not reach "
                                            "192.168.7.1: No route to host")));
  EXPECT_THAT(folder_.Read("rack7.json"), HasSubstr(R"(// "v4": "",  not found)"));
}

TEST_F(Discover, AHostWithoutADeviceHasAnExitCodeOfItsOwn) {
  site::HostFacts passive = FactsOf("passive");
  passive.ports.clear();
  folder_.Write("passive.facts", ToLines(passive));
  const Ended ended = Run();
  EXPECT_EQ(ended.exit_code, 4) << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("to do: passive: no RDMA device is there"));
  EXPECT_TRUE(Written());
}

// The command itself, with what this machine has: a device or none.
TEST_F(Discover, AsksThisHost) {
  std::string cmcheck;
  for (const std::string& word : folder_.CommandOf({}))
    cmcheck += (cmcheck.empty() ? "" : " ") + word;
  const Ended ended =
      folder_.Cmcheck({"site", "discover", "here.json", "--active", "here", "--passive", "here",
                       "--launcher", "{command}", "--cmcheck", cmcheck});
  EXPECT_THAT(ended.exit_code, testing::AnyOf(0, 1, 4)) << ended.error;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("active: here: Linux "), HasSubstr(", glibc 2."),
                                  HasSubstr("both sides are on one host")));
  EXPECT_THAT(folder_.Read("here.json"), HasSubstr(R"("name": "here")"));
}

struct Bad {
  const char* what;
  std::string launcher;
  std::string says;
  std::string within = "300";  // that host answers, or ends
  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.what; }
};

class BadHost : public Discover, public testing::WithParamInterface<Bad> {};

TEST_P(BadHost, IsNamedAndNothingIsWritten) {
  const Ended ended = RunWith(GetParam().launcher, GetParam().within);
  EXPECT_EQ(ended.exit_code, 2) << ended.output;
  EXPECT_THAT(ended.error, AllOf(HasSubstr("active: "), HasSubstr(GetParam().says)));
  EXPECT_EQ(LinesOf(ended.error).size(), 1U) << ended.error;
  EXPECT_FALSE(Written());
}
INSTANTIATE_TEST_SUITE_P(
    Hosts, BadHost,
    testing::Values(
        Bad{"WithoutCmcheck", "exit 127", "exit code 127: cmcheck is not there; --cmcheck says"},
        Bad{"NotReached", "exit 255", "exit code 255: ssh does not reach"},
        Bad{"Other", "echo hello", "no facts came; it ended with exit code 0"},
        Bad{"Half", "head -n 2 active.facts", "the facts end after 2 lines, before their end"},
        Bad{"HalfLine", "printf '{\"cmcheck_facts\":1'", "no facts came"},
        Bad{"Silent", "exec sleep 1000", "no facts came; no more within 2 s", "2"},
        Bad{"Flood", "exec yes 2>/dev/null", "no facts came", "2"},
        Bad{"FloodOfObjects", "exec yes '{}' 2>/dev/null", "more than 10000 lines"},
        Bad{"Nonsense", "tr 0-9 ^ <active.facts", "line 1 of the facts"},
        Bad{"OtherRelease", "sed s/facts.:1/facts\\\":9/ active.facts", "another release"},
        Bad{"Command", "sed 's/192.168.7.1/$(reboot)/' active.facts", "which is no address"}),
    [](const auto& info) { return std::string(info.param.what); });

TEST_F(Discover, SaysWhatItNeeds) {
  const Ended one = folder_.Cmcheck({"site", "discover", "rack7.json", "--active", "node1"});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_THAT(one.error, HasSubstr("--active and --passive name the hosts"));
  const Ended name = Run({"--name", "two-kernels"});
  EXPECT_EQ(name.exit_code, 2);
  EXPECT_THAT(name.error, HasSubstr("of a built-in topology"));
  const Ended reach = folder_.Cmcheck({"site", "facts", "--reach", "10.0.0.1"});
  EXPECT_EQ(reach.exit_code, 2);
  EXPECT_THAT(reach.error, HasSubstr("is not ADDRESS,ADDRESS"));
}

TEST_F(Discover, FactsSayWhatIsReached) {
  const Ended ended = folder_.Cmcheck({"site", "facts", "--reach", "127.0.0.1,127.0.0.2"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  const auto parsed = site::ParseFacts(LinesOf(ended.output));
  ASSERT_TRUE(std::holds_alternative<site::HostFacts>(parsed)) << std::get<std::string>(parsed);
  const auto& facts = std::get<site::HostFacts>(parsed);
  ASSERT_EQ(facts.reached.size(), 1U);
  EXPECT_EQ(facts.reached[0].problem, "");
  EXPECT_THAT(facts.boot, Not(""));
}

}  // namespace
}  // namespace cm
