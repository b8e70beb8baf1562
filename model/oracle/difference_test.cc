// Refusals, and the field by which each is named.
#include "model/oracle/difference.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace cm::model {
namespace {

Difference Of(std::string saw, std::vector<Permitted> permitted) {
  return DifferenceOf(
      {.kind = VerdictKind::kRefused, .saw = std::move(saw), .permitted = std::move(permitted)});
}

void Expect(const Difference& difference, const std::string& field, const std::string& saw,
            const std::string& permitted, const std::string& rule = {}) {
  EXPECT_EQ(difference.field, field);
  EXPECT_EQ(difference.saw, saw);
  EXPECT_EQ(difference.permitted, permitted);
  EXPECT_EQ(difference.rule, rule);
}

TEST(Difference, IsTheAnswerWhereAnotherOneIsPermitted) {
  Expect(Of("-1 ENOTCONN", {{.what = "-1 EINVAL", .rule = "connect-2"}}), "answer", "-1 ENOTCONN",
         "-1 EINVAL", "connect-2");
  Expect(Of("quiet", {{.what = "readable: an event is due"}}), "answer", "quiet",
         "readable: an event is due");
}

TEST(Difference, IsTheEventWhereItsTypeIsAnother) {
  Expect(Of("RDMA_CM_EVENT_REJECTED id=A status=28", {{.what = "RDMA_CM_EVENT_ESTABLISHED id=A"}}),
         "event", "RDMA_CM_EVENT_REJECTED", "RDMA_CM_EVENT_ESTABLISHED");
}

TEST(Difference, IsTheFieldOfTheNearestObservation) {
  Expect(Of("RDMA_CM_EVENT_REJECTED id=A status=28",
            {{.what = "RDMA_CM_EVENT_UNREACHABLE id=A status=-110", .rule = "far"},
             {.what = "RDMA_CM_EVENT_REJECTED id=A status=8", .rule = "near"}}),
         "status", "28", "8", "near");
}

TEST(Difference, OfAFieldThatOnlyOneHasIsAgainstNone) {
  Expect(Of("RDMA_CM_EVENT_REJECTED id=A", {{.what = "RDMA_CM_EVENT_REJECTED id=A status=8"}}),
         "status", "none", "8");
  Expect(Of("0 port=7471", {{.what = "0"}}), "port", "7471", "none");
}

TEST(Difference, OfPrivateDataIsItsLengthOrItsBytes) {
  const std::string event = "RDMA_CM_EVENT_CONNECT_REQUEST id=P";
  Expect(Of(event, {{.what = event + " private=\"hello there\"+45"}}), "private_data_len", "0",
         "56");
  const Difference bytes =
      Of(event + " private=\"hallo\"+51", {{.what = event + " private=\"hello\"+51"}});
  EXPECT_EQ(bytes.field, "private_data");
}

TEST(Difference, OfACallThatHasWaitedIsThatOfItsAnswer) {
  Expect(Of("returned 0", {{.what = "-1 ECONNREFUSED"}}), "answer", "0", "-1 ECONNREFUSED");
}

TEST(Difference, HasNoFieldWhereBothArePrintedAlike) {
  EXPECT_EQ(Of("0", {{.what = "0"}}).field, "");
  EXPECT_EQ(Of("returned 0", {{.what = "0"}, {.what = "blocked"}}).field, "");
}

TEST(Difference, IsAgainstNothingWhereNothingIsPermitted) {
  Expect(Of("RDMA_CM_EVENT_REJECTED id=A", {}), "event", "RDMA_CM_EVENT_REJECTED", "nothing");
}

}  // namespace
}  // namespace cm::model
