// Topologies as text: parsed, printed, and refused.
#include "model/conversation/topology_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>

#include "model/conversation/parse.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::HasSubstr;

using Parsed = std::variant<Conversation, TextProblem>;

std::string Problem(const Parsed& parsed) {
  const auto* problem = std::get_if<TextProblem>(&parsed);
  return problem == nullptr ? "" : std::to_string(problem->line) + ": " + problem->what;
}

std::string ProblemIn(std::string_view text) { return Problem(ParseConversation(text)); }

constexpr std::string_view kOwnTopology =
    "topology own\n"
    "host a\n"
    "device rxe0 on=veth0 address=10.0.0.1,fd00::1 bonded\n"
    "host b\n"
    "device rxe1 on=veth1 address=10.0.1.1,fd00:1::1 address=10.5.1.1,fd05:1::1\n"
    "device rxe2 on=veth2 address=10.0.2.1,fd00:2::1\n"
    "side active device=rxe0\n"
    "side passive device=rxe1\n"
    "side spare device=rxe2\n"
    "unlinked rxe0 rxe2\n";

TEST(ATopology, OfAConversationReadsBackAsItWasWritten) {
  const auto parsed = ParseConversation(std::string(kOwnTopology) + "profile 6.1-rxe\nsettle\n");
  ASSERT_TRUE(std::holds_alternative<Conversation>(parsed)) << Problem(parsed);
  const Topology& topology = *std::get<Conversation>(parsed).topology;
  EXPECT_EQ(ToText(topology), kOwnTopology);
  EXPECT_THAT(ToText(std::get<Conversation>(parsed)), HasSubstr(kOwnTopology));
  EXPECT_EQ(topology.KernelOf(*topology.SideNamed("spare")), 1);
  EXPECT_TRUE(topology.devices[0].bonded);
  EXPECT_FALSE(topology.Linked(2, 0));
  EXPECT_TRUE(topology.Linked(0, 1));
  const Address second{.kind = AddressKind::kSide, .side = 1, .v6 = true, .port = 7, .nth = 1};
  EXPECT_EQ(ParseAddress("passive/2.v6:7", topology), second);
  EXPECT_EQ(ToString(second, topology), "passive/2.v6:7");
  EXPECT_EQ(NumericHost(second, topology), "fd05:1::1");
  EXPECT_EQ(AddressOfNumeric("[fd05:1::1]:7", topology), second);
  EXPECT_EQ(ParseAddress("passive/3:7", topology), std::nullopt);
  EXPECT_EQ(ParseAddress("active/2:7", topology), std::nullopt);
}

TEST(ATopology, MayLackIpv4) {
  const std::string text =
      "topology own\nhost a\ndevice rxe0 on=veth0 address=none,fd00::1\nside active device=rxe0\n";
  const auto parsed = ParseConversation(text + "profile 6.1-rxe\nsettle\n");
  ASSERT_TRUE(std::holds_alternative<Conversation>(parsed)) << Problem(parsed);
  const Topology& topology = *std::get<Conversation>(parsed).topology;
  EXPECT_EQ(ToText(topology), text);
  EXPECT_EQ(NumericHost({.kind = AddressKind::kSide}, topology), "");
  EXPECT_EQ(NumericHost({.kind = AddressKind::kSide, .v6 = true}, topology), "fd00::1");
  EXPECT_THAT(ProblemIn("topology own\nhost a\ndevice rxe0 on=veth0 address=10.0.0.1,none\n"),
              HasSubstr("address=10.0.0.1,none"));
}

TEST(ATopology, LivesAsLongAsAConversationThatHasIt) {
  Conversation kept;
  {
    auto parsed = ParseConversation(std::string(kOwnTopology) + "settle\n");
    kept = std::get<Conversation>(parsed);
  }
  EXPECT_EQ(kept.topology->name, "own");
}

TEST(ATopology, ThatIsBuiltInIsWrittenTheSameWay) {
  for (const Topology& topology : AllTopologies()) {
    std::string text = ToText(topology);
    text.replace(0, std::string("topology ").size() + topology.name.size(), "topology copy");
    const auto parsed = ParseConversation(text);
    ASSERT_TRUE(std::holds_alternative<Conversation>(parsed)) << Problem(parsed);
    Topology copy = *std::get<Conversation>(parsed).topology;
    copy.name = topology.name;
    copy.sentence = topology.sentence;
    EXPECT_EQ(copy, topology) << text;
  }
}

TEST(ATopology, MayHaveATesterThatIsOneToo) {
  const auto parsed = ParseConversation(
      "topology own\nhost a\ndevice rxe0 on=veth0 address=10.0.0.1,fd00::1\nhost wire\n"
      "device hand on=veth1 address=10.0.1.1,fd00:1::1 tester\nside active device=rxe0\n"
      "side odd device=hand\nodd sends DREQ to=active remote=7\n");
  ASSERT_TRUE(std::holds_alternative<Conversation>(parsed)) << Problem(parsed);
  const auto& conversation = std::get<Conversation>(parsed);
  EXPECT_FALSE(conversation.topology->IsTester(0));
  EXPECT_TRUE(conversation.topology->IsTester(1));
  EXPECT_THAT(ToText(conversation), HasSubstr("address=10.0.1.1,fd00:1::1 tester\n"));
}

TEST(ATopology, MayHaveADeviceOfSeveralPorts) {
  const auto parsed = ParseConversation(
      "topology own\nhost a\ndevice rxe0 on=veth0 address=10.0.0.1,fd00::1\n"
      "port 2 on=veth1 address=10.1.0.1,fd01::1 bonded\n"
      "host b\ndevice rxe1 on=veth2 address=10.0.1.1,fd00:1::1\nside active device=rxe0/2\n"
      "side passive device=rxe1\nunlinked rxe0/2 rxe1\nsettle\n");
  ASSERT_TRUE(std::holds_alternative<Conversation>(parsed)) << Problem(parsed);
  const Topology& topology = *std::get<Conversation>(parsed).topology;
  EXPECT_EQ(topology.sides[0].device, 1);
  EXPECT_EQ(topology.FirstPortOf(1), 0);
  EXPECT_TRUE(topology.devices[1].bonded);
  EXPECT_FALSE(topology.Linked(1, 2));
  EXPECT_THAT(ToText(topology), HasSubstr("port 2 on=veth1 address=10.1.0.1,fd01::1 bonded\n"));
  EXPECT_THAT(ToText(topology), HasSubstr("side active device=rxe0/2\n"));
  EXPECT_THAT(ToText(topology), HasSubstr("unlinked rxe0/2 rxe1\n"));
}

TEST(ATopology, NumbersThePortsOfADevice) {
  const std::string host = "topology own\nhost a\n";
  const std::string port = "port 2 on=veth1 address=10.0.0.2,fd00::2\n";
  const std::string device = "device rxe0 on=veth0 address=10.0.0.1,fd00::1\n";
  EXPECT_THAT(ProblemIn(port), HasSubstr("1: a line `topology NAME` must come first"));
  EXPECT_EQ(ProblemIn(host + port), "3: port: a line `device NAME` must come first");
  EXPECT_EQ(ProblemIn(host + device + "host b\n" + port),
            "5: port: a line `device NAME` must come first");
  for (const std::string number : {"1", "3", "two", "02"})
    EXPECT_EQ(ProblemIn(host + device + "port " + number + port.substr(6)),
              "4: port " + number + ": the next one of rxe0 is 2");
  EXPECT_EQ(ProblemIn(host + device + port + "port 2 on=veth2 address=10.0.0.3,fd00::3\n"),
            "5: port 2: the next one of rxe0 is 3");
  EXPECT_THAT(ProblemIn(host + device + "port 2 on=veth1 address=10.0.0.1,fd00::2\n"),
              HasSubstr("4: address=10.0.0.1,fd00::2: 10.0.0.1 is something else's"));
  EXPECT_THAT(ProblemIn(host + device + port + "side active device=rxe0/3\n"),
              HasSubstr("5: \"rxe0/3\" is not a device; there are rxe0, rxe0/2"));
}

TEST(ATopology, HasABound) {
  std::string hosts = "topology own\n";
  for (int i = 0; i <= 64; ++i) {
    const std::string n = std::to_string(i);
    hosts += "host h" + n + "\n";
    hosts += "device d" + n + " on=eth0 address=10.1.0." + n + ",fd07::1:" + n + "\n";
  }
  EXPECT_EQ(ProblemIn(hosts), "130: host h64: there are 64 already");
  std::string device = "topology own\nhost a\ndevice rxe0 on=veth0";
  for (int i = 1; i <= 17; ++i)
    device += " address=10.0.0." + std::to_string(i) + ",fd00::" + std::to_string(i);
  EXPECT_EQ(ProblemIn(device + "\n"), "3: device rxe0: it has 16 addresses already");
}

// Every error is reported for one line, and nothing is read.
TEST(ATopology, ThatIsDamagedAnywhereIsRefusedOrAnother) {
  const std::string whole = std::string(kOwnTopology) + "settle\n";
  size_t refused = 0;
  for (size_t at = 0; at < kOwnTopology.size(); ++at) {
    for (const std::string& put : {std::string(), std::string("~"), std::string("\n")}) {
      std::string damaged = whole;
      damaged.replace(at, 1, put);
      const auto parsed = ParseConversation(damaged);
      if (std::holds_alternative<TextProblem>(parsed)) {
        ++refused;
        continue;
      }
      const auto& conversation = std::get<Conversation>(parsed);
      const auto again = ParseConversation(ToText(conversation));
      ASSERT_TRUE(std::holds_alternative<Conversation>(again)) << damaged << Problem(again);
      EXPECT_EQ(*std::get<Conversation>(again).topology, *conversation.topology) << damaged;
    }
  }
  EXPECT_GT(refused, kOwnTopology.size());
}

TEST(ATopology, ThatMakesNoSenseIsRefusedWithItsLine) {
  const std::string host = "topology own\nhost a\n";
  const std::string device = host + "device rxe0 on=veth0 address=10.0.0.1,fd00::1\n";
  const std::string end = "side active device=rxe0\n";
  EXPECT_EQ(ProblemIn(host), "2: topology own: a line `side NAME device=DEVICE` is wanted");
  EXPECT_THAT(ProblemIn("topology bond\nhost a\n"), HasSubstr("1: topology bond: that is a built"));
  EXPECT_THAT(ProblemIn("host a\n"), HasSubstr("1: a line `topology NAME` must come first"));
  EXPECT_THAT(ProblemIn("topology own\ndevice d on=v address=1.1.1.1,::2\n"),
              HasSubstr("2: device: a line `host NAME` must come first"));
  for (const std::string address :
       {"10.0.0", "10.0.0.1", "10.0.0.1,fd00", "0.0.0.0,fd00::2", "10.0.0.2,fd55::1",
        "10.0.0.2,fd00:0::2", "10.0.0.2,FD00::2", "10.0.0.2,fd00::2 address=10.0.0.2,fd00::3"})
    EXPECT_THAT(ProblemIn(host + "device rxe0 on=veth0 address=" + address + "\n" + end),
                HasSubstr("3: address="))
        << address;
  EXPECT_THAT(ProblemIn(device + "device rxe1 on=veth1 address=10.0.0.1,fd00::2\n" + end),
              HasSubstr("4: address=10.0.0.1,fd00::2: 10.0.0.1 is something else's"));
  EXPECT_THAT(ProblemIn(device + "device rxe0 on=veth1 address=10.0.0.2,fd00::2\n" + end),
              HasSubstr("4: device rxe0: "));
  for (const std::string name : {"any", "heal", "silent", "host", "A", "x/2", "family1", "group1",
                                 "seed", "mad", "tcp", "order", "returned", "implementation", "5s"})
    EXPECT_THAT(ProblemIn(device + "side " + name + " device=rxe0\n"), HasSubstr("4: side " + name))
        << name;
  const std::string long_name(65, 'a');
  EXPECT_THAT(ProblemIn("topology \xc3\x84\nhost a\n"), HasSubstr("1: \"\\xc3\\x84\" is no name"));
  EXPECT_THAT(ProblemIn("topology own\nhost " + long_name + "\n"), HasSubstr("2: \"aaaa"));
  EXPECT_THAT(ProblemIn(device + "side " + long_name + " device=rxe0\n"),
              HasSubstr("aaa...\" is no name: 1 to 64 characters of printable ASCII"));
  EXPECT_THAT(ProblemIn(device + "side active device=rxe9\n"),
              HasSubstr("4: \"rxe9\" is not a device; there are rxe0"));
  EXPECT_THAT(ProblemIn(device + end + "side passive device=rxe0\n"),
              HasSubstr("5: side passive: rxe0 is the device of active"));
  EXPECT_THAT(ProblemIn(device + end + "unlinked rxe0 rxe0\n"), HasSubstr("are on one host"));
}

TEST(ATopology, ThatCouldNotBeIsRefusedWithItsLine) {
  const std::string host = "topology own\nhost a\n";
  const std::string device = host + "device rxe0 on=veth0 address=10.0.0.1,fd00::1\n";
  const std::string second = device + "host b\ndevice rxe1 on=veth0 address=10.0.1.1,fd00:1::1\n";
  EXPECT_EQ(ProblemIn(second + "side active device=rxe0\n"), "") << "one name on two hosts";
  EXPECT_THAT(ProblemIn(second + "unlinked rxe0 rxe1\nunlinked rxe1 rxe0\n"),
              HasSubstr("7: unlinked: rxe1 and rxe0 are so already"));
  EXPECT_EQ(ProblemIn(host + "host b\n"), "3: host a: a line `device NAME` is wanted");
  EXPECT_EQ(ProblemIn(device + "side active device=rxe0\nhost b\n"),
            "5: host b: a line `device NAME` is wanted");
  EXPECT_EQ(ProblemIn(device + "device rxe1 on=veth0 address=10.0.0.2,fd00::2\n"),
            "4: on=veth0: rxe0 is on that one");
  EXPECT_EQ(ProblemIn(device + "port 2 on=veth0 address=10.0.0.2,fd00::2\n"),
            "4: on=veth0: rxe0 is on that one");
  for (const std::string name : {"", ".", "..", "a/b", "a:b", "a,b", "sixteen-letters-"})
    EXPECT_THAT(ProblemIn(host + "device rxe0 on=" + name + " address=10.0.0.1,fd00::1\n"),
                HasSubstr("3: on=" + name + ": the name of an interface is wanted"));
  for (const std::string address :
       {"224.0.0.1,fd00::1", "239.1.2.3,fd00::1", "255.255.255.255,fd00::1", "10.0.0.1,ff02::1"})
    EXPECT_EQ(ProblemIn(host + "device rxe0 on=veth0 address=" + address + "\n"),
              "3: address=" + address + ": one of many hosts is no device's");
}

}  // namespace
}  // namespace cm
