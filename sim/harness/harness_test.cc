#include "sim/harness/harness.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>
#include <string>
#include <vector>

namespace cm::sim {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint16_t kPort = 7471;
constexpr int kPatienceMs = 2000;

sockaddr_in AddressOf(const char* host) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

// An id and a channel, which are destroyed unless released.
struct Own {
  rdma_event_channel* channel = rdma_create_event_channel();
  rdma_cm_id* id = nullptr;
  Own() { rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP); }
  void GiveBack() const {
    rdma_destroy_id(id);
    rdma_destroy_event_channel(channel);
  }
};

// The next event, acknowledged.
rdma_cm_event_type Hear(const Own& own, rdma_cm_id** id = nullptr) {
  rdma_cm_event* event = nullptr;
  if (rdma_get_cm_event(own.channel, &event) != 0) return RDMA_CM_EVENT_TIMEWAIT_EXIT;
  const rdma_cm_event_type type = event->event;
  if (id != nullptr) *id = event->id;
  rdma_ack_cm_event(event);
  return type;
}

rdma_cm_event_type Resolve(const Own& own) {
  sockaddr_in to = AddressOf("10.0.1.1");
  rdma_resolve_addr(own.id, nullptr, reinterpret_cast<sockaddr*>(&to), kPatienceMs);
  if (const auto heard = Hear(own); heard != RDMA_CM_EVENT_ADDR_RESOLVED) return heard;
  rdma_resolve_route(own.id, kPatienceMs);
  return Hear(own);
}

// Without queue pairs.
void Connect(std::vector<rdma_cm_event_type>* heard) {
  const Own own;
  heard->push_back(Resolve(own));
  rdma_conn_param param{};
  param.private_data = "hello";
  param.private_data_len = 5;
  param.qp_num = 17;
  rdma_connect(own.id, &param);
  heard->push_back(Hear(own));
  if (heard->back() == RDMA_CM_EVENT_CONNECT_RESPONSE) rdma_establish(own.id);
  own.GiveBack();
}

void Reject() {
  const Own own;
  sockaddr_in any = AddressOf("0.0.0.0");
  rdma_bind_addr(own.id, reinterpret_cast<sockaddr*>(&any));
  rdma_listen(own.id, 1);
  rdma_cm_id* asks = nullptr;
  if (Hear(own, &asks) == RDMA_CM_EVENT_CONNECT_REQUEST) {
    rdma_reject(asks, "no", 2);
    rdma_destroy_id(asks);
  }
  own.GiveBack();
}

Outcome Conversation(uint64_t seed, bool connects_first = false) {
  Harness harness({.seed = seed});
  std::vector<rdma_cm_event_type> heard;
  if (connects_first) harness.AddProgram("active", "active", [&heard] { Connect(&heard); });
  harness.AddProgram("passive", "passive", Reject);
  if (!connects_first) harness.AddProgram("active", "active", [&heard] { Connect(&heard); });
  return harness.Run();
}

TEST(Harness, TwoHostsHaveAConversation) {
  Harness harness({});
  std::vector<rdma_cm_event_type> heard;
  harness.AddProgram("passive", "passive", Reject);
  harness.AddProgram("active", "active", [&heard] { Connect(&heard); });
  const Outcome outcome = harness.Run();
  EXPECT_TRUE(outcome.Clean()) << outcome.Text();
  EXPECT_THAT(heard, ElementsAre(RDMA_CM_EVENT_ROUTE_RESOLVED, RDMA_CM_EVENT_REJECTED))
      << outcome.Text();
  EXPECT_THAT(outcome.conversation,
              Contains(AllOf(HasSubstr("RDMA_CM_EVENT_CONNECT_REQUEST"), HasSubstr("\"hello\""))));
  EXPECT_THAT(outcome.conversation, Contains(HasSubstr("REQ rxe0 to rxe1")));
}

TEST(Harness, SameSeedSameConversation) {
  const Outcome first = Conversation(7);
  EXPECT_EQ(first.conversation, Conversation(7).conversation);
  EXPECT_GT(first.conversation.size(), 20u);
}

TEST(Harness, ProgramsBeginInTheirOrder) {
  EXPECT_THAT(Conversation(1).conversation.front(), HasSubstr("passive"));
  const Outcome other = Conversation(1, true);
  EXPECT_THAT(other.conversation.front(), HasSubstr("active"));
  EXPECT_TRUE(other.Clean()) << other.Text();
}

TEST(Harness, NamesWhoWaitsForAnEventForEver) {
  Harness harness({});
  harness.AddProgram("passive", "listener", Reject);
  const Outcome outcome = harness.Run();
  EXPECT_THAT(outcome.waiting,
              ElementsAre(AllOf(HasSubstr("listener waits since 0us: rdma_cm file"),
                                HasSubstr("an event"), HasSubstr("it has rdma_cm file"))));
}

TEST(Harness, NamesWhoHasNotAcknowledgedAnEvent) {
  Harness harness({});
  harness.AddProgram("active", "careless", [] {
    const Own own;
    sockaddr_in to = AddressOf("10.0.1.1");
    rdma_resolve_addr(own.id, nullptr, reinterpret_cast<sockaddr*>(&to), kPatienceMs);
    rdma_cm_event* event = nullptr;
    rdma_get_cm_event(own.channel, &event);
    own.GiveBack();
  });
  const Outcome outcome = harness.Run();
  EXPECT_THAT(outcome.waiting,
              ElementsAre(AllOf(HasSubstr("careless waits"), HasSubstr("another thread of its own"),
                                HasSubstr("rdma_ack_cm_event"),
                                HasSubstr("RDMA_CM_EVENT_ADDR_RESOLVED (not acknowledged)"))));
  EXPECT_THAT(outcome.Text(), HasSubstr("never ends: careless"));
}

TEST(Harness, NamesEventsThatAreUnacknowledgedAtTheEnd) {
  Harness harness({});
  harness.AddProgram("active", "careless", [] {
    const Own own;
    sockaddr_in to = AddressOf("10.0.1.1");
    rdma_resolve_addr(own.id, nullptr, reinterpret_cast<sockaddr*>(&to), kPatienceMs);
    EXPECT_EQ(Hear(own), RDMA_CM_EVENT_ADDR_RESOLVED);
    rdma_resolve_route(own.id, kPatienceMs);
    rdma_cm_event* event = nullptr;
    rdma_get_cm_event(own.channel, &event);
  });
  EXPECT_THAT(harness.Run().left,
              ElementsAre(AllOf(HasSubstr("rdma_cm id"), Not(HasSubstr("ADDR_RESOLVED")),
                                HasSubstr("RDMA_CM_EVENT_ROUTE_RESOLVED (not acknowledged)"))));
}

// By number, because the library's state of the destroyed id is gone. The header of the commands
// conflicts with that of the library. source: rdma_user_cm.h rdma_ucm_disconnect
TEST(Harness, NamesWhoUsesAnIdThatIsGone) {
  Harness harness({});
  harness.AddProgram("active", "careless", [] {
    const Own own;
    constexpr std::array<uint32_t, 3> kDisconnect = {10, 4, 77};
    EXPECT_LT(write(own.channel->fd, kDisconnect.data(), sizeof kDisconnect), 0);
    own.GiveBack();
  });
  const Outcome outcome = harness.Run();
  EXPECT_THAT(outcome.misuse, ElementsAre("careless: rdma_disconnect id=77 -> -1 ENOENT"));
  EXPECT_FALSE(outcome.Clean());
}

TEST(Harness, NamesWhatIsLeftBehindByWhom) {
  Harness harness({});
  harness.AddProgram("active", "tidy", [] { Own().GiveBack(); });
  harness.AddProgram("passive", "untidy", [] { rdma_destroy_id(Own().id); });
  harness.AddProgram("passive", "untidier", [] { static_cast<void>(Own()); });
  const Outcome outcome = harness.Run();
  EXPECT_THAT(outcome.waiting, IsEmpty());
  EXPECT_THAT(outcome.left,
              ElementsAre(AllOf(HasSubstr("untidy: rdma_cm file"), Not(HasSubstr("rdma_cm id"))),
                          AllOf(HasSubstr("untidier: rdma_cm file"), HasSubstr("rdma_cm id"))));
  EXPECT_FALSE(outcome.Clean());
}

TEST(Harness, StopsAtItsLimit) {
  Harness harness({.limit = Duration::Seconds(2)});
  harness.AddProgram("active", "sleeper", [] {
    while (true) sleep(1);
  });
  const Outcome outcome = harness.Run();
  EXPECT_THAT(outcome.waiting, ElementsAre(HasSubstr("sleeper waits since 2s: a later time")));
  EXPECT_EQ(outcome.ended, Instant() + Duration::Seconds(2));
}

TEST(Harness, PollWaitsForEventsInVirtualTime) {
  Harness harness({});
  std::array<int, 3> found{};
  harness.AddProgram("active", "poller", [&found] {
    const Own own;
    pollfd channel = {.fd = own.channel->fd, .events = POLLIN, .revents = 0};
    found[0] = poll(&channel, 1, 5000);
    sockaddr_in to = AddressOf("10.0.1.1");
    rdma_resolve_addr(own.id, nullptr, reinterpret_cast<sockaddr*>(&to), kPatienceMs);
    found[1] = poll(&channel, 1, -1);
    Hear(own);
    found[2] = poll(&channel, 1, 0);
    own.GiveBack();
  });
  const Outcome outcome = harness.Run();
  EXPECT_TRUE(outcome.Clean()) << outcome.Text();
  EXPECT_THAT(found, ElementsAre(0, 1, 0));
  EXPECT_GE(outcome.ended, Instant() + Duration::Seconds(5));
  EXPECT_LT(outcome.ended, Instant() + Duration::Seconds(6));
}

TEST(Harness, AskingAgainAndAgainTakesTime) {
  Harness harness({.limit = Duration::Seconds(1)});
  harness.AddProgram("active", "poller", [] {
    const Own own;
    pollfd channel = {.fd = own.channel->fd, .events = POLLIN, .revents = 0};
    while (poll(&channel, 1, 0) == 0) {
    }
  });
  EXPECT_THAT(harness.Run().waiting, ElementsAre(HasSubstr("poller waits")));
}

// Neither the clock nor the queue has anything new.
TEST(Harness, AskingUntilALaterTimeReachesIt) {
  Harness harness({});
  harness.AddProgram("active", "poller", [] {
    const Own own;
    Resolve(own);
    ibv_cq* const queue = ibv_create_cq(own.id->verbs, 1, nullptr, nullptr, 0);
    ibv_wc completion{};
    const time_t before = time(nullptr);
    while (time(nullptr) < before + 2) ibv_poll_cq(queue, 1, &completion);
    ibv_destroy_cq(queue);
    own.GiveBack();
  });
  const Outcome outcome = harness.Run();
  EXPECT_TRUE(outcome.Clean()) << outcome.Text();
  EXPECT_GE(outcome.ended, Instant() + Duration::Seconds(1));
}

TEST(Harness, FaultsHappenAtTheirTime) {
  Harness harness({});
  std::vector<rdma_cm_event_type> heard;
  harness.AddProgram("active", "active", [&heard] {
    const Own own;
    heard.push_back(Resolve(own));
    heard.push_back(Hear(own));
    own.GiveBack();
  });
  harness.At(Duration::Seconds(3), {.kind = FaultKind::kRemoveDevice, .side = kActiveSide});
  const Outcome outcome = harness.Run();
  EXPECT_TRUE(outcome.Clean()) << outcome.Text();
  EXPECT_THAT(heard, ElementsAre(RDMA_CM_EVENT_ROUTE_RESOLVED, RDMA_CM_EVENT_DEVICE_REMOVAL));
  EXPECT_THAT(outcome.conversation, Contains(HasSubstr("3s  (fault)  remove-device side=active")));
}

TEST(Harness, AProgramThatExitsOrCrashesWaitsForNothing) {
  for (const FaultKind kind : {FaultKind::kExit, FaultKind::kCrash}) {
    Harness harness({});
    harness.AddProgram("passive", "listener", Reject);
    harness.At(Duration::Seconds(1), {.kind = kind, .side = kPassiveSide});
    const Outcome outcome = harness.Run();
    EXPECT_TRUE(outcome.Clean()) << outcome.Text();
  }
}

void CrashAfterACall() {
  rdma_event_channel* const channel = rdma_create_event_channel();
  rdma_cm_id* id = nullptr;
  rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP);
  std::raise(SIGSEGV);
}

TEST(HarnessDeathTest, AProgramThatCrashesLeavesItsSeedAndItsConversation) {
  const auto crash = [] {
    Harness harness({.seed = 4711});
    harness.AddProgram("active", "breaks", CrashAfterACall);
    static_cast<void>(harness.Run());
  };
  EXPECT_DEATH(crash(),
               "seed 4711, the last lines of the conversation:(.|\n)*breaks +rdma_create_id");
}

TEST(Harness, WorldsFollowOneAnotherWhateverIsLeftInThem) {
  for (int i = 0; i < 2000; ++i) {
    Harness harness({});
    harness.AddProgram("passive", "listener", Reject);
    ASSERT_EQ(harness.Run().waiting.size(), 1u);
  }
  EXPECT_TRUE(Conversation(1).Clean());
}

TEST(Harness, AnotherHostsDeviceIsListedAndLeadsNowhere) {
  Harness harness({});
  std::vector<int> answers;
  harness.AddProgram("active", "active", [&answers] {
    int count = 0;
    ibv_context** const devices = rdma_get_devices(&count);
    for (int i = 0; i < count; ++i) {
      ibv_port_attr port{};
      answers.push_back(ibv_query_port(devices[i], 1, &port));
    }
    rdma_free_devices(devices);
  });
  const Outcome outcome = harness.Run();
  EXPECT_TRUE(outcome.Clean()) << outcome.Text();
  EXPECT_THAT(answers, testing::UnorderedElementsAre(0, ENODEV));
}

}  // namespace
}  // namespace cm::sim
