// A device with two ports: state of the ports and state of the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "model/vocabulary/fault.h"
#include "sim/uapi/peers.h"

namespace cm::sim::uapi {
namespace {

using testing::ElementsAre;
using testing::Field;

constexpr uint32_t kSucceeded = 0;         // IBV_WC_SUCCESS
constexpr uint32_t kRetriesExceeded = 12;  // IBV_WC_RETRY_EXC_ERR

// Both processes use the same device; the second one's queue pair is on the second port.
class PortsTest : public VerbsEndTest {
 protected:
  PortsTest() : VerbsEndTest("6.1-rxe", "one-device-two-ports") { b_.port = 2; }

  uint32_t StatusOfAMessage() {
    ConnectBoth();
    EXPECT_EQ(Receive(b_, 1, 0, 64), 0);
    EXPECT_EQ(Post(a_, {.wr_id = 2, .opcode = kSend, .flags = kSignal}, 128, 5), 0);
    Settle();
    const auto done = Poll(a_);
    return done.size() == 1 ? done[0].status : ~0U;
  }
};

TEST_F(PortsTest, AreOfOneDevice) {
  const Answer devices = Ask(a_, {.op = Op::kDevices});
  ASSERT_EQ(devices.bytes.size(), sizeof(DeviceRecord));
  DeviceRecord record;
  std::memcpy(&record, devices.bytes.data(), sizeof(record));
  EXPECT_EQ(record.ports, 2U);
  EXPECT_NE(a_.number, b_.number) << "the device numbers the queue pairs of both";
}

TEST_F(PortsTest, HaveTablesOfTheirOwn) {
  EXPECT_NE(GidOf(a_), GidOf(b_));
  for (const uint64_t number : {1, 2}) {
    EXPECT_EQ(Ask(a_, {.op = Op::kPort, .more = number}).value, 0);
    EXPECT_EQ(Ask(a_, {.op = Op::kGid, .more = number << 32 | 1}).value, 0);
  }
  for (const uint64_t number : {0, 3}) {
    EXPECT_EQ(Ask(a_, {.op = Op::kPort, .more = number}).value, -EINVAL);
    EXPECT_EQ(Ask(a_, {.op = Op::kGid, .more = number << 32}).value, -EINVAL);
  }
}

TEST_F(PortsTest, AQueuePairIsOnOneThatThereIs) {
  for (const uint8_t number : {0, 3})
    EXPECT_EQ(Modify(a_, {.mask = 0x39, .state = kInit, .access = 7, .port = number}), -EINVAL);
  EXPECT_EQ(Modify(a_, {.mask = 0x39, .state = kInit, .access = 7, .port = 2}), 0);
}

TEST_F(PortsTest, AMessageGoesFromOneToTheOther) {
  MemoryOf(a_).replace(128, 5, "bytes");
  EXPECT_EQ(StatusOfAMessage(), kSucceeded);
  EXPECT_THAT(Poll(b_), ElementsAre(Field(&CompletionRecord::length, 5U)));
  EXPECT_EQ(MemoryOf(b_).substr(0, 6), "bytes.");
}

TEST_F(PortsTest, TheLinkOfOneIsNotThatOfTheOther) {
  world_.Inject({.kind = FaultKind::kLinkDown, .side = kPassiveSide});
  EXPECT_EQ(StatusOfAMessage(), kRetriesExceeded);
  a_ = Make(kActiveSide, kRc);
  b_ = Make(kPassiveSide, kRc);
  EXPECT_EQ(StatusOfAMessage(), kSucceeded) << "on the first port";
}

}  // namespace
}  // namespace cm::sim::uapi
