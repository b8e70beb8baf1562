// Recordings of real kernels are permitted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/recordings/judge.h"
#include "conformance/recordings/recording.h"
#include "conformance/recordings/testing.h"
#include "model/vocabulary/profile.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

// Recordings that must be judged.
constexpr auto kPromised = std::to_array<std::string_view>(
    {"01", "03", "07", "11", "13", "15", "17", "21", "23", "25", "27", "29",
     "31", "33", "35", "37", "39", "41", "43", "47", "51", "53", "55", "57",
     "59", "61", "63", "65", "67", "69", "71", "73", "75", "77", "89"});

std::unique_ptr<Recording> Read(const CarriedRecording& carried) {
  auto read = ReadRecording(carried.text);
  if (const auto* problem = std::get_if<TextProblem>(&read)) {
    ADD_FAILURE() << carried.FullName() << ":" << problem->line << ": " << problem->what;
    return std::make_unique<Recording>();
  }
  return std::move(std::get<std::unique_ptr<Recording>>(read));
}

// The lines that contain an observation, from 1; `show` and silence included.
std::set<int> TellingLines(const std::string& text) {
  const std::set<std::string> telling = {"call", "event", "show", "crash", "quiet", "no_event"};
  std::set<int> lines;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (telling.count(nlohmann::json::parse(line)["k"].get<std::string>()) > 0)
      lines.insert(number);
  }
  return lines;
}

std::vector<std::string> Foreign(const Recording& recording) {
  std::vector<std::string> what;
  for (const ForeignLine& foreign : recording.foreign) what.push_back(foreign.what);
  return what;
}

class Carried : public testing::TestWithParam<CarriedRecording> {};

TEST_P(Carried, IsPermittedLineByLine) {
  const std::unique_ptr<Recording> recording = Read(GetParam());
  const RecordingResult verdict = JudgeRecording(*recording, GetParam().profile());
  EXPECT_FALSE(verdict.refusal) << GetParam().FullName() << ":" << verdict.refusal->line << "\n"
                                << verdict.refusal->text;
  EXPECT_FALSE(verdict.inconclusive);
}

TEST_P(Carried, HasNoLineThatIsPassedOverInSilence) {
  const std::unique_ptr<Recording> recording = Read(GetParam());
  std::set<int> heard(recording->line_of.begin(), recording->line_of.end());
  for (const ForeignLine& foreign : recording->foreign) heard.insert(foreign.line);
  for (const int line : TellingLines(GetParam().text)) {
    // A successful fetch and its event are one record, at the line of the event.
    const bool fetch = heard.count(line) == 0 && heard.count(line + 1) > 0 &&
                       GetParam().text.find("rdma_get_cm_event") != std::string::npos;
    EXPECT_TRUE(heard.count(line) > 0 || fetch) << GetParam().FullName() << ":" << line;
  }
}

TEST_P(Carried, IsCountedWhole) {
  const std::unique_ptr<Recording> recording = Read(GetParam());
  const RecordingResult verdict = JudgeRecording(*recording, GetParam().profile());
  EXPECT_EQ(verdict.judged + verdict.out_of_scope,
            recording->history.records.size() + recording->foreign.size());
}

std::string NameOf(const testing::TestParamInfo<CarriedRecording>& carried) {
  std::string name = carried.param.FullName();
  for (const char c : {'-', '.', '/'}) std::ranges::replace(name, c, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Recordings, Carried, testing::ValuesIn(CarriedRecordings()), NameOf);
INSTANTIATE_TEST_SUITE_P(Extra, Carried, testing::ValuesIn(ExtraRecordings()), NameOf);
INSTANTIATE_TEST_SUITE_P(ManyAtOnce, Carried, testing::ValuesIn(RecordingsOfManyAtOnce()), NameOf);

// Whether the recording of a hundred requests is refused at the rdma_connect of `id` when that has
// failed with EINVAL.
bool RefusedWithoutHandle(std::string_view kernel, const std::string& id) {
  const auto recording =
      std::ranges::find_if(RecordingsOfManyAtOnce(), [&](const CarriedRecording& one) {
        return one.kernel == kernel && one.name.starts_with("z01-");
      });
  std::string text = recording->text;
  const size_t call = text.find(R"("rdma_connect","args":")" + id + R"(",)");
  const std::string_view done = R"("ret":0,"errno":"0")";
  const size_t answer = text.find(done, call);
  EXPECT_LT(answer, text.find('\n', call));
  text.replace(answer, done.size(), R"("ret":-1,"errno":"EINVAL")");
  const auto line = 1 + std::ranges::count(text.substr(0, call), '\n');
  auto read = ReadRecording(text);
  const auto verdict =
      JudgeRecording(*std::get<std::unique_ptr<Recording>>(read), recording->profile());
  return verdict.refusal && verdict.refusal->line == line;
}

// Linux 5.10 has a hundred address handles, and 6.1 has more than are used.
TEST(ManyAtOnce, AreRefusedBeforeTheHandlesAreTaken) {
  EXPECT_TRUE(RefusedWithoutHandle("5.10-rxe", "A99"));
  EXPECT_TRUE(RefusedWithoutHandle("6.1-rxe", "A99"));
  EXPECT_TRUE(RefusedWithoutHandle("6.1-rxe", "A100"));
}

class Promised : public testing::TestWithParam<std::string_view> {
 protected:
  const CarriedRecording& Number(std::string_view number) const {
    return CarriedRecordingNumber(number, GetParam());
  }
};

// A recording with a call that the tables do not have; the verdict names it.
TEST_P(Promised, AreJudgedAndNotJustPassedOver) {
  for (const std::string_view number : kPromised) {
    if (number == "89") continue;
    const CarriedRecording& carried = Number(number);
    const std::unique_ptr<Recording> recording = Read(carried);
    EXPECT_THAT(Foreign(*recording), IsEmpty()) << carried.FullName();
    EXPECT_EQ(JudgeRecording(*recording, carried.profile()).out_of_scope, 0u) << carried.FullName();
  }
}

TEST_P(Promised, NameTheCommandThatOnlyCountsLines) {
  EXPECT_THAT(Foreign(*Read(Number("89"))), ElementsAre("sh cat q.out | wc -l"));
}

std::string NameOfKernel(const testing::TestParamInfo<std::string_view>& kernel) {
  std::string name(kernel.param);
  for (const char c : {'-', '.'}) std::ranges::replace(name, c, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Kernel, Promised, testing::ValuesIn(kRecordedKernels), NameOfKernel);

// The judged part of a recording is not smaller on one kernel than on another.
TEST(Kernels, AreJudgedAlike) {
  for (const CarriedRecording& carried : CarriedRecordings()) {
    if (carried.kernel == kRecordedOverIwarp) continue;
    const CarriedRecording& reference = CarriedRecordingNumber(carried.name.substr(0, 2));
    EXPECT_EQ(carried.name, reference.name);
    const std::unique_ptr<Recording> here = Read(carried);
    const std::unique_ptr<Recording> there = Read(reference);
    // In another order: the order in which threads print does not matter.
    EXPECT_THAT(Foreign(*here), UnorderedElementsAreArray(Foreign(*there))) << carried.FullName();
    EXPECT_EQ(JudgeRecording(*here, carried.profile()).out_of_scope,
              JudgeRecording(*there, reference.profile()).out_of_scope)
        << carried.FullName();
  }
}

// Over iWARP as well, except for two connections on one queue pair and one that a script has moved.
TEST(Kernels, AreJudgedOverIwarpToo) {
  size_t carried_over_iwarp = 0;
  for (const CarriedRecording& carried : CarriedRecordings()) {
    if (carried.kernel != kRecordedOverIwarp) continue;
    ++carried_over_iwarp;
    if (carried.name.starts_with("19-") || carried.name.starts_with("45-")) continue;
    const std::unique_ptr<Recording> recording = Read(carried);
    EXPECT_EQ(JudgeRecording(*recording, carried.profile()).out_of_scope, recording->foreign.size())
        << carried.FullName();
  }
  EXPECT_EQ(carried_over_iwarp, 41u);
}

// The numbers of the first recording of another kernel that a profile refuses for its calls and
// events. Where queue pairs are shown, their time-outs tell 6.1 apart as well; see queue_pair_test.
std::string FirstRefused(std::string_view kernel, std::string_view profile) {
  for (const CarriedRecording& carried : CarriedRecordings()) {
    if (carried.kernel != kernel) continue;
    const std::unique_ptr<Recording> recording = Read(carried);
    recording->queue_pairs.clear();
    if (JudgeRecording(*recording, *FindProfile(profile)).refusal) return carried.name;
  }
  return "";
}

// The profiles are not loose: each refuses a recording of a kernel that differs from it.
TEST(Profiles, TellTheKernelsApart) {
  // Timewait ends after 0.5 s, and after 2 s on Linux 6.1.
  EXPECT_EQ(FirstRefused("6.12-rxe", "6.1-rxe"), "01-connect_disconnect_by_active");
  EXPECT_EQ(FirstRefused("7.2-rxe", "6.1-rxe"), "01-connect_disconnect_by_active");
  // A message that no peer answers is given up after 102 s on Linux 6.1, and after 77 s later.
  EXPECT_EQ(FirstRefused("6.1-rxe", "6.12-rxe"), "55-synchronous_id");
  EXPECT_EQ(FirstRefused("6.1-rxe", "7.2-rxe"), "55-synchronous_id");
  // A request over a link that is down: never fails on 6.12, in time on 7.2.
  EXPECT_EQ(FirstRefused("7.2-rxe", "6.12-rxe"), "73-link_down_when_resolving");
  EXPECT_EQ(FirstRefused("6.12-rxe", "7.2-rxe"), "73-link_down_when_resolving");
  // A neighbour with another hardware address is not reported on 5.10, where little else differs.
  EXPECT_EQ(FirstRefused("5.10-rxe", "6.1-rxe"), "75-peer_hardware_address_changes");
  EXPECT_EQ(FirstRefused("6.1-rxe", "5.10-rxe"), "75-peer_hardware_address_changes");
  EXPECT_EQ(FirstRefused("5.10-rxe", "6.12-rxe"), "55-synchronous_id");
  // Over iWARP the passive side receives the private data with its length.
  EXPECT_EQ(FirstRefused("6.1-siw", "6.1-rxe"), "01-connect_disconnect_by_active");
  EXPECT_EQ(FirstRefused("6.1-rxe", "6.1-siw"), "01-connect_disconnect_by_active");
}

}  // namespace
}  // namespace cm
