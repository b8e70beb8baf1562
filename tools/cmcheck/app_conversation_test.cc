// Runs of programs as conversations: written by `app`, judged by `explain`, carried out by
// `replay`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/sanitized.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kFile = "run.conv";

std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// Programs load an object of this build.
class AppConversations : public testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitized || kThreadSanitized)
      GTEST_SKIP() << "programs without a sanitizer cannot load an object that has one";
  }

  Ended App(std::vector<std::string> options, const std::string& programs) const {
    std::vector<std::string> words = {"app", "--conversation", std::string(kFile)};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    for (std::string& word : WordsOf(programs)) words.push_back(std::move(word));
    return folder_.Cmcheck(words);
  }
  // With a mistake of planted.cc.
  static std::string Planted(const std::string& mistake) {
    const std::string planted = std::filesystem::current_path() / "tools/app/planted";
    return planted + " serve " + mistake + " : " + planted + " ask {passive}";
  }
  // Runs seeds from `first` on until one fails and its file has that outcome.
  bool FailsUnderASeed(const std::string& mistake, int first, const std::string& outcome) const {
    constexpr int kMost = 100;
    for (int seed = first; seed < first + kMost; ++seed)
      if (App({"--seed", std::to_string(seed)}, Planted(mistake)).exit_code == 1 &&
          folder_.Read(std::string(kFile)).find(outcome) != std::string::npos)
        return true;
    return false;
  }
  // The file that was written is permitted, line by line.
  std::string Explained() const {
    const Ended explained = folder_.Cmcheck({"explain", std::string(kFile)});
    EXPECT_EQ(explained.exit_code, 0) << explained.output << explained.error;
    EXPECT_THAT(explained.output, EndsWith("\npermitted\n"));
    EXPECT_THAT(explained.output, Not(HasSubstr("REFUSED")));
    return explained.output;
  }
  void ExpectTheSameAgain() const {
    const Ended again = folder_.Cmcheck({"replay", "--quiet", std::string(kFile)});
    EXPECT_EQ(again.exit_code, 0) << again.error;
    EXPECT_THAT(again.output, HasSubstr("The outcome is the same as in the file.\n"));
  }

  const CmcheckFolder folder_;
};

constexpr const char* kRping = "rping -s -a {passive} -C 1 : rping -c -a {passive} -C 1";

TEST_F(AppConversations, OfProgramsOfTheDistributionArePermittedAndCarriedOutAgain) {
  for (const char* programs :
       {kRping, "ucmatose : ucmatose -s {passive}", "udaddy : udaddy -s {passive}",
        "rdma_server : rdma_client -s {passive}"}) {
    SCOPED_TRACE(programs);
    const Ended ended = App({}, programs);
    ASSERT_EQ(ended.exit_code, 0) << ended.error;
    EXPECT_THAT(ended.output, HasSubstr("lines, for `cmcheck explain` and `cmcheck replay`\n"));
    EXPECT_THAT(Explained(), HasSubstr("event RDMA_CM_EVENT_ESTABLISHED id=id1"));
    ExpectTheSameAgain();
  }
}

// A seed draws the order of events of one instant, and how long messages take.
TEST_F(AppConversations, OfASeedAreCarriedOutInItsOrder) {
  for (const char* seed : {"1", "2", "3"}) {
    SCOPED_TRACE(seed);
    ASSERT_EQ(App({"--seed", seed}, "ucmatose -c 5 : ucmatose -s {passive} -c 5").exit_code, 0);
    Explained();
    ExpectTheSameAgain();
  }
  EXPECT_THAT(LinesOf(folder_.Read(std::string(kFile))), Contains(StartsWith("order ")));
}

// Over iWARP there is no fault of messages: neither draws one, nor a latency of messages.
TEST_F(AppConversations, OfDrawnFaultsHaveOnlyThoseOfTheirProfile) {
  for (const char* seed : {"1", "2", "3", "4", "5", "6"}) {
    SCOPED_TRACE(seed);
    App({"--profile", "6.1-siw", "--seed", seed, "--faults", "drawn"}, kRping);
    ExpectTheSameAgain();
  }
}

// A thread waits in rdma_destroy_id until another one has acknowledged the event. What comes
// meanwhile comes at its time: the timers of the profile take minutes, the run milliseconds.
TEST_F(AppConversations, WithADestroyThatWaitsForAnAcknowledgementAreCarriedOutInTheirTime) {
  for (const char* seed : {"4", "8"}) {
    SCOPED_TRACE(seed);
    App({"--seed", seed}, "cmtime -b {passive} -c 5 : cmtime -b {active} -s {passive} -c 5");
    EXPECT_THAT(LinesOf(folder_.Read(std::string(kFile))),
                Contains(testing::ContainsRegex("passive/3 rdma_destroy_id id[0-9]+ -> blocked")));
    ExpectTheSameAgain();
  }
}

// Of two faults that are drawn, the second one removes a device that is gone: it has no effect, and
// is not in the conversation.
TEST_F(AppConversations, OfDrawnFaultsHaveThoseWithAnEffect) {
  const std::string programs = "ucmatose -c 5 : ucmatose -s {passive} -c 5";
  const Ended ended = App({"--seed", "64", "--faults", "drawn"}, programs);
  EXPECT_THAT(ended.output, HasSubstr("rxe1 is gone already\n"));
  const std::vector<std::string> lines = LinesOf(folder_.Read(std::string(kFile)));
  EXPECT_THAT(lines, Contains("fault remove-device side=passive").Times(1));
  ExpectTheSameAgain();
}

TEST_F(AppConversations, HaveTheFaultAndTheMessageThatItHits) {
  ASSERT_EQ(App({"--fault", "fault drop REP from=passive nth=1"}, kRping).exit_code, 0);
  Explained();
  ExpectTheSameAgain();
  const std::vector<std::string> lines = LinesOf(folder_.Read(std::string(kFile)));
  EXPECT_THAT(lines, Contains("fault drop REP from=passive nth=1"));
  EXPECT_THAT(lines, Contains(EndsWith("mad passive REP private=\"\"+196 lost")));
}

// Each event in turn is one that cannot have come.
TEST_F(AppConversations, WithAnotherEventAreRefused) {
  ASSERT_EQ(App({}, kRping).exit_code, 0);
  const std::string file = folder_.Read(std::string(kFile));
  constexpr std::string_view kEvent = "event RDMA_CM_EVENT_";
  int altered = 0;
  for (size_t at = file.find(kEvent); at != std::string::npos; at = file.find(kEvent, at + 1)) {
    const size_t end = file.find(' ', at + kEvent.size());
    folder_.Write("altered.conv",
                  file.substr(0, at) + "event RDMA_CM_EVENT_UNREACHABLE" + file.substr(end));
    const Ended explained = folder_.Cmcheck({"explain", "altered.conv"});
    EXPECT_EQ(explained.exit_code, 1) << file.substr(at, end - at);
    EXPECT_THAT(explained.output, HasSubstr("    REFUSED\n  saw        RDMA_CM_EVENT_UNREACHABLE"));
    const Ended again = folder_.Cmcheck({"replay", "--quiet", "altered.conv"});
    EXPECT_THAT(again.output, HasSubstr("The outcome differs: "));
    ++altered;
  }
  // Two of addresses and routes, a request, two of the connection, and its end.
  EXPECT_EQ(altered, 6);
}

TEST_F(AppConversations, OfAnExplorationHaveTheDestroyThatWaitsForEver) {
  ASSERT_EQ(App({"--explore", "100"}, Planted("unacknowledged")).exit_code, 1);
  EXPECT_THAT(Explained(), testing::ContainsRegex("rdma_destroy_id id[0-9.]+ -> blocked"));
  ExpectTheSameAgain();
  EXPECT_THAT(folder_.Read(std::string(kFile)),
              HasSubstr("# at the end passive thread 1: sleeps in epoll_wait"));
}

TEST_F(AppConversations, OfAFailedSeedHaveAllThatThreadsHaveAsked) {
  ASSERT_TRUE(FailsUnderASeed("late-wait", 1, ""));
  Explained();
  ExpectTheSameAgain();
}

// The library reads memory that is freed: replay does not, and says so of this line.
TEST_F(AppConversations, OfAFailedSeedHaveTheUseOfAnIdThatIsDestroyed) {
  ASSERT_TRUE(FailsUnderASeed("use-after-destroy", 40, " -> -1 ENOENT\n"));
  EXPECT_THAT(Explained(), testing::ContainsRegex(
                               "misuse at: passive rdma_disconnect id[0-9.]+ -> -1 ENOENT\n"));
  const Ended again = folder_.Cmcheck({"replay", "--quiet", std::string(kFile)});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.output,
              testing::ContainsRegex("The outcome differs: line [0-9]+: expected \"passive "
                                     "rdma_disconnect id[0-9.]+ -> -1 ENOENT\", saw \"passive "
                                     "rdma_disconnect id[0-9.]+ -> not-applicable why=gone\"\n"));
}

TEST_F(AppConversations, AreOfferedForAFailedExplorationWithoutTheOption) {
  const Ended failed =
      folder_.Cmcheck({"app", "--explore", "3", "-j", "1", "--", "@active", "sh", "-c", "exit 7"});
  EXPECT_THAT(LinesOf(failed.output),
              Contains("for `cmcheck explain` and `cmcheck replay`: cmcheck app --seed 1 --order "
                       "usual --conversation failed-1.conv -- @active sh -c 'exit 7'"));
  EXPECT_THAT(folder_.Files(), testing::IsEmpty());
}

TEST_F(AppConversations, WhoseFileCannotBeWrittenAreRefusedBeforeTheRun) {
  const Ended ended =
      folder_.Cmcheck({"app", "--conversation", "no/run.conv", "--", "echo", "hello"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.error, HasSubstr("no/run.conv"));
  EXPECT_EQ(ended.output, "");
}

}  // namespace
}  // namespace cm
