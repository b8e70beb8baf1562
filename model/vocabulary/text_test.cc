// Addresses, faults and the names of the protocol as text and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary/call.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/not_made.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

// Every address that a topology can express.
std::vector<Address> AddressesOn(const Topology& topology) {
  std::vector<Address> all = {Address{},
                              {.kind = AddressKind::kBadFamily, .family = 1},
                              {.kind = AddressKind::kBadFamily, .family = 255}};
  for (const bool v6 : {false, true}) {
    for (const uint16_t port : {0, 1, 7471, 32768, 65535}) {
      for (uint8_t side = 0; side < topology.sides.size(); ++side)
        all.push_back({.kind = AddressKind::kSide, .side = side, .v6 = v6, .port = port});
      for (const AddressKind kind :
           {AddressKind::kAny, AddressKind::kLoopback, AddressKind::kForeign,
            AddressKind::kUnroutable, AddressKind::kSilent})
        all.push_back({.kind = kind, .v6 = v6, .port = port});
      for (uint8_t group = 1; group <= kLastGroup; ++group)
        all.push_back({.kind = AddressKind::kGroup, .v6 = v6, .group = group, .port = port});
    }
  }
  return all;
}

TEST(Address, ReadsBackAsItWasWrittenOnEveryTopology) {
  for (const Topology& topology : AllTopologies()) {
    std::map<std::string, Address> by_text;
    for (const Address& address : AddressesOn(topology)) {
      const std::string text = ToString(address, topology);
      EXPECT_EQ(ParseAddress(text, topology), address) << topology.name << " " << text;
      EXPECT_TRUE(by_text.emplace(text, address).second) << text;
    }
  }
}

TEST(Address, IsFoundBehindItsNumbers) {
  for (const Topology& topology : AllTopologies()) {
    for (const Address& address : AddressesOn(topology)) {
      const std::string host = NumericHost(address, topology);
      if (host.empty()) continue;
      const std::string port = ":" + std::to_string(address.port);
      EXPECT_EQ(AddressOfNumeric((address.v6 ? "[" + host + "]" : host) + port, topology), address);
    }
    EXPECT_EQ(AddressOfNumeric("null", topology), Address{});
  }
}

TEST(Address, IsNoneOfTheseTexts) {
  const Topology& topology = *FindTopology("two-kernels");
  for (const std::string_view bad :
       {"", ":", "active", "active:", ":7471", "active:x", "active:65536", "active:-1",
        "active:7471 ", "Active:7471", "active.v4:7471", "elsewhere:7471", "family", "family256"})
    EXPECT_EQ(ParseAddress(bad, topology), std::nullopt) << bad;
}

TEST(Topology, IsFoundByItsNameAndPutsSidesWhereItSays) {
  for (const Topology& topology : AllTopologies()) {
    EXPECT_EQ(FindTopology(topology.name), &topology);
    EXPECT_EQ(topology.SideNamed("active"), kActiveSide);
    EXPECT_EQ(topology.SideNamed("passive"), kPassiveSide);
    EXPECT_EQ(topology.SideNamed("other"), std::nullopt);
    const bool apart = topology.KernelOf(kActiveSide) != topology.KernelOf(kPassiveSide);
    EXPECT_EQ(apart, topology.name == "two-kernels" || topology.name == "tester");
    EXPECT_EQ(topology.devices[topology.sides[kActiveSide].device].bonded, topology.name == "bond");
  }
}

TEST(FaultKinds, HaveNamesOfTheirOwnSentencesAndArguments) {
  for (const FaultRow& row : kFaultKinds) {
    EXPECT_EQ(ParseFaultKind(row.name), row.kind) << row.name;
    EXPECT_TRUE(row.sentence.ends_with(".")) << row.name;
    EXPECT_FALSE(row.takes.empty()) << row.name;
    for (const FaultField field : row.takes) EXPECT_NE(RowOf(field).text, nullptr) << row.name;
    const bool matches = std::ranges::count(row.takes, FaultField::kMessages) == 1;
    EXPECT_EQ(matches, row.packets != PacketEffect::kNone) << row.name;
  }
  EXPECT_EQ(ParseFaultKind("melt"), std::nullopt);
}

// The fault that undoes another one needs what the other one leaves behind.
TEST(FaultKinds, AreUndoneByWhatFollowsOnThem) {
  for (const FaultRow& row : kFaultKinds) {
    if (row.undone_by) {
      EXPECT_EQ(RowOf(*row.undone_by).wants, row.leaves) << row.name;
    }
    const bool lasts =
        row.leaves == FaultPremise::kDeviceRemoved || row.leaves == FaultPremise::kHostStopped;
    EXPECT_EQ(lasts, row.undone_by.has_value() && !row.healed) << row.name;
  }
}

TEST(Fault, AsksForWhatItNeeds) {
  const Capabilities drop = Capabilities().With(Capability::kDrop);
  EXPECT_EQ(Needs({.kind = FaultKind::kDrop}), drop);
  const Capabilities nth = drop.With(Capability::kDropNth);
  EXPECT_EQ(Needs({.kind = FaultKind::kDrop, .first = 2}), nth);
  EXPECT_EQ(Needs({.kind = FaultKind::kDrop, .last = 1}), nth);
  EXPECT_EQ(Needs({.kind = FaultKind::kDrop, .window = Duration::Seconds(1)}), nth);
  EXPECT_EQ(Needs({.kind = FaultKind::kLinkUp}), Capabilities().With(Capability::kLink));
  EXPECT_EQ(Needs({.kind = FaultKind::kDrop, .to = 1}), drop.With(Capability::kDirection));
  EXPECT_EQ(Needs({.kind = FaultKind::kDrop, .side = kAnySide}), drop.With(Capability::kDirection));
  EXPECT_EQ(Needs({.kind = FaultKind::kDrop, .after = Duration::Seconds(1)}),
            drop.With(Capability::kLateStart));
  EXPECT_EQ(Needs({.kind = FaultKind::kDelay, .at_most = Duration::Seconds(1)}),
            Capabilities().With(Capability::kDelay).With(Capability::kDelayRange));
  EXPECT_EQ(Needs({.kind = FaultKind::kRestart}), Capabilities().With(Capability::kHostCrash));
}

TEST(MessageKinds, AreReadByTheirNames) {
  for (const MadKindRow& row : kMadKinds) {
    EXPECT_EQ(ParseMessageKind(row.name), row.kind);
    EXPECT_EQ(ParseMadKind(row.name).has_value(), IsMad(row.kind)) << row.name;
  }
  EXPECT_EQ(ParseMadKind("SIDR_REP"), MadKind::kSidrRep);
  EXPECT_EQ(ParseMadKind("FIN"), std::nullopt);
  EXPECT_EQ(ParseMessageKind("MPA"), std::nullopt);
}

// The numbers in digests, and the attribute IDs of ib_cm.h.
TEST(MessageKinds, HaveNumbersOfTheirOwn) {
  std::set<int> numbers;
  for (const MadKindRow& row : kMadKinds) {
    numbers.insert(static_cast<int>(row.kind));
    if (row.attribute_id == 0) continue;
    EXPECT_EQ(KindOfAttribute(row.attribute_id), row.kind) << row.name;
  }
  EXPECT_EQ(numbers.size(), kMadKinds.size());
  EXPECT_EQ(KindOfAttribute(0x0013), MadKind::kRep);
  EXPECT_EQ(KindOfAttribute(0x001b), MadKind::kOther);
  EXPECT_EQ(KindOfAttribute(0), MadKind::kOther);
}

TEST(MadKinds, AreOneOrAll) {
  for (const MadKind kind : kMads) {
    EXPECT_EQ(ParseMadKinds(ToString(MadKinds(kind))), MadKinds(kind));
    EXPECT_TRUE(MadKinds::All().Has(kind));
  }
  EXPECT_FALSE(MadKinds::All().Has(MadKind::kFin));
  EXPECT_EQ(ToString(MadKinds::All()), "any");
  EXPECT_EQ(ParseMadKinds("any"), MadKinds::All());
  EXPECT_EQ(ParseMadKinds("REQS"), std::nullopt);
}

TEST(Topology, TellsPortsOfOneDeviceFromOtherDevices) {
  const Topology topology{.hosts = {"a", "b"},
                          .devices = {{.name = "ib0"},
                                      {.name = "ib0", .port = 2},
                                      {.name = "ib1"},
                                      {.name = "ib2", .kernel = 1},
                                      {.name = "ib2", .kernel = 1, .port = 2},
                                      {.name = "ib2", .kernel = 1, .port = 3}}};
  EXPECT_TRUE(topology.SameDevice(0, 1));
  EXPECT_FALSE(topology.SameDevice(1, 2));
  EXPECT_FALSE(topology.SameDevice(1, 4));
  EXPECT_EQ(topology.FirstPortOf(1), 0);
  EXPECT_EQ(topology.FirstPortOf(2), 2);
  EXPECT_EQ(topology.FirstPortOf(5), 3);
  EXPECT_EQ(topology.PortsOf(1), 2);
  EXPECT_EQ(topology.PortsOf(2), 1);
  EXPECT_EQ(topology.PortsOf(4), 3);
  EXPECT_EQ(topology.PortName(3), "ib2");
  EXPECT_EQ(topology.PortName(5), "ib2/3");
}

TEST(Topology, HasOnePortOnEachDeviceUnlessItSaysOtherwise) {
  for (const Topology& topology : AllTopologies()) {
    for (uint8_t device = 0; device < topology.devices.size(); ++device) {
      const bool second = topology.name == "one-device-two-ports" && device == 1;
      EXPECT_EQ(topology.devices[device].port, second ? 2 : 1) << topology.name;
      EXPECT_EQ(topology.FirstPortOf(device), second ? 0 : device) << topology.name;
    }
  }
}

TEST(Capabilities, ReadBackAsTheyWereWritten) {
  Capabilities every_other;
  for (int i = 0; i < kCapabilityCount; i += 2)
    every_other = every_other.With(static_cast<Capability>(i));
  for (const Capabilities& set : {Capabilities(), every_other})
    EXPECT_EQ(ParseCapabilities(ToString(set)), set);
  EXPECT_EQ(ToString(Capabilities()), "none");
  EXPECT_EQ(ParseCapabilities("drop flight"), std::nullopt);
}

// The numbers of <rdma/rdma_cma.h> that this project uses.
TEST(EventType, HasTheNamesOfTheHeader) {
  EXPECT_EQ(ToString(EventType::kConnectRequest), "RDMA_CM_EVENT_CONNECT_REQUEST");
  EXPECT_EQ(ShortName(EventType::kTimewaitExit), "TIMEWAIT_EXIT");
  for (int i = 0; i < kEventTypeCount; ++i) {
    const auto type = static_cast<EventType>(i);
    EXPECT_EQ(ParseEventType(ToString(type)), type);
    EXPECT_EQ(ParseEventType(ShortName(type)), type);
  }
}

// The field of a message has two bits, and a foreign CM may set both.
TEST(About, HasATextForEachNumberThatAMessageMayHave) {
  for (int i = 0; i < 4; ++i) {
    const auto about = static_cast<About>(i);
    EXPECT_EQ(ParseAbout(ToString(about)), about);
  }
  EXPECT_EQ(ToString(static_cast<About>(3)), "3");
}

// source: <infiniband/verbs.h> IBV_QPS_UNKNOWN
TEST(QpState, HasATextForEachNumberThatALibraryMayGive) {
  for (int i = 0; i < 8; ++i) {
    const auto state = static_cast<QpState>(i);
    EXPECT_EQ(ParseQpState(ToString(state)), state);
  }
  EXPECT_EQ(ToString(static_cast<QpState>(7)), "UNKNOWN");
  EXPECT_EQ(ToString(static_cast<QpState>(200)), "UNKNOWN");
}

TEST(NotMade, HasTheNameThatItIsReadBy) {
  EXPECT_EQ(ToString(NotMade::kNeverMade), "never-made");
  EXPECT_EQ(ToString(NotMade::kCannotBeMade), "cannot-be-made");
  EXPECT_EQ(ParseNotMade("contends"), NotMade::kContends);
  EXPECT_EQ(ParseNotMade("contents"), std::nullopt);
}

TEST(CallKind, HasTheNameOfItsFunction) {
  EXPECT_EQ(FunctionName(CallKind::kResolveAddr), "rdma_resolve_addr");
  for (int i = 0; i < kCallKindCount; ++i) {
    const auto kind = static_cast<CallKind>(i);
    EXPECT_EQ(ParseFunctionName(FunctionName(kind)), kind);
  }
  EXPECT_EQ(ParseFunctionName("rdma_create"), std::nullopt);
}

}  // namespace
}  // namespace cm
