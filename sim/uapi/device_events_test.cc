// Asynchronous events of a port, of its GID table and of a device's removal.
#include "sim/uapi/device_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/uapi/machine.h"
#include "sim/world/world.h"

namespace cm::sim::uapi {
namespace {

using testing::ElementsAre;

// source: <infiniband/verbs.h> enum ibv_event_type
constexpr int64_t kDeviceFatal = 8;
constexpr int64_t kPortActive = 9;
constexpr int64_t kPortErr = 10;
constexpr int64_t kGidChange = 18;

class DeviceEventsTest : public testing::Test {
 protected:
  explicit DeviceEventsTest(const char* topology = "two-kernels")
      : world_(FindTopology(topology), FindProfile("6.1-rxe")), machine_(&world_, nullptr) {}

  Answer Ask(Op op, uint64_t more = 0) {
    return machine_.Ask({.process = own_}, {.op = op, .on = events_, .more = more});
  }
  void Open(uint8_t side) {
    own_ = machine_.AddProcess(side);
    events_ = static_cast<uint32_t>(Ask(Op::kOpenEvents).value);
    ASSERT_NE(events_, 0U);
  }
  void Inject(FaultKind kind, uint8_t side = kPassiveSide) {
    world_.Inject({.kind = kind, .side = side});
    world_.RunUntil(world_.Now() + Duration::Seconds(1));
  }
  // All pending events; the last gives the error that ends the list.
  std::vector<int64_t> Taken() {
    std::vector<int64_t> taken;
    do taken.push_back(Ask(Op::kTakeEventOfDevice, 1).value);
    while (taken.back() >= 0);
    return taken;
  }

  World world_;
  Machine machine_;
  uint32_t own_ = 0;
  uint32_t events_ = 0;
};

TEST_F(DeviceEventsTest, LinkGoesAndComes) {
  Open(kPassiveSide);
  EXPECT_EQ(Ask(Op::kPollEventsOfDevice).value, 0);
  Inject(FaultKind::kLinkDown);
  EXPECT_EQ(Ask(Op::kPollEventsOfDevice).value, 1);
  Inject(FaultKind::kLinkUp);
  EXPECT_THAT(Taken(), ElementsAre(kPortErr, kPortActive, -EAGAIN));
  EXPECT_EQ(Ask(Op::kPollEventsOfDevice).value, 0);
}

TEST_F(DeviceEventsTest, OfOtherDevicesAreNotHeard) {
  Open(kActiveSide);
  Inject(FaultKind::kLinkDown);
  EXPECT_THAT(Taken(), ElementsAre(-EAGAIN));
}

// A device that comes back is a new device.
TEST_F(DeviceEventsTest, EndOfADeviceIsTheLast) {
  Open(kPassiveSide);
  Inject(FaultKind::kRemoveDevice);
  EXPECT_EQ(Ask(Op::kPollEventsOfDevice).value, 1);
  Inject(FaultKind::kAddDevice);
  EXPECT_THAT(Taken(), ElementsAre(kDeviceFatal, -EIO));
  EXPECT_EQ(Ask(Op::kPollEventsOfDevice).value, 1) << "who reads need not wait";
  Inject(FaultKind::kLinkDown);
  EXPECT_THAT(Taken(), ElementsAre(-EIO));
}

TEST_F(DeviceEventsTest, WhoTakesOneWaitsForIt) {
  Open(kPassiveSide);
  EXPECT_TRUE(Ask(Op::kTakeEventOfDevice).waits);
  EXPECT_EQ(machine_.WaitsFor({.process = own_}), "events 1 of a device: one");
  EXPECT_TRUE(machine_.Continue({.process = own_}).waits);
  Inject(FaultKind::kRemoveDevice);
  EXPECT_EQ(machine_.Continue({.process = own_}).value, kDeviceFatal);
}

TEST_F(DeviceEventsTest, AreTheirOpenersOnly) {
  Open(kPassiveSide);
  own_ = machine_.AddProcess(kPassiveSide);
  EXPECT_EQ(Ask(Op::kTakeEventOfDevice, 1).value, -EINVAL);
  EXPECT_EQ(Ask(Op::kCloseEvents).value, -EINVAL);
}

TEST_F(DeviceEventsTest, AreNotThereWhenTheyAreClosed) {
  Open(kPassiveSide);
  EXPECT_EQ(Ask(Op::kCloseEvents).value, 0);
  EXPECT_EQ(Ask(Op::kPollEventsOfDevice).value, -EINVAL);
}

// A device reports each of its ports, by number, and its removal once.
TEST(DeviceEventsOfPorts, NameThePort) {
  World world(FindTopology("one-device-two-ports"), FindProfile("6.1-rxe"));
  Machine machine(&world, nullptr);
  const uint32_t own = machine.AddProcess(kActiveSide);
  const auto ask = [&](Op op, uint32_t on) {
    return machine.Ask({.process = own}, {.op = op, .on = on, .more = 1});
  };
  const auto events = static_cast<uint32_t>(ask(Op::kOpenEvents, 0).value);
  const auto taken = [&] {
    const Answer answer = ask(Op::kTakeEventOfDevice, events);
    uint64_t name = 0;
    if (answer.bytes.size() == sizeof(name)) std::memcpy(&name, answer.bytes.data(), sizeof(name));
    return std::pair(answer.value, name);
  };
  world.Inject({.kind = FaultKind::kLinkDown, .side = kPassiveSide});
  EXPECT_EQ(taken(), std::pair(kPortErr, uint64_t{2}));
  world.Inject({.kind = FaultKind::kLinkDown, .side = kActiveSide});
  EXPECT_EQ(taken(), std::pair(kPortErr, uint64_t{1}));
  world.Inject({.kind = FaultKind::kRemoveDevice, .side = kPassiveSide});
  EXPECT_EQ(taken(), std::pair(kDeviceFatal, uint64_t{0}));
  EXPECT_EQ(taken().first, -EIO);
}

class OverABond : public DeviceEventsTest {
 protected:
  OverABond() : DeviceEventsTest("bond") {}
};

TEST_F(OverABond, FailOverChangesTheGids) {
  const Topology& bond = world_.topology();
  for (uint8_t side = 0; side < bond.sides.size(); ++side) {
    if (!bond.devices[bond.sides[side].device].bonded) continue;
    Open(side);
    Inject(FaultKind::kFailOver, side);
    EXPECT_THAT(Taken(), ElementsAre(kGidChange, -EAGAIN));
    return;
  }
  FAIL() << "no side is on a bond";
}

}  // namespace
}  // namespace cm::sim::uapi
