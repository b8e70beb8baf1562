#include "tools/app/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "conformance/process/process.h"
#include "model/vocabulary/topology.h"

namespace cm::app {
namespace {

namespace fs = std::filesystem;

class Host : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(parent_);
    ASSERT_TRUE(LayOutHost(folder_, *FindTopology("two-kernels"), 1, Transport::kRoce));
  }
  void TearDown() override { fs::remove_all(parent_); }

  // Returns what it prints, and its exit code.
  std::string Do(const std::string& command) const {
    const auto ran = RunProgram({"/bin/sh", "-c", (folder_ / "bin" / command).string()});
    return ran ? ran->output + std::to_string(ran->exit_code) : "not started";
  }
  std::string Ip(const std::string& words) const { return Do("ip " + words); }

  const fs::path parent_ = fs::path(testing::TempDir()) / "hosts";
  const fs::path folder_ = parent_ / "host.1";
};

TEST_F(Host, HasItsOwnDevicesWithTheirInterfaces) {
  EXPECT_TRUE(fs::exists(folder_ / "sys/class/infiniband/rxe1/device/net/veth1"));
  EXPECT_FALSE(fs::exists(folder_ / "sys/class/infiniband/rxe0"));
}

TEST_F(Host, HasTheFilesOfItsDevices) {
  EXPECT_TRUE(fs::exists(folder_ / "dev/infiniband/uverbs0"));
  EXPECT_FALSE(fs::exists(folder_ / "dev/infiniband/uverbs1"));
  std::string interface;
  std::ifstream(folder_ / "sys/class/infiniband/rxe1/ports/1/gid_attrs/ndevs/1") >> interface;
  EXPECT_EQ(interface, "veth1");
  // As many as it has GIDs: the link-local one, IPv4 and IPv6.
  EXPECT_TRUE(fs::exists(folder_ / "sys/class/infiniband/rxe1/ports/1/gid_attrs/types/2"));
  EXPECT_FALSE(fs::exists(folder_ / "sys/class/infiniband/rxe1/ports/1/gid_attrs/types/3"));
}

// source: linux 6.1 sysfs.c state_show, rate_show, node_guid_show, show_port_gid; what commands as
// ibstatus and show_gids read
TEST_F(Host, SaysOfItsDevicesWhatCommandsShow) {
  const auto line = [this](const std::string& name) {
    std::string text;
    std::ifstream file(folder_ / "sys/class/infiniband/rxe1" / name);
    EXPECT_TRUE(std::getline(file, text)) << name;
    return text;
  };
  EXPECT_EQ(line("node_type"), "1: CA");
  EXPECT_EQ(line("node_guid"), line("sys_image_guid"));
  EXPECT_EQ(line("ports/1/state"), "4: ACTIVE");
  EXPECT_EQ(line("ports/1/phys_state"), "5: LinkUp");
  EXPECT_EQ(line("ports/1/link_layer"), "Ethernet");
  EXPECT_EQ(line("ports/1/rate"), "10 Gb/sec (1X FDR10)");
  EXPECT_EQ(line("ports/1/gids/1"), "0000:0000:0000:0000:0000:ffff:0a00:0101");
  // The last four bytes of the first GID are those of the GUID: both are of the hardware address.
  EXPECT_EQ(line("ports/1/gids/0").substr(20), line("node_guid"));
}

TEST(NoHost, DescribesDevicesOfOtherLinks) {
  const fs::path folder = fs::path(testing::TempDir()) / "others";
  const auto line = [&folder](const std::string& name) {
    std::string text;
    std::ifstream file(folder / "sys/class/infiniband" / name);
    std::getline(file, text);
    return text;
  };
  const Topology* const ports = FindTopology("one-device-two-ports");
  ASSERT_TRUE(LayOutHost(folder, *ports, 0, Transport::kInfiniband));
  const std::string device(ports->devices[0].name);
  EXPECT_EQ(line(device + "/ports/1/link_layer"), "InfiniBand");
  EXPECT_EQ(line(device + "/ports/2/lid"), "0x2");
  EXPECT_FALSE(fs::exists(folder / "dev/infiniband/uverbs1")) << "one device";
  fs::remove_all(folder);
  ASSERT_TRUE(LayOutHost(folder, *ports, 0, Transport::kIwarp));
  EXPECT_EQ(line(device + "/node_type"), "4: RNIC");
  EXPECT_EQ(line(device + "/ports/1/gids/0"), "5254:0000:0001:0000:0000:0000:0000:0000");
  EXPECT_FALSE(fs::exists(folder / "sys/class/infiniband" / device / "ports/1/gids/1"));
  fs::remove_all(folder);
}

TEST_F(Host, KnowsTheNamesOfAllHosts) {
  std::ifstream file(folder_ / "etc/hosts");
  const std::string hosts{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(hosts, testing::HasSubstr("10.0.1.1 passive\n"));
  EXPECT_THAT(hosts, testing::HasSubstr("10.0.0.1 active\n"));
}

TEST_F(Host, HasItsOwnInterfacesAndTheLoopback) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_ / "sys/class/net"))
    names.push_back(entry.path().filename());
  EXPECT_THAT(names, testing::UnorderedElementsAre("lo", "veth1"));
  std::string link;
  std::ifstream(folder_ / "sys/class/net/veth1/address") >> link;
  EXPECT_EQ(link, "52:54:00:00:00:02");
  std::ifstream counters(folder_ / "proc/net/dev");
  const std::string text(std::istreambuf_iterator<char>(counters), {});
  EXPECT_THAT(text, testing::AllOf(testing::HasSubstr(" veth1: "), testing::HasSubstr("lo: "),
                                   testing::Not(testing::HasSubstr("veth0"))));
  std::ifstream addresses(folder_ / "proc/net/if_inet6");
  const std::string of_ipv6(std::istreambuf_iterator<char>(addresses), {});
  EXPECT_EQ(of_ipv6,
            "00000000000000000000000000000001 01 80 10 80       lo\n"
            "fd000001000000000000000000000001 02 40 00 80    veth1\n");
}

TEST_F(Host, TellsTheAddressesOfAnInterface) {
  EXPECT_EQ(Ip("-j addr show veth1"),
            R"([{"ifname":"veth1","address":"52:54:00:00:00:02","addr_info":)"
            R"([{"family":"inet","local":"10.0.1.1"},{"family":"inet6","local":"fd00:1::1"}]}])"
            "\n0");
}

TEST_F(Host, KnowsNoInterfacesOfOtherHosts) {
  EXPECT_EQ(Ip("-j addr show veth0"),
            "ip -j addr show veth0: a simulated host knows 'ip -j addr show INTERFACE' only, of "
            "veth1\n1");
}

TEST_F(Host, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(Ip("route"),
            "ip route: a simulated host knows 'ip -j addr show INTERFACE' only, of veth1\n1");
}

TEST_F(Host, RunsCommandsOnAnotherOneInItsEnvironment) {
  const fs::path other = parent_ / "host.0";
  ASSERT_TRUE(LayOutHost(other, *FindTopology("two-kernels"), 0, Transport::kRoce));
  ASSERT_TRUE(MakeReachable(other, {"WHERE=on the other", "PATH=/usr/bin:/bin"}));
  ASSERT_TRUE(MakeReachable(other, {"WHERE=later"}));
  for (const char* words : {"ssh active", "rsh -p 22 -x me@10.0.0.1", "ssh fd00::1"})
    EXPECT_EQ(Do(words + std::string(" echo '$WHERE;' exit 3")), "on the other\n3") << words;
}

TEST_F(Host, RunsNoCommandsWhereThereIsNoHostAndNoShells) {
  EXPECT_EQ(Do("ssh nowhere true"), "ssh: no simulated host is called nowhere\n255");
  EXPECT_EQ(Do("rsh active"), "rsh: between simulated hosts it is 'rsh HOST COMMAND'\n255");
}

// It has no environment, and will have none: it is not waited for.
TEST_F(Host, RunsNoCommandsOnAHostWithoutASide) {
  Topology topology = *FindTopology("two-kernels");
  topology.sides.erase(topology.sides.begin());
  const fs::path other = parent_ / "host.0";
  ASSERT_TRUE(LayOutHost(other, topology, 0, Transport::kRoce));
  EXPECT_EQ(Do("ssh 10.0.0.1 true"),
            "ssh: no side is on the host 10.0.0.1, which runs no programs\n255");
}

TEST(NoHost, IsLaidOutWhereNothingCanBeWritten) {
  EXPECT_FALSE(LayOutHost("/proc/nowhere", *FindTopology("two-kernels"), 0, Transport::kRoce));
}

}  // namespace
}  // namespace cm::app
