#include "tools/site/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace cm::site {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

namespace fs = std::filesystem;

// A folder like /sys/class/infiniband.
class Ports : public testing::Test {
 protected:
  Ports() { fs::remove_all(folder_); }
  ~Ports() override { fs::remove_all(folder_); }
  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text << "\n";
  }
  void Device(const std::string& name, const std::string& node_type,
              const std::string& link) const {
    Write(name + "/node_type", node_type);
    Write(name + "/ports/1/state", "4: ACTIVE");
    Write(name + "/ports/1/link_layer", link);
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "infiniband";
};

TEST_F(Ports, AreThoseOfTheFolder) {
  EXPECT_THAT(PortsBelow(folder_), IsEmpty());
  Device("mlx5_0", "1: CA", "Ethernet");
  Write("mlx5_0/fw_ver", "20.31.1014");
  fs::create_directories(folder_ / "mlx5_0/device");
  fs::create_symlink("../../../bus/pci/drivers/mlx5_core", folder_ / "mlx5_0/device/driver");
  Write("mlx5_0/ports/1/gids/0", "fe80:0000:0000:0000:0000:00ff:fe00:0001");
  Write("mlx5_0/ports/1/gid_attrs/types/0", "IB/RoCE v1");
  Write("mlx5_0/ports/1/gid_attrs/ndevs/0", "eth1");
  Write("mlx5_0/ports/1/gids/10", "0000:0000:0000:0000:0000:ffff:0a00:0001");
  Write("mlx5_0/ports/1/gid_attrs/types/10", "RoCE v2");
  Write("mlx5_0/ports/1/gid_attrs/ndevs/10", "eth1.7");
  Write("mlx5_0/ports/1/gids/2", "0000:0000:0000:0000:0000:0000:0000:0000");
  const std::vector<Port> ports = PortsBelow(folder_);
  ASSERT_THAT(ports, SizeIs(1));
  EXPECT_EQ(ports[0].device, "mlx5_0");
  EXPECT_EQ(ports[0].state, "ACTIVE");
  EXPECT_EQ(ports[0].kind, "CA");
  EXPECT_EQ(ports[0].driver, "mlx5_core");
  EXPECT_EQ(ports[0].firmware, "20.31.1014");
  EXPECT_THAT(ports[0].interfaces, ElementsAre("eth1", "eth1.7"));
  ASSERT_THAT(ports[0].gids, SizeIs(2));
  EXPECT_EQ(ports[0].gids[1].index, 10);
  EXPECT_EQ(ports[0].gids[1].type, "RoCE v2");
}

TEST_F(Ports, WithoutGidsOfInterfacesHaveThoseOfTheDevice) {
  Device("rxe0", "1: CA", "Ethernet");
  Write("rxe0/parent", "veth0");
  Device("mlx4_0", "1: CA", "InfiniBand");
  Write("mlx4_0/ports/2/link_layer", "InfiniBand");
  Write("mlx4_0/device/net/ib0/dev_port", "0");
  Write("mlx4_0/device/net/ib1/dev_port", "1");
  const std::vector<Port> ports = PortsBelow(folder_);
  ASSERT_THAT(ports, SizeIs(3));
  EXPECT_THAT(ports[0].interfaces, ElementsAre("ib0"));
  EXPECT_THAT(ports[1].interfaces, ElementsAre("ib1"));
  EXPECT_THAT(ports[2].interfaces, ElementsAre("veth0"));
}

TEST(ControlInterface, HasTheAddressOfSshd) {
  const std::vector<Interface> interfaces = {{.name = "eth0", .addresses = {{"10.0.0.1", 24}}},
                                             {.name = "eth1", .addresses = {{"10.0.0.11", 24}}}};
  EXPECT_EQ(ControlInterface(interfaces, "10.0.0.9 51000 10.0.0.11 22"), "eth1");
  EXPECT_EQ(ControlInterface(interfaces, "10.0.0.9 51000 10.0.0.12 22"), "");
  EXPECT_EQ(ControlInterface(interfaces, ""), "");
}

TEST(TryToReach, ARefusalIsAnAnswer) {
  const std::vector<Reached> reached = TryToReach(
      {{"127.0.0.1", "127.0.0.2"}, {"192.0.2.1", "127.0.0.1"}, {"nothing", "127.0.0.1"}});
  ASSERT_THAT(reached, SizeIs(3));
  EXPECT_EQ(reached[0].problem, "");
  EXPECT_EQ(reached[1].problem, "Cannot assign requested address");
  EXPECT_EQ(reached[2].problem, "Invalid argument");
}

}  // namespace
}  // namespace cm::site
