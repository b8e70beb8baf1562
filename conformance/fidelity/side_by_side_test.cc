// Made-up histories: equal, too early, too late, and with another event.
#include "conformance/fidelity/side_by_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "conformance/fidelity/test_histories.h"
#include "model/vocabulary/profile.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const ScenarioEvent kRequest{EventType::kConnectRequest, 0};
const ScenarioEvent kEstablished{EventType::kEstablished, 0};
const ScenarioEvent kUnreachable{EventType::kUnreachable, -110};
constexpr Duration kSlack = Duration::Milliseconds(20);

Duration Ms(int64_t ms) { return Duration::Milliseconds(ms); }

std::vector<Agreement> Agreements(const std::vector<EventPair>& pairs) {
  std::vector<Agreement> all;
  for (const EventPair& pair : pairs) all.push_back(pair.agreement);
  return all;
}

// A request arrives immediately and, 4.096 s later, the connection is established, which may be
// late by one timer step.
const std::vector<TimedEvent> kSimulator = {{"active", kEstablished, Ms(4096), {}},
                                            {"passive", kRequest, Ms(0), {}},
                                            {"passive", kEstablished, Ms(4096), {}}};
const std::vector<Duration> kLate = {Ms(256), Ms(0), Ms(256)};

std::vector<EventPair> Beside(const std::vector<TimedEvent>& kernel) {
  return SideBySide(kSimulator, kLate, kernel, kSlack);
}

TEST(TimerStep, GrowsWithTheLength) {
  EXPECT_EQ(TimerStep(Ms(200)), Ms(4));
  EXPECT_EQ(TimerStep(Ms(512)), Ms(32));
  EXPECT_EQ(TimerStep(Ms(2048)), Ms(256));
  EXPECT_EQ(TimerStep(Ms(6144)), Ms(256));
  EXPECT_EQ(TimerStep(Ms(67584)), Ms(2048));
  EXPECT_EQ(TimerStep(Ms(200000)), Ms(16384));
}

TEST(SideBySide, AreTheSameWithinWhatTimersMayBeLate) {
  EXPECT_TRUE(Same(Beside(kSimulator)));
  EXPECT_TRUE(Same(Beside({{"active", kEstablished, Ms(4096 + 256 + 20), {}},
                           {"passive", kRequest, Ms(1), {}},
                           {"passive", kEstablished, Ms(4352), {}}})));
}

TEST(SideBySide, NoticesAnEventThatIsTooEarly) {
  const auto pairs = Beside({{"active", kEstablished, Ms(4094), {}}, kSimulator[1], kSimulator[2]});
  EXPECT_THAT(Agreements(pairs),
              ElementsAre(Agreement::kEarly, Agreement::kSame, Agreement::kSame));
  EXPECT_FALSE(Same(pairs));
}

TEST(SideBySide, NoticesAnEventThatIsLaterThanItsTimersMayBe) {
  EXPECT_THAT(Agreements(Beside({{"active", kEstablished, Ms(4096 + 256 + 21), {}},
                                 {"passive", kRequest, Ms(21), {}},
                                 kSimulator[2]})),
              ElementsAre(Agreement::kLate, Agreement::kLate, Agreement::kSame));
}

TEST(SideBySide, AllowForWhatTheEnvironmentTook) {
  EXPECT_THAT(Agreements(Beside({{"active", kEstablished, Ms(4096 + 256 + 20 + 100), Ms(100)},
                                 {"passive", kRequest, Ms(121), Ms(100)},
                                 kSimulator[2]})),
              ElementsAre(Agreement::kSame, Agreement::kLate, Agreement::kSame));
}

TEST(SideBySide, NoticesAnotherEventAndAnotherStatus) {
  EXPECT_THAT(Agreements(Beside({{"active", kUnreachable, Ms(4096), {}},
                                 kSimulator[1],
                                 {"passive", {EventType::kEstablished, -1}, Ms(4096), {}}})),
              ElementsAre(Agreement::kOther, Agreement::kSame, Agreement::kOther));
}

TEST(SideBySide, NoticesAnEventTooManyAndTooFew) {
  EXPECT_THAT(Agreements(Beside({kSimulator[1], kSimulator[2]})),
              ElementsAre(Agreement::kOther, Agreement::kSame, Agreement::kSame));
  EXPECT_THAT(Agreements(Beside({kSimulator[0], kSimulator[0], kSimulator[1], kSimulator[2]})),
              ElementsAre(Agreement::kSame, Agreement::kOther, Agreement::kSame, Agreement::kSame));
  EXPECT_THAT(Agreements(Beside({kSimulator[0], kSimulator[1], kSimulator[2], kSimulator[2]})),
              ElementsAre(Agreement::kSame, Agreement::kSame, Agreement::kSame, Agreement::kOther));
}

TEST(SideBySide, OfNothingIsTheSame) { EXPECT_TRUE(Same(SideBySide({}, {}, {}, kSlack))); }

// The active side connects, and waits until the history's time for the result.
History Waiting(const std::string& until, const std::string& event) {
  return HistoryOf(
      Listening() + HistoryText{"active rdma_create_event_channel C -> 0"} + Ready("A") +
      HistoryText{"active rdma_connect A -> 0", "active wait C within=1200s -> readable",
                  "@" + until, "active rdma_get_cm_event C as=u -> 0  event " + event + " id=A"});
}

TEST(TimedEvents, SayWhatTheEnvironmentTookSinceTheConnect) {
  History history = Waiting("70s", "RDMA_CM_EVENT_UNREACHABLE status=-110");
  history.conversation.lines.push_back(line::Heals{});
  Record heal = history.records.back();
  heal.line = static_cast<uint32_t>(history.conversation.lines.size() - 1);
  heal.end = heal.begin + Ms(5);
  heal.seen = seen::Done{};
  history.records.insert(history.records.end() - 1, heal);
  history.records.back().end = heal.end + Ms(1);
  EXPECT_EQ(TimedEvents(history)[0].outside, Ms(5));
}

TEST(TimedEvents, LeaveResolutionsOutAndCountFromTheConnect) {
  const History history = Waiting("70s", "RDMA_CM_EVENT_UNREACHABLE status=-110");
  const std::vector<TimedEvent> events = TimedEvents(history);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].side, "active");
  EXPECT_EQ(events[0].event, kUnreachable);
  EXPECT_EQ(events[0].at, Ms(70000 - 14));  // the fifteenth line, a millisecond each
}

// `count` REQ, one interval apart, and UNREACHABLE one interval after the last.
History GivenUp(int count, Duration interval) {
  History history = HistoryOf(Listening() + HistoryText{"active rdma_create_event_channel C -> 0"} +
                              Ready("A") + HistoryText{"active rdma_connect A -> 0"});
  const Instant begin = history.records.back().end;
  const auto record = static_cast<uint32_t>(history.records.size());
  for (int i = 0; i < count; ++i)
    history.wire.push_back({.record = i == 0 ? record - 1 : record,
                            .at = begin + interval * i,
                            .side = kActiveSide,
                            .kind = MadKind::kReq,
                            .lost = true});
  Conversation& conversation = history.conversation;
  const auto line = static_cast<uint32_t>(conversation.lines.size());
  const ChannelRef channel = *conversation.names.channels.Find("C");
  const Lane lane{.side = kActiveSide};
  const EventRef event = conversation.names.events.Intern("u");
  conversation.lines.push_back(line::Waits{lane, channel, Duration::Seconds(1200)});
  conversation.lines.push_back(line::Calls{lane, call::GetCmEvent{channel, event, {}}});
  const Instant end = begin + interval * count;
  history.records.push_back({line, begin, end, seen::Waited{true}});
  seen::Answered fetched{.reply = Reply::Returned()};
  fetched.event = CmEvent{.type = EventType::kUnreachable, .status = -110};
  history.records.push_back({line + 1, end, end, fetched});
  return history;
}

TEST(Lateness, AddsUpOverRetransmissions) {
  const Profile& profile = *FindProfile("6.1-rxe");
  EXPECT_THAT(Lateness(GivenUp(16, Ms(6144)), profile), ElementsAre(Ms(16 * 256)));
  EXPECT_THAT(Lateness(GivenUp(1, Ms(6144)), profile), ElementsAre(Ms(256)));
  EXPECT_THAT(Lateness(GivenUp(3, Ms(67584)), profile), ElementsAre(Ms(3 * 2048)));
}

TEST(Lateness, OfWhatNoTimerDidIsNone) {
  const History history =
      HistoryOf(Listening() + HistoryText{"active rdma_create_event_channel C -> 0"});
  EXPECT_THAT(Lateness(history, *FindProfile("6.1-rxe")), IsEmpty());
}

}  // namespace
}  // namespace cm
