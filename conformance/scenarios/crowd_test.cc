// Sixty-four requests in flight to one listener: with room for all, with a small backlog, with
// losses of each message, with late answers, and all alike. What the simulator says of them is
// permitted, with few possibilities; what cannot be is refused.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/scenarios/on_sim.h"
#include "conformance/walks/walk.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/oracle/judge.h"

namespace cm {
namespace {

constexpr int kClients = 64;
constexpr int kNoRoom = 8;
constexpr size_t kFewPossibilities = 256;

// A conversation, line by line. Ids are A0, A1, … and P0, P1, … in the order of their events.
class Script {
 public:
  Script(std::string_view profile, int backlog, int clients = kClients) : clients_(clients) {
    text_ = fmt::format(
        "topology one-kernel-two-devices\nprofile {}\ncapabilities {}\n"
        "passive rdma_create_event_channel S\npassive rdma_create_id L on=S\n"
        "passive rdma_bind_addr L addr=passive:7471\npassive rdma_listen L backlog={}\n"
        "active rdma_create_event_channel C\n",
        profile, profile == "6.1-siw" ? "time" : "time drop drop-nth delay remove-device", backlog);
    for (int i = 0; i < clients_; ++i) Resolves(i);
  }

  void Add(std::string_view line) { text_ += fmt::format("{}\n", line); }
  // The first `alike` carry the same private data, if there are any.
  void Connects(std::string_view data, int alike) {
    for (int i = 0; i < clients_; ++i)
      Add(fmt::format("active rdma_connect A{} private=\"{}\"", i,
                      data.empty() || i >= alike ? fmt::format("c{}", i) : std::string(data)));
  }
  void Asked(int i) {
    Add(fmt::format("passive rdma_get_cm_event S as=r{0} id=P{0}", i));
    Add(fmt::format("passive rdma_ack_cm_event r{}", i));
  }
  void Answers(int i) {
    Add(fmt::format("passive rdma_create_qp P{}", i));
    Add(fmt::format("passive rdma_accept P{} private=\"yes\"", i));
  }
  void HearsOf(int i) {
    Add(fmt::format("active rdma_get_cm_event C as=e{}", i));
    Add(fmt::format("active rdma_ack_cm_event e{}", i));
  }
  void Connected(int i) {
    HearsOf(i);
    Add(fmt::format("passive rdma_get_cm_event S as=f{}", i));
    Add(fmt::format("passive rdma_ack_cm_event f{}", i));
  }
  // So many as the queue has room for at a time; the next have come again meanwhile.
  void InTurn(std::string_view until_they_come) {
    for (int first = 0; first < clients_; first += kNoRoom) {
      Add(until_they_come);
      for (int i = first; i < first + kNoRoom && i < clients_; ++i) Asked(i), Answers(i);
      Add("passive wait S within=1us");
      Add(until_they_come);
      for (int i = first; i < first + kNoRoom && i < clients_; ++i) Connected(i);
      Add("pass 7s");
    }
  }
  // All at once. `between`: what is done before each answer.
  void AllAtOnce(std::string_view before, std::string_view between, std::string_view then) {
    for (int i = 0; i < clients_; ++i) Asked(i);
    if (!before.empty()) Add(before);
    for (int i = 0; i < clients_; ++i) {
      if (!between.empty()) Add(between);
      Answers(i);
    }
    Add(then);
    for (int i = 0; i < clients_; ++i) Connected(i);
  }
  const std::string& text() const { return text_; }

 private:
  void Resolves(int i) {
    Add(fmt::format("active rdma_create_id A{} on=C", i));
    Add(fmt::format(
        "active rdma_resolve_addr A{} src=active:0 dst=passive:7471 timeout_ms=2000\nsettle", i));
    Add(fmt::format("active rdma_get_cm_event C as=a{0}\nactive rdma_ack_cm_event a{0}", i));
    Add(fmt::format("active rdma_resolve_route A{} timeout_ms=2000\nsettle", i));
    Add(fmt::format("active rdma_get_cm_event C as=b{0}\nactive rdma_ack_cm_event b{0}", i));
    Add(fmt::format("active rdma_create_qp A{}", i));
  }

  int clients_;
  std::string text_;
};

struct Crowd {
  std::string name;
  std::string profile = "6.1-rxe";
  int clients = kClients;
  size_t possibilities = kFewPossibilities;
  int backlog = 2 * kClients;
  std::string fault;  // before all connect
  std::string data;   // the same private data for so many of them
  int alike = kClients;
  std::string under_way;                 // a fault, when all have connected
  std::string at_once;                   // after that
  std::string before_answers;            // a fault, when all requests have been fetched
  std::string between;                   // before each answer
  std::string fetched_after = "settle";  // what happens until ESTABLISHED is fetched
};

History HistoryOf(const Crowd& crowd) {
  Script script(crowd.profile, crowd.backlog, crowd.clients);
  if (!crowd.fault.empty()) script.Add(crowd.fault);
  script.Connects(crowd.data, crowd.alike);
  if (!crowd.under_way.empty()) script.Add(crowd.under_way);
  if (crowd.backlog == kNoRoom) {
    script.InTurn(crowd.at_once.empty() ? "settle" : crowd.at_once);
  } else {
    script.Add(crowd.at_once);
    script.AllAtOnce(crowd.before_answers, crowd.between, crowd.fetched_after);
  }
  return OnSim(ConversationOf(script.text()));
}

model::HistoryResult ResultOf(const History& history) {
  return model::JudgeUpToRefusal(history, ProfileOf(history.conversation));
}

// The event of the n-th fetch of that type.
CmEvent& EventOf(History* history, EventType type, int n) {
  for (Record& record : history->records) {
    auto* answered = std::get_if<seen::Answered>(&record.seen);
    if (answered == nullptr || !answered->event || answered->event->type != type) continue;
    if (n-- == 0) return *answered->event;
  }
  ADD_FAILURE() << "there are " << n << " such events too few";
  std::abort();
}

class ACrowd : public testing::TestWithParam<Crowd> {};

TEST_P(ACrowd, IsPermittedWithFewPossibilities) {
  const model::HistoryResult result = ResultOf(HistoryOf(GetParam()));
  EXPECT_EQ(result.kind, model::VerdictKind::kPermitted) << "record " << result.record << "\n"
                                                         << model::Explain(result.at_record);
  EXPECT_LE(result.largest_set, GetParam().possibilities);
}

TEST_P(ACrowd, IsConnectedAtBothEnds) {
  int established = 0;
  for (const Record& record : HistoryOf(GetParam()).records) {
    const auto* answered = std::get_if<seen::Answered>(&record.seen);
    if (answered == nullptr || !answered->event) continue;
    established += static_cast<int>(answered->event->type == EventType::kEstablished);
  }
  EXPECT_EQ(established, 2 * GetParam().clients);
}

TEST_P(ACrowd, IsNotPermittedWithARequestThatNoneHasSent) {
  History history = HistoryOf(GetParam());
  EventOf(&history, EventType::kConnectRequest, GetParam().clients / 2).private_data =
      PrivateData::Counting(200);
  EXPECT_NE(ResultOf(history).kind, model::VerdictKind::kPermitted);
}

TEST_P(ACrowd, IsNotPermittedWhereOneIsRejectedThatWasAccepted) {
  History history = HistoryOf(GetParam());
  CmEvent& event = EventOf(&history, EventType::kEstablished, GetParam().clients);
  event.type = EventType::kRejected;
  event.status = 8;
  EXPECT_NE(ResultOf(history).kind, model::VerdictKind::kPermitted);
}

// Those that differ in what they carry are refused for certain.
TEST(ACrowdOfOthers, IsRefusedWhereOneAsksTwice) {
  History history = HistoryOf({.name = "", .at_once = "settle"});
  CmEvent& second = EventOf(&history, EventType::kConnectRequest, 1);
  second.private_data = EventOf(&history, EventType::kConnectRequest, 0).private_data;
  EXPECT_EQ(ResultOf(history).kind, model::VerdictKind::kRefused);
}

// Every third is rejected, and asks no more.
TEST(ACrowdOfOthers, IsPermittedWhereManyAreRejectedBeyondTheBacklog) {
  Script script("6.1-rxe", kNoRoom);
  script.Connects("", 0);
  for (int first = 0; first < kClients; first += kNoRoom) {
    script.Add("settle");
    for (int i = first; i < first + kNoRoom; ++i) script.Asked(i);
    for (int i = first; i < first + kNoRoom; ++i) {
      if (i % 3 != 0)
        script.Answers(i);
      else
        script.Add(fmt::format("passive rdma_reject P{} private=\"no\"", i));
    }
    script.Add("settle");
    for (int i = first; i < first + kNoRoom; ++i)
      i % 3 == 0 ? script.HearsOf(i) : script.Connected(i);
    script.Add("pass 7s");
  }
  const model::HistoryResult result = ResultOf(OnSim(ConversationOf(script.text())));
  EXPECT_EQ(result.kind, model::VerdictKind::kPermitted) << model::Explain(result.at_record);
  EXPECT_LE(result.largest_set, kFewPossibilities);
}

// Over iWARP a full queue rejects.
TEST(ACrowdOfOthers, IsPermittedWhereAFullQueueRejects) {
  Script script("6.1-siw", kNoRoom);
  script.Connects("", 0);
  script.Add("settle");
  for (int i = kNoRoom; i < kClients; ++i) script.HearsOf(i);
  for (int i = 0; i < kNoRoom; ++i) script.Asked(i), script.Answers(i);
  script.Add("settle");
  for (int i = 0; i < kNoRoom; ++i) script.Connected(i);
  const model::HistoryResult result = ResultOf(OnSim(ConversationOf(script.text())));
  EXPECT_EQ(result.kind, model::VerdictKind::kPermitted) << model::Explain(result.at_record);
  EXPECT_LE(result.largest_set, kFewPossibilities);
}

std::string All(std::string_view line) {
  std::string all;
  for (int i = 0; i < kClients; ++i) all += fmt::format(fmt::runtime(line), i) + "\n";
  return all;
}

// What ends the crowd, or a client of it, while its requests are on their way or in the queue.
TEST(ACrowdOfOthers, IsNotRefusedWhateverBecomesOfIt) {
  const std::string asked =
      All("passive rdma_get_cm_event S as=r{0} id=P{0}\npassive rdma_ack_cm_event r{0}");
  const std::string heard =
      All("active rdma_get_cm_event C as=e{0}\nactive rdma_ack_cm_event e{0}");
  for (const std::string& then : std::initializer_list<std::string>{
           "settle\nactive rdma_destroy_id A3\n" + asked,
           "active rdma_destroy_id A3\npass 20s\n" + asked,
           "pass 120s\n" + heard + "active rdma_destroy_id A3\n" + asked,
           "settle\npassive rdma_destroy_id L\nsettle\n" + heard,
           "settle\npassive rdma_destroy_event_channel S\nsettle\n" + heard,
           "fault drop any from=any during=200us\npass 1s\nheal\npassive wait S within=1us\n",
           "fault remove-device side=passive\nsettle\n",
           "passive wait S within=1s\nactive wait C within=200s\npass 5s\n" + asked,
       }) {
    Script script("6.1-rxe", 2 * kClients);
    script.Connects("", 0);
    const History history = OnSim(ConversationOf(script.text() + then));
    const model::HistoryResult result = ResultOf(history);
    EXPECT_NE(result.kind, model::VerdictKind::kRefused)
        << then.substr(0, 120) << "\nrecord " << result.record << "\n"
        << model::Explain(result.at_record);
  }
}

// Half of the requests that its queue has room for are answered; then the listener ends, and with
// it the other half. Those that were dropped are rejected when they ask again.
History EndedWithItsListener(int backlog) {
  Script script("6.1-rxe", backlog);
  script.Connects("", 0);
  script.Add("settle");
  for (int i = 0; i < kNoRoom / 2; ++i) script.Asked(i), script.Answers(i);
  script.Add("settle\npassive rdma_destroy_id L\npass 7s");
  for (int i = 0; i < kClients; ++i) script.HearsOf(i);
  return OnSim(ConversationOf(script.text()));
}

class ACrowdWithoutListener : public testing::TestWithParam<int> {};

TEST_P(ACrowdWithoutListener, IsPermittedWithFewPossibilities) {
  const model::HistoryResult result = ResultOf(EndedWithItsListener(GetParam()));
  EXPECT_EQ(result.kind, model::VerdictKind::kPermitted) << model::Explain(result.at_record);
  EXPECT_LE(result.largest_set, kFewPossibilities);
}

TEST_P(ACrowdWithoutListener, IsRefusedWhereOneIsEstablishedThatNoneAnswered) {
  History history = EndedWithItsListener(GetParam());
  const CmEvent established = EventOf(&history, EventType::kEstablished, 0);
  CmEvent& last = EventOf(&history, EventType::kRejected, kClients - kNoRoom / 2 - 1);
  const IdRef id = last.id;
  last = established;
  last.id = id;
  EXPECT_EQ(ResultOf(history).kind, model::VerdictKind::kRefused);
}

INSTANTIATE_TEST_SUITE_P(Room, ACrowdWithoutListener, testing::Values(kNoRoom, 2 * kClients));

TEST(ACrowdOfOthers, IsRejectedWhereThePortIsOwnedAndNoneListens) {
  Script script("6.1-rxe", 2 * kClients);
  script.Connects("", 0);
  std::string text = script.text();
  const std::string_view listens = "passive rdma_listen L";
  const size_t at = text.find(listens);
  text.erase(at, text.find('\n', at) + 1 - at);
  text += "settle\n" + All("active rdma_get_cm_event C as=e{0}\nactive rdma_ack_cm_event e{0}");
  const model::HistoryResult result = ResultOf(OnSim(ConversationOf(text)));
  EXPECT_NE(result.kind, model::VerdictKind::kRefused) << model::Explain(result.at_record);
}

// Its requests have come, and there is room for all of them.
TEST(ACrowdOfOthers, IsRefusedWhereNoneComes) {
  Script script("6.1-rxe", 2 * kClients);
  script.Connects("", 0);
  script.Add("passive wait S within=10s");
  History history = OnSim(ConversationOf(script.text()));
  EXPECT_EQ(ResultOf(history).kind, model::VerdictKind::kPermitted);
  Record& wait = history.records.back();
  wait.seen = seen::Waited{.readable = false};
  wait.end = wait.begin + Duration::Seconds(10);
  EXPECT_EQ(ResultOf(history).kind, model::VerdictKind::kRefused);
}

// So few that look the same are all followed.
TEST(ACrowdOfOthers, IsRefusedThoughThreeLookTheSame) {
  History history = HistoryOf({.name = "", .data = "hello", .alike = 3, .at_once = "settle"});
  EXPECT_EQ(ResultOf(history).kind, model::VerdictKind::kPermitted);
  CmEvent& event = EventOf(&history, EventType::kEstablished, kClients);
  event.type = EventType::kRejected;
  event.status = 8;
  EXPECT_EQ(ResultOf(history).kind, model::VerdictKind::kRefused);
}

// Which of them has asked for what is not known, and what none of them can have is refused.
TEST(ACrowdOfTheSame, IsRefusedWhereOneIsRejectedThatWasAccepted) {
  for (const int clients : {4, 7, 8, kClients}) {
    History history =
        HistoryOf({.name = "", .clients = clients, .data = "hello", .at_once = "settle"});
    EXPECT_EQ(ResultOf(history).kind, model::VerdictKind::kPermitted) << clients;
    CmEvent& event = EventOf(&history, EventType::kEstablished, clients);
    event.type = EventType::kRejected;
    event.status = 8;
    EXPECT_EQ(ResultOf(history).kind, model::VerdictKind::kRefused) << clients;
  }
}

TEST(ACrowdThatIsDrawn, IsPermitted) {
  for (const std::string_view name : {"6.1-rxe", "7.2-rxe"}) {
    const Profile& profile = *FindProfile(name);
    DrawOptions options{.topology = FindTopology("two-kernels"),
                        .profile = profile,
                        .capabilities = profile.capabilities,
                        .seed = 1,
                        .walk = "multitude"};
    for (options.index = 0; options.index < 20; ++options.index)
      EXPECT_EQ(ResultOf(OnSim(Draw(options))).kind, model::VerdictKind::kPermitted)
          << name << " sequence " << options.index;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , ACrowd,
    testing::Values(Crowd{.name = "WithRoom", .at_once = "settle"},
                    Crowd{.name = "InFlight", .at_once = "pass 1ms"},
                    Crowd{.name = "BeyondTheBacklog", .backlog = kNoRoom},
                    Crowd{.name = "WithALoss",
                          .fault = "fault drop REQ from=active nth=3",
                          .at_once = "settle"},
                    Crowd{.name = "WithLostReplies",
                          .fault = "fault drop REP from=passive nth=2..5",
                          .at_once = "settle",
                          .fetched_after = "pass 5s"},
                    Crowd{.name = "WithLostRtus",
                          .fault = "fault drop RTU from=active nth=2..5",
                          .at_once = "settle",
                          .fetched_after = "pass 5s"},
                    Crowd{.name = "AllLostAtFirst",
                          .fault = "fault drop any from=any during=2ms",
                          .at_once = "pass 9s",
                          .fetched_after = "pass 9s"},
                    Crowd{.name = "SomeLostAtFirst",
                          .fault = "fault drop any from=any during=200us",
                          .at_once = "pass 9s",
                          .fetched_after = "pass 9s"},
                    Crowd{.name = "HalfOfTheRequestsLost",
                          .fault = "fault drop REQ from=active nth=17..48",
                          .at_once = "pass 9s",
                          .fetched_after = "pass 9s"},
                    Crowd{.name = "ALostAnswerWasGivenUp",
                          .at_once = "settle",
                          .before_answers = "fault drop REP from=passive nth=1..16"},
                    Crowd{.name = "SomeAnswersLost",
                          .at_once = "settle",
                          .before_answers = "fault drop any from=any during=300us",
                          .fetched_after = "pass 9s"},
                    Crowd{.name = "AnsweredLate", .at_once = "settle", .between = "pass 3s"},
                    Crowd{.name = "LosesRepliesFromNowOn",
                          .under_way = "fault drop REP from=passive nth=2..5",
                          .at_once = "settle",
                          .fetched_after = "pass 5s"},
                    Crowd{.name = "LosesRequestsThatComeAgain",
                          .backlog = kNoRoom,
                          .under_way = "fault drop REQ from=active nth=5..24"},
                    Crowd{.name = "Delayed",
                          .fault = "fault delay any from=any by=2s",
                          .at_once = "pass 3s",
                          .fetched_after = "pass 5s"},
                    Crowd{.name = "DelayedBeyondTheBacklog",
                          .backlog = kNoRoom,
                          .fault = "fault delay any from=any by=20ms",
                          .at_once = "pass 60ms"},
                    Crowd{.name = "AllAlikeDelayedBeyondTheBacklog",
                          .backlog = kNoRoom,
                          .fault = "fault delay any from=any by=20ms",
                          .data = "hello",
                          .at_once = "pass 60ms"},
                    Crowd{.name = "OverIwarp", .profile = "6.1-siw", .at_once = "settle"},
                    Crowd{.name = "OverIwarpAnsweredLate",
                          .profile = "6.1-siw",
                          .at_once = "settle",
                          .between = "pass 100ms"},
                    Crowd{.name = "SevenAlike", .clients = 7, .data = "hello", .at_once = "settle"},
                    Crowd{.name = "SevenAlikeSomeLost",
                          .clients = 7,
                          .possibilities = 2048,
                          .fault = "fault drop REQ from=active nth=3..5",
                          .data = "hello",
                          .at_once = "pass 9s",
                          .fetched_after = "pass 9s"},
                    Crowd{.name = "SevenAlikeWithLostReplies",
                          .clients = 7,
                          .fault = "fault drop REP from=passive nth=2..5",
                          .data = "hello",
                          .at_once = "settle",
                          .fetched_after = "pass 5s"},
                    Crowd{.name = "AllAlike", .data = "hello", .at_once = "settle"},
                    Crowd{.name = "AllAlikeBeyondTheBacklog", .backlog = kNoRoom, .data = "hello"},
                    Crowd{.name = "AllAlikeAnsweredLate",
                          .data = "hello",
                          .at_once = "settle",
                          .between = "pass 1s"},
                    Crowd{.name = "AllAlikeHalfOfTheRequestsLost",
                          .fault = "fault drop REQ from=active nth=17..48",
                          .data = "hello",
                          .at_once = "pass 9s",
                          .fetched_after = "pass 9s"},
                    Crowd{.name = "AllAlikeSomeLost",
                          .fault = "fault drop any from=any during=200us",
                          .data = "hello",
                          .at_once = "pass 9s",
                          .fetched_after = "pass 9s"}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace cm
