// A recording with one altered field is refused, or listed in admissible.txt with the reason why it
// is permitted.
#include "conformance/recordings/alterations.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/recordings/alternatives.h"
#include "conformance/recordings/reasons.h"
#include "conformance/recordings/testing.h"
#include "model/base/files.h"

namespace cm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

constexpr int kParts = 6;

std::string FullName(const CarriedRecording& carried, const Alteration& alteration) {
  return carried.FullName() + ":" + alteration.Name();
}

std::vector<Alteration> AllOf(const CarriedRecording& carried) {
  return AlterationsOf(carried.text, JudgedLines(carried.text, carried.profile()));
}

const Reasons& Listed() {
  static const Reasons reasons(*ReadFile("conformance/recordings/admissible.txt"));
  return reasons;
}

// One recording in six: a test each, so that none takes long.
class AlteredRecordings : public testing::TestWithParam<size_t> {};

TEST_P(AlteredRecordings, AreRefusedUnlessListed) {
  for (size_t i = GetParam(); i < CarriedRecordings().size(); i += kParts) {
    const CarriedRecording& carried = CarriedRecordings()[i];
    for (const Alteration& alteration : AllOf(carried)) {
      const std::string name = FullName(carried, alteration);
      const bool admitted = Admits(Altered(carried.text, alteration), carried.profile());
      EXPECT_EQ(admitted, Listed().Find(name) != nullptr)
          << name << (admitted ? " is permitted and not listed" : " is listed and refused");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, AlteredRecordings, testing::Range(size_t{0}, size_t{kParts}));

TEST(ListedAlterations, AreFewHaveAReasonAndExist) {
  std::set<std::string> unknown;
  for (const ListedAlterations& listed : Listed().listed()) {
    EXPECT_GT(listed.reason.size(), 40u) << listed.pattern;
    EXPECT_TRUE(unknown.insert(listed.pattern).second) << "listed twice: " << listed.pattern;
  }
  std::map<AlterationKind, std::pair<size_t, size_t>> counts;  // listed, all
  for (const CarriedRecording& carried : CarriedRecordings()) {
    for (const Alteration& alteration : AllOf(carried)) {
      const ListedAlterations* listed = Listed().Find(FullName(carried, alteration));
      auto& [permitted, all] = counts[alteration.kind];
      ++all;
      if (listed == nullptr) continue;
      ++permitted;
      unknown.erase(listed->pattern);
    }
  }
  EXPECT_THAT(unknown, IsEmpty());
  // At least 95 % of each kind must be refused.
  for (const AlterationKindRow& row : kAlterationKinds) {
    const auto [permitted, all] = counts[row.kind];
    EXPECT_LE(permitted * 20, all) << row.name << ": " << permitted << " of " << all;
    RecordProperty("alterations", static_cast<int>(all));
    RecordProperty("admitted", static_cast<int>(permitted));
  }
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
  for (const Alteration& a : AlterationsOf(kShort, {line})) fields.insert(a.field);
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
              ElementsAre("dst", "num_paths", "port", "qp", "src", "verbs"));
}

TEST(AnAlteration, ChangesItsLineAndNoOther) {
  const std::vector<Alteration> all = AlterationsOf(kShort, {kEvent});
  ASSERT_THAT(all, Not(IsEmpty()));
  for (const Alteration& alteration : all) {
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
    for (const Alteration& alteration : AllOf(carried))
      EXPECT_TRUE(texts.insert(std::to_string(alteration.line) + alteration.text).second)
          << FullName(carried, alteration);
  }
}

TEST(AnAlteration, LeavesAloneWhatIsVolatile) {
  for (const Alteration& alteration : AlterationsOf(kShort, {kShow}))
    EXPECT_NE(alteration.is, "10.0.0.1:40000") << alteration.Name();
}

}  // namespace
}  // namespace cm
