// Adapters that are no software: taken from their driver, and given back.
#include "hw_tests/node/adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "conformance/process/process.h"
#include "hw_tests/node/guardian.h"
#include "hw_tests/node/node_fixture.h"

namespace node {
namespace {

using testing::HasSubstr;

class Adapter : public Node {
 protected:
  // An adapter with a part for RDMA on the auxiliary bus in place of the Soft-RoCE device, as Linux
  // 6.1 shows mlx5. What a driver has bound is a link in its folder.
  void HaveAdapter() const {
    fs::remove_all(folder_ / "devices/rxe0");
    const fs::path adapter = folder_ / "sys/pci0000:00/0000:01:00.0";
    for (const fs::path& one : {adapter / "net/v0", adapter / "hw_core.eth.0",
                                adapter / "hw_core.rdma.0", folder_ / "devices/hw0"})
      fs::create_directories(one);
    fs::create_directory_symlink(adapter, folder_ / "devices/hw0/device");
    Drive(adapter, "hw_core");
    Drive(adapter / "hw_core.eth.0", "hw_en");
    Drive(adapter / "hw_core.rdma.0", "hw_ib");
  }
  void Drive(const fs::path& device, const std::string& name) const {
    const fs::path driver = folder_ / "sys/drivers" / name;
    fs::create_directories(driver);
    for (const char* const file : {"bind", "unbind"}) Write(driver / file, "");
    fs::create_directory_symlink(driver, device / "driver");
    fs::create_directory_symlink(folder_ / "devices/hw0", driver / device.filename());
  }
  // Which device its driver has to let go, or what is enabled by devlink.
  std::string Removed() const {
    Tools tools;
    const auto removal = RemovalOf("hw0", {.name = "v0", .devices = folder_ / "devices"}, tools);
    if (!removal) return "none";
    EXPECT_EQ(removal->away.size(), removal->back.size());
    return removal->away[4];
  }
  // A device that was taken away stays so until the end.
  void RemoveAndPutRight() {
    before_ = State();
    const std::unique_ptr<cm::Place> place = Open();
    ASSERT_NE(place, nullptr);
    const cm::seen::Done done = place->Inject({.kind = FaultKind::kRemoveDevice, .side = 0});
    EXPECT_TRUE(done.ok) << done.note;
    EXPECT_FALSE(fs::exists(folder_ / "devices/hw0"));
    EXPECT_TRUE(place->Inject(kFaults.front()).ok);
    EXPECT_TRUE(place->Heal().ok);
    EXPECT_FALSE(fs::exists(folder_ / "devices/hw0"));
    EXPECT_EQ(place->PutRight(), "");
    EXPECT_EQ(State(), before_);
  }
};

TEST_F(Adapter, IsTakenFromItsDriverAndGivenBack) {
  HaveAdapter();
  EXPECT_EQ(Removed(), "hw_core.rdma.0");
  RemoveAndPutRight();
}

TEST_F(Adapter, WithoutAPartForRdmaGoesAsAWholeWhenItHasOneInterface) {
  HaveAdapter();
  const fs::path adapter = folder_ / "sys/pci0000:00/0000:01:00.0";
  fs::remove_all(adapter / "hw_core.rdma.0");
  EXPECT_EQ(Removed(), "0000:01:00.0");
  RemoveAndPutRight();
  fs::create_directory(adapter / "net/v0/upper_bond0");
  EXPECT_EQ(Removed(), "none");
  fs::remove(adapter / "net/v0/upper_bond0");
  fs::create_directory(adapter / "net/v9");
  EXPECT_EQ(Removed(), "none");
}

TEST_F(Adapter, WhoseDriverCannotBeToldIsReloadedWithoutRdma) {
  HaveAdapter();
  for (const char* const driver : {"hw_ib", "hw_core"})
    fs::remove(folder_ / "sys/drivers" / driver / "unbind");
  EXPECT_THAT(WhyNot(), HasSubstr("take away; there is hw0"));
  Write(folder_ / "rdma_enabled", "true\n");
  EXPECT_EQ(Removed(), "pci/0000:01:00.0");
  RemoveAndPutRight();
}

TEST_F(Adapter, IsGivenBackWhenTheAgentIsGone) {
  HaveAdapter();
  before_ = State();
  for (const char* const victim : {"agent", "guardian"}) {
    cm::Process agent = Agent([&] {
      const std::unique_ptr<cm::Place> place = Open();
      if (victim == std::string("guardian")) Kill(victim, NumberIn(folder_ / "count") + 8);
      if (place != nullptr)
        for (const FaultKind kind : {FaultKind::kRemoveDevice, FaultKind::kNeighbourChange})
          static_cast<void>(place->Inject({.kind = kind, .side = 0}));
      _exit(0);
    });
    ASSERT_TRUE(agent.Wait(kLongEnough));
    Kill("0", 1'000'000);
    if (victim == std::string("guardian")) {
      EXPECT_NE(State(), before_) << "it was not killed in time";
      std::vector<std::string> lines;
      EXPECT_TRUE(Restore(settings_.folder, &lines, settings_.devices)) << lines.front();
    } else {
      AwaitGuardian();
    }
    EXPECT_EQ(State(), before_) << victim;
  }
}

}  // namespace
}  // namespace node
