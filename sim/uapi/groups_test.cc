#include "sim/uapi/groups.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "model/base/duration.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/fabric/names.h"
#include "sim/uapi/machine.h"
#include "sim/uapi/program.h"
#include "sim/world/world.h"

namespace cm::sim::uapi {
namespace {

constexpr Gid kGid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 230, 0, 1, 1};

class GroupsOfPrograms : public testing::Test {
 protected:
  Address Of(const std::string& host, uint16_t port = 0) {
    if (host.find(':') != std::string::npos) {
      sockaddr_in6 v6{};
      v6.sin6_family = AF_INET6;
      v6.sin6_port = htons(port);
      EXPECT_EQ(inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr), 1) << host;
      return groups_.AddressOf(reinterpret_cast<const sockaddr*>(&v6), topology_);
    }
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    EXPECT_EQ(inet_pton(AF_INET, host.c_str(), &v4.sin_addr), 1) << host;
    return groups_.AddressOf(reinterpret_cast<const sockaddr*>(&v4), topology_);
  }

  // "host:port"
  std::string ReadBack(const Address& address) {
    sockaddr_storage field{};
    char text[INET6_ADDRSTRLEN] = {};
    groups_.Put(address, topology_, &field, sizeof field);
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(field);
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(field);
    if (field.ss_family == AF_INET6)
      inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    else
      inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(v4.sin_port));
  }

  const Topology& topology_ = *FindTopology("two-kernels");
  Groups groups_;
};

TEST_F(GroupsOfPrograms, AreGroupsAndAreReadBackAsTheyWereWritten) {
  for (const std::string host : {"230.0.1.1", "224.0.0.251", "ff15::77"}) {
    const Address address = Of(host, 7);
    EXPECT_EQ(address.kind, AddressKind::kGroup) << host;
    EXPECT_EQ(ReadBack(address), host + ":7");
  }
}

TEST_F(GroupsOfPrograms, AreTheSameWhoeverNamesThem) {
  EXPECT_EQ(Of("230.0.1.1"), Of("230.0.1.1"));
  EXPECT_NE(Of("230.0.1.1"), Of("230.0.1.2"));
}

TEST_F(GroupsOfPrograms, HaveTheirAddressInTheirGid) {
  EXPECT_EQ(groups_.GidOf(Of("230.0.1.1"), topology_), kGid);
}

TEST_F(GroupsOfPrograms, OfConversationsKeepTheirNumbers) {
  EXPECT_EQ(Of("239.1.1.3").group, 3);
  EXPECT_EQ(ReadBack(Of("239.1.1.3", 9)), "239.1.1.3:9");
}

TEST_F(GroupsOfPrograms, AreNoGroupsWhereTheAddressIsNone) {
  EXPECT_EQ(Of("10.9.9.8").kind, AddressKind::kForeign);
  EXPECT_EQ(Of("fd99::1").kind, AddressKind::kForeign);
  EXPECT_EQ(Of("10.0.1.1").kind, AddressKind::kSide);
}

TEST_F(GroupsOfPrograms, AreForeignWhenThereAreTooMany) {
  for (int i = 0; i <= UINT8_MAX - kLastGroup; ++i) {
    const Address address = Of("231.0.0." + std::to_string(i));
    EXPECT_EQ(address.kind == AddressKind::kGroup, i < UINT8_MAX - kLastGroup) << i;
  }
  EXPECT_EQ(ReadBack(Of("231.0.0.245")), "231.0.0.245:0");
}

TEST(AProgramWithAGroupOfItsOwn, HearsOfTheGroupThatItJoins) {
  NoMemory memory;
  World world(FindTopology("two-kernels"), FindProfile("6.1-rxe"));
  Machine machine(&world, &memory);
  Program program(&world, &machine, kActiveSide);
  const uint32_t file = program.Open();
  const uint32_t id = program.CreateId(file, 2, RDMA_PS_UDP);
  ASSERT_GT(program.Bind(file, id, "10.0.0.1", 0), 0);
  ASSERT_GT(program.ResolveAddr(file, id, "230.0.1.1", 0), 0);
  world.RunUntil(world.Now() + Duration::Milliseconds(1));
  EXPECT_EQ(program.GetEvent(file).event, 0u);  // RDMA_CM_EVENT_ADDR_RESOLVED
  auto join = Zeros<rdma_ucm_join_mcast>();
  join.id = id;
  join.addr_size = Program::Put("230.0.1.1", 0, &join.addr);
  program.Get<rdma_ucm_create_id_resp>(file, RDMA_USER_CM_CMD_JOIN_MCAST, join);
  const rdma_ucm_event_resp joined = program.GetEvent(file);
  EXPECT_EQ(joined.event, 12u);  // RDMA_CM_EVENT_MULTICAST_JOIN
  Gid gid{};
  std::memcpy(gid.data(), joined.param.ud.ah_attr.grh.dgid, gid.size());
  EXPECT_EQ(gid, kGid);
}

}  // namespace
}  // namespace cm::sim::uapi
