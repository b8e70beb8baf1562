// A fault that hits a number of messages explains no more than that number, of whichever
// connections they are.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "model/oracle/told.h"

namespace cm::model {
namespace {

// B of the channel D asks the listener M of the channel T, as A of C asks L of S.
Told Renamed(Told told) {
  for (std::string& line : told) {
    for (const auto& [from, to] : std::initializer_list<std::pair<std::string, std::string>>{
             {" L", " M"},
             {" A", " B"},
             {"=A", "=B"},
             {"=L", "=M"},
             {" C ", " D "},
             {"=C ", "=D "},
             {" S ", " T "},
             {"=S ", "=T "},
             {"7471", "7472"},
             {"as=e", "as=f"},
             {" P", " Q"},
             {"=P", "=Q"},
             {"as=r", "as=q"},
             {"event r", "event q"},
             {"qp_num=17", "qp_num=19"},
             {"qp_num=18", "qp_num=20"},
             {"event e", "event f"},
             {"ack_cm_event e", "ack_cm_event f"}}) {
      for (size_t at = line.find(from); at != std::string::npos;
           at = line.find(from, at + to.size()))
        line.replace(at, from.size(), to);
    }
  }
  return told;
}

Told TwoAsk(const std::string& fault) {
  const Told asks = {"active rdma_connect A private=\"hello\" -> 0"};
  return kListening + kRouteResolved + Renamed(kListening + kRouteResolved) +
         Told{"fault " + fault + " -> done", "@1s"} + asks + Renamed(asks);
}

const std::string kFetches = kFetchRequest + kRequestFields + " private=\"hello\"+51";
const std::string kFetchesOther =
    "passive rdma_get_cm_event T as=q id=Q -> 0  event RDMA_CM_EVENT_CONNECT_REQUEST id=Q "
    "listen=M" +
    kRequestFields + " private=\"hello\"+51";

class ACountedFault : public testing::TestWithParam<std::string> {};

TEST_P(ACountedFault, HitsTheFirst) {
  const Told told = TwoAsk(GetParam());
  const Told waits = {"@3s..4s", "passive wait S within=1s -> quiet"};
  ExpectPermitted(told + waits + Told{kFetchesOther});
  RefusalOfTheLast(told + Told{"passive wait S within=1s -> readable"});
}

TEST_P(ACountedFault, DoesNotHitAnother) {
  RefusalOfTheLast(TwoAsk(GetParam()) + Told{"@3s..4s", "passive wait T within=1s -> quiet"});
}

// They are asked for at once: the order is not known.
TEST_P(ACountedFault, HitsEitherOfTwoAtOnceButNotBoth) {
  Told told = TwoAsk(GetParam());
  for (std::string& line : told)
    if (line.find("rdma_connect B") != std::string::npos) line.replace(0, 6, "active/2 &");
  const Told s_quiet = {"@3s..4s", "passive wait S within=1s -> quiet"};
  const Told t_quiet = {"@5s..6s", "passive wait T within=1s -> quiet"};
  ExpectPermitted(told + s_quiet + Told{kFetchesOther});
  ExpectPermitted(told + Told{kFetches} + t_quiet);
  RefusalOfTheLast(told + s_quiet + t_quiet);
  // What was certain of the one is not taken back where the other is refused: it asks again.
  const Told still_quiet = {"@7s..12s", "passive wait S within=5s -> quiet"};
  const History history = Tell(told + s_quiet + t_quiet + still_quiet);
  const HistoryResult judged = JudgeHistory(history, ReferenceProfile());
  ASSERT_EQ(judged.refusals.size(), 2u);
  EXPECT_EQ(judged.refusals.back().record + 1, history.records.size());
}

INSTANTIATE_TEST_SUITE_P(Once, ACountedFault,
                         testing::Values("drop REQ from=active nth=1",
                                         "delay REQ from=active nth=1 by=7s"));

// Also those that nothing but the fault can have lost are counted: the third has to arrive.
TEST(CountedLosses, AreNoMoreThanTheFaultHits) {
  const Told told = kListening + kRouteResolved +
                    Told{"fault drop REQ from=active nth=1..2 -> done",
                         "active rdma_connect A private=\"hello\" -> 0"};
  ExpectPermitted(told + Told{"@1s..8s", "passive wait S within=7s -> quiet"});
  RefusalOfTheLast(told + Told{"@1s..15s", "passive wait S within=14s -> quiet"});
}

// The first message of a kind, and the wait of what it would have ended.
struct FirstOf {
  std::string name;
  std::string messages;   // "RTU from=active"
  Told before;            // what leads there
  Told sends;             // what sends it, at 1 s
  std::string wait;       // for what it brings
  std::string hit = "1";  // the numbers of all that must not bring it
};

void PrintTo(const FirstOf& first, std::ostream* out) { *out << first.name; }

const Told kBoth =
    kAccepted + Told{kEstablished, "active rdma_ack_cm_event e3 -> 0",
                     "passive rdma_get_cm_event S as=e4 -> 0  event RDMA_CM_EVENT_ESTABLISHED id=P",
                     "passive rdma_ack_cm_event e4 -> 0"};

// The same conversation about a datagram service.
Told OverUdp(Told told) {
  for (std::string& line : told)
    if (line.find("rdma_create_id") != std::string::npos)
      line.insert(line.find(" ->"), " ps=RDMA_PS_UDP");
  return told;
}

const Told kAsksForService = {"active rdma_connect A qp_num=9 -> 0"};
const Told kServiceRequested =
    OverUdp(kListening + kRouteResolved) + kAsksForService +
    Told{kFetchRequest + " private=\"\"+180", "passive rdma_ack_cm_event r -> 0"};

std::vector<FirstOf> FirstsOfAService() {
  const std::string replies = "SIDR_REP from=passive";
  const std::string hears = "active wait C within=1s";
  return {
      {.name = "SidrReq",
       .messages = "SIDR_REQ from=active",
       .before = OverUdp(kListening + kRouteResolved),
       .sends = kAsksForService,
       .wait = "passive wait S within=1s"},
      {.name = "SidrRep",
       .messages = replies,
       .before = kServiceRequested,
       .sends = {"passive rdma_accept P qp_num=8 -> 0"},
       .wait = hears},
      {.name = "SidrRepOfAReject",
       .messages = replies,
       .before = kServiceRequested,
       .sends = {"passive rdma_reject P -> 0"},
       .wait = hears},
      {.name = "SidrRepOfADestroy",
       .messages = replies,
       .before = kServiceRequested,
       .sends = {"passive rdma_destroy_id P -> 0"},
       .wait = hears},
      {.name = "SidrRepOfNoListener",
       .messages = replies,
       .before = OverUdp(kRouteResolved),
       .sends = kAsksForService,
       .wait = hears},
      {.name = "AnyOfAService",
       .messages = "any from=active",
       .before = OverUdp(kListening + kRouteResolved),
       .sends = kAsksForService,
       .wait = "passive wait S within=1s"},
  };
}

std::vector<FirstOf> Firsts() {
  return {
      {.name = "Rtu",
       .messages = "RTU from=active",
       .before = kAccepted,
       .sends = {kEstablished},
       .wait = "passive wait S within=1s"},
      {.name = "Dreq",
       .messages = "DREQ from=active",
       .before = kBoth,
       .sends = {"active rdma_disconnect A -> 0"},
       .wait = "passive wait S within=1s"},
      {.name = "DreqOfADestroy",
       .messages = "DREQ from=active",
       .before = kBoth,
       .sends = {"active rdma_destroy_id A -> 0"},
       .wait = "passive wait S within=1s"},
      {.name = "Drep",
       .messages = "DREP from=passive",
       .before =
           kBoth +
           Told{"active rdma_disconnect A -> 0",
                "passive rdma_get_cm_event S as=e5 -> 0  event RDMA_CM_EVENT_DISCONNECTED id=P",
                "passive rdma_ack_cm_event e5 -> 0"},
       .sends = {"passive rdma_disconnect P -> 0"},
       .wait = "active wait C within=1s"},
      {.name = "Rej",
       .messages = "REJ from=passive",
       .before = kRequested,
       .sends = {"passive rdma_reject P -> 0"},
       .wait = "active wait C within=1s"},
      {.name = "RejOfNoListener",
       .messages = "REJ from=passive",
       .before = kRouteResolved,
       .sends = {"active rdma_connect A -> 0"},
       .wait = "active wait C within=1s"},
      {.name = "Mra",
       .messages = "MRA from=passive",
       .before = kListening + kRouteResolved,
       .sends = {"active rdma_connect A private=\"hello\" -> 0"},
       .wait = "",
       .hit = "1..16"},
      {.name = "Any",
       .messages = "any from=active",
       .before = kListening + kRouteResolved,
       .sends = {"active rdma_connect A private=\"hello\" -> 0"},
       .wait = "passive wait S within=1s"},
  };
}

class TheFirst : public testing::TestWithParam<FirstOf> {
 protected:
  static Told Under(const std::string& nth) {
    const FirstOf& first = GetParam();
    return first.before + Told{"fault drop " + first.messages + " nth=" + nth + " -> done", "@1s"} +
           first.sends;
  }
  // It has arrived, or it has not. An MRA puts off the end of the attempt.
  static Told Arrives() {
    if (GetParam().wait.empty()) return {"@2s..122s", "active wait C within=120s -> quiet"};
    return {GetParam().wait + " -> readable"};
  }
  static Told IsLost() {
    if (GetParam().wait.empty()) return {"@2s..104s", "active wait C within=120s -> readable"};
    return {"@2s..3s", GetParam().wait + " -> quiet"};
  }
};

TEST_P(TheFirst, IsHitByAFaultOfTheFirst) {
  ExpectPermitted(Under(GetParam().hit) + IsLost());
  RefusalOfTheLast(Under(GetParam().hit) + Arrives());
}

TEST_P(TheFirst, IsHitWithinTheTimeOfTheFault) {
  const std::string hit = GetParam().hit + " during=200s";
  ExpectPermitted(Under(hit) + IsLost());
  RefusalOfTheLast(Under(hit) + Arrives());
}

TEST_P(TheFirst, IsSparedByAFaultOfTheSecond) {
  for (const std::string nth : {"2", "2..5", "2.."}) {
    SCOPED_TRACE(nth);
    ExpectPermitted(Under(nth) + Arrives());
    RefusalOfTheLast(Under(nth) + IsLost());
  }
}

// Messages that were sent before the fault are not counted.
TEST_P(TheFirst, IsTheFirstOfTheFault) {
  Told told = Renamed(kListening + kRouteResolved) + Told{"@500ms"};
  for (const std::string& line : Under(GetParam().hit)) told.push_back(line);
  ExpectPermitted(told + IsLost());
  RefusalOfTheLast(told + Arrives());
}

// The fetch of A waits for its reply while that of B returns: either RTU may have been the first.
TEST(ACountedRtu, MayBeSentByACallThatWaits) {
  const std::string fetched = kEstablished.substr(kEstablished.find(" rdma_get_cm_event"));
  Told asks = kRequested;
  asks.erase(asks.begin(), asks.begin() + static_cast<ptrdiff_t>(kListening.size()));
  const Told told = kListening + Renamed(kListening) + asks + Renamed(asks) +
                    Told{"fault drop RTU from=active nth=1 -> done", "@1s",
                         "active/2 rdma_get_cm_event C as=e3 -> blocked",
                         "passive rdma_accept P -> 0", "passive rdma_accept Q -> 0"} +
                    Renamed({kEstablished}) + Told{"returned active/2" + fetched};
  ExpectPermitted(told + Told{"passive wait T within=1s -> readable"});
  ExpectPermitted(told + Told{"@2s..3s", "passive wait T within=1s -> quiet"});
}

// At the instant at which it was healed: of what a fetch sends it is not known which faults precede
// it.
TEST(AHealedFault, CountsNothingThatIsSentLater) {
  const auto healed = [](const std::string& fault) {
    return kAccepted + Told{"@1s", "fault " + fault + " -> done", "@1s", "heal -> done", "@1s"};
  };
  ExpectPermitted(healed("reorder RTU from=active nth=1") +
                  Told{"fault drop RTU from=active nth=1 -> done", "@1s", kEstablished, "@2s..3s",
                       "passive wait S within=1s -> quiet"});
  ExpectPermitted(healed("delay RTU from=active nth=1 by=1s") +
                  Told{kEstablished, "passive wait S within=1s -> readable"});
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, TheFirst, testing::ValuesIn(Firsts()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(OfAService, TheFirst, testing::ValuesIn(FirstsOfAService()),
                         [](const auto& info) { return info.param.name; });

// A reply that is lost is owed once more, to a second request.
TEST(ACountedSidrRep, IsFollowedByAnotherRequest) {
  const Told told = kServiceRequested + Told{"fault drop SIDR_REP from=passive nth=1 -> done",
                                             "@1s", "passive rdma_accept P qp_num=8 -> 0"};
  ExpectPermitted(told + Told{"@2s..3s", "passive wait S within=1s -> quiet"});
  RefusalOfTheLast(told + Told{"@2s..22s", "passive wait S within=20s -> quiet"});
}

TEST(ACountOfAnyMessages, HitsTheOneInThatPlace) {
  const Told a_quiet = {"@3s..4s", "passive wait S within=1s -> quiet"};
  const Told b_quiet = {"@3s..4s", "passive wait T within=1s -> quiet"};
  const Told second = TwoAsk("drop any from=active nth=2");
  ExpectPermitted(second + b_quiet);
  RefusalOfTheLast(second + a_quiet);
  const Told fifth = TwoAsk("drop any from=active nth=5");
  RefusalOfTheLast(fifth + a_quiet);
  RefusalOfTheLast(fifth + b_quiet);
}

// The REJ of the request would be sent by the other side.
TEST(ACountedRej, IsOfTheSideThatTheFaultNames) {
  const auto destroyed = [](const std::string& fault) {
    return kRequested +
           Told{"fault " + fault + " -> done", "@1s", "active rdma_destroy_id A -> 0", "@2s"};
  };
  const Told rejected = {"passive rdma_accept P -> -1 EINVAL"};
  ExpectPermitted(destroyed("drop REJ from=active nth=1") + Told{"passive rdma_accept P -> 0"});
  RefusalOfTheLast(destroyed("drop REJ from=active nth=1") + rejected);
  ExpectPermitted(destroyed("drop REJ from=active nth=2") + rejected);
}

// Another call on the id in the same instant sends nothing.
TEST(ACountedMessage, IsCountedOnce) {
  const Told asks = {"active rdma_connect A private=\"hello\" -> 0"};
  const Told told = kListening + kRouteResolved + Renamed(kListening + kRouteResolved) +
                    Told{"fault delay REQ from=active nth=1..2 by=7s -> done", "@1s"} + asks +
                    Told{"@1s", "active rdma_get_dst_port A -> 0  port=7471"} + Renamed(asks);
  ExpectPermitted(told + Told{"@3s..4s", "passive wait T within=1s -> quiet"});
  RefusalOfTheLast(told + Told{"@3s..4s", "passive wait T within=1s -> readable"});
}

// A fault that acts for 5 s, and a request that is sent some time after it was installed.
class AFaultForATime : public testing::TestWithParam<std::string> {
 protected:
  static Told SentAt(const std::string& when) {
    return kListening + kRouteResolved +
           Told{"fault " + GetParam() + " during=5s -> done", "@" + when,
                "active rdma_connect A private=\"hello\" -> 0"};
  }
};

TEST_P(AFaultForATime, HitsWhatIsSentWithinIt) {
  ExpectPermitted(SentAt("1s") + Told{"@2s..2500ms", "passive wait S within=500ms -> quiet"});
  RefusalOfTheLast(SentAt("1s") + Told{"passive wait S within=1s -> readable"});
}

// What is sent at its end may pass it later.
TEST_P(AFaultForATime, MayMissWhatIsSentAtItsEnd) {
  ExpectPermitted(SentAt("4900ms") + Told{"@5500ms..6s", "passive wait S within=500ms -> quiet"});
  ExpectPermitted(SentAt("4900ms") + Told{"passive wait S within=1s -> readable"});
}

TEST_P(AFaultForATime, SparesWhatIsSentLater) {
  ExpectPermitted(SentAt("7s") + Told{"passive wait S within=1s -> readable"});
  RefusalOfTheLast(SentAt("7s") + Told{"@8s..9s", "passive wait S within=1s -> quiet"});
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, AFaultForATime,
                         testing::Values("drop REQ from=active", "corrupt REQ from=active",
                                         "drop REQ from=active nth=1",
                                         "delay REQ from=active by=2s",
                                         "delay REQ from=active nth=1 by=2s"));

// The third request, which is not delayed any more, arrives before the two that are.
TEST(ALongDelay, MayBeOvertakenWhenItIsOver) {
  const Told asks = {"@1s", "active rdma_connect A private=\"hello\" -> 0"};
  const Told arrives = {"@11s..14500ms", "passive wait S within=60s -> readable"};
  const Told told = kListening + kRouteResolved;
  ExpectPermitted(told + Told{"fault delay REQ from=active by=30s during=10s -> done"} + asks +
                  arrives);
  ExpectPermitted(told + Told{"fault delay REQ from=active by=30s -> done"} + asks +
                  Told{"@10s", "heal -> done"} + arrives);
}

// A link that goes down at once, and up after `every`.
Told AsksWhileItFlaps(const std::string& every, const std::string& when) {
  return kListening + kRouteResolved +
         Told{"fault link-flap side=passive every=" + every + " times=1 -> done", "@" + when,
              "active rdma_connect A private=\"hello\" -> 0"};
}

TEST(AFlappingLink, LosesWhatIsSentWhileItIsDown) {
  const Told told = AsksWhileItFlaps("60s", "1s");
  ExpectPermitted(told + Told{"@2s..3s", "passive wait S within=1s -> quiet"});
  RefusalOfTheLast(told + Told{"passive wait S within=1s -> readable"});
}

TEST(AFlappingLink, MayBeUpBeforeTheMessageArrives) {
  const Told told = AsksWhileItFlaps("1s", "900ms");
  ExpectPermitted(told + Told{"@2s..3s", "passive wait S within=1s -> quiet"});
  ExpectPermitted(told + Told{"passive wait S within=1s -> readable"});
}

}  // namespace
}  // namespace cm::model
