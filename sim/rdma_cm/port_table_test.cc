// Owners of ports: wildcards, shared ports, ports of the kernel's choice, and listeners.
#include "sim/rdma_cm/port_table.h"

#include <gtest/gtest.h>

namespace cm::sim {
namespace {

constexpr uint16_t kPort = 7471;

constexpr Address Side(uint8_t side, uint16_t port = kPort) {
  return {.kind = AddressKind::kSide, .side = side, .port = port};
}

constexpr Address Any(bool v6 = false, uint16_t port = kPort) {
  return {.kind = AddressKind::kAny, .v6 = v6, .port = port};
}

class Ports : public testing::Test {
 protected:
  CmIdIndex Make(const Address& source) { return ids.Add({.source = source}); }
  // An id that owns the port of its source.
  CmIdIndex Owner(const Address& source, CmState state = CmState::kAddrBound) {
    const CmIdIndex id = Make(source);
    EXPECT_EQ(ports.Take(&ids, id), Errno::kNone);
    ids[id].state = state;
    return id;
  }
  Errno Taking(const Address& source) { return ports.Take(&ids, Make(source)); }
  CmIdIndex ListenerFor(uint8_t device, const Address& destination) {
    return ports.ListenerFor(ids, *topology, device, PortSpace::kTcp, destination);
  }

  const Topology* const topology = FindTopology("one-kernel-two-devices");
  CmIds ids;
  PortTable ports;
};

TEST_F(Ports, AnAddressOwnsAPortOnce) {
  Owner(Side(0));
  EXPECT_EQ(Taking(Side(0)), Errno::kAddrInUse);
  EXPECT_EQ(Taking(Side(1)), Errno::kNone);
  EXPECT_EQ(Taking(Side(0, kPort + 1)), Errno::kNone);
}

TEST_F(Ports, AWildcardConflictsWithEachAddressOfItsPort) {
  Owner(Any());
  EXPECT_EQ(Taking(Side(0)), Errno::kAddrNotAvail);
  EXPECT_EQ(Taking(Any()), Errno::kAddrNotAvail);
  Owner(Side(1, kPort + 1));
  EXPECT_EQ(Taking(Any(false, kPort + 1)), Errno::kAddrNotAvail);
}

TEST_F(Ports, FamiliesConflictUnlessBothKeepToTheirOwn) {
  Owner(Any());
  const CmIdIndex both = Make(Any(true));
  ids[both].family_only = false;
  EXPECT_EQ(ports.Take(&ids, both), Errno::kAddrNotAvail);
  ids[both].family_only = true;
  EXPECT_EQ(ports.Take(&ids, both), Errno::kNone);
}

TEST_F(Ports, KernelsAndPortSpacesHaveTheirOwnPorts) {
  Owner(Side(0));
  EXPECT_EQ(ports.Take(&ids, ids.Add({.kernel = 1, .source = Side(0)})), Errno::kNone);
  EXPECT_EQ(ports.Take(&ids, ids.Add({.space = PortSpace::kUdp, .source = Side(0)})), Errno::kNone);
}

TEST_F(Ports, AListenerOfAnotherSpaceIsSeenWhereTheAddressesMeet) {
  const auto of_udp = [this](const Address& source) {
    return ids.Add({.space = PortSpace::kUdp, .source = source});
  };
  const CmIdIndex bound = Owner(Side(0));
  EXPECT_FALSE(ports.ListensInAnotherSpace(ids, of_udp(Side(0)))) << "it is bound alone";
  ids[bound].state = CmState::kListen;
  EXPECT_TRUE(ports.ListensInAnotherSpace(ids, of_udp(Side(0))));
  EXPECT_TRUE(ports.ListensInAnotherSpace(ids, of_udp(Any())));
  EXPECT_FALSE(ports.ListensInAnotherSpace(ids, of_udp(Side(1))));
  EXPECT_FALSE(ports.ListensInAnotherSpace(ids, Make(Side(0)))) << "of the same space";
  ports.Leave(&ids, bound);
  EXPECT_FALSE(ports.ListensInAnotherSpace(ids, of_udp(Side(0))));
}

TEST_F(Ports, IdsShareAPortIfBothWantTo) {
  const CmIdIndex first = Make(Side(0));
  ids[first].shares_port = true;
  EXPECT_EQ(ports.Take(&ids, first), Errno::kNone);
  EXPECT_EQ(Taking(Side(0)), Errno::kAddrInUse);
  const CmIdIndex second = Make(Side(0));
  ids[second].shares_port = true;
  EXPECT_EQ(ports.Take(&ids, second), Errno::kNone);
  EXPECT_EQ(ports.Check(ids, second, true), Errno::kNone);
  EXPECT_EQ(ports.Check(ids, second, false), Errno::kAddrInUse) << "it would listen";
}

TEST_F(Ports, TheNewestOfTwoOwnersDecidesTheError) {
  const CmIdIndex any = Make(Any());
  const CmIdIndex side = Make(Side(0));
  ids[any].shares_port = ids[side].shares_port = true;
  EXPECT_EQ(ports.Take(&ids, any), Errno::kNone);
  EXPECT_EQ(ports.Take(&ids, side), Errno::kNone);
  EXPECT_EQ(Taking(Side(0)), Errno::kAddrInUse);
  EXPECT_EQ(Taking(Side(1)), Errno::kAddrNotAvail);
}

TEST_F(Ports, PortZeroIsTheNextFreeOneOfTheKernelsRange) {
  EXPECT_EQ(ids[Owner(Side(0, 0))].source.port, kFirstEphemeralPort);
  Owner(Side(0, kFirstEphemeralPort + 1));
  EXPECT_EQ(ids[Owner(Side(0, 0))].source.port, kFirstEphemeralPort + 2);
  EXPECT_EQ(ids[Owner(Side(1, 0))].source.port, kFirstEphemeralPort + 3);
}

TEST_F(Ports, WithoutAFreePortThereIsNone) {
  constexpr int kPorts = 60999 - 32768 + 1;
  for (int i = 0; i < kPorts; ++i) Owner(Any(false, 0));
  const CmIdIndex late = Make(Any(false, 0));
  EXPECT_EQ(ports.Take(&ids, late), Errno::kAddrNotAvail);
  EXPECT_EQ(ids[late].source.port, 0);
}

TEST_F(Ports, APortThatIsLeftIsFree) {
  const CmIdIndex id = Owner(Side(0));
  EXPECT_TRUE(ids[id].owns_port);
  ports.Leave(&ids, id);
  EXPECT_FALSE(ids[id].owns_port);
  EXPECT_EQ(Taking(Side(0)), Errno::kNone);
}

TEST_F(Ports, ARequestGoesToTheListenerOfItsAddress) {
  const CmIdIndex listener = Owner(Side(1), CmState::kListen);
  ids[listener].device = 1;
  EXPECT_EQ(ListenerFor(1, Side(1)), listener);
  EXPECT_EQ(ListenerFor(0, Side(1)), CmIdIndex()) << "another device";
  EXPECT_EQ(ListenerFor(1, Side(0)), CmIdIndex()) << "another address";
  EXPECT_EQ(ListenerFor(1, Side(1, kPort + 1)), CmIdIndex()) << "another port";
}

TEST_F(Ports, AWildcardListensOnEachDeviceOfItsFamily) {
  const CmIdIndex listener = Owner(Any(), CmState::kListen);
  Address v6 = Side(1);
  v6.v6 = true;
  EXPECT_EQ(ListenerFor(0, Side(0)), listener);
  EXPECT_EQ(ListenerFor(1, Side(1)), listener);
  EXPECT_EQ(ListenerFor(1, v6), CmIdIndex());
  ids[listener].family_only = false;
  EXPECT_EQ(ListenerFor(1, v6), listener);
}

TEST_F(Ports, ABoundIdHidesTheListenerBeforeIt) {
  const CmIdIndex listener = Make(Any());
  const CmIdIndex bound = Make(Side(1));
  ids[listener].shares_port = ids[bound].shares_port = true;
  EXPECT_EQ(ports.Take(&ids, listener), Errno::kNone);
  ids[listener].state = CmState::kListen;
  EXPECT_EQ(ListenerFor(1, Side(1)), listener);
  EXPECT_EQ(ports.Take(&ids, bound), Errno::kNone);
  ids[bound].device = 1;
  EXPECT_EQ(ListenerFor(1, Side(1)), CmIdIndex());
  EXPECT_TRUE(ports.Listens(ids, *topology, 1, PortSpace::kTcp, kPort));
  EXPECT_FALSE(ports.Listens(ids, *topology, 1, PortSpace::kUdp, kPort));
}

}  // namespace
}  // namespace cm::sim
