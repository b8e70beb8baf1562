// Two processes on two hosts, and every byte between them and the kernel.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <utility>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/uapi/program.h"

namespace cm::sim::uapi {
namespace {

constexpr uint16_t kPort = 7471;
constexpr const char* kActive = "10.0.0.1";
constexpr const char* kPassive = "10.0.1.1";

// The numbers of <rdma/rdma_cma.h> enum rdma_cm_event_type; a C++ file cannot include both headers.
enum Event : uint32_t {
  kAddrResolved = 0,
  kRouteResolved = 2,
  kConnectRequest = 4,
  kConnectResponse = 5,
  kEstablished = 9,
  kDisconnected = 10,
  kMulticastJoin = 12,
  kTimewaitExit = 15,
  kUser = 18,
};

class DeviceFileTest : public testing::Test {
 protected:
  DeviceFileTest() : DeviceFileTest("6.1-rxe") {}
  explicit DeviceFileTest(const char* profile)
      : world_(FindTopology("two-kernels"), FindProfile(profile)), machine_(&world_, &memory_) {}

  // The listener of the passive program, and an id of the active one with a resolved route.
  void Prepare() {
    listener_ = passive_.CreateId(s_, 0x1000);
    EXPECT_EQ(passive_.Bind(s_, listener_, kPassive, kPort), 8 + 136);
    EXPECT_EQ(passive_.Listen(s_, listener_, 4), 8 + 8);
    id_ = active_.CreateId(c_, 0x2000);
    EXPECT_EQ(active_.ResolveAddr(c_, id_, kPassive, kPort), 8 + 272);
    EXPECT_EQ(active_.GetEvent(c_).event, kAddrResolved);
    EXPECT_EQ(active_.ResolveRoute(c_, id_), 8 + 8);
    EXPECT_EQ(active_.GetEvent(c_).event, kRouteResolved);
  }
  // Returns the passive side's id.
  uint32_t ConnectThem() {
    Prepare();
    EXPECT_EQ(active_.Connect(c_, id_, Program::Param("hello", 17)), 8 + 288);
    const uint32_t child = passive_.GetEvent(s_).id;
    EXPECT_EQ(passive_.Accept(s_, child, 0x3000, Program::Param("welcome", 18)), 8 + 296);
    EXPECT_EQ(active_.GetEvent(c_).event, kConnectResponse);
    EXPECT_EQ(active_.Accept(c_, id_, 0, Zeros<rdma_ucm_conn_param>()), 8 + 296);
    EXPECT_EQ(passive_.GetEvent(s_).event, kEstablished);
    return child;
  }

  NoMemory memory_;
  World world_;
  Machine machine_;
  Program active_{&world_, &machine_, kActiveSide};
  Program passive_{&world_, &machine_, kPassiveSide};
  uint32_t c_ = active_.Open();
  uint32_t s_ = passive_.Open();
  uint32_t listener_ = 0;
  uint32_t id_ = 0;
};

TEST_F(DeviceFileTest, RequestReachesTheListenerWithItsData) {
  Prepare();
  ASSERT_EQ(active_.Connect(c_, id_, Program::Param("hello", 17)), 8 + 288);
  const rdma_ucm_event_resp request = passive_.GetEvent(s_);
  EXPECT_EQ(request.event, kConnectRequest);
  EXPECT_EQ(request.uid, 0x1000u);
  EXPECT_NE(request.id, listener_);
  EXPECT_EQ(request.status, 0u);
  EXPECT_EQ(request.param.conn.qp_num, 17u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(request.param.conn.private_data), 5),
            "hello");
  EXPECT_EQ(request.param.conn.private_data_len, 56);  // the room in the message
  EXPECT_EQ(request.param.conn.responder_resources, 2);
  EXPECT_EQ(request.param.conn.initiator_depth, 3);
  EXPECT_EQ(request.param.conn.retry_count, 7);
  EXPECT_EQ(request.param.conn.rnr_retry_count, 6);
}

TEST_F(DeviceFileTest, ConnectionStandsAndEndsOnBothSides) {
  const uint32_t child = ConnectThem();
  EXPECT_EQ(active_.Disconnect(c_, id_), 8 + 4);
  const rdma_ucm_event_resp gone = passive_.GetEvent(s_);
  EXPECT_EQ(gone.event, kDisconnected);
  EXPECT_EQ(gone.uid, 0x3000u);
  EXPECT_EQ(gone.id, child);
  EXPECT_EQ(passive_.Disconnect(s_, child), 8 + 4);
  EXPECT_EQ(active_.GetEvent(c_).event, kDisconnected);
  EXPECT_EQ(active_.GetEvent(c_).event, kTimewaitExit);
  EXPECT_EQ(passive_.GetEvent(s_).event, kTimewaitExit);
}

TEST_F(DeviceFileTest, DestroyAnswersHowManyEventsWereReported) {
  const uint32_t child = ConnectThem();
  EXPECT_EQ(active_.DestroyId(c_, id_), 3u);         // address, route, response
  EXPECT_EQ(passive_.DestroyId(s_, child), 1u);      // established
  EXPECT_EQ(passive_.DestroyId(s_, listener_), 1u);  // the request counts for the listener
  EXPECT_EQ(passive_.last, 8 + 16);
}

TEST_F(DeviceFileTest, DestroyTakesUnreadEventsWithIt) {
  id_ = active_.CreateId(c_, 0x2000);
  const uint32_t other = active_.CreateId(c_, 0x2001);
  ASSERT_GT(active_.ResolveAddr(c_, id_, kPassive, kPort), 0);
  ASSERT_GT(active_.ResolveAddr(c_, other, kPassive, kPort), 0);
  world_.RunUntil(world_.Now() + Duration::Milliseconds(1));
  EXPECT_EQ(active_.DestroyId(c_, id_), 0u);
  EXPECT_EQ(active_.GetEvent(c_).uid, 0x2001u);
  active_.GetEvent(c_);
  EXPECT_EQ(active_.last, -EAGAIN);
}

TEST_F(DeviceFileTest, AddressesAreThoseOfTheHosts) {
  Prepare();
  const rdma_ucm_query_addr_resp answer = active_.QueryAddr(c_, id_);
  EXPECT_NE(answer.node_guid, 0u);
  EXPECT_EQ(answer.port_num, 1);
  EXPECT_EQ(answer.pkey, 0xffff);
  EXPECT_EQ(answer.ibdev_index, 0u);
  ASSERT_EQ(answer.src_size, 16);
  ASSERT_EQ(answer.dst_size, 16);
  sockaddr_storage wanted{};
  Program::Put(kPassive, kPort, &wanted);
  EXPECT_EQ(std::memcmp(&answer.dst_addr, &wanted, sizeof(sockaddr_in)), 0);
  Program::Put(kActive, 0, &wanted);
  sockaddr_storage got{};
  std::memcpy(&got, &answer.src_addr, answer.src_size);
  EXPECT_NE(std::exchange(reinterpret_cast<sockaddr_in*>(&got)->sin_port, 0), 0);
  EXPECT_EQ(std::memcmp(&got, &wanted, sizeof(sockaddr_in)), 0);
}

TEST_F(DeviceFileTest, GidsAreMappedAddresses) {
  Prepare();
  const rdma_ucm_query_addr_resp answer = active_.QueryAddr(c_, id_, RDMA_USER_CM_QUERY_GID);
  ASSERT_EQ(answer.dst_size, 48);
  const uint8_t wanted[] = {27, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff,
                            10, 0, 1, 1,
                            // the service: RDMA_PS_TCP and the port 7471
                            0, 0, 0, 0, 0x01, 0x06, 0x1d, 0x2f};
  EXPECT_EQ(std::memcmp(&answer.dst_addr, wanted, sizeof(wanted)), 0);
}

TEST_F(DeviceFileTest, WildcardOfInfinibandIsBoundToNoDevice) {
  const uint32_t id = active_.CreateId(c_, 1, RDMA_PS_IB);
  auto cmd = Zeros<rdma_ucm_bind>();
  cmd.id = id;
  cmd.addr_size = 48;
  cmd.addr.ss_family = 27;
  ASSERT_EQ(active_.Tell(c_, RDMA_USER_CM_CMD_BIND, cmd), 8 + 136);
  const rdma_ucm_query_addr_resp answer = active_.QueryAddr(c_, id);
  EXPECT_EQ(answer.node_guid, 0u);
  EXPECT_EQ(answer.src_size, 48);
  EXPECT_EQ(answer.src_addr.ss_family, 27);
  EXPECT_EQ(active_.DestroyId(c_, id), 0u);
  // The next id with its number is not bound.
  ASSERT_EQ(active_.CreateId(c_, 2), id);
  EXPECT_EQ(active_.QueryAddr(c_, id).src_size, 0);
}

TEST_F(DeviceFileTest, PathIsOneThatLeadsBothWays) {
  Prepare();
  struct Paths {
    uint32_t number;
    uint32_t reserved;
    ib_path_rec_data path[6];
  };
  static_assert(sizeof(Paths) == 440);
  const auto paths = active_.Get<Paths>(c_, RDMA_USER_CM_CMD_QUERY,
                                        rdma_ucm_query{0, id_, RDMA_USER_CM_QUERY_PATH});
  EXPECT_EQ(paths.number, 1u);
  EXPECT_EQ(paths.path[0].flags, 0x2bu);
  const uint8_t* const record = reinterpret_cast<const uint8_t*>(paths.path[0].path_rec);
  const uint8_t there[] = {0xff, 0xff, 10, 0, 1, 1};
  const uint8_t here[] = {0xff, 0xff, 10, 0, 0, 1};
  EXPECT_EQ(std::memcmp(record + 18, there, sizeof(there)), 0);
  EXPECT_EQ(std::memcmp(record + 34, here, sizeof(here)), 0);
}

TEST_F(DeviceFileTest, AttributesLeadAQueuePairToItsPeer) {
  Prepare();
  ASSERT_GT(active_.Connect(c_, id_, Program::Param("", 17)), 0);
  const uint32_t child = passive_.GetEvent(s_).id;
  const auto attr = passive_.Get<ib_uverbs_qp_attr>(s_, RDMA_USER_CM_CMD_INIT_QP_ATTR,
                                                    rdma_ucm_init_qp_attr{0, child, 2});
  EXPECT_EQ(attr.qp_attr_mask, 0x129181u);  // required for RTR
  EXPECT_EQ(attr.qp_state, 2u);
  EXPECT_EQ(attr.dest_qp_num, 17u);
  EXPECT_EQ(attr.max_dest_rd_atomic, 2);
  EXPECT_EQ(attr.max_rd_atomic, 3);
  EXPECT_EQ(attr.ah_attr.is_global, 1);
  const uint8_t active[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
  EXPECT_EQ(std::memcmp(attr.ah_attr.grh.dgid, active, sizeof(active)), 0);
  // source: linux 6.1 cma.c CMA_IBOE_PACKET_LIFETIME, cm.c cm_ack_timeout: its path takes 4.096us *
  // 2^18 each way
  EXPECT_EQ(attr.timeout, 19);
  EXPECT_GT(passive_.SetAckTimeout(s_, child, 21), 0);
  EXPECT_EQ(passive_
                .Get<ib_uverbs_qp_attr>(s_, RDMA_USER_CM_CMD_INIT_QP_ATTR,
                                        rdma_ucm_init_qp_attr{0, child, 2})
                .timeout,
            21);
  EXPECT_EQ(passive_.Tell(s_, RDMA_USER_CM_CMD_INIT_QP_ATTR, rdma_ucm_init_qp_attr{0, child, 2}),
            -ENOSPC);
  passive_.Get<ib_uverbs_qp_attr>(s_, RDMA_USER_CM_CMD_INIT_QP_ATTR,
                                  rdma_ucm_init_qp_attr{0, child, 7});
  EXPECT_EQ(passive_.last, -EINVAL);
}

TEST_F(DeviceFileTest, OldCommandsDoTheSame) {
  listener_ = passive_.CreateId(s_, 1);
  auto bind = Zeros<rdma_ucm_bind_ip>();
  bind.id = listener_;
  Program::Put("fd00:1::1", kPort, &bind.addr);
  EXPECT_EQ(passive_.Tell(s_, RDMA_USER_CM_CMD_BIND_IP, bind), 8 + 40);
  EXPECT_EQ(passive_.QueryAddr(s_, listener_).src_size, 28);
  id_ = active_.CreateId(c_, 2);
  auto resolve = Zeros<rdma_ucm_resolve_ip>();
  resolve.id = id_;
  resolve.timeout_ms = 2000;
  Program::Put(kPassive, kPort, &resolve.dst_addr);
  EXPECT_EQ(active_.Tell(c_, RDMA_USER_CM_CMD_RESOLVE_IP, resolve), 8 + 64);
  EXPECT_EQ(active_.GetEvent(c_).event, kAddrResolved);
  const auto route = active_.Get<rdma_ucm_query_route_resp>(c_, RDMA_USER_CM_CMD_QUERY_ROUTE,
                                                            rdma_ucm_query{0, id_, 0});
  EXPECT_EQ(route.node_guid, active_.QueryAddr(c_, id_).node_guid);
  EXPECT_EQ(route.num_paths, 0u);
  EXPECT_EQ(route.dst_addr.sin6_family, AF_INET);
  EXPECT_EQ(route.ib_route[0].dgid[15], 1);
}

TEST_F(DeviceFileTest, EventsOfDatagramsHaveAWay) {
  listener_ = passive_.CreateId(s_, 1, RDMA_PS_UDP);
  ASSERT_GT(passive_.Bind(s_, listener_, kPassive, kPort), 0);
  ASSERT_GT(passive_.Listen(s_, listener_), 0);
  id_ = active_.CreateId(c_, 2, RDMA_PS_UDP);
  ASSERT_GT(active_.ResolveAddr(c_, id_, kPassive, kPort), 0);
  active_.GetEvent(c_);
  ASSERT_GT(active_.ResolveRoute(c_, id_), 0);
  active_.GetEvent(c_);
  ASSERT_GT(active_.Connect(c_, id_, Program::Param("who", 0)), 0);
  const rdma_ucm_event_resp request = passive_.GetEvent(s_);
  EXPECT_EQ(request.param.ud.private_data[0], 'w');
  ASSERT_GT(passive_.Accept(s_, request.id, 3, Program::Param("me", 99)), 0);
  const rdma_ucm_event_resp found = active_.GetEvent(c_);
  EXPECT_EQ(found.event, kEstablished);
  EXPECT_EQ(found.param.ud.qp_num, 99u);
  EXPECT_EQ(found.param.ud.qkey, 0x01234567u);
  EXPECT_EQ(found.param.ud.ah_attr.is_global, 1);
  EXPECT_EQ(found.param.ud.ah_attr.grh.dgid[14], 1);
  EXPECT_EQ(found.param.ud.private_data[0], 'm');
}

TEST_F(DeviceFileTest, MembershipHasANumberAndEventsOfItsOwn) {
  id_ = active_.CreateId(c_, 2, RDMA_PS_UDP);
  ASSERT_GT(active_.Bind(c_, id_, kActive, 0), 0);
  auto join = Zeros<rdma_ucm_join_mcast>();
  join.id = id_;
  join.uid = 0x5000;
  join.addr_size = Program::Put("239.1.1.1", 0, &join.addr);
  const uint32_t group =
      active_.Get<rdma_ucm_create_id_resp>(c_, RDMA_USER_CM_CMD_JOIN_MCAST, join).id;
  ASSERT_EQ(active_.last, 8 + 152);
  const rdma_ucm_event_resp joined = active_.GetEvent(c_);
  EXPECT_EQ(joined.event, kMulticastJoin);
  EXPECT_EQ(joined.uid, 0x5000u);
  EXPECT_EQ(joined.id, group);
  EXPECT_EQ(joined.param.ud.qp_num, 0xffffffu);
  const uint8_t gid[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 239, 1, 1, 1};
  EXPECT_EQ(std::memcmp(joined.param.ud.ah_attr.grh.dgid, gid, sizeof(gid)), 0);
  auto leave = Zeros<rdma_ucm_destroy_id>();
  leave.id = group;
  const auto left = active_.Get<rdma_ucm_destroy_id_resp>(c_, RDMA_USER_CM_CMD_LEAVE_MCAST, leave);
  EXPECT_EQ(left.events_reported, 1u);
  active_.Get<rdma_ucm_destroy_id_resp>(c_, RDMA_USER_CM_CMD_LEAVE_MCAST, leave);
  EXPECT_EQ(active_.last, -ENOENT);
  EXPECT_EQ(active_.DestroyId(c_, id_), 1u);
}

TEST_F(DeviceFileTest, IdMovesToAnotherFileWithItsEvents) {
  const uint32_t other = active_.Open();
  id_ = active_.CreateId(c_, 2);
  ASSERT_GT(active_.ResolveAddr(c_, id_, kPassive, kPort), 0);
  world_.RunUntil(world_.Now() + Duration::Milliseconds(1));
  rdma_ucm_migrate_id migrate{0, id_, c_};
  const auto moved =
      active_.Get<rdma_ucm_migrate_resp>(other, RDMA_USER_CM_CMD_MIGRATE_ID, migrate);
  EXPECT_EQ(active_.last, 8 + 16);
  EXPECT_EQ(moved.events_reported, 0u);
  EXPECT_EQ(active_.Ask({.op = Op::kPollFile, .on = c_}).value, 0);
  EXPECT_EQ(active_.Ask({.op = Op::kPollFile, .on = other}).value, 1);
  EXPECT_EQ(active_.GetEvent(other).uid, 2u);
  // The id is looked up on the file that the command names.
  active_.Get<rdma_ucm_migrate_resp>(other, RDMA_USER_CM_CMD_MIGRATE_ID, migrate);
  EXPECT_EQ(active_.last, -EINVAL);
}

TEST_F(DeviceFileTest, OptionStandsBehindItsCommand) {
  id_ = active_.CreateId(c_, 2);
  auto set = Zeros<rdma_ucm_set_option>();
  set.id = id_;
  set.optname = RDMA_OPTION_ID_REUSEADDR;
  set.optlen = 4;
  std::vector<uint8_t> bytes = Program::Bytes(RDMA_USER_CM_CMD_SET_OPTION, set, 0);
  EXPECT_EQ(active_.Write(c_, bytes).value, -EFAULT);
  bytes.insert(bytes.end(), {1, 0, 0, 0});
  EXPECT_EQ(active_.Write(c_, bytes).value, 8 + 24);
  set.optlen = 3;
  bytes = Program::Bytes(RDMA_USER_CM_CMD_SET_OPTION, set, 0);
  bytes.insert(bytes.end(), {1, 0, 0});
  EXPECT_EQ(active_.Write(c_, bytes).value, -EINVAL);
}

TEST_F(DeviceFileTest, RefusesWhatIsNoCommand) {
  id_ = active_.CreateId(c_, 2);
  const rdma_ucm_listen listen{id_, 1};
  EXPECT_EQ(active_.Write(c_, {1, 2, 3}).value, -EINVAL);
  std::vector<uint8_t> bytes = Program::Bytes(RDMA_USER_CM_CMD_LISTEN, listen, 0);
  bytes.pop_back();
  EXPECT_EQ(active_.Write(c_, bytes).value, -EINVAL);
  EXPECT_EQ(active_.Tell(c_, 23, listen), -EINVAL);  // of newer kernels
  EXPECT_EQ(active_.Tell(c_, 24, listen), -EINVAL);
  EXPECT_EQ(active_.Tell(c_, RDMA_USER_CM_CMD_GET_OPTION, listen), -ENOSYS);
  // Bytes beyond the command are ignored, and count as written.
  bytes = Program::Bytes(RDMA_USER_CM_CMD_LISTEN, listen, 0);
  bytes.resize(bytes.size() + 5);
  EXPECT_EQ(active_.Write(c_, bytes).value, 8 + 8 + 5);
}

TEST_F(DeviceFileTest, RefusesWithoutRoomForTheAnswer) {
  id_ = active_.CreateId(c_, 2);
  const auto room = [&](uint32_t command, const auto& body, size_t out) {
    return active_.Write(c_, Program::Bytes(command, body, out)).value;
  };
  EXPECT_EQ(room(RDMA_USER_CM_CMD_CREATE_ID, Zeros<rdma_ucm_create_id>(), 3), -ENOSPC);
  EXPECT_EQ(room(RDMA_USER_CM_CMD_DESTROY_ID, Zeros<rdma_ucm_destroy_id>(), 3), -ENOSPC);
  EXPECT_EQ(room(RDMA_USER_CM_CMD_GET_EVENT, Zeros<rdma_ucm_get_event>(), 323), -ENOSPC);
  EXPECT_EQ(room(RDMA_USER_CM_CMD_GET_EVENT, Zeros<rdma_ucm_get_event>(), 324), -EAGAIN);
  const rdma_ucm_query query{0, id_, RDMA_USER_CM_QUERY_ADDR};
  EXPECT_EQ(room(RDMA_USER_CM_CMD_QUERY, query, 271), -ENOSPC);
  // A structure without its newest fields is filled as far as it goes.
  const Answer old = active_.Write(c_, Program::Bytes(RDMA_USER_CM_CMD_QUERY, query, 272));
  EXPECT_EQ(old.bytes.size(), 272u);
  const rdma_ucm_query unknown{0, id_, 3};
  EXPECT_EQ(room(RDMA_USER_CM_CMD_QUERY, unknown, 400), -ENOSYS);
}

TEST_F(DeviceFileTest, RefusesAnIdOfAnotherFile) {
  id_ = active_.CreateId(c_, 2);
  const uint32_t other = active_.Open();
  EXPECT_EQ(active_.Listen(other, id_), -EINVAL);
  EXPECT_EQ(active_.Listen(c_, id_ + 100), -ENOENT);
}

TEST_F(DeviceFileTest, RefusesAnotherProcess) {
  EXPECT_EQ(passive_.Listen(c_, 0), -EACCES);
  EXPECT_EQ(passive_.Listen(1000, 0), -EBADF);
}

TEST_F(DeviceFileTest, RefusesConnectingWithoutParameters) {
  Prepare();
  EXPECT_EQ(active_.Connect(c_, id_, Zeros<rdma_ucm_conn_param>()), -EINVAL);
  auto bytes = Program::Bytes(RDMA_USER_CM_CMD_CONNECT, Zeros<rdma_ucm_connect>(), 0);
  bytes[4] = 279 - 256;  // one byte short of the oldest version
  EXPECT_EQ(active_.Write(c_, bytes).value, -EINVAL);
}

TEST_F(DeviceFileTest, CloseDestroysItsIdsAndTellsThePeer) {
  const uint32_t child = ConnectThem();
  EXPECT_EQ(active_.Finish(active_.Ask({.op = Op::kClose, .on = c_})).value, 0);
  EXPECT_EQ(active_.Listen(c_, id_), -EBADF);
  const rdma_ucm_event_resp gone = passive_.GetEvent(s_);
  EXPECT_EQ(gone.event, kDisconnected);
  EXPECT_EQ(gone.id, child);
}

TEST_F(DeviceFileTest, ProcessTakesAllWithItWhenItGoes) {
  const uint32_t child = ConnectThem();
  machine_.RemoveProcess(active_.asker().process);
  EXPECT_EQ(passive_.GetEvent(s_).id, child);
  passive_.DestroyId(s_, child);
  passive_.DestroyId(s_, listener_);
  while (world_.NextAt()) world_.Step();
  EXPECT_EQ(world_.InUse().kernel_ids, 0u);
}

TEST_F(DeviceFileTest, MovesNothingFromWhatIsNoFile) {
  id_ = active_.CreateId(c_, 2);
  const auto migrate = [&](uint32_t from) {
    active_.Get<rdma_ucm_migrate_resp>(c_, RDMA_USER_CM_CMD_MIGRATE_ID,
                                       rdma_ucm_migrate_id{0, id_, from});
    return active_.last;
  };
  EXPECT_EQ(migrate(0xffffffff), -ENOENT);
  EXPECT_EQ(migrate(0xfffffffe), -EINVAL);
}

class NewerKernelTest : public DeviceFileTest {
 protected:
  NewerKernelTest() : DeviceFileTest("7.2-rxe") {}
};

TEST_F(NewerKernelTest, HandsOnWhatAProgramWrites) {
  struct WriteCmEvent {
    uint32_t id;
    uint32_t reserved;
    uint32_t event;
    uint32_t status;
    uint64_t argument;
    uint8_t rest[296];
  };
  static_assert(sizeof(WriteCmEvent) == 320);
  id_ = active_.CreateId(c_, 2);
  auto cmd = Zeros<WriteCmEvent>();
  cmd.id = id_;
  cmd.event = kUser;
  cmd.status = 5;
  cmd.argument = 0x1122334455667788;
  EXPECT_EQ(active_.Tell(c_, 24, cmd), 8 + 320);
  const rdma_ucm_event_resp event = active_.GetEvent(c_);
  EXPECT_EQ(event.event, kUser);
  EXPECT_EQ(event.status, 5u);
  uint64_t argument = 0;
  std::memcpy(&argument, &event.param, sizeof(argument));
  EXPECT_EQ(argument, 0x1122334455667788u);
  cmd.event = kEstablished;
  EXPECT_EQ(active_.Tell(c_, 24, cmd), -EINVAL);
}

TEST_F(NewerKernelTest, HasNoRecordsOfServices) {
  id_ = active_.CreateId(c_, 2);
  const rdma_ucm_query query{0, id_, 3};
  EXPECT_EQ(active_.Write(c_, Program::Bytes(RDMA_USER_CM_CMD_QUERY, query, 7)).value, -ENOSPC);
  EXPECT_EQ(active_.Write(c_, Program::Bytes(RDMA_USER_CM_CMD_QUERY, query, 8)).value, -ENODATA);
  struct ResolveIbService {
    uint32_t id;
    uint8_t rest[84];
  };
  auto cmd = Zeros<ResolveIbService>();
  cmd.id = id_;
  EXPECT_EQ(active_.Tell(c_, 23, cmd), -EINVAL);
  ASSERT_GT(active_.Bind(c_, id_, kActive, 0), 0);
  EXPECT_EQ(active_.Tell(c_, 23, cmd), -EOPNOTSUPP);
}

}  // namespace
}  // namespace cm::sim::uapi
