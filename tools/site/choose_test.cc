#include "tools/site/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "conformance/adapters/exec/site.h"
#include "tools/site/site_text.h"

namespace cm::site {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A host with eth0 for control and a device on each of eth0, eth1 and eth2; n is its number.
HostFacts Host(const std::string& n) {
  HostFacts facts;
  facts.kernel = "6.1.0";
  facts.librdmacm = "/usr/lib/librdmacm.so.1";
  facts.boot = "boot" + n;
  facts.control = "eth0";
  for (const std::string i : {"0", "1", "2"}) {
    facts.ports.push_back({.device = "rocep" + i,
                           .state = "ACTIVE",
                           .link = "Ethernet",
                           .kind = "CA",
                           .interfaces = {"eth" + i}});
    facts.interfaces.push_back(
        {.name = "eth" + i,
         .mtu = 1500,
         .up = true,
         .addresses = {{"10.0." + i + "." + n, 24}, {"fd0" + i + "::" + n, 64}}});
  }
  return facts;
}

// Each reaches those of its own network.
void LetThemReach(BothFacts* facts) {
  for (const size_t side : {0, 1})
    for (const Pair& pair : PairsToTry(*facts, side)) {
      const size_t network = pair.from.find_last_of(".:");
      const bool same = pair.from.substr(0, network) == pair.to.substr(0, network);
      (*facts)[side].reached.push_back({pair.from, pair.to, same ? "" : "No route to host"});
    }
}

BothFacts Both() {
  BothFacts facts = {Host("1"), Host("2")};
  LetThemReach(&facts);
  return facts;
}

TEST(Choose, APairThatReachesAndDoesNotCarryTheControlConnection) {
  const Placements placements = Rank(Both());
  ASSERT_THAT(placements.good, SizeIs(3));
  const Placement& best = placements.good.front();
  EXPECT_THAT(best.v4, ElementsAre("10.0.1.1", "10.0.1.2"));
  EXPECT_THAT(best.v6, ElementsAre("fd01::1", "fd01::2"));
  EXPECT_THAT(best.missing, IsEmpty());
  EXPECT_THAT(best.reasons, Contains("neither carries the control connection"));
  // Though it comes first among the devices.
  EXPECT_THAT(placements.good.back().v4, ElementsAre("10.0.0.1", "10.0.0.2"));
  EXPECT_THAT(placements.good.back().reasons, Contains(HasSubstr("do nothing to it")));
  EXPECT_THAT(placements.unfit, SizeIs(6));
  EXPECT_THAT(placements.unfit,
              Contains("eth0 to eth1: 10.0.0.1 does not reach 10.0.1.2: No route to host; "
                       "fd00::1 does not reach fd01::2: No route to host"));
}

// Nothing but the way back.
TEST(Choose, BothWaysCount) {
  BothFacts facts = Both();
  for (Reached& reached : facts[1].reached)
    if (reached.from == "10.0.1.2" || reached.from == "fd01::2") reached.problem = "Filtered";
  const Placements placements = Rank(facts);
  ASSERT_THAT(placements.good, SizeIs(2));
  EXPECT_THAT(placements.good.front().v4, ElementsAre("10.0.2.1", "10.0.2.2"));
}

TEST(Choose, BothFamiliesStandBeforeOne) {
  BothFacts facts = Both();
  for (Reached& reached : facts[0].reached)
    if (reached.from == "fd01::1") reached.problem = "Filtered";
  const Placements placements = Rank(facts);
  EXPECT_THAT(placements.good.front().v4, ElementsAre("10.0.2.1", "10.0.2.2"));
  EXPECT_THAT(placements.good[1].missing,
              ElementsAre("IPv6: fd01::1 does not reach fd01::2: Filtered"));
}

TEST(Choose, APortThatIsUpStandsBeforeOneThatIsNot) {
  BothFacts facts = Both();
  facts[1].ports[1].state = "DOWN";
  const Placements placements = Rank(facts);
  EXPECT_THAT(placements.good.front().v4, ElementsAre("10.0.2.1", "10.0.2.2"));
  EXPECT_THAT(placements.good[1].reasons, Contains("rocep1 port 1 is DOWN"));
}

TEST(Choose, OneMtuStandsBeforeTwo) {
  BothFacts facts = Both();
  facts[1].interfaces[1].mtu = 9000;
  const Placements placements = Rank(facts);
  EXPECT_THAT(placements.good.front().v4, ElementsAre("10.0.2.1", "10.0.2.2"));
  EXPECT_THAT(placements.good[1].reasons, Contains("their MTUs differ: 1500 and 9000"));
}

TEST(Choose, NotAnInterfaceThatIsDownOrOverNoDevice) {
  BothFacts facts = {Host("1"), Host("2")};
  facts[0].interfaces[1].up = false;
  facts[1].ports[2].interfaces = {};
  LetThemReach(&facts);
  const Placements placements = Rank(facts);
  ASSERT_THAT(placements.good, SizeIs(1));
  EXPECT_THAT(placements.good.front().v4, ElementsAre("10.0.0.1", "10.0.0.2"));
}

TEST(Choose, OneHostNeedsTwoDevices) {
  BothFacts facts = {Host("1"), Host("1")};
  for (const size_t side : {0, 1})
    for (const Pair& pair : PairsToTry(facts, side))
      facts[side].reached.push_back({pair.from, pair.to, ""});
  const Placements placements = Rank(facts);
  EXPECT_THAT(placements.good.front().v4, ElementsAre("10.0.1.1", "10.0.2.1"));
  EXPECT_THAT(placements.unfit, Contains(HasSubstr("one device of one host")));
}

TEST(Choose, NotTwoKindsOfLink) {
  BothFacts facts = Both();
  facts[1].ports[1].kind = "RNIC";
  EXPECT_THAT(Rank(facts).unfit, Contains(HasSubstr("links differ: Ethernet CA, Ethernet RNIC")));
}

Site SiteOfTwo() {
  return {.name = "two",
          .launcher = "srun -w {host} \"{command}\"",
          .agent = "cmcheck agent",
          .sides = {{{.host = "a"}, {.host = "b"}}}};
}

TEST(Choose, TheBestIsAFileThatIsASite) {
  const BothFacts facts = Both();
  const Placements placements = Rank(facts);
  const std::string text =
      SiteText(SiteOfTwo(), placements.good.front(), {"two lines\nof a comment"});
  const auto parsed = ParseSite(text);
  ASSERT_TRUE(std::holds_alternative<cm::Site>(parsed)) << std::get<std::string>(parsed) << text;
  const auto& site = std::get<cm::Site>(parsed);
  EXPECT_EQ(site.launcher, SiteOfTwo().launcher);
  EXPECT_EQ(site.sides[0].host, "a");
  EXPECT_EQ(site.sides[1].v6, "fd01::2");
  EXPECT_THAT(Explain(facts, SiteOfTwo(), placements).to_do, IsEmpty());
}

TEST(Choose, WhatWasNotFoundIsACommentThatNeedsOnlyItsAddress) {
  BothFacts facts = {Host("1"), Host("2")};
  for (HostFacts& host : facts)
    for (Interface& interface : host.interfaces) interface.addresses.pop_back();
  LetThemReach(&facts);
  const Placements placements = Rank(facts);
  EXPECT_THAT(Explain(facts, SiteOfTwo(), placements).to_do,
              ElementsAre("IPv6: eth1 of the active side has no IPv6 address"));
  std::string text = SiteText(SiteOfTwo(), placements.good.front(), {});
  const auto before = ParseSite(text);
  ASSERT_TRUE(std::holds_alternative<std::string>(before));
  EXPECT_THAT(std::get<std::string>(before), HasSubstr("'active' needs a text 'v6'"));
  for (const std::string address : {"fd01::1", "fd01::2"}) {
    const std::string comment = R"(// "v6": "",  not found; to be filled in)";
    ASSERT_NE(text.find(comment), std::string::npos) << text;
    text.replace(text.find(comment), comment.size(), R"("v6": ")" + address + "\",");
  }
  EXPECT_TRUE(std::holds_alternative<cm::Site>(ParseSite(text))) << text;
}

TEST(Choose, WhatAHostLacksIsToDo) {
  BothFacts facts = Both();
  facts[0].ports.clear();
  facts[1].librdmacm_problem = "librdmacm.so.1: cannot open shared object file";
  facts[1].rdma_cm_problem = "/dev/infiniband/rdma_cm: No such file or directory";
  const Said said = Explain(facts, SiteOfTwo(), Rank(facts));
  EXPECT_THAT(said.to_do, ElementsAre(AllOf(HasSubstr("active: no RDMA device"),
                                            HasSubstr("rdma link add rxe0 type rxe netdev eth1")),
                                      HasSubstr("passive: librdmacm.so.1: cannot open"),
                                      HasSubstr("modprobe rdma_ucm")));
}

}  // namespace
}  // namespace cm::site
