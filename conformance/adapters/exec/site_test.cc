#include "conformance/adapters/exec/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/exec/allow.h"
#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/runner/campaign.h"
#include "model/conversation/print.h"
#include "model/conversation/topology_text.h"

namespace cm {
namespace {

using testing::HasSubstr;

constexpr const char* kSite =
    R"({"name": "rack7",
        "active": {"host": "node1", "v4": "192.168.7.1", "v6": "fd07::1"},
        "passive": {"host": "node2", "v4": "192.168.8.2", "v6": "fd08::2"}})";

Site Parsed(const std::string& text) {
  auto parsed = ParseSite(text);
  EXPECT_TRUE(std::holds_alternative<Site>(parsed)) << std::get<std::string>(parsed);
  return std::get<Site>(std::move(parsed));
}

TEST(Site, IsATopologyWithItsAddresses) {
  const Topology topology = TopologyOf(Parsed(kSite));
  EXPECT_EQ(topology.name, "rack7");
  const auto at_passive = ParseAddress("passive:7471", topology);
  ASSERT_TRUE(at_passive.has_value());
  EXPECT_EQ(NumericHost(*at_passive, topology), "192.168.8.2");
  EXPECT_NE(topology.KernelOf(kActiveSide), topology.KernelOf(kPassiveSide));
}

std::string OfIpv6(const std::string& more = "") {
  return R"({"name": "rack6", )" + more + R"("active": {"host": "node1", "v6": "fd07::1"},
             "passive": {"host": "node2", "v6": "fd08::2"}})";
}

TEST(Site, TellsTheAgentWhichOtherAddressesItsNetworkHas) {
  std::string text = kSite;
  text.insert(1, R"("silent": "192.168.8.99,fd08::99", "unroutable": "none,fd55::1", )");
  EXPECT_EQ(CommandOf(Parsed(text), 1, "6.1-rxe"),
            "ssh node2 cmcheck agent --profile 6.1-rxe --silent 192.168.8.99,fd08::99 "
            "--unroutable none,fd55::1");
  const auto hosts = std::get<HostAddress>(ParseHosts("none,fd55::1"));
  EXPECT_EQ(hosts.v4, "");
  EXPECT_EQ(hosts.v6, "fd55::1");
}

TEST(Site, MayHaveIpv6Alone) {
  const Site site = Parsed(OfIpv6());
  const Topology topology = TopologyOf(site);
  EXPECT_THAT(ToText(topology), HasSubstr("address=none,fd08::2"));
  EXPECT_THAT(std::get<std::string>(AllowedOf(site, "link")), HasSubstr("the site has none"));
}

TEST(Site, OfOneHostHasOneKernel) {
  std::string text = kSite;
  text.replace(text.find("node2"), 5, "node1");
  const Topology topology = TopologyOf(Parsed(text));
  EXPECT_EQ(topology.KernelOf(kActiveSide), topology.KernelOf(kPassiveSide));
}

TEST(Site, StartsADriverByItsLauncher) {
  Site site = Parsed(kSite);
  EXPECT_EQ(CommandOf(site, 1, "6.1-rxe"), "ssh node2 cmcheck agent --profile 6.1-rxe");
  site.launcher = "srun -w {host} -J {side} {command}";
  site.agent = "/opt/cmcheck agent";
  EXPECT_EQ(CommandOf(site, 0, "7.2-rxe"),
            "srun -w node1 -J active /opt/cmcheck agent --profile 7.2-rxe");
}

// The same site, with what may be done to its hosts.
Site Allowing(const std::string& active, const std::string& passive) {
  std::string text = kSite;
  text.replace(text.find("fd08::2\""), 8, "fd08::2\", " + passive);
  text.replace(text.find("fd07::1\""), 8, "fd07::1\", " + active);
  return Parsed(text);
}

TEST(Site, AsksTheAgentOnlyForWhatIsAllowed) {
  const Site site = Allowing(R"("allow": "link,time,device=/opt/x", "control": "eth0")",
                             R"("allow": "link,loss,time")");
  const auto allowed = AllowedOf(site, "device,loss,time");
  ASSERT_TRUE(std::holds_alternative<AllowLists>(allowed)) << std::get<std::string>(allowed);
  const auto& [active, passive] = std::get<AllowLists>(allowed);
  EXPECT_EQ(CommandOf(site, 0, "6.1-rxe", active),
            "ssh node1 cmcheck agent --profile 6.1-rxe --allow device=/opt/x,time --address "
            "192.168.7.1 --control eth0");
  EXPECT_EQ(CommandOf(site, 1, "6.1-rxe", passive),
            "ssh node2 cmcheck agent --profile 6.1-rxe --allow loss,time --address 192.168.8.2");
  EXPECT_EQ(CommandOf(site, 1, "6.1-rxe"), "ssh node2 cmcheck agent --profile 6.1-rxe");
}

TEST(Site, SaysWhatItDoesNotAllow) {
  const auto why = [](const Site& site, std::string_view asked) {
    const auto allowed = AllowedOf(site, asked);
    return std::holds_alternative<AllowLists>(allowed) ? "" : std::get<std::string>(allowed);
  };
  const Site site = Allowing(R"("allow": "link,time")", R"("allow": "neighbour")");
  EXPECT_EQ(why(site, "link,neighbour"), "");
  EXPECT_EQ(why(site, ""), "");
  EXPECT_EQ(why(site, "link,loss"),
            "--allow loss: the site's file does not allow it for any side; it allows link, time, "
            "neighbour");
  EXPECT_EQ(why(site, "time"), "--allow time: the site's file does not allow it for both sides");
  EXPECT_EQ(why(site, "link,link"), "--allow link,link: 'link' is there twice");
  EXPECT_THAT(why(Parsed(kSite), "link"), HasSubstr("for any side; it allows nothing"));
  Site one_host = site;
  one_host.sides[1].host = "node1";
  EXPECT_EQ(why(one_host, "link"), "");
  EXPECT_THAT(why(one_host, "neighbour"), HasSubstr("both sides are on one host"));
}

TEST(Allow, ReadsWordsAndPrograms) {
  const auto list = ParseAllow("link,loss,host-crash=/opt/site/power-off");
  ASSERT_TRUE(std::holds_alternative<AllowList>(list)) << std::get<std::string>(list);
  EXPECT_EQ(ToText(std::get<AllowList>(list)), "link,loss,host-crash=/opt/site/power-off");
  EXPECT_EQ(ToString(Given(std::get<AllowList>(list))), "drop drop-nth link host-crash");
  for (const auto& [text, why] :
       std::vector<std::pair<std::string, std::string>>{{"lnik", "'lnik' is none of link"},
                                                        {"link,link", "'link' is there twice"},
                                                        {"link-flap", "'link-flap' is none of"},
                                                        {"exit=/bin/x", "'exit=/bin/x' is none"},
                                                        {"time=/bin/x", "needs no program"},
                                                        {"link=x", "the absolute path"},
                                                        {"link=/a;b", "the absolute path"},
                                                        {"link,,loss", "'' is none of"}}) {
    const auto refused = ParseAllow(text);
    ASSERT_TRUE(std::holds_alternative<std::string>(refused)) << text;
    EXPECT_THAT(std::get<std::string>(refused), HasSubstr(why));
  }
}

TEST(Site, MayHaveComments) {
  const std::string text = std::string("// of two racks\n") + kSite + "  // and no more\n";
  EXPECT_EQ(Parsed(text).sides[1].v4, "192.168.8.2");
  const auto half = ParseSite(std::string("// ") + kSite);
  EXPECT_TRUE(std::holds_alternative<std::string>(half));
}

// The simulator on the site's addresses: whatever else was fixed would be refused.
TEST(Site, IsWhereSequencesAreDrawn) {
  const Profile& profile = *FindProfile("6.1-rxe");
  const auto sim = MakeSimImplementation(
      {.profile = profile, .watch_wire = true, .capabilities = profile.capabilities});
  CampaignOptions options{.sequences = 200};
  options.draw.seed = 3;
  options.draw.capabilities = sim->capabilities();
  options.draw.profile = profile;
  options.draw.topology = TopologyRef(TopologyOf(Parsed(kSite)));
  const std::atomic<bool> never{false};
  int passed = 0;
  RunCampaign(
      *sim, options,
      [&](const SequenceRun& run) {
        EXPECT_THAT(ToText(run.history.conversation), HasSubstr("address=192.168.8.2,fd08::2"));
        passed += run.result.verdict == Verdict::kPassed ? 1 : 0;
      },
      never);
  EXPECT_EQ(passed, 200);
}

// What was drawn over IPv4 is done over IPv6.
TEST(Site, OfIpv6AloneIsWhereNothingIsDrawnOverIpv4) {
  const Profile& profile = *FindProfile("6.1-rxe");
  const auto sim = MakeSimImplementation(
      {.profile = profile, .watch_wire = true, .capabilities = profile.capabilities});
  CampaignOptions options{.sequences = 100};
  options.draw.capabilities = sim->capabilities();
  options.draw.profile = profile;
  options.draw.topology = TopologyRef(TopologyOf(Parsed(OfIpv6())));
  const std::atomic<bool> never{false};
  int passed = 0;
  int over_v6 = 0;
  RunCampaign(
      *sim, options,
      [&](const SequenceRun& run) {
        const std::string text = ToText(run.history.conversation);
        for (const char* v4 : {"=passive:", "=active:", "=any:", "=silent:", "=group1:"})
          EXPECT_THAT(text, testing::Not(HasSubstr(v4)));
        passed += run.result.verdict == Verdict::kPassed ? 1 : 0;
        over_v6 += text.find("=passive.v6:") != std::string::npos ? 1 : 0;
      },
      never);
  EXPECT_EQ(passed, 100);
  EXPECT_GT(over_v6, 50);
}

struct Bad {
  const char* what;
  std::string from;
  std::string to;
  std::string says;
  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.what; }
};

class BadSite : public testing::TestWithParam<Bad> {};

TEST_P(BadSite, IsRefusedInOneLine) {
  std::string text = kSite;
  text.replace(text.find(GetParam().from), GetParam().from.size(), GetParam().to);
  const auto parsed = ParseSite(text);
  ASSERT_TRUE(std::holds_alternative<std::string>(parsed));
  EXPECT_THAT(std::get<std::string>(parsed), HasSubstr(GetParam().says));
  EXPECT_THAT(std::get<std::string>(parsed), testing::Not(HasSubstr("\n")));
}
INSTANTIATE_TEST_SUITE_P(
    Files, BadSite,
    testing::Values(
        Bad{"NoJson", "{\"name\"", "name", "no JSON"},
        Bad{"NoName", "\"name\": \"rack7\",", "", "needs a text 'name'"},
        Bad{"NameOfABuiltIn", "rack7", "two-kernels", "of a built-in topology"},
        Bad{"OneSide", "\"passive\"", "\"pasive\"", "has no 'pasive'; it may have name"},
        Bad{"NoAddress", "192.168.8.2", "192.168.8", "'192.168.8', which is no IPv4 address"},
        Bad{"OtherFamily", "fd08::2", "10.0.0.1", "no IPv6 address"},
        Bad{"Number", "\"node2\"", "2", "'host' is 2; it has to be a text"},
        Bad{"Allows", "\"v6\": \"fd08::2\"", "\"v6\": \"fd08::2\", \"allow\": \"lnik\"",
            "'passive' allows 'lnik' is none of"},
        Bad{"Control", "\"v6\": \"fd08::2\"", "\"v6\": \"fd08::2\", \"control\": \"a b\"",
            "'a b', which is no interface"},
        Bad{"ControlThatAShellReads", "\"v6\": \"fd08::2\"",
            "\"v6\": \"fd08::2\", \"control\": \"eth0;reboot\"",
            "'eth0;reboot', which is no interface"},
        Bad{"V4OfOneSide", "\"v4\": \"192.168.7.1\",", "", "for both sides, or for neither"},
        Bad{"Silent", "\"active\"", "\"silent\": \"192.168.8.99\", \"active\"",
            "has 'silent': '192.168.8.99' is not of the form"},
        Bad{"SilentSide", "\"active\"", "\"silent\": \"none,fd08::2\", \"active\"",
            "has 'silent': 'none,fd08::2' is a side's"},
        Bad{"SameAddress", "192.168.8.2", "192.168.7.1", "192.168.7.1"}),
    [](const auto& info) { return std::string(info.param.what); });

}  // namespace
}  // namespace cm
