#include "tools/site/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace cm::site {
namespace {

using testing::HasSubstr;

HostFacts Known() {
  return {.kernel = "6.1.0-56-amd64",
          .system = "Debian GNU/Linux 12 (bookworm)",
          .glibc = "2.36",
          .librdmacm = "/usr/lib/x86_64-linux-gnu/librdmacm.so.1.3.44.0",
          .librdmacm_problem = {},
          .boot = "b7c1",
          .control = "eth0",
          .superuser = true,
          .rdma_cm_problem = "/dev/infiniband/rdma_cm: Permission denied",
          .ports = {{.device = "mlx5_0",
                     .number = 1,
                     .state = "ACTIVE",
                     .link = "Ethernet",
                     .kind = "CA",
                     .driver = "mlx5_core",
                     .firmware = "20.31.1014",
                     .interfaces = {"eth1"},
                     .gids = {{.index = 3,
                               .gid = "0000:0000:0000:0000:0000:ffff:c0a8:0701",
                               .type = "RoCE v2",
                               .interface = "eth1"}}}},
          .interfaces = {{.name = "eth1",
                          .mtu = 9000,
                          .up = true,
                          .addresses = {{"192.168.7.1", 24}, {"fd07::1", 64}}}},
          .reached = {{.from = "192.168.7.1", .to = "192.168.7.2", .problem = "No route to host"}}};
}

std::vector<std::string> LinesOfText(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string ProblemIn(const std::string& text) {
  const auto parsed = ParseFacts(LinesOfText(text));
  return std::holds_alternative<HostFacts>(parsed) ? "none" : std::get<std::string>(parsed);
}

TEST(Facts, AreReadAsTheyWereSaid) {
  const auto parsed = ParseFacts(LinesOfText(ToLines(Known())));
  ASSERT_TRUE(std::holds_alternative<HostFacts>(parsed)) << std::get<std::string>(parsed);
  EXPECT_EQ(std::get<HostFacts>(parsed), Known());
}

TEST(Facts, StandBetweenLinesOfTheShell) {
  const std::string text = "Welcome to node1\n\n" + ToLines(Known()) + "logout\n";
  const auto parsed = ParseFacts(LinesOfText(text));
  ASSERT_TRUE(std::holds_alternative<HostFacts>(parsed)) << std::get<std::string>(parsed);
  EXPECT_EQ(std::get<HostFacts>(parsed), Known());
}

// Every beginning, and the loss of any line.
TEST(Facts, ThatAreCutAreRefused) {
  const std::string text = ToLines(Known());
  for (size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_NE(ProblemIn(text.substr(0, size)), "none") << size;
  const std::vector<std::string> lines = LinesOfText(text);
  for (size_t lost = 0; lost < lines.size(); ++lost) {
    std::string rest;
    for (size_t i = 0; i < lines.size(); ++i)
      if (i != lost) rest += lines[i] + "\n";
    EXPECT_NE(ProblemIn(rest), "none") << lines[lost];
  }
}

struct Damage {
  const char* what;
  std::string from;
  std::string to;
  std::string says;
  friend void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.what; }
};

class Damaged : public testing::TestWithParam<Damage> {};

TEST_P(Damaged, IsRefusedInOneLine) {
  std::string text = ToLines(Known());
  const size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, GetParam().from.size(), GetParam().to);
  EXPECT_THAT(ProblemIn(text), HasSubstr(GetParam().says));
  EXPECT_THAT(ProblemIn(text), testing::Not(HasSubstr("\n")));
}
INSTANTIATE_TEST_SUITE_P(
    Facts, Damaged,
    testing::Values(
        Damage{"Release", "\"cmcheck_facts\":1", "\"cmcheck_facts\":2", "another release"},
        Damage{"Command", "\"192.168.7.1\"", "\"1.2.3.4;reboot\"", "which is no address"},
        Damage{"Prefix", "\"prefix\":24", "\"prefix\":33", "'prefix' is too long"},
        Damage{"Negative", "\"mtu\":9000", "\"mtu\":-1", "'mtu' is no number"},
        Damage{"Huge", "\"mtu\":9000", "\"mtu\":1e300", "'mtu' is no number"},
        Damage{"Newline", "mlx5_core", "mlx5\\ncore", "'driver' is no short plain text"},
        Damage{"Long", "mlx5_core", std::string(301, 'x'), "'driver' is no short plain text"},
        Damage{"NameWithBlank", "\"name\":\"eth1\"", "\"name\":\"eth1 x\"", "'name' is no name"},
        Damage{"NameOfACommand", "\"name\":\"eth1\"", "\"name\":\"eth1;reboot\"",
               "'name' is no name"},
        Damage{"NameOfAPort", "\"device\":\"mlx5_0\"", "\"device\":\"\"", "'device' is no name"},
        Damage{"NoList", "[\"eth1\"]", "\"eth1\"", "'interfaces' is no list"},
        Damage{"NumberInAList", "[\"eth1\"]", "[1]", "'interfaces' is no text"},
        Damage{"NoObject", R"({"ip":"192.168.7.1","prefix":24})", "[]", "no object"},
        Damage{"NoTruth", "\"up\":true", "\"up\":1", "'up' is no truth"},
        Damage{"Missing", "\"kernel\"", "\"kernle\"", "'kernel' is missing"},
        Damage{"Unknown", "{\"reached\"", "{\"raeched\"", "none of port, interface"},
        Damage{"Half", "\"mtu\":9000,", "\"mtu\":90", "no JSON"}),
    [](const auto& info) { return std::string(info.param.what); });

TEST(Facts, OneNetworkIsOneOfAllBitsOfThePrefix) {
  EXPECT_TRUE(SameNetwork({"10.1.2.3", 24}, {"10.1.2.200", 24}));
  EXPECT_FALSE(SameNetwork({"10.1.2.3", 24}, {"10.1.3.3", 24}));
  EXPECT_FALSE(SameNetwork({"10.1.2.3", 25}, {"10.1.2.200", 25}));
  EXPECT_FALSE(SameNetwork({"10.1.2.3", 24}, {"10.1.2.200", 16}));
  EXPECT_TRUE(SameNetwork({"fd07::1", 64}, {"fd07::2:1", 64}));
  EXPECT_FALSE(SameNetwork({"fd07::1", 64}, {"fd07:0:0:1::1", 64}));
  EXPECT_FALSE(SameNetwork({"fd07::1", 24}, {"10.1.2.3", 24}));
}

}  // namespace
}  // namespace cm::site
