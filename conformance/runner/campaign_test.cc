// A campaign reports its sequences completely and in order, with any implementation.
#include "conformance/runner/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/defects/defective_sim.h"
#include "conformance/runner/doubles.h"
#include "conformance/runner/tally.h"
#include "conformance/scenarios/on_sim.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

using testing::_;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::NiceMock;
using testing::Return;

const std::atomic<bool> kNever{false};

CampaignOptions Options(uint64_t sequences, int jobs = 1) {
  CampaignOptions options;
  options.draw.topologies = {{.topology = FindTopology("two-kernels"), .weight = 4},
                             {.topology = FindTopology("one-kernel-two-devices"), .weight = 3},
                             {.topology = FindTopology("bond"), .weight = 2}};
  options.draw.profile = Profiles().front();
  options.draw.capabilities = Profiles().front().capabilities;
  options.sequences = sequences;
  options.jobs = jobs;
  return options;
}

std::unique_ptr<Implementation> Sim(std::string_view defect = {}) {
  return MakeDefectiveSim(
      {.profile = Profiles().front(), .capabilities = Profiles().front().capabilities}, defect);
}

// The reported numbers, in order.
std::vector<uint64_t> NumbersOf(Implementation& implementation, const CampaignOptions& options,
                                bool* finished = nullptr,
                                const std::atomic<bool>& interrupted = kNever) {
  std::vector<uint64_t> numbers;
  const bool whole = RunCampaign(
      implementation, options,
      [&](const SequenceRun& judged) { numbers.push_back(judged.result.index); }, interrupted);
  if (finished != nullptr) *finished = whole;
  return numbers;
}

std::vector<uint64_t> Range(uint64_t first, uint64_t end) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = first; i < end; ++i) numbers.push_back(i);
  return numbers;
}

TEST(Campaign, HandsResultsOnInTheirOrderWhateverTheNumberOfJobs) {
  const std::unique_ptr<Implementation> sim = Sim();
  ASSERT_TRUE(sim->concurrent());
  for (const int jobs : {1, 2, 7}) {
    bool finished = false;
    EXPECT_EQ(NumbersOf(*sim, Options(150, jobs), &finished), Range(0, 150)) << jobs << " jobs";
    EXPECT_TRUE(finished);
  }
}

TEST(Campaign, ComesToTheSameWhateverTheNumberOfJobs) {
  const std::unique_ptr<Implementation> sim = Sim("forgets-timewait");
  const auto tally_with = [&](int jobs) {
    Tally tally;
    RunCampaign(
        *sim, Options(150, jobs), [&](const SequenceRun& judged) { tally.Add(judged.result); },
        kNever);
    return tally;
  };
  const Tally one = tally_with(1);
  ASSERT_GT(one.With(Verdict::kFailed), 0u);
  for (const int jobs : {2, 7}) {
    const Tally many = tally_with(jobs);
    EXPECT_EQ(many.digest(), one.digest()) << jobs << " jobs";
    EXPECT_EQ(many.wire_digest(), one.wire_digest()) << jobs << " jobs";
    EXPECT_EQ(many.With(Verdict::kFailed), one.With(Verdict::kFailed));
    ASSERT_EQ(many.findings().size(), one.findings().size());
    for (size_t i = 0; i < one.findings().size(); ++i)
      EXPECT_EQ(many.findings()[i].finding.index, one.findings()[i].finding.index);
  }
}

TEST(Campaign, RunsExactlyTheSliceThatWasAskedFor) {
  NiceMock<MockImplementation> asked;
  CampaignOptions options = Options(5);
  options.first = 40;
  EXPECT_EQ(NumbersOf(asked, options), Range(40, 45));
}

TEST(Campaign, DrawsASequenceFromItsNumberAlone) {
  std::vector<uint64_t> digests;
  const std::unique_ptr<Implementation> sim = Sim();
  RunCampaign(
      *sim, Options(12), [&](const SequenceRun& j) { digests.push_back(j.result.digest); }, kNever);
  CampaignOptions late = Options(1);
  late.first = 11;
  RunCampaign(
      *sim, late, [&](const SequenceRun& j) { EXPECT_EQ(j.result.digest, digests.at(11)); },
      kNever);
}

TEST(Campaign, SkipsWhatAnEarlierRunHasJudged) {
  NiceMock<MockImplementation> asked;
  CampaignOptions options = Options(6);
  options.done = {0, 1, 3, 5};
  bool finished = false;
  EXPECT_THAT(NumbersOf(asked, options, &finished), ElementsAre(2, 4));
  EXPECT_TRUE(finished);
}

TEST(Campaign, IsFinishedWhenAllOfItWasDoneBefore) {
  NiceMock<MockImplementation> asked;
  EXPECT_CALL(asked, Start).Times(0);
  CampaignOptions options = Options(2);
  options.done = {0, 1};
  bool finished = false;
  EXPECT_THAT(NumbersOf(asked, options, &finished), IsEmpty());
  EXPECT_TRUE(finished);
}

TEST(Campaign, InterruptedHandsOnWholeSequencesOnlyAndSaysThatItIsNotFinished) {
  for (const int jobs : {1, 3}) {
    const std::unique_ptr<Implementation> sim = Sim();
    std::atomic<bool> interrupted{false};
    std::vector<SequenceRun> heard;
    const bool finished = RunCampaign(
        *sim, Options(100000, jobs),
        [&](const SequenceRun& judged) {
          heard.push_back(judged);
          if (heard.size() == 20) interrupted = true;
        },
        interrupted);
    EXPECT_FALSE(finished);
    ASSERT_GE(heard.size(), 20u);
    EXPECT_LT(heard.size(), 100000u);
    for (size_t i = 0; i < heard.size(); ++i) {
      EXPECT_EQ(heard[i].result.index, i);
      const SequenceRun alone = RunOne(*sim, heard[i].history.conversation, {});
      EXPECT_EQ(heard[i].result.digest, alone.result.digest) << "sequence " << i;
    }
  }
}

TEST(Campaign, StopsWhenTheImplementationIsSpoiled) {
  for (const bool concurrent : {false, true}) {
    NiceMock<MockImplementation> asked;
    std::atomic<int> started{0};
    ON_CALL(asked, concurrent).WillByDefault(Return(concurrent));
    ON_CALL(asked, Start).WillByDefault([&](const Conversation&) {
      ++started;
      return std::make_unique<NiceMock<MockSession>>();
    });
    ON_CALL(asked, Spoiled).WillByDefault([&] { return started >= 3 ? "a stuck device" : ""; });
    bool finished = true;
    const std::vector<uint64_t> numbers = NumbersOf(asked, Options(1000, 2), &finished);
    EXPECT_FALSE(finished);
    EXPECT_GE(numbers.size(), concurrent ? 2u : 3u);
    EXPECT_LE(numbers.size(), concurrent ? 4u : 3u);
    EXPECT_EQ(numbers, Range(0, numbers.size()));
  }
}

// The interrupt ends waits for a driver: what comes of a sequence then proves nothing.
TEST(Campaign, DoesNotReportWhatTheInterruptHasCutShort) {
  for (const bool concurrent : {false, true}) {
    NiceMock<MockImplementation> asked;
    std::atomic<bool> interrupted{false};
    std::atomic<int> started{0};
    ON_CALL(asked, concurrent).WillByDefault(Return(concurrent));
    ON_CALL(asked, Spoiled).WillByDefault([&] {
      return std::string(interrupted ? "it was not waited for" : "");
    });
    ON_CALL(asked, Start).WillByDefault([&](const Conversation&) {
      auto session = std::make_unique<NiceMock<MockSession>>();
      if (++started >= 3) {
        interrupted = true;
        ON_CALL(*session, Inconclusive).WillByDefault(Return("a clock ran out"));
      }
      return session;
    });
    bool finished = true;
    const std::vector<uint64_t> numbers =
        NumbersOf(asked, Options(1000, 2), &finished, interrupted);
    EXPECT_FALSE(finished);
    EXPECT_GE(numbers.size(), concurrent ? 0u : 2u);
    EXPECT_LE(numbers.size(), 2u);
    EXPECT_EQ(numbers, Range(0, numbers.size()));
  }
}

TEST(Campaign, HasOneSessionAtATimeWhereTheImplementationPermitsNoMore) {
  NiceMock<MockImplementation> asked;
  std::atomic<int> open{0};
  class Counted : public NiceMock<MockSession> {
   public:
    explicit Counted(std::atomic<int>* open) : open_(open) { EXPECT_EQ(++*open_, 1); }
    ~Counted() override { --*open_; }

   private:
    std::atomic<int>* open_;
  };
  ON_CALL(asked, Start).WillByDefault([&](const Conversation&) {
    return std::make_unique<Counted>(&open);
  });
  EXPECT_EQ(NumbersOf(asked, Options(20, 7)), Range(0, 20));
}

// One conversation on one session that the test directs.
class OneSession : public testing::Test {
 protected:
  SequenceRun JudgeThe(const Conversation& conversation) {
    EXPECT_CALL(asked_, Start).WillOnce([this](const Conversation&) {
      return std::move(session_);
    });
    return RunOne(asked_, conversation, {});
  }
  static std::vector<ReplyKind> KindsOf(const History& history) {
    std::vector<ReplyKind> kinds;
    for (const Record& record : history.records)
      if (const auto* answered = std::get_if<seen::Answered>(&record.seen))
        kinds.push_back(answered->reply.kind);
    return kinds;
  }

  NiceMock<MockImplementation> asked_;
  std::unique_ptr<NiceMock<MockSession>> session_ = std::make_unique<NiceMock<MockSession>>();
};

constexpr const char* kTwoIds = R"(conversation 1
topology two-kernels
profile 6.1-rxe
capabilities none
active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_create_id B on=C
)";

TEST_F(OneSession, ThatDoesNotServeTheConversationIsUnsupportedWithItsReason) {
  EXPECT_CALL(*session_, Unsupported).WillRepeatedly(Return("no second device"));
  EXPECT_CALL(session_->driver(), Submit).Times(0);
  EXPECT_CALL(*session_, Leaks).Times(0);
  const SequenceRun judged = JudgeThe(ConversationOf(kTwoIds));
  EXPECT_EQ(judged.result.verdict, Verdict::kUnsupported);
  EXPECT_EQ(judged.result.reason, "no second device");
  EXPECT_THAT(judged.result.findings, IsEmpty());
  EXPECT_THAT(judged.history.records, IsEmpty());
  EXPECT_EQ(judged.history.implementation, "a double");
}

TEST_F(OneSession, OfOneWhoCanDoTooLittleIsNotBegun) {
  Conversation conversation = ConversationOf(kTwoIds);
  conversation.capabilities = Capabilities().With(Capability::kMisuse).With(Capability::kRaces);
  EXPECT_CALL(session_->driver(), Submit).Times(0);
  const SequenceRun judged = JudgeThe(conversation);
  EXPECT_EQ(judged.result.verdict, Verdict::kUnsupported);
  EXPECT_EQ(judged.result.reason, "it needs misuse, which profile 6.1-rxe does not have");
}

// An environment that can do less than its profile says.
class Unhandy : public NiceMock<MockImplementation> {
 public:
  using NiceMock<MockImplementation>::NiceMock;
  Capabilities capabilities() const override {
    return profile().capabilities.Without(Capability::kTester).Without(Capability::kData);
  }
};

// A shrunk conversation declares the capabilities that it was drawn for, more than it still needs.
TEST(AConversation, NeedsOfWhatItsHeadSaysWhatItsLinesUse) {
  Conversation conversation = ConversationOf(kTwoIds);
  conversation.capabilities = Profiles().front().capabilities;
  EXPECT_EQ(WhatIsMissing(Unhandy(), conversation), "");
  Conversation by_hand = conversation;
  by_hand.lines.emplace_back(line::Sends{});
  EXPECT_EQ(WhatIsMissing(Unhandy(), by_hand), "it needs tester, which is not to be had here");
  Conversation losing = by_hand;
  losing.lines.emplace_back(line::Injects{{.kind = FaultKind::kDrop}});
  const Unhandy iwarp(*FindProfile("6.1-siw"));
  EXPECT_EQ(WhatIsMissing(iwarp, conversation), "");
  EXPECT_EQ(WhatIsMissing(iwarp, losing),
            "it needs drop tester, which profile 6.1-siw does not have");
  Conversation moving = conversation;
  moving.lines.emplace_back(line::Calls{.lane = {}, .call = call::GetSendComp{}});
  EXPECT_EQ(WhatIsMissing(Unhandy(), moving), "it needs data, which is not to be had here");
}

TEST_F(OneSession, ThatIsInconclusiveProvesNothingAgainstTheImplementation) {
  ON_CALL(session_->driver(), Submit)
      .WillByDefault(Return(seen::Answered{.reply = Reply::Refused(Errno::kInval)}));
  EXPECT_CALL(*session_, Inconclusive).WillRepeatedly(Return("a clock ran out"));
  const SequenceRun judged = JudgeThe(ConversationOf(kTwoIds));
  EXPECT_EQ(judged.result.verdict, Verdict::kInconclusive);
  EXPECT_EQ(judged.result.reason, "a clock ran out");
  EXPECT_THAT(judged.result.findings, IsEmpty());
}

TEST_F(OneSession, ThatAnswersWhatNoRowPermitsHasFailed) {
  ON_CALL(session_->driver(), Submit)
      .WillByDefault(Return(seen::Answered{.reply = Reply::Refused(Errno::kInval)}));
  const SequenceRun judged = JudgeThe(ConversationOf(kTwoIds));
  EXPECT_EQ(judged.result.verdict, Verdict::kFailed);
  ASSERT_THAT(judged.result.findings, testing::SizeIs(testing::Ge(1u)));
  EXPECT_EQ(judged.result.findings.front().id, kRowsId);
}

TEST_F(OneSession, ThatCrashesIsAskedNothingMoreOnThatSide) {
  EXPECT_CALL(session_->driver(), Submit)
      .WillOnce(Return(seen::Answered{.reply = Reply::Returned()}))
      .WillOnce(Return(seen::Answered{.reply = Reply::Crashed()}));
  const SequenceRun judged = JudgeThe(ConversationOf(kTwoIds));
  EXPECT_THAT(KindsOf(judged.history),
              ElementsAre(ReplyKind::kReturned, ReplyKind::kCrashed, ReplyKind::kNotApplicable));
}

TEST_F(OneSession, GivesALaneWithABlockedCallNoFurtherLineUntilItIsReleased) {
  const Conversation conversation = ConversationOf(R"(conversation 1
topology two-kernels
profile 6.1-rxe
capabilities lanes
active rdma_create_event_channel C
active rdma_create_id A on=C
active/2 rdma_get_cm_event C as=e1
active/2 rdma_create_id B on=C
active rdma_bind_addr A addr=active:0
active/2 rdma_create_id D on=C
)");
  EXPECT_CALL(session_->driver(), Submit(_, _))
      .WillRepeatedly(Return(seen::Answered{.reply = Reply::Returned()}));
  EXPECT_CALL(session_->driver(), Submit((Lane{.side = 0, .number = 2}), _))
      .WillOnce(Return(seen::Answered{.reply = Reply::Blocked()}))
      .WillOnce(Return(seen::Answered{.reply = Reply::Returned()}));
  EXPECT_CALL(session_->driver(), Released(Lane{.side = 0, .number = 2}))
      .WillOnce(Return(std::nullopt))
      .WillOnce(Return(std::nullopt))
      .WillOnce(Return(seen::Released{.reply = Reply::Refused(Errno::kIntr)}));
  const SequenceRun judged = JudgeThe(conversation);
  EXPECT_THAT(KindsOf(judged.history),
              ElementsAre(ReplyKind::kReturned, ReplyKind::kReturned, ReplyKind::kBlocked,
                          ReplyKind::kNotApplicable, ReplyKind::kReturned, ReplyKind::kReturned));
  const Record& released = judged.history.records.at(5);
  EXPECT_TRUE(std::holds_alternative<seen::Released>(released.seen));
  EXPECT_EQ(released.line, 2u);
}

}  // namespace
}  // namespace cm
