#include "sim/uapi/words.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "sim/uapi/bytes.h"

namespace cm::sim::uapi {
namespace {

template <typename T>
std::vector<uint8_t> Bytes(const T& record) {
  const auto bytes = BytesOf(record);
  return {bytes.begin(), bytes.end()};
}

template <typename T>
Request Write(uint32_t number, const T& body) {
  Request request = {.op = Op::kWrite, .on = 5};
  request.bytes = Bytes(rdma_ucm_cmd_hdr{.cmd = number, .in = sizeof body, .out = 0});
  const auto bytes = BytesOf(body);
  request.bytes.insert(request.bytes.end(), bytes.begin(), bytes.end());
  return request;
}

rdma_ucm_conn_param Saying(std::string_view text, uint8_t zeros) {
  rdma_ucm_conn_param param{};
  std::ranges::copy(text, param.private_data);
  param.private_data_len = static_cast<uint8_t>(text.size() + zeros);
  param.valid = 1;
  return param;
}

TEST(Words, ACommandIsTheFunctionOfTheLibrary) {
  rdma_ucm_connect connect{};
  connect.id = 3;
  connect.conn_param = Saying("hello", 2);
  const Request request = Write(RDMA_USER_CM_CMD_CONNECT, connect);
  EXPECT_EQ(InWords(request), "rdma_connect id=3 private=\"hello\"+2");
  EXPECT_EQ(InWords(request, {.value = 300}), "rdma_connect id=3 private=\"hello\"+2 -> 0");
  EXPECT_EQ(InWords(request, {.value = -EINVAL}),
            "rdma_connect id=3 private=\"hello\"+2 -> -1 EINVAL");
}

TEST(Words, AnAcceptWithoutParametersEstablishes) {
  rdma_ucm_accept accept{};
  accept.id = 3;
  EXPECT_EQ(InWords(Write(RDMA_USER_CM_CMD_ACCEPT, accept)), "rdma_establish id=3");
  accept.conn_param = Saying("", 0);
  EXPECT_EQ(InWords(Write(RDMA_USER_CM_CMD_ACCEPT, accept)), "rdma_accept id=3");
}

TEST(Words, AddressesAreReadable) {
  rdma_ucm_resolve_addr resolve{};
  resolve.id = 2;
  resolve.timeout_ms = 2000;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(7471);
  inet_pton(AF_INET, "10.0.1.1", &v4.sin_addr);
  std::memcpy(&resolve.dst_addr, &v4, sizeof v4);
  EXPECT_EQ(InWords(Write(RDMA_USER_CM_CMD_RESOLVE_ADDR, resolve)),
            "rdma_resolve_addr id=2 dst=10.0.1.1:7471 timeout_ms=2000");
  rdma_ucm_bind_ip bind{};
  bind.addr.sin6_family = AF_INET6;
  inet_pton(AF_INET6, "fd00::1", &bind.addr.sin6_addr);
  EXPECT_EQ(InWords(Write(RDMA_USER_CM_CMD_BIND_IP, bind)), "rdma_bind_addr id=0 addr=[fd00::1]:0");
}

TEST(Words, AnEventIsNamedWithItsStatus) {
  const Request request = Write(RDMA_USER_CM_CMD_GET_EVENT, rdma_ucm_get_event{});
  rdma_ucm_event_resp event{};
  event.id = 7;
  event.event = 8;
  event.status = 28;
  event.param.conn = Saying("no", 0);
  EXPECT_EQ(InWords(request, {.bytes = Bytes(event)}),
            "rdma_get_cm_event file=5 -> RDMA_CM_EVENT_REJECTED id=7 status=28 private=\"no\"");
  event.event = 7;
  event.status = static_cast<uint32_t>(-ETIMEDOUT);
  EXPECT_EQ(InWords(request, {.bytes = Bytes(event)}),
            "rdma_get_cm_event file=5 -> RDMA_CM_EVENT_UNREACHABLE id=7 status=-ETIMEDOUT");
  event.event = 99;
  event.status = 0;
  EXPECT_EQ(InWords(request, {.bytes = Bytes(event)}), "rdma_get_cm_event file=5 -> event 99 id=7");
}

TEST(Words, WhatOnlyLooksIsSaidWhenItFails) {
  const Request query = Write(RDMA_USER_CM_CMD_QUERY, rdma_ucm_query{});
  EXPECT_EQ(InWords(query, {.value = 24}), "");
  EXPECT_EQ(InWords(query, {.value = -ENODEV}), "QUERY id=0 -> -1 ENODEV");
  const Request port = {.op = Op::kPort, .on = 1};
  EXPECT_EQ(InWords(port, {}), "");
  EXPECT_EQ(InWords(port, {.value = -ENODEV}), "ibv_query_port device=1 -> -1 ENODEV");
}

TEST(Words, VerbsNameWhatTheyMake) {
  EXPECT_EQ(InWords({.op = Op::kCreateQp}, {.value = 4}), "ibv_create_qp -> qp=4");
  const Request modify = {.op = Op::kModifyQp,
                          .on = 4,
                          .bytes = Bytes(ModifyRecord{.mask = IBV_QP_STATE, .state = IBV_QPS_RTR})};
  EXPECT_EQ(InWords(modify, {}), "ibv_modify_qp qp=4 state=RTR -> 0");
  const Request post = {
      .op = Op::kPostSend, .on = 4, .bytes = Bytes(WorkRecord{.opcode = IBV_WR_RDMA_READ})};
  EXPECT_EQ(InWords(post, {}), "ibv_post_send qp=4 opcode=IBV_WR_RDMA_READ -> 0");
}

TEST(Words, XrcNamesWhatProcessesShare) {
  const auto open = [](const XrcdRecord& record) {
    return InWords({.op = Op::kOpenXrcd, .bytes = Bytes(record)});
  };
  EXPECT_EQ(open({.flags = O_CREAT}), "ibv_open_xrcd");
  EXPECT_EQ(open({.has_file = 1, .file = 7}), "ibv_open_xrcd of a file");
  EXPECT_EQ(open({.flags = O_CREAT | O_EXCL, .has_file = 1, .file = 7}),
            "ibv_open_xrcd of a file flags=O_CREAT|O_EXCL");
  EXPECT_EQ(InWords({.op = Op::kOpenQp, .more = 17}, {.value = 4}),
            "ibv_open_qp number=17 -> qp=4");
}

TEST(Words, CompletionsAreSaidWhenThereAreAny) {
  const Request poll = {.op = Op::kPoll, .on = 2};
  EXPECT_EQ(InWords(poll, {}), "");
  EXPECT_EQ(
      InWords(poll,
              {.bytes = Bytes(std::array{CompletionRecord{.status = IBV_WC_WR_FLUSH_ERR},
                                         CompletionRecord{.opcode = IBV_WC_RECV, .length = 16},
                                         CompletionRecord{.opcode = IBV_WC_RECV_RDMA_WITH_IMM},
                                         CompletionRecord{.opcode = IBV_WC_FETCH_ADD}})}),
      "ibv_poll_cq cq=2 -> status=IBV_WC_WR_FLUSH_ERR, "
      "status=IBV_WC_SUCCESS opcode=IBV_WC_RECV length=16, "
      "status=IBV_WC_SUCCESS opcode=IBV_WC_RECV_RDMA_WITH_IMM, "
      "status=IBV_WC_SUCCESS opcode=IBV_WC_FETCH_ADD");
}

TEST(Words, WhatMakesNoSenseIsSaidToo) {
  EXPECT_EQ(InWords({.op = Op::kWrite, .on = 5, .bytes = {1, 2}}), "write to rdma_cm file=5");
  EXPECT_EQ(InWords(Write(77, uint32_t{3})), "command 77 file=5");
  EXPECT_EQ(InWords(Write(RDMA_USER_CM_CMD_DISCONNECT, uint16_t{3})), "rdma_disconnect file=5");
  EXPECT_EQ(InWords({.op = Op::kModifyQp,
                     .bytes = Bytes(ModifyRecord{.mask = IBV_QP_STATE, .state = 1000})}),
            "ibv_modify_qp qp=0 state=?");
}

TEST(Words, ADestroySaysHowManyEventsWereFetched) {
  const Request destroy = Write(RDMA_USER_CM_CMD_DESTROY_ID, rdma_ucm_destroy_id{.id = 4});
  const Answer answer = {.bytes = Bytes(rdma_ucm_destroy_id_resp{.events_reported = 2})};
  EXPECT_EQ(InWords(destroy, answer), "rdma_destroy_id id=4 -> 0 events=2");
  EXPECT_EQ(EventsFetched(destroy, answer), 2u);
  EXPECT_EQ(EventsFetched(Write(RDMA_USER_CM_CMD_LEAVE_MCAST, rdma_ucm_destroy_id{}), answer), 0u);
}

}  // namespace
}  // namespace cm::sim::uapi
