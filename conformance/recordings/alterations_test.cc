// A recording with one altered field is refused, or listed in admissible.txt with the reason why it
// is permitted.
#include "conformance/recordings/alterations.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/recordings/testing.h"

namespace cm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr int kParts = 6;

std::string FullName(const CarriedRecording& carried, const Alteration& alteration) {
  return carried.FullName() + ":" + alteration.Name();
}

std::vector<Alteration> AllOf(const CarriedRecording& carried) {
  return AlterationsOf(carried.text, JudgedLines(carried.text, carried.profile()));
}

// The kernels of a listed name: the one that it begins with, otherwise all over RoCE.
std::vector<std::string> NamesOnKernels(const std::string& line) {
  std::vector<std::string> names;
  if (line.starts_with(std::string(kRecordedOverIwarp) + "/")) return {line};
  for (const std::string_view kernel : kRecordedKernels) {
    if (line.starts_with(std::string(kernel) + "/")) return {line};
    names.push_back(fmt::format("{}/{}", kernel, line));
  }
  return names;
}

// The alterations that are listed, each with the comment above its group.
std::map<std::string, std::string> Listed() {
  std::ifstream in("conformance/recordings/admissible.txt");
  std::map<std::string, std::string> listed;
  std::string reason;
  bool in_comment = false;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    if (line.starts_with("#")) {
      if (!in_comment) reason.clear();
      reason += line.substr(1);
    } else {
      for (const std::string& name : NamesOnKernels(line))
        EXPECT_TRUE(listed.emplace(name, reason).second) << "listed twice: " << name;
    }
    in_comment = line.starts_with("#");
  }
  return listed;
}

// One recording in six: a test each, so that none takes long.
class AlteredRecordings : public testing::TestWithParam<size_t> {};

TEST_P(AlteredRecordings, AreRefusedUnlessListed) {
  const std::map<std::string, std::string> listed = Listed();
  for (size_t i = GetParam(); i < CarriedRecordings().size(); i += kParts) {
    const CarriedRecording& carried = CarriedRecordings()[i];
    for (const Alteration& alteration : AllOf(carried)) {
      const std::string name = FullName(carried, alteration);
      const bool admitted = Admits(Altered(carried.text, alteration), carried.profile());
      EXPECT_EQ(admitted, listed.count(name) > 0)
          << name << (admitted ? " is permitted and not listed" : " is listed and refused");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, AlteredRecordings, testing::Range(size_t{0}, size_t{kParts}));

TEST(ListedAlterations, AreFewHaveAReasonAndExist) {
  std::map<std::string, std::string> unknown = Listed();
  for (const auto& [name, reason] : unknown) EXPECT_GT(reason.size(), 40u) << name;
  const size_t listed = unknown.size();
  EXPECT_GT(listed, 0u);
  size_t all = 0;
  for (const CarriedRecording& carried : CarriedRecordings()) {
    for (const Alteration& alteration : AllOf(carried)) {
      ++all;
      unknown.erase(FullName(carried, alteration));
    }
  }
  EXPECT_THAT(unknown, IsEmpty());
  // At least 95 % must be refused.
  EXPECT_LE(listed * 20, all) << listed << " of " << all << " are permitted";
  RecordProperty("alterations", static_cast<int>(all));
  RecordProperty("admitted", static_cast<int>(listed));
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
