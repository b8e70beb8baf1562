// What a record shows: numbers of queue pairs, lines that cannot have been carried out, and which
// of the things that are owed is named where several are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "model/oracle/told.h"

namespace cm::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Told WithoutQp() {
  Told told = kListening + kRouteResolved;
  told.pop_back();
  return told;
}

// The request of an id that has named a number of 25 bits.
const Told kAsksByNumber =
    WithoutQp() + Told{"active rdma_connect A qp_num=16777315 private=\"hello\" -> 0"};

std::string Request(const std::string& number) {
  return kFetchRequest +
         " responder_resources=1 initiator_depth=1 flow_control=1 retry_count=7 rnr_retry_count=7" +
         number + " private=\"hello\"+51";
}

std::string Response(const std::string& number) {
  return "active rdma_get_cm_event C as=e3 -> 0  event RDMA_CM_EVENT_CONNECT_RESPONSE id=A "
         "responder_resources=1 initiator_depth=1 flow_control=1 rnr_retry_count=7" +
         number + " private=\"\"+196";
}

const Told kHeardByNumber =
    kAsksByNumber + Told{Request(" qp_num=99"), "passive rdma_ack_cm_event r -> 0"};

// The line without the number of a queue pair.
std::string Hidden(std::string line) {
  const size_t at = line.find(" qp_num=");
  return at == std::string::npos ? line : line.erase(at, line.find(' ', at + 1) - at);
}

TEST(ANumberThatIsNamed, IsShownWithTheBitsThatAMessageHas) {
  ExpectPermitted(kAsksByNumber + Told{Request(" qp_num=99")});
  for (const std::string other : {" qp_num=98", " qp_num=16777315", ""})
    RefusalOfTheLast(kAsksByNumber + Told{Request(other)});
}

TEST(ANumberThatIsNamed, IsThatOfTheAnswer) {
  const Told answered = kHeardByNumber + Told{"passive rdma_accept P qp_num=55 -> 0"};
  ExpectPermitted(answered + Told{Response(" qp_num=55")});
  for (const std::string other : {" qp_num=54", " qp_num=99", ""})
    RefusalOfTheLast(answered + Told{Response(other)});
}

// It is sent for an id without a queue pair, also where nothing names one.
TEST(ANumberThatIsNamed, IsZeroWithoutAName) {
  const Told answered = kHeardByNumber + Told{"passive rdma_accept P -> 0"};
  ExpectPermitted(answered + Told{Response("")});
  RefusalOfTheLast(answered + Told{Response(" qp_num=17")});
}

TEST(ANumberThatIsDrawn, IsThatOfNoSpecialQueuePair) {
  ExpectPermitted(kConnecting + Told{Request(" qp_num=2")});
  RefusalOfTheLast(kConnecting + Told{Request(" qp_num=1")});
}

TEST(ANumberThatIsDrawn, IsShownAlwaysOrNever) {
  EXPECT_THAT(RefusalOfTheLast(kAccepted + Told{Hidden(kEstablished)}), HasSubstr("qp_num=drawn"));
  Told hidden;
  for (const std::string& line : kAccepted + Told{kEstablished}) hidden.push_back(Hidden(line));
  ExpectPermitted(hidden);
}

// A call of the lane has not returned.
const Told kFetches = {"active rdma_create_event_channel C -> 0",
                       "active rdma_create_id A on=C -> 0",
                       "active rdma_get_cm_event C as=x -> blocked"};

TEST(ALineThatCannotBeCarriedOut, IsNotWhileItsLaneWaits) {
  const std::string creates = " rdma_create_id B on=C -> ";
  ExpectPermitted(kFetches + Told{"active/2" + creates + "0"});
  ExpectPermitted(kFetches + Told{"active" + creates + "not-applicable why=lane-waits"});
  EXPECT_THAT(RefusalOfTheLast(kFetches + Told{"active" + creates + "0"}),
              AllOf(HasSubstr("not-applicable why=lane-waits"),
                    HasSubstr("an earlier call of its lane has not returned")));
  RefusalOfTheLast(kFetches + Told{"@1s..2s", "active wait C within=1s -> quiet"});
}

TEST(ALineThatCannotBeCarriedOut, IsNotAfterTheEndOfItsProcess) {
  EXPECT_THAT(RefusalOfTheLast(kListening + Told{"fault exit side=passive -> done",
                                                 "passive rdma_create_event_channel T -> 0"}),
              AllOf(HasSubstr("why=exited"), HasSubstr("its process has ended")));
  EXPECT_THAT(RefusalOfTheLast(kListening + Told{"fault exit side=passive -> done",
                                                 "passive rdma_listen L backlog=8 -> 0"}),
              HasSubstr("its process has ended"));
}

TEST(ALineThatCannotBeCarriedOut, IsNotWithWhatNeverWas) {
  EXPECT_THAT(RefusalOfTheLast({"active rdma_create_event_channel C nonblocking -> 0",
                                "active rdma_get_cm_event C as=e -> -1 EAGAIN",
                                "active rdma_ack_cm_event e -> 0"}),
              HasSubstr("why=never-made"));
}

TEST(ALineThatCannotBeCarriedOut, IsNotWithWhatAnotherProcessHas) {
  EXPECT_THAT(RefusalOfTheLast(kListening + Told{"active rdma_destroy_id L -> 0"}),
              HasSubstr("why=of-another-side"));
}

// The REJ of the one that is destroyed comes at once, a repetition of the REP seconds later.
TEST(WhatIsOverdue, IsNamedByWhatHadToBeFirst) {
  const Told destroyed =
      kHeardByNumber + Told{"passive rdma_create_qp P -> 0", "passive rdma_accept P -> 0",
                            Response(" qp_num=17"), "active rdma_ack_cm_event e3 -> 0",
                            "active rdma_destroy_id A -> 0"};
  EXPECT_THAT(
      RefusalOfTheLast(destroyed + Told{"@20ms..100s", "passive wait S within=100s -> quiet"}),
      HasSubstr("the arrival of a message is overdue"));
}

}  // namespace
}  // namespace cm::model
