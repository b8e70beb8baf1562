#include "conformance/sharpness/recording_alterations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/recordings/testing.h"
#include "conformance/sharpness/alternatives.h"
#include "conformance/sharpness/kinds.h"

namespace cm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

std::vector<RecordingAlteration> AllOf(std::string_view recording, const std::vector<int>& lines) {
  std::vector<RecordingAlteration> all;
  for (const AlterationKind& kind : AlterationKinds())
    for (RecordingAlteration& one : AlterationsOf(kind, recording, lines))
      all.push_back(std::move(one));
  return all;
}

TEST(AnAlteration, NamesEveryErrnoAndStatusOnce) {
  EXPECT_THAT(AllErrnos(), Contains(Errno::kBadF));
  EXPECT_THAT(AllErrnos(), SizeIs(29));
  EXPECT_THAT(AllStatuses(), IsSupersetOf({0, 8, 28, -1, -104, -110}));
  EXPECT_THAT(AllStatuses(), SizeIs(64));
}

constexpr std::string_view kShort =
    R"({"t_us":1,"k":"call","fn":"rdma_create_event_channel","args":"C","ret":0,"errno":"0","dur_us":1}
{"t_us":3,"k":"call","fn":"rdma_create_id","args":"A chan=C","ret":0,"errno":"0","dur_us":1}
{"t_us":4,"k":"call","fn":"rdma_create_event_channel","args":"S","ret":0,"errno":"0","dur_us":1}
{"t_us":4,"k":"call","fn":"rdma_create_id","args":"L chan=S","ret":0,"errno":"0","dur_us":1}
{"t_us":5,"k":"call","fn":"rdma_resolve_addr","args":"A 10.0.1.1:7471 src=10.0.0.1","ret":0,"errno":"0","dur_us":1}
{"t_us":900,"k":"event","chan":"C","type":"ADDR_RESOLVED","num":0,"status":0,"id":"A","listen_id":null,"pdlen":0,"pd":"","conn":{"rr":0,"depth":0,"fc":0,"retry":0,"rnr":0,"srq":0,"qpn":0}}
{"t_us":1000,"k":"call","fn":"ibv_query_qp","args":"A","ret":0,"errno":"0","dur_us":1}
{"t_us":1100,"k":"show","id":"A","verbs":"rxe0","port":1,"ps":262,"src":"10.0.0.1:51589","dst":"10.0.1.1:7471","src_port":51589,"dst_port":7471,"num_paths":0,"qp":null}
)";

constexpr int kEvent = 6;  // lines of an event
constexpr int kShow = 8;

std::set<std::string> FieldsAlteredIn(int line) {
  std::set<std::string> fields;
  for (const RecordingAlteration& a : AllOf(kShort, {line})) fields.insert(a.field);
  return fields;
}

TEST(JudgedLines, LeaveOutWhatTheTablesDoNotKnow) {
  EXPECT_THAT(JudgedLines(kShort, ReferenceProfile()), ElementsAre(1, 2, 3, 4, 5, 6, 8));
}

TEST(JudgedLines, AreNoneOfARecordingThatIsRefused) {
  std::string refused(kShort);
  refused.replace(refused.find("\"status\":0"), 10, "\"status\":1");
  EXPECT_THAT(JudgedLines(refused, ReferenceProfile()), IsEmpty());
}

TEST(AnAlteration, ConcernsEveryFieldThatIsObservedAndNoOther) {
  EXPECT_THAT(FieldsAlteredIn(5), ElementsAre("reply", "time"));
  EXPECT_THAT(FieldsAlteredIn(kEvent),
              ElementsAre("chan", "conn.depth", "conn.fc", "conn.retry", "conn.rnr", "conn.rr",
                          "conn.srq", "id", "listen_id", "pdlen", "status", "time", "type"));
  EXPECT_THAT(FieldsAlteredIn(kShow),
              ElementsAre("dst", "num_paths", "port", "ps", "qp", "src", "verbs"));
}

TEST(AnAlteration, ChangesItsLineAndNoOther) {
  const std::vector<RecordingAlteration> all = AllOf(kShort, {kEvent});
  ASSERT_THAT(all, Not(IsEmpty()));
  for (const RecordingAlteration& alteration : all) {
    const std::string altered = Altered(kShort, alteration);
    EXPECT_NE(altered, kShort);
    const size_t before = kShort.find("{\"t_us\":900");
    EXPECT_EQ(altered.substr(0, before), kShort.substr(0, before));
    const std::string_view behind = kShort.substr(kShort.find("{\"t_us\":1000"));
    EXPECT_NE(altered.ends_with(behind), alteration.ends) << alteration.Name();
  }
}

TEST(AnAlteration, IsDifferentFromEveryOther) {
  for (const CarriedRecording& carried : CarriedRecordings()) {
    std::set<std::string> texts;
    for (const RecordingAlteration& alteration :
         AllOf(carried.text, JudgedLines(carried.text, carried.profile())))
      EXPECT_TRUE(texts.insert(std::to_string(alteration.line) + alteration.text).second)
          << carried.FullName() << ":" << alteration.Name();
  }
}

TEST(AnAlteration, ConcernsTheAttributesOfAQueuePairThatAreShown) {
  std::string shown(kShort);
  shown.replace(shown.find("\"qp\":null"), 9,
                R"("qp":"INIT","q_timeout":0,"q_retry":0,"q_rnr":0,"q_rd":0,"q_drd":0)");
  std::set<std::string> fields;
  for (const RecordingAlteration& a : AlterationsOf(KindNamed("queue pair"), shown, {kShow}))
    fields.insert(a.field);
  EXPECT_THAT(fields, ElementsAre("q_drd", "q_rd", "q_retry", "q_rnr", "q_timeout", "qp"));
}

TEST(AnAlteration, LeavesAloneWhatIsVolatile) {
  for (const RecordingAlteration& alteration : AllOf(kShort, {kShow}))
    EXPECT_NE(alteration.is, "10.0.0.1:40000") << alteration.Name();
}

}  // namespace
}  // namespace cm
