// Conversations of notes that are made by hand: what becomes of each request, and what is left out.
#include "tools/app/conversation.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_cm.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/topology.h"
#include "sim/uapi/bytes.h"

namespace cm::app {
namespace {

using sim::uapi::Answer;
using sim::uapi::Asker;
using sim::uapi::BytesOf;
using sim::uapi::Op;
using sim::uapi::Request;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr Asker kClient = {.process = 1};
constexpr Asker kServer = {.process = 0};
constexpr Asker kWorker = {.process = 0, .thread = 1};

template <typename T>
std::vector<uint8_t> Bytes(const T& record) {
  const auto bytes = BytesOf(record);
  return {bytes.begin(), bytes.end()};
}

template <typename Field>
void Put(std::string_view host, uint16_t port, Field* field) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  ASSERT_EQ(inet_pton(AF_INET, std::string(host).c_str(), &v4.sin_addr), 1);
  std::memcpy(static_cast<void*>(field), &v4, sizeof v4);
}

// What programs ask, and how the kernel answers.
class Conversations : public testing::Test {
 protected:
  void At(int64_t microseconds) { now_ = Instant() + Duration::Microseconds(microseconds); }

  void Asks(Asker who, const Request& request, const Answer& answer) {
    recorder_.Answered(now_, SideOf(who), who, request, answer);
  }
  void Opens(Asker who, uint32_t file) { Asks(who, {.op = Op::kOpen}, {.value = file}); }
  void Closes(Asker who, uint32_t file) { Asks(who, {.op = Op::kClose, .on = file}, {}); }
  template <typename T>
  void Commands(Asker who, uint32_t file, uint32_t number, const T& body,
                const Answer& answer = {}) {
    Request request = {.op = Op::kWrite, .on = file};
    request.bytes = Bytes(rdma_ucm_cmd_hdr{.cmd = number, .in = sizeof body, .out = 0});
    const auto bytes = BytesOf(body);
    request.bytes.insert(request.bytes.end(), bytes.begin(), bytes.end());
    Asks(who, request, answer);
  }
  void Creates(Asker who, uint32_t file, uint32_t id, uint16_t ps = RDMA_PS_TCP) {
    rdma_ucm_create_id body{};
    body.uid = UidOf(id);
    body.ps = ps;
    Commands(who, file, RDMA_USER_CM_CMD_CREATE_ID, body,
             {.bytes = Bytes(rdma_ucm_create_id_resp{id})});
  }
  void Resolves(Asker who, uint32_t file, uint32_t id, std::string_view host) {
    rdma_ucm_resolve_addr body{};
    body.id = id;
    body.timeout_ms = 2000;
    Put(host, 7471, &body.dst_addr);
    Commands(who, file, RDMA_USER_CM_CMD_RESOLVE_ADDR, body);
  }
  void Accepts(Asker who, uint32_t file, uint32_t id, bool with_parameters) {
    rdma_ucm_accept body{};
    body.id = id;
    body.conn_param.valid = with_parameters ? 1 : 0;
    Commands(who, file, RDMA_USER_CM_CMD_ACCEPT, body);
  }
  // The kernel's event.
  void Fetches(Asker who, uint32_t file, EventType type, uint32_t id, uint64_t uid = 0) {
    rdma_ucm_event_resp event{};
    event.uid = uid;
    event.id = id;
    event.event = static_cast<uint32_t>(type);
    Commands(who, file, RDMA_USER_CM_CMD_GET_EVENT, rdma_ucm_get_event{}, {.bytes = Bytes(event)});
  }
  // What the library makes of it, at an address of the program.
  void Returns(Asker who, EventType type, uint64_t address) {
    recorder_.Told(now_, SideOf(who), who,
                   {.op = Op::kHold, .on = static_cast<uint32_t>(type), .more = address});
  }
  void Acknowledges(Asker who, uint64_t address) {
    recorder_.Told(now_, SideOf(who), who, {.op = Op::kAcknowledge, .more = address});
  }
  void Destroys(Asker who, uint32_t file, uint32_t id) {
    rdma_ucm_destroy_id body{};
    body.id = id;
    Commands(who, file, RDMA_USER_CM_CMD_DESTROY_ID, body,
             {.bytes = Bytes(rdma_ucm_destroy_id_resp{})});
  }
  // The three requests of rdma_create_qp.
  void CreatesQueuePair(Asker who, uint32_t file, uint32_t id, uint32_t qp,
                        sim::uapi::QpRecord made = {.type = IBV_QPT_RC}) {
    Asks(who, {.op = Op::kCreateQp, .bytes = Bytes(made)}, {.value = qp});
    rdma_ucm_init_qp_attr body{};
    body.id = id;
    body.qp_state = IBV_QPS_INIT;
    Commands(who, file, RDMA_USER_CM_CMD_INIT_QP_ATTR, body);
    const sim::uapi::ModifyRecord record = {.mask = IBV_QP_STATE, .state = IBV_QPS_INIT};
    Asks(who, {.op = Op::kModifyQp, .on = qp, .bytes = Bytes(record)}, {});
  }
  // A client with file 1 and id 3, up to its resolved address.
  void Begins() {
    Opens(kClient, 1);
    Creates(kClient, 1, 3);
    Resolves(kClient, 1, 3, "10.0.1.1");
    At(20);
    Fetches(kClient, 1, EventType::kAddrResolved, 3);
    Returns(kClient, EventType::kAddrResolved, 0x100);
  }

  History Made() {
    return ConversationOf(
        recorder_, {.comment = {}, .topology = FindTopology("two-kernels"), .profile = "6.1-rxe"});
  }
  // Records, as they stand in the file, without times. The whole file can be read.
  std::vector<std::string> Lines() {
    const std::string text = ToText(Made());
    const auto read = ParseHistory(text);
    const auto* problem = std::get_if<TextProblem>(&read);
    EXPECT_EQ(problem, nullptr) << problem->line << ": " << problem->what << "\n" << text;
    std::istringstream all(
        ToText(Made(), {.times = false}).substr(text.find("implementation app")));
    std::vector<std::string> lines;
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    lines.erase(lines.begin());
    return lines;
  }

  static uint8_t SideOf(Asker who) { return who.process == kClient.process ? 0 : 1; }
  static uint64_t UidOf(uint32_t id) { return 0x1000 + id; }

  Recorder recorder_;
  Instant now_;
};

TEST_F(Conversations, HaveALineForEachCallAndForTheTimeBetween) {
  Begins();
  Acknowledges(kClient, 0x100);
  Destroys(kClient, 1, 3);
  Closes(kClient, 1);
  EXPECT_THAT(
      Lines(),
      ElementsAre(
          "active rdma_create_event_channel file1 -> 0", "active rdma_create_id id3 on=file1 -> 0",
          "active rdma_resolve_addr id3 dst=passive:7471 timeout_ms=2000 -> 0", "pass 20us -> done",
          "active rdma_get_cm_event file1 as=e1 -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED "
          "id=id3",
          "active rdma_ack_cm_event e1 -> 0", "active rdma_destroy_id id3 -> 0",
          "active rdma_destroy_event_channel file1 -> 0"));
}

// source: rdma-core 44 cma.c ucma_set_af_ib_support
TEST_F(Conversations, BeginWithoutTheLooksOfTheLibrary) {
  rdma_ucm_bind bind{};
  bind.id = 3;
  bind.addr.ss_family = 27;  // AF_IB
  Opens(kClient, 1);
  Creates(kClient, 1, 3, RDMA_PS_IB);
  Commands(kClient, 1, RDMA_USER_CM_CMD_BIND, bind);
  Commands(kClient, 1, RDMA_USER_CM_CMD_QUERY, rdma_ucm_query{.response = 0, .id = 3, .option = 0},
           {.bytes = Bytes(rdma_ucm_query_addr_resp{})});
  Destroys(kClient, 1, 3);
  Closes(kClient, 1);
  Opens(kClient, 1);
  Creates(kClient, 1, 3);
  EXPECT_THAT(Lines(), ElementsAre("active rdma_create_event_channel file1 -> 0",
                                   "active rdma_create_id id3 on=file1 -> 0"));
}

// Lanes have numbers from 0 to 255, and the first is that of the main thread.
TEST_F(Conversations, EndWhereASideHasMoreThreadsThanLanes) {
  for (uint32_t thread = 0; thread < 300; ++thread)
    Opens({.process = kServer.process, .thread = thread}, 10 + thread);
  EXPECT_EQ(Lines().size(), 255u);
  EXPECT_THAT(ToText(Made()), HasSubstr("a side has at most 255 lanes"));
}

// The number names another id then.
TEST_F(Conversations, HaveAnotherNameForANumberThatIsUsedAgain) {
  Opens(kClient, 1);
  Creates(kClient, 1, 3);
  Destroys(kClient, 1, 3);
  Creates(kClient, 1, 3);
  EXPECT_THAT(Lines(), Contains("active rdma_create_id id3.2 on=file1 -> 0"));
}

// source: rdma-core 44 cma.c rdma_create_qp, ucma_process_conn_resp
TEST_F(Conversations, HaveOneLineForTheStepsOfALibrarysCall) {
  Begins();
  CreatesQueuePair(kClient, 1, 3, 9);
  Fetches(kClient, 1, EventType::kConnectResponse, 3);
  Accepts(kClient, 1, 3, false);
  Returns(kClient, EventType::kEstablished, 0x200);
  const std::vector<std::string> lines = Lines();
  EXPECT_THAT(lines, Contains("active rdma_create_qp id3 -> 0"));
  EXPECT_EQ(lines.back(),
            "active rdma_get_cm_event file1 as=e2 -> 0  event RDMA_CM_EVENT_ESTABLISHED id=id3");
}

// The peer hears of it.
TEST_F(Conversations, HaveASharedReceiveQueueAsOneOfItsId) {
  Begins();
  CreatesQueuePair(kClient, 1, 3, 9, {.type = IBV_QPT_RC, .srq = 4});
  Asks(kClient, {.op = Op::kDestroyQp, .on = 9}, {});
  CreatesQueuePair(kClient, 1, 3, 10);
  const std::vector<std::string> lines = Lines();
  EXPECT_THAT(std::vector(lines.end() - 5, lines.end()),
              ElementsAre("active rdma_create_srq id3 -> 0", "active rdma_create_qp id3 -> 0",
                          "active rdma_destroy_qp id3 -> 0", "active rdma_destroy_srq id3 -> 0",
                          "active rdma_create_qp id3 -> 0"));
}

// source: man rdma_get_cm_event(3): CONNECT_RESPONSE is for ids without a queue pair
TEST_F(Conversations, LeaveQueuePairsOutThatTheLibraryDoesNotKnow) {
  Begins();
  CreatesQueuePair(kClient, 1, 3, 9);
  Fetches(kClient, 1, EventType::kConnectResponse, 3);
  Returns(kClient, EventType::kConnectResponse, 0x200);
  Accepts(kClient, 1, 3, false);
  const std::vector<std::string> lines = Lines();
  EXPECT_THAT(lines, Not(Contains(HasSubstr("rdma_create_qp"))));
  EXPECT_EQ(lines.back(), "active rdma_establish id3 -> 0");
  EXPECT_THAT(lines, Contains(HasSubstr("event RDMA_CM_EVENT_CONNECT_RESPONSE id=id3")));
  EXPECT_THAT(Made().conversation.comment, HasSubstr("left out: ibv_create_qp of the program's"));
}

TEST_F(Conversations, HaveADestroyThatWaitsUntilAnotherThreadAcknowledges) {
  Opens(kServer, 1);
  Creates(kServer, 1, 3);
  Resolves(kServer, 1, 3, "10.0.0.1");
  Fetches(kServer, 1, EventType::kAddrResolved, 3);
  Returns(kServer, EventType::kAddrResolved, 0x100);
  Destroys(kWorker, 1, 3);
  At(5);
  Acknowledges(kServer, 0x100);
  const std::vector<std::string> lines = Lines();
  EXPECT_THAT(std::vector(lines.end() - 4, lines.end()),
              ElementsAre("passive/2 rdma_destroy_id id3 -> blocked", "pass 5us -> done",
                          "passive rdma_ack_cm_event e1 -> 0",
                          "returned passive/2 rdma_destroy_id id3 -> 0"));
  EXPECT_THAT(Made().conversation.comment, HasSubstr("passive/2 is a thread of passive"));
}

// source: rdma-core 44 cma.c rdma_destroy_id acknowledges the event of a synchronous id
TEST_F(Conversations, HaveNoDestroyThatWaitsForItsOwnThread) {
  Begins();
  Destroys(kClient, 1, 3);
  Acknowledges(kClient, 0x100);
  const std::vector<std::string> lines = Lines();
  EXPECT_THAT(std::vector(lines.end() - 2, lines.end()),
              ElementsAre("active rdma_ack_cm_event e1 -> 0", "active rdma_destroy_id id3 -> 0"));
}

TEST_F(Conversations, NameTheListenerAndTheIdOfARequest) {
  rdma_ucm_bind bind{};
  bind.id = 0;
  Put("0.0.0.0", 7471, &bind.addr);
  Opens(kServer, 0);
  Creates(kServer, 0, 0);
  Commands(kServer, 0, RDMA_USER_CM_CMD_BIND, bind);
  Commands(kServer, 0, RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{.id = 0, .backlog = 3});
  Fetches(kServer, 0, EventType::kConnectRequest, 7, UidOf(0));
  Returns(kServer, EventType::kConnectRequest, 0x100);
  rdma_ucm_reject reject{};
  reject.id = 7;
  reject.private_data_len = 2;
  std::memcpy(reject.private_data, "no", 2);
  Commands(kServer, 0, RDMA_USER_CM_CMD_REJECT, reject);
  const std::vector<std::string> lines = Lines();
  EXPECT_THAT(std::vector(lines.begin() + 2, lines.end()),
              ElementsAre("passive rdma_bind_addr id0 addr=any:7471 -> 0",
                          "passive rdma_listen id0 backlog=3 -> 0",
                          "passive rdma_get_cm_event file0 as=e1 id=id7 -> 0  event "
                          "RDMA_CM_EVENT_CONNECT_REQUEST id=id7 listen=id0",
                          "passive rdma_reject id7 private=\"no\" -> 0"));
}

// source: rdma-core 44 cma.c rdma_migrate_id: the command is written to the new channel
TEST_F(Conversations, MoveIdsToTheChannelThatIsAsked) {
  Begins();
  Acknowledges(kClient, 0x100);
  Opens(kClient, 2);
  rdma_ucm_migrate_id migrate{};
  migrate.id = 3;
  migrate.fd = 1;
  Commands(kClient, 2, RDMA_USER_CM_CMD_MIGRATE_ID, migrate,
           {.bytes = Bytes(rdma_ucm_migrate_resp{})});
  Closes(kClient, 1);
  Destroys(kClient, 2, 3);
  EXPECT_THAT(Lines(), testing::IsSupersetOf({"active rdma_migrate_id id3 to=file2 -> 0",
                                              "active rdma_destroy_id id3 -> 0"}));
}

// 10.8.8.8 is no address of the topology.
TEST_F(Conversations, LeaveAnIdOutFromWhatTheLanguageCannotSayOn) {
  Opens(kClient, 1);
  Creates(kClient, 1, 3);
  Resolves(kClient, 1, 3, "10.8.8.8");
  Fetches(kClient, 1, EventType::kAddrError, 3);
  Returns(kClient, EventType::kAddrError, 0x100);
  Acknowledges(kClient, 0x100);
  Asks(kClient, {.op = Op::kCreateCq}, {.value = 1});
  Asks(kClient, {.op = Op::kCreateCq}, {.value = 2});
  EXPECT_THAT(Lines(), ElementsAre("active rdma_create_event_channel file1 -> 0",
                                   "active rdma_create_id id3 on=file1 -> 0"));
  EXPECT_EQ(Made().conversation.comment,
            "left out: ibv_create_cq (2)\n"
            "left out: events of ids that are left out\n"
            "left out: rdma_resolve_addr id=3 dst=10.8.8.8:7471 timeout_ms=2000, and all that "
            "follows of id3\n");
}

// The kernel has drawn 40000, which the client learns by other means.
TEST_F(Conversations, HaveADrawnPortThatAnotherProgramNames) {
  rdma_ucm_bind bind{};
  Put("10.0.1.1", 0, &bind.addr);
  rdma_ucm_query_addr_resp bound{};
  Put("10.0.1.1", 40'000, &bound.src_addr);
  Opens(kServer, 0);
  for (const uint32_t id : {0, 1}) {
    bind.id = id;
    Creates(kServer, 0, id);
    Commands(kServer, 0, RDMA_USER_CM_CMD_BIND, bind);
    Commands(kServer, 0, RDMA_USER_CM_CMD_QUERY,
             rdma_ucm_query{.response = 0, .id = id, .option = 0}, {.bytes = Bytes(bound)});
    Put("10.0.1.1", 40'001, &bound.src_addr);
  }
  rdma_ucm_resolve_addr resolve{};
  resolve.id = 3;
  resolve.timeout_ms = 2000;
  Put("10.0.1.1", 40'000, &resolve.dst_addr);
  Opens(kClient, 1);
  Creates(kClient, 1, 3);
  Commands(kClient, 1, RDMA_USER_CM_CMD_RESOLVE_ADDR, resolve);
  EXPECT_THAT(Lines(),
              testing::IsSupersetOf(
                  {"passive rdma_bind_addr id0 addr=passive:40000 -> 0",
                   "passive rdma_bind_addr id1 addr=passive:0 -> 0",
                   "active rdma_resolve_addr id3 dst=passive:40000 timeout_ms=2000 -> 0"}));
  EXPECT_EQ(Made().conversation.comment,
            "left out: that id0 was bound to port 0, for which the kernel has drawn 40000\n");
}

TEST_F(Conversations, HaveTheUseOfAnIdThatIsDestroyed) {
  Opens(kClient, 1);
  Creates(kClient, 1, 3);
  Destroys(kClient, 1, 3);
  Commands(kClient, 1, RDMA_USER_CM_CMD_DISCONNECT, rdma_ucm_disconnect{3}, {.value = -ENOENT});
  EXPECT_EQ(Lines().back(), "active rdma_disconnect id3 -> -1 ENOENT");
}

TEST_F(Conversations, HaveFaultsAndMessagesAndTheEndOfAProcess) {
  Fault fault{.kind = FaultKind::kDrop, .side = 0, .messages = MadKinds(MadKind::kReq)};
  fault.last = 1;
  recorder_.Injected(now_, fault);
  Begins();
  sim::WireNote note{.at = now_ + Duration::Microseconds(5), .lost = true};
  note.mad.local_cid = 1;
  recorder_.Sent(note);
  At(40);
  recorder_.Ended(now_, SideOf(kClient), kClient.process);
  const std::vector<std::string> lines = Lines();
  EXPECT_EQ(lines.front(), "fault drop REQ from=active nth=1 -> done");
  EXPECT_THAT(
      std::vector(lines.end() - 3, lines.end()),
      ElementsAre("pass 20us -> done", "mad active REQ lost", "fault exit side=active -> done"));
  EXPECT_TRUE(Made().conversation.capabilities.Has(Capability::kExit));
}

// At the end nothing can answer it any more.
TEST_F(Conversations, HaveTheThreadThatStillWaitsForAnEvent) {
  Begins();
  Request request = {.op = Op::kWrite, .on = 1};
  request.bytes = Bytes(rdma_ucm_cmd_hdr{.cmd = RDMA_USER_CM_CMD_GET_EVENT, .in = 8, .out = 0});
  recorder_.Waits(now_, SideOf(kClient), kClient, request);
  EXPECT_EQ(Lines().back(), "active rdma_get_cm_event file1 as=e2 -> blocked");
}

// Without an order timers of one instant would come the other way round.
TEST_F(Conversations, HaveAnOrderAlsoWhereEachEventWasTheFirst) {
  EXPECT_TRUE(Made().conversation.order.empty());
  for (int i = 0; i < 3; ++i) recorder_.IsFirst(0);
  EXPECT_THAT(Made().conversation.order, ElementsAre(0));
}

}  // namespace
}  // namespace cm::app
