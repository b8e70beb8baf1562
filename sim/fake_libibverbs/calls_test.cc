// The fake libibverbs's behaviour for the calls that librdmacm and programs make.
#include "sim/fake_libibverbs/calls.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_cm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "sim/fake_libibverbs/fake_backend.h"
#include "sim/uapi/layout.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using uapi::Answer;
using uapi::CompletionRecord;
using uapi::Op;
using uapi::Request;
using uapi::WorkRecord;

TEST_F(Calls, AFileIsACharacterDeviceThatCannotBeRead) {
  const int fd = Open();
  ASSERT_GE(fd, 0);
  EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
  struct stat status {};
  ASSERT_EQ(Of<decltype(::fstat)>("fstat")(fd, &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  char byte = 0;
  EXPECT_EQ(Of<decltype(::read)>("read")(fd, &byte, 1), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(Close(fd), 0);
  EXPECT_THAT(backend_.Taken(), ElementsAre("open 0", "close 0"));
}

TEST_F(Calls, ARefusedOpenHasItsErrno) {
  backend_.instead = [](const Request& request, Answer* answer) {
    answer->value = -EMFILE;
    return request.op == Op::kOpen;
  };
  EXPECT_EQ(Open(), -1);
  EXPECT_EQ(errno, EMFILE);
}

TEST_F(Calls, OtherFilesAreTheSystems) {
  const int fd = Of<decltype(::open)>("open")("/dev/null", O_RDWR);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(Of<decltype(::write)>("write")(fd, "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(Of<decltype(::read)>("read")(fd, &byte, 1), 0);
  EXPECT_EQ(Close(fd), 0);
  EXPECT_EQ(Close(fd), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_THAT(backend_.Taken(), IsEmpty());
}

TEST_F(Calls, AFileIsClosedWithItsLastDescriptor) {
  const int fd = Open();
  const int second = dup(fd);
  ASSERT_EQ(Close(fd), 0);
  EXPECT_EQ(Write(second, CommandOf(RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{})), 16);
  EXPECT_THAT(backend_.Taken(), ElementsAre("open 0", "write 0 LISTEN 8/0"));
  ASSERT_EQ(Close(second), 0);
  EXPECT_THAT(backend_.Taken(), ElementsAre("close 0"));
}

TEST_F(Calls, ANumberIsThatOfTheFileThatReplacesIt) {
  const auto command = CommandOf(RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{});
  for (const bool third : {false, true}) {
    const int fd = Open();
    const int other = open("/dev/null", O_RDWR | O_CLOEXEC);
    ASSERT_EQ(third ? Of<decltype(::dup3)>("dup3")(other, fd, O_CLOEXEC)
                    : Of<decltype(::dup2)>("dup2")(other, fd),
              fd);
    static_cast<void>(backend_.Taken());
    EXPECT_EQ(Write(fd, command), ssize_t{sizeof command});
    EXPECT_THAT(backend_.Taken(), IsEmpty());
    EXPECT_EQ(Close(fd), 0);
    EXPECT_EQ(Close(other), 0);
  }
  // By a system call of its own.
  const int fd = Open();
  close(fd);
  ASSERT_EQ(open("/dev/null", O_RDWR | O_CLOEXEC), fd);
  static_cast<void>(backend_.Taken());
  EXPECT_EQ(Of<decltype(::write)>("write")(fd, "12345678", 8), 8);
  EXPECT_THAT(backend_.Taken(), IsEmpty());
  EXPECT_EQ(Close(fd), 0);
}

TEST_F(Calls, AnAnswerIsStoredWhereTheCommandSaysAndNoFurther) {
  const int fd = Open();
  std::array<uint8_t, 8> place{};
  place.fill(0xee);
  backend_.instead = [](const Request& request, Answer* answer) {
    answer->value = static_cast<int64_t>(request.bytes.size());
    answer->bytes = {1, 2, 3, 4, 5, 6};
    return request.op == Op::kWrite;
  };
  const rdma_ucm_create_id body = {.uid = 9, .response = reinterpret_cast<uint64_t>(place.data())};
  EXPECT_EQ(Write(fd, CommandOf(RDMA_USER_CM_CMD_CREATE_ID, body, 4)), 32);
  EXPECT_THAT(place, ElementsAre(1, 2, 3, 4, 0xee, 0xee, 0xee, 0xee));
  Close(fd);
}

TEST_F(Calls, ARefusedCommandStoresNothing) {
  const int fd = Open();
  std::array<uint8_t, 4> place{};
  backend_.instead = [](const Request& request, Answer* answer) {
    *answer = {.value = -ENOENT, .bytes = {1, 2, 3, 4}};
    return request.op == Op::kWrite;
  };
  const rdma_ucm_destroy_id body = {.response = reinterpret_cast<uint64_t>(place.data())};
  EXPECT_EQ(Write(fd, CommandOf(RDMA_USER_CM_CMD_DESTROY_ID, body, 4)), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_THAT(place, ElementsAre(0, 0, 0, 0));
  Close(fd);
}

TEST_F(Calls, AnOptionFollowsItsCommand) {
  const int fd = Open();
  const std::array<uint8_t, 3> value = {7, 8, 9};
  const rdma_ucm_set_option body = {.optval = reinterpret_cast<uint64_t>(value.data()),
                                    .optlen = value.size()};
  EXPECT_EQ(Write(fd, CommandOf(RDMA_USER_CM_CMD_SET_OPTION, body)), 32);
  const std::vector<uint8_t>& bytes = backend_.requests.back().bytes;
  ASSERT_EQ(bytes.size(), 35U);
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin() + 32, bytes.end()), (std::vector<uint8_t>{7, 8, 9}));
  Close(fd);
}

TEST_F(Calls, AMigrationNamesTheOtherFile) {
  const int from = Open();
  const int to = Open();
  rdma_ucm_migrate_id body{};
  body.fd = static_cast<uint32_t>(from);
  EXPECT_EQ(Write(to, CommandOf(RDMA_USER_CM_CMD_MIGRATE_ID, body)), 24);
  EXPECT_EQ(backend_.requests.back().on, 1U);
  EXPECT_EQ(RecordAt<uint32_t>(backend_.requests.back().bytes, 20), 0U) << "not its descriptor";
  body.fd = STDIN_FILENO;
  Write(to, CommandOf(RDMA_USER_CM_CMD_MIGRATE_ID, body));
  EXPECT_EQ(RecordAt<uint32_t>(backend_.requests.back().bytes, 20), uapi::kOtherFile);
  body.fd = 9999;
  Write(to, CommandOf(RDMA_USER_CM_CMD_MIGRATE_ID, body));
  EXPECT_EQ(RecordAt<uint32_t>(backend_.requests.back().bytes, 20), uapi::kNoFile);
  Close(from);
  Close(to);
}

TEST_F(Calls, GettingAnEventSaysWhetherItMayWait) {
  const int fd = Open();
  const auto command = CommandOf(RDMA_USER_CM_CMD_GET_EVENT, rdma_ucm_get_event{});
  Write(fd, command);
  EXPECT_EQ(backend_.requests.back().more, 0U);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  Write(fd, command);
  EXPECT_EQ(backend_.requests.back().more, 1U);
  Close(fd);
}

TEST_F(Calls, AChildMayNotUseItsParentsFile) {
  const int fd = Open();
  backend_.Taken();
  const pid_t child = fork();
  if (child == 0) {
    const bool refused =
        Write(fd, CommandOf(RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{})) == -1 && errno == EACCES;
    Close(fd);
    _exit(refused && backend_.Taken().empty() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Write(fd, CommandOf(RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{})), 16);
  Close(fd);
}

TEST_F(Calls, WhatIsLeftOfAnOldWorldIsAskedForNoMore) {
  const int fd = Open();
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  ibv_cq* queue = Of<decltype(::ibv_create_cq)>("ibv_create_cq")(context, 1, nullptr, nullptr, 0);
  EXPECT_EQ(Of<int64_t(int)>("cmsim_file")(fd), 0);
  Of<void()>("cmsim_reset")();
  backend_.Taken();
  EXPECT_EQ(Of<int64_t(int)>("cmsim_file")(fd), -1);
  EXPECT_EQ(Write(fd, CommandOf(RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{})), -1);
  EXPECT_EQ(errno, EIO);
  EXPECT_EQ(Of<decltype(::ibv_destroy_cq)>("ibv_destroy_cq")(queue), 0);
  EXPECT_EQ(Close(fd), 0);
  EXPECT_THAT(backend_.Taken(), IsEmpty());
}

TEST_F(Calls, ADeviceHasOneAddressInAllWorlds) {
  ibv_context* first = OpenDevice();
  Of<void()>("cmsim_reset")();
  ibv_context* second = OpenDevice();
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(first->device, second->device);
  EXPECT_EQ(Of<decltype(::ibv_get_device_guid)>("ibv_get_device_guid")(first->device),
            FakeBackend::kGuid);
}

// A device that is first in one world may be second in the next.
TEST_F(Calls, AContextFindsItsDeviceAgainInANewWorld) {
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  Of<void()>("cmsim_reset")();
  backend_.devices = 0;
  EXPECT_EQ(AllocPd(context), nullptr);
  EXPECT_EQ(errno, ENODEV);
  backend_.first_index = -1;
  backend_.devices = 2;
  ASSERT_NE(AllocPd(context), nullptr);
  ASSERT_NE(CreateCq(context), nullptr);
  EXPECT_EQ(backend_.Taken().back(), "create cq 1");
}

TEST_F(Calls, DamagedAnswersAreErrors) {
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  ibv_pd* pd = AllocPd(context);
  const int fd = Open();
  for (const int64_t value : {int64_t{0}, int64_t{-5000}, int64_t{1} << 40}) {
    for (size_t length = 0; length < 200; length += 7) {
      backend_.instead = [value, length](const Request& /*request*/, Answer* answer) {
        *answer = {.value = value, .bytes = std::vector<uint8_t>(length, 0xff)};
        return true;
      };
      ibv_gid gid{};
      EXPECT_EQ(Of<decltype(::ibv_query_gid)>("ibv_query_gid")(context, 1, 0, &gid),
                length < 16 || value != 0 ? -1 : 0);
      ibv_qp_init_attr initial{};
      EXPECT_EQ(CreateQp(pd, &initial) == nullptr, length < 4 || value != 0);
      ibv_device** list = Of<decltype(::ibv_get_device_list)>("ibv_get_device_list")(nullptr);
      if (list != nullptr && length < sizeof(uapi::DeviceRecord)) {
        EXPECT_EQ(list[0], nullptr);
      }
      Of<decltype(::ibv_free_device_list)>("ibv_free_device_list")(list);
      EXPECT_EQ(Write(fd, CommandOf(RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{})),
                value == 0 ? 0 : -1);
      const int other = Open();
      EXPECT_EQ(other >= 0, value == 0);
      if (other >= 0) Close(other);
    }
  }
  Close(fd);
}

TEST_F(Calls, AnEventOfAQueueIsAcknowledgedBeforeTheQueueGoes) {
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  ibv_comp_channel* channel =
      Of<decltype(::ibv_create_comp_channel)>("ibv_create_comp_channel")(context);
  ASSERT_NE(channel, nullptr);
  int mine = 0;
  backend_.instead = [](const Request& request, Answer* answer) {
    answer->value = 3;
    return request.op == Op::kCreateCq || request.op == Op::kTakeEvent;
  };
  ibv_cq* queue = Of<decltype(::ibv_create_cq)>("ibv_create_cq")(context, 8, &mine, channel, 0);
  ASSERT_NE(queue, nullptr);
  EXPECT_EQ(Of<decltype(::ibv_destroy_comp_channel)>("ibv_destroy_comp_channel")(channel), EBUSY);
  ibv_cq* reported = nullptr;
  void* own = nullptr;
  ASSERT_EQ(Of<decltype(::ibv_get_cq_event)>("ibv_get_cq_event")(channel, &reported, &own), 0);
  EXPECT_EQ(reported, queue);
  EXPECT_EQ(own, &mine);
  EXPECT_EQ(backend_.requests.back().more, 0U) << "the descriptor blocks";
  EXPECT_EQ(backend_.requests.back().bytes, BytesOf(uint32_t{3}));
  backend_.at_yield = [&] { Of<decltype(::ibv_ack_cq_events)>("ibv_ack_cq_events")(queue, 1); };
  EXPECT_EQ(Of<decltype(::ibv_destroy_cq)>("ibv_destroy_cq")(queue), 0);
  EXPECT_EQ(backend_.yields, 1);
  EXPECT_EQ(Of<decltype(::ibv_destroy_comp_channel)>("ibv_destroy_comp_channel")(channel), 0);
}

// A program may have thousands of channels and arm none of their queues.
TEST_F(Calls, AChannelIsWatchedFromTheFirstArmedQueueOn) {
  backend_.watches_unarmed = false;
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  backend_.watches.clear();
  const auto create = Of<decltype(::ibv_create_comp_channel)>("ibv_create_comp_channel");
  const auto destroy = Of<decltype(::ibv_destroy_comp_channel)>("ibv_destroy_comp_channel");
  const auto create_queue = Of<decltype(::ibv_create_cq)>("ibv_create_cq");
  const auto destroy_queue = Of<decltype(::ibv_destroy_cq)>("ibv_destroy_cq");
  for (const bool is_armed : {false, true}) {
    ibv_comp_channel* const channel = create(context);
    ASSERT_NE(channel, nullptr);
    ibv_cq* const queue = create_queue(context, 8, nullptr, channel, 0);
    ASSERT_NE(queue, nullptr);
    EXPECT_THAT(backend_.watches, IsEmpty());
    if (is_armed) {
      EXPECT_EQ(ibv_req_notify_cq(queue, 0), 0);
      EXPECT_EQ(ibv_req_notify_cq(queue, 0), 0);
      EXPECT_THAT(backend_.watches, ElementsAre(true)) << "once, with the descriptor";
    }
    EXPECT_EQ(destroy_queue(queue), 0);
    EXPECT_EQ(destroy(channel), 0);
    EXPECT_EQ(backend_.unwatched, is_armed ? 1 : 0);
  }
  EXPECT_THAT(backend_.watches, ElementsAre(true, false)) << "without the queue that is gone";
}

TEST_F(Calls, WorkIsCarriedWithItsPiecesOrItsBytes) {
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  ibv_pd* pd = AllocPd(context);
  ibv_qp_init_attr initial{};
  initial.cap.max_send_sge = 1;  // as large as 16 bytes of inline data
  initial.qp_type = IBV_QPT_RC;
  ibv_qp* qp = CreateQp(pd, &initial);
  ASSERT_NE(qp, nullptr);
  EXPECT_EQ(qp->qp_num, 17U);
  std::array<uint8_t, 4> data = {1, 2, 3, 4};
  ibv_sge piece = {.addr = reinterpret_cast<uint64_t>(data.data()), .length = 4, .lkey = 6};
  ibv_send_wr work{};
  work.wr_id = 77;
  work.sg_list = &piece;
  work.num_sge = 1;
  work.opcode = IBV_WR_RDMA_WRITE;
  work.wr.rdma.remote_addr = 0x1000;
  work.wr.rdma.rkey = 8;
  ibv_send_wr* bad = nullptr;
  ASSERT_EQ(ibv_post_send(qp, &work, &bad), 0);
  auto record = RecordAt<WorkRecord>(backend_.requests.back().bytes, 0);
  EXPECT_EQ(record.wr_id, 77U);
  EXPECT_EQ(record.pieces, 1U);
  EXPECT_EQ(record.remote_address, 0x1000U);
  EXPECT_EQ(record.remote_key, 8U);
  const auto carried = RecordAt<uapi::PieceRecord>(backend_.requests.back().bytes, sizeof record);
  EXPECT_EQ(carried.address, piece.addr);
  EXPECT_EQ(carried.key, 6U);

  work.send_flags = IBV_SEND_INLINE;
  ASSERT_EQ(ibv_post_send(qp, &work, &bad), 0);
  const std::vector<uint8_t>& bytes = backend_.requests.back().bytes;
  record = RecordAt<WorkRecord>(bytes, 0);
  EXPECT_EQ(record.pieces, 0U);
  EXPECT_EQ(record.inline_length, 4U);
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin() + sizeof record, bytes.end()),
            (std::vector<uint8_t>{1, 2, 3, 4}));

  piece.length = 17;
  EXPECT_EQ(ibv_post_send(qp, &work, &bad), EINVAL) << "more than the queue pair has room for";
  EXPECT_EQ(bad, &work);
  std::array<ibv_sge, 2> two{};
  work.sg_list = two.data();
  work.num_sge = 2;
  EXPECT_EQ(ibv_post_send(qp, &work, &bad), EINVAL) << "of more pieces than it has room for";
}

TEST_F(Calls, RoomForPiecesIsRoomForInlineData) {
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  ibv_qp_init_attr initial{};
  initial.cap.max_send_sge = 2;
  initial.qp_type = IBV_QPT_RC;
  ASSERT_NE(CreateQp(AllocPd(context), &initial), nullptr);
  EXPECT_EQ(initial.cap.max_inline_data, 32U);
}

TEST_F(Calls, AQueuePairShowsWhatTheMachineSaysOfIt) {
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  ibv_qp_init_attr initial{};
  initial.cap = {.max_send_wr = 4, .max_recv_wr = 8, .max_send_sge = 2, .max_recv_sge = 3};
  initial.qp_type = IBV_QPT_RC;
  ibv_qp* qp = CreateQp(AllocPd(context), &initial);
  ASSERT_NE(qp, nullptr);
  backend_.instead = [](const Request& request, Answer* answer) {
    answer->value = IBV_QPS_INIT;
    answer->bytes = BytesOf(uapi::CapacityRecord{.sends = {7, 2}, .receives = {15, 3}});
    return request.op == Op::kQueryQp;
  };
  ibv_qp_attr attributes{};
  ASSERT_EQ(Of<decltype(::ibv_query_qp)>("ibv_query_qp")(qp, &attributes, 0, &initial), 0);
  EXPECT_EQ(attributes.qp_state, IBV_QPS_INIT);
  for (const ibv_qp_cap& cap : {attributes.cap, initial.cap}) {
    EXPECT_EQ(cap.max_send_wr, 7U);
    EXPECT_EQ(cap.max_recv_wr, 15U);
    EXPECT_EQ(cap.max_send_sge, 2U);
    EXPECT_EQ(cap.max_recv_sge, 3U);
    EXPECT_EQ(cap.max_inline_data, 32U);
  }
}

// qperf prints it: "failed to modify QP to RTR: Invalid argument". source: observed 6.1-rxe;
// rdma-core 44 cmd_ioctl.c execute_ioctl
TEST_F(Calls, WhatTheKernelRefusesIsInErrnoToo) {
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  ibv_qp_init_attr initial{};
  initial.qp_type = IBV_QPT_RC;
  ibv_qp* qp = CreateQp(AllocPd(context), &initial);
  ASSERT_NE(qp, nullptr);
  backend_.instead = [](const Request& request, Answer* answer) {
    answer->value = -EINVAL;
    return request.op == Op::kModifyQp;
  };
  ibv_qp_attr attributes{};
  errno = 0;
  EXPECT_EQ(Of<decltype(::ibv_modify_qp)>("ibv_modify_qp")(qp, &attributes, IBV_QP_STATE), EINVAL);
  EXPECT_EQ(errno, EINVAL);
}

// source: observed 6.1-rxe, ibv_devinfo -v
TEST_F(Calls, ADeviceHasTheAttributesOfSoftRoce) {
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  ibv_device_attr attributes{};
  ASSERT_EQ(Of<decltype(::ibv_query_device)>("ibv_query_device")(context, &attributes), 0);
  EXPECT_STREQ(attributes.fw_ver, "0.0.0");
  EXPECT_EQ(attributes.max_qp, 1048560);
  EXPECT_EQ(attributes.max_cq, 1048576);
  EXPECT_EQ(attributes.max_mr, 524287);
  EXPECT_EQ(attributes.max_pd, 1048576);
  EXPECT_EQ(attributes.max_ah, 32767);
  EXPECT_EQ(attributes.max_srq, 917503);
  EXPECT_EQ(attributes.max_pkeys, 64);
  ibv_port_attr port{};
  ASSERT_EQ(Of<decltype(::ibv_query_port)>("ibv_query_port")(
                context, 1, reinterpret_cast<_compat_ibv_port_attr*>(&port)),
            0);
  EXPECT_EQ(port.active_speed, 8);
  EXPECT_EQ(port.port_cap_flags, 0x10000U);
}

TEST_F(Calls, AtomicsCarryTheirOperands) {
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  ibv_device_attr attributes{};
  ASSERT_EQ(Of<decltype(::ibv_query_device)>("ibv_query_device")(context, &attributes), 0);
  EXPECT_EQ(attributes.atomic_cap, IBV_ATOMIC_HCA);
  ibv_qp_init_attr initial{};
  initial.cap.max_send_sge = 1;
  initial.qp_type = IBV_QPT_RC;
  ibv_qp* qp = CreateQp(AllocPd(context), &initial);
  ASSERT_NE(qp, nullptr);
  ibv_sge piece = {.addr = 0x2000, .length = 8, .lkey = 6};
  ibv_send_wr work{};
  work.sg_list = &piece;
  work.num_sge = 1;
  work.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
  work.wr.atomic = {.remote_addr = 0x1000, .compare_add = 5, .swap = 9, .rkey = 8};
  ibv_send_wr* bad = nullptr;
  ASSERT_EQ(ibv_post_send(qp, &work, &bad), 0);
  const auto record = RecordAt<WorkRecord>(backend_.requests.back().bytes, 0);
  EXPECT_EQ(record.opcode, static_cast<uint32_t>(IBV_WR_ATOMIC_CMP_AND_SWP));
  EXPECT_EQ(record.remote_address, 0x1000U);
  EXPECT_EQ(record.remote_key, 8U);
  EXPECT_EQ(record.compare_or_add, 5U);
  EXPECT_EQ(record.swap, 9U);
}

TEST_F(Calls, PollingStopsAtWhatWasAskedForAndAtWhatIsWhole) {
  ibv_context* context = OpenDevice();
  ASSERT_NE(context, nullptr);
  ibv_cq* queue = CreateCq(context);
  ASSERT_NE(queue, nullptr);
  size_t length = 2 * sizeof(CompletionRecord) + 5;
  backend_.instead = [&length](const Request& request, Answer* answer) {
    answer->bytes.resize(length);
    answer->bytes[0] = 9;
    return request.op == Op::kPoll;
  };
  std::array<ibv_wc, 3> completions{};
  EXPECT_EQ(ibv_poll_cq(queue, 3, completions.data()), 2);
  EXPECT_EQ(completions[0].wr_id, 9U);
  length = 5 * sizeof(CompletionRecord);
  EXPECT_EQ(ibv_poll_cq(queue, 3, completions.data()), 3);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
