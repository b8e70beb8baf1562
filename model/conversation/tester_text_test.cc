// The lines of the tester: parsed, printed, and distinguished.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "model/conversation/history.h"
#include "model/conversation/name_scope.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::HasSubstr;

const std::string kHead =
    "conversation 1\ntopology tester\nprofile 6.1-rxe\ncapabilities tester\n"
    "active rdma_create_event_channel C\nactive rdma_create_id A on=C\n";

Conversation Read(const std::string& line) {
  const auto parsed = ParseConversation(kHead + line + "\n");
  const auto* problem = std::get_if<TextProblem>(&parsed);
  EXPECT_EQ(problem, nullptr) << problem->what;
  return problem == nullptr ? std::get<Conversation>(parsed) : Conversation{};
}

std::string ProblemIn(const std::string& line) {
  const auto parsed = ParseConversation(kHead + line + "\n");
  const auto* problem = std::get_if<TextProblem>(&parsed);
  return problem == nullptr ? std::string() : problem->what;
}

TesterMad MadIn(const std::string& line) {
  return std::get<line::Sends>(Read(line).lines.back()).mad;
}

TEST(ALineOfTheTester, ReadsBackAsItWasWritten) {
  for (const std::string line : {
           "tester sends REQ to=passive port=7471",
           "tester sends REQ to=passive local=2 qp=19 port=7471 p_key=0x1234 response=8 retries=3",
           "tester sends REQ to=passive port=7471 v6 uc alternate mixed-gids unresolvable",
           "tester sends REP to=active local=7 remote=A qp=17 private=\"x\"",
           "tester sends DREQ to=active local=A remote=A qp=A tid=5",
           "tester sends MRA to=active remote=A of=REP timeout=8",
           "tester sends REJ to=active remote=A of=other reason=10",
           "tester sends SIDR_REQ to=passive ps=RDMA_PS_UDP port=7471 cma_version=1",
           "tester sends SIDR_REP to=active remote=A status=2 qkey=0x0001",
           "tester sends OTHER to=passive attribute=0x0001 method=1 class_version=1 base_version=2",
       })
    EXPECT_EQ(ToText(Read(line)), kHead + line + "\n");
}

TEST(ALineOfTheTester, HasTheFieldsThatLinuxFillsInWhereItSaysNothing) {
  const TesterMad mad = MadIn("tester sends REQ to=passive port=7471");
  EXPECT_EQ(mad.p_key, 0xffff);
  EXPECT_EQ(mad.response_timeout, 20);
  EXPECT_EQ(mad.max_retries, 15);
  EXPECT_EQ(mad.conn.retry_count, 7);
  EXPECT_EQ(mad.method, 3);
}

TEST(ALineOfTheTester, NamesIdsOrPlainNumbers) {
  const TesterMad mad = MadIn("tester sends DREQ to=active local=7 remote=A qp=0x11");
  EXPECT_EQ(mad.local, (TesterNumber{.of = {}, .plain = 7}));
  EXPECT_TRUE(mad.remote.of.valid());
  EXPECT_EQ(mad.qp.plain, 17u);
}

TEST(ALineOfTheTester, IsObjectedToWhereItCannotBeRead) {
  EXPECT_THAT(ProblemIn("tester sends HELLO to=active"), HasSubstr("\"HELLO\" is not a message"));
  EXPECT_THAT(ProblemIn("tester sends REQ"), HasSubstr("to=... is missing"));
  EXPECT_THAT(ProblemIn("tester sends REP to=active remote=B"),
              HasSubstr("\"B\" is neither a number nor an id"));
  EXPECT_THAT(ProblemIn("tester sends REQ to=active retries=256"),
              HasSubstr("a number up to 255 is wanted"));
  EXPECT_THAT(ProblemIn("tester sends MRA to=active timeout=32"),
              HasSubstr("a number up to 31 is wanted"));
  EXPECT_THAT(ProblemIn("tester sends MRA to=active of=RTU"), HasSubstr("REQ, REP or other"));
  EXPECT_THAT(ProblemIn("tester sends REQ to=active strange=1"), HasSubstr("strange=1"));
}

TEST(ALineOfTheTester, IsOfTheTesterAlone) {
  EXPECT_THAT(ProblemIn("active sends REQ to=passive"), HasSubstr("only a tester"));
  EXPECT_THAT(ProblemIn("tester rdma_create_event_channel T"), HasSubstr("calls no functions"));
}

// Every field changes the digest.
TEST(ALineOfTheTester, IsToldFromEveryOther) {
  std::set<uint64_t> digests;
  const std::string plain = "tester sends REQ to=active";
  size_t count = 0;
  for (const std::string more : {"",
                                 " local=2",
                                 " remote=A",
                                 " remote=1",
                                 " qp=A",
                                 " qp=1",
                                 " port=1",
                                 " v6",
                                 " uc",
                                 " alternate",
                                 " mixed-gids",
                                 " unresolvable",
                                 " p_key=1",
                                 " cma_version=1",
                                 " response=1",
                                 " retries=1",
                                 " ack_timeout=1",
                                 " ack_delay=1",
                                 " srq=1",
                                 " of=REP",
                                 " timeout=1",
                                 " reason=1",
                                 " status=1",
                                 " qkey=1",
                                 " tid=1",
                                 " attribute=1",
                                 " method=1",
                                 " class_version=1",
                                 " base_version=2",
                                 " private=\"x\"",
                                 " ps=RDMA_PS_UDP"}) {
    History history{.conversation = Read(plain + more), .records = {}, .wire = {}};
    history.records.push_back({.line = 2, .begin = {}, .end = {}, .seen = seen::Done{}});
    digests.insert(DigestOf(history, 0));
    ++count;
  }
  EXPECT_EQ(digests.size(), count);
}

TEST(ALineOfTheTester, CannotBeCarriedOutWhenItSpeaksOfWhatNeverWas) {
  const Conversation conversation = Read("tester sends REP to=active remote=A");
  NameScope scope(conversation);
  const Line& sends = conversation.lines.back();
  EXPECT_EQ(scope.WhyNot(sends), NotMade::kNeverMade);
  for (uint32_t line = 0; line < 2; ++line)
    scope.Observe(
        {.line = line, .begin = {}, .end = {}, .seen = seen::Answered{.reply = Reply::Returned()}});
  EXPECT_FALSE(scope.WhyNot(sends));
}

TEST(AMessageOnTheWire, ReadsBackAsItWasWritten) {
  const std::string text = kHead +
                           "----\n"
                           "         0us  active rdma_create_event_channel C -> 0\n"
                           "         0us  mad passive REJ reason=12 of=REQ info=16 unnamed\n"
                           "         0us  mad passive MRA of=REP timeout=24\n"
                           "         0us  mad passive SIDR_REP status=2 lost\n"
                           "         0us  mad passive OTHER attribute=0x0001 mad_status=0x000c\n"
                           "         0us  active rdma_create_id A on=C -> 0\n";
  const auto parsed = ParseHistory(text);
  const auto* problem = std::get_if<TextProblem>(&parsed);
  ASSERT_EQ(problem, nullptr) << problem->line << ": " << problem->what;
  EXPECT_EQ(ToText(std::get<History>(parsed)), text);
}

}  // namespace
}  // namespace cm
