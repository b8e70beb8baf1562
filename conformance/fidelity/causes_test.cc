// Every cause, shown by two histories written by hand.
#include "conformance/fidelity/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "conformance/fidelity/test_histories.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The cause of the first difference of the two.
Explanation Why(const HistoryText& kernel, const HistoryText& simulator) {
  const History k = HistoryOf(kernel);
  const History s = HistoryOf(simulator);
  const std::optional<Parting> parting = FirstParting(k, s);
  EXPECT_TRUE(parting);
  if (!parting) return {};
  return CauseOf(k, s, *parting, *FindProfile("6.1-rxe"));
}

std::string NameOf(const Explanation& explanation) {
  return std::string(InfoOf(explanation.cause).name);
}

HistoryText Channels() {
  return {"active rdma_create_event_channel C nonblocking -> 0",
          "passive rdma_create_event_channel S nonblocking -> 0"};
}

TEST(Causes, EachHasANameAndASentenceOfItsOwn) {
  std::set<std::string_view> names;
  for (const CauseInfo& info : kCauses) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.sentence.empty());
    EXPECT_EQ(&InfoOf(info.cause), &info);
  }
}

TEST(Causes, TheTablesLackARow) {
  const Explanation why =
      Why(Listening() + HistoryText{"passive rdma_listen L backlog=8 -> -1 EBUSY"},
          Listening() + HistoryText{"passive rdma_listen L backlog=8 -> -1 EINVAL"});
  EXPECT_EQ(NameOf(why), "the tables lack a row");
  EXPECT_THAT(why.why, AllOf(HasSubstr("EBUSY"), HasSubstr("only: -1 EINVAL")));
}

TEST(Causes, TheSimulatorDoesWhatNoRowPermits) {
  const Explanation why =
      Why(Listening() + HistoryText{"passive rdma_listen L backlog=8 -> -1 EINVAL"},
          Listening() + HistoryText{"passive rdma_listen L backlog=8 -> -1 EBUSY"});
  EXPECT_EQ(NameOf(why), "the simulator does what no row permits");
}

TEST(Causes, BeyondTheTables) {
  const auto with = [](const std::string& answer) {
    return Channels() + HistoryText{"active rdma_create_id A on=C -> 0",
                                    "active rdma_bind_addr A addr=active:7000 -> 0",
                                    "active rdma_create_qp A type=UC -> " + answer};
  };
  EXPECT_EQ(NameOf(Why(with("0"), with("-1 EPERM"))), "beyond the tables");
}

TEST(Causes, WhichOfSeveralWaitingThreadsIsServed) {
  const HistoryText before = {"active rdma_create_event_channel C -> 0",
                              "active rdma_create_id A on=C -> 0",
                              "active/2 rdma_get_cm_event C as=E -> blocked",
                              "active/3 rdma_get_cm_event C as=F -> blocked",
                              "active rdma_resolve_addr A dst=passive:7471 timeout_ms=2000 -> 0"};
  const std::string event = " -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A";
  const Explanation why =
      Why(before + HistoryText{"returned active/3 rdma_get_cm_event C as=F" + event},
          before + HistoryText{"returned active/2 rdma_get_cm_event C as=E" + event});
  EXPECT_EQ(NameOf(why), "which of several waiting threads is served");
}

TEST(Causes, OrderOfIndependentEventsOnOneChannel) {
  const auto with = [](const std::string& first, const std::string& second) {
    return Channels() +
           HistoryText{
               "active rdma_create_id A on=C -> 0",
               "active rdma_create_id B on=C -> 0",
               "active rdma_resolve_addr A dst=passive:7471 timeout_ms=2000 -> 0",
               "active rdma_resolve_addr B dst=passive:7472 timeout_ms=2000 -> 0",
               "settle -> done",
               "active rdma_get_cm_event C as=E -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=" +
                   first,
               "active rdma_get_cm_event C as=F -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=" +
                   second};
  };
  EXPECT_EQ(NameOf(Why(with("A", "B"), with("B", "A"))),
            "order of independent events on one channel");
}

TEST(Causes, WhoWasFirstOfTwoRequestsInFlight) {
  const auto with = [](const std::string& first, const std::string& second) {
    const auto request = [](const std::string& name, const std::string& data) {
      return "passive rdma_get_cm_event S as=" + name + " id=" + name +
             "P -> 0  event RDMA_CM_EVENT_CONNECT_REQUEST id=" + name +
             "P listen=L responder_resources=1 initiator_depth=1 flow_control=1 retry_count=7 "
             "rnr_retry_count=7 private=\"" +
             data + "\"+55";
    };
    return Listening() + HistoryText{"active rdma_create_event_channel C nonblocking -> 0"} +
           Ready("A") + Ready("B") +
           HistoryText{"active rdma_create_qp A -> 0",
                       "active rdma_create_qp B -> 0",
                       "active rdma_connect A private=\"a\" -> 0",
                       "active rdma_connect B private=\"b\" -> 0",
                       "settle -> done",
                       request("E", first),
                       request("F", second)};
  };
  EXPECT_EQ(NameOf(Why(with("a", "b"), with("b", "a"))), "who was first: two requests in flight");
}

// An address without a host: the error comes when the time is over.
HistoryText Asking() {
  return Channels() + HistoryText{"active rdma_create_id A on=C -> 0",
                                  "active rdma_resolve_addr A dst=silent:7471 timeout_ms=2000 -> 0",
                                  "pass 2s -> done", "@2100ms"};
}
constexpr const char* kError = " -> 0  event RDMA_CM_EVENT_ADDR_ERROR id=A status=-110";

TEST(Causes, ATimerAtTheEdgeOfAWait) {
  const auto with = [](const std::string& first, const std::string& second) {
    return Asking() + HistoryText{"active rdma_get_cm_event C as=E" + first, "pass 3s -> done",
                                  "@5200ms", "active rdma_get_cm_event C as=F" + second};
  };
  const Explanation why = Why(with(" -> -1 EAGAIN", kError), with(kError, " -> -1 EAGAIN"));
  EXPECT_EQ(NameOf(why), "late or early timer at the edge of a wait");
  EXPECT_THAT(why.why, AllOf(HasSubstr("simulator has it when it looks at 2.100 s"),
                             HasSubstr("kernel when it looks at 5.200 s")));
}

TEST(Causes, ATimerAtTheEdgeOfAWaitForTheDescriptor) {
  const auto with = [](const std::string& waited) {
    return Asking() + HistoryText{"active wait C within=1ms -> " + waited, "@5200ms",
                                  std::string("active rdma_get_cm_event C as=E") + kError};
  };
  EXPECT_EQ(NameOf(Why(with("quiet"), with("readable"))),
            "late or early timer at the edge of a wait");
}

TEST(Causes, ATimerThatNobodyLooksForAgain) {
  const auto with = [](const std::string& answer) {
    return Asking() + HistoryText{"active rdma_get_cm_event C as=E" + answer};
  };
  const Explanation why = Why(with(" -> -1 EAGAIN"), with(kError));
  EXPECT_EQ(NameOf(why), "late or early timer at the edge of a wait");
  EXPECT_THAT(why.why, HasSubstr("does not look again"));
}

// A request over a link that is down fails immediately; afterwards the device may be deaf.
TEST(Causes, ADeafDeviceAfterAFailedSend) {
  const auto with = [](const std::string& answer) {
    return Listening() + HistoryText{"active rdma_create_event_channel C nonblocking -> 0"} +
           Ready("A") + Ready("B") +
           HistoryText{
               "active rdma_create_qp A -> 0",
               "active rdma_create_qp B -> 0",
               "fault link-down side=active -> done",
               "settle -> done",
               "active rdma_connect A -> 0",
               "settle -> done",
               "active rdma_get_cm_event C as=E -> 0  event RDMA_CM_EVENT_UNREACHABLE id=A "
               "status=-110",
               "fault link-up side=active -> done",
               "settle -> done",
               "active rdma_connect B -> 0",
               "settle -> done",
               "passive rdma_get_cm_event S as=F id=P -> 0  event RDMA_CM_EVENT_CONNECT_REQUEST "
               "id=P "
               "listen=L responder_resources=1 initiator_depth=1 flow_control=1 retry_count=7 "
               "rnr_retry_count=7 private=\"\"+56",
               "passive rdma_reject P -> 0",
               "settle -> done",
               "active rdma_get_cm_event C as=G" + answer,
               "settle -> done",
               "active rdma_get_cm_event C as=H -> -1 EAGAIN"};
  };
  EXPECT_EQ(NameOf(Why(with(" -> -1 EAGAIN"), with(" -> 0  event RDMA_CM_EVENT_REJECTED id=B "
                                                   "status=28 private=\"\"+148"))),
            "deaf device after a failed send");
}

// A timer retransmits the request. On one of the two the listener's other timer expired first, and
// there the retransmission is no new request.
TEST(Causes, ATimerThatAnotherOneOvertakes) {
  const std::string request =
      "event RDMA_CM_EVENT_CONNECT_REQUEST id=%P listen=L responder_resources=1 initiator_depth=1 "
      "flow_control=1 retry_count=7 rnr_retry_count=7 private=\"\"+56";
  const auto named = [&request](const std::string& name) {
    std::string text = request;
    return "passive rdma_get_cm_event S as=" + name + " id=" + name + "P -> 0  " +
           text.replace(text.find('%'), 1, name);
  };
  const auto with = [&](const std::string& last) {
    return Listening() + HistoryText{"active rdma_create_event_channel C nonblocking -> 0"} +
           Ready("A") +
           HistoryText{
               "active rdma_create_qp A -> 0",
               "fault drop REP from=passive -> done",
               "active rdma_connect A -> 0",
               "pass 8s -> done",
               "@8s",
               named("E"),
               "passive rdma_create_qp EP -> 0",
               "passive rdma_accept EP -> 0",
               "pass 75s -> done",
               "@83s",
               "passive rdma_get_cm_event S as=F -> 0  event RDMA_CM_EVENT_UNREACHABLE id=EP "
               "status=-110",
               "@87s",
               last,
               "passive rdma_get_cm_event S as=H -> -1 EAGAIN"};
  };
  const Explanation why =
      Why(with("passive rdma_get_cm_event S as=G id=GP -> -1 EAGAIN"), with(named("G")));
  EXPECT_EQ(NameOf(why), "late or early timer at the edge of a wait");
  EXPECT_THAT(why.why, HasSubstr("by a timer (ib-retry-"));
}

// A REJ that may be lost, or not: what else the passive side sends is not known.
TEST(Causes, APermittedAlternativeNamesTheRowsOfBoth) {
  const auto with = [](const std::string& answer) {
    return HistoryText{"passive rdma_create_event_channel S nonblocking -> 0",
                       "active rdma_create_event_channel C nonblocking -> 0"} +
           Ready("A") +
           HistoryText{"active rdma_create_qp A -> 0",
                       "fault drop any from=passive nth=1..16 -> done",
                       "active rdma_connect A -> 0", "@110s",
                       "active rdma_get_cm_event C as=E -> 0  event " + answer};
  };
  const Explanation why = Why(with("RDMA_CM_EVENT_UNREACHABLE id=A status=-110"),
                              with("RDMA_CM_EVENT_REJECTED id=A status=8 private=\"\"+148"));
  EXPECT_EQ(NameOf(why), "permitted alternative");
  EXPECT_THAT(why.why, AllOf(HasSubstr("kernel by "), HasSubstr("; simulator by ")));
}

}  // namespace
}  // namespace cm
