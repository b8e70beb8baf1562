// What a line says that cannot be read: what would be accepted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "model/conversation/parse.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string ProblemOf(const std::string& line) {
  const auto parsed = ParseConversation(
      "topology two-kernels\nprofile 6.1-rxe\nactive rdma_create_event_channel C\n"
      "active rdma_create_id A on=C\n" +
      line + "\n");
  const auto* problem = std::get_if<TextProblem>(&parsed);
  return problem == nullptr ? "" : problem->what;
}

TEST(AProblem, NamesThePortSpaces) {
  const std::string problem = ProblemOf("active rdma_create_id B on=C ps=TCP");
  for (const char* const space : {"RDMA_PS_TCP", "RDMA_PS_UDP", "RDMA_PS_IPOIB", "RDMA_PS_IB"})
    EXPECT_THAT(problem, HasSubstr(space));
}

TEST(AProblem, NamesWhatTheCallTakes) {
  EXPECT_THAT(ProblemOf("active rdma_create_id B on=C foo=1"),
              HasSubstr("\"foo=1\" is not understood here: rdma_create_id ID on=CHANNEL|null "
                        "[ps=PORT_SPACE]"));
  EXPECT_THAT(ProblemOf("active/2 rdma_listen A backlog=8 9"),
              HasSubstr("\"9\" is not understood here: rdma_listen ID [backlog=NUMBER]"));
  EXPECT_THAT(ProblemOf("active wait C within=1s foo"),
              HasSubstr("\"foo\" is not understood here: wait CHANNEL within=DURATION"));
  EXPECT_THAT(ProblemOf("passive listening L on=S port=7471 foo=1"),
              HasSubstr("\"foo=1\" is not understood here: listening ID on=CHANNEL port=N"));
}

TEST(AProblem, NamesTheNearestFunction) {
  EXPECT_THAT(
      ProblemOf("active rdma_creat_id B on=C"),
      AllOf(HasSubstr("\"rdma_creat_id\" is not a function"), HasSubstr("rdma_create_id is one")));
  EXPECT_THAT(ProblemOf("active & rdma_lisen A"), HasSubstr("rdma_listen is one"));
  EXPECT_THAT(ProblemOf("active frobnicate A"),
              AllOf(HasSubstr("\"frobnicate\" is not a function"),
                    HasSubstr("cmcheck list functions"), Not(HasSubstr("is one"))));
  EXPECT_THAT(ProblemOf("active " + std::string(100, 'r') + " A"),
              HasSubstr("cmcheck list functions"));
}

TEST(AProblem, SaysWhichLanesThereAre) {
  EXPECT_THAT(ProblemOf("active/300 rdma_listen A"), HasSubstr("the lanes of a side are 1 to 255"));
  EXPECT_THAT(ProblemOf("active/x rdma_listen A"), HasSubstr("the lanes of a side are 1 to 255"));
  EXPECT_THAT(ProblemOf("sideways/3 rdma_listen A"), Not(HasSubstr("lanes")));
  EXPECT_EQ(ProblemOf("active/255 rdma_listen A"), "");
}

TEST(AListeningSide, NamesItsPort) {
  EXPECT_EQ(ProblemOf("passive listening L on=S"), "port=... is missing");
  EXPECT_THAT(ProblemOf("passive listening L on=S port=65536"), HasSubstr("port=65536: a number"));
  EXPECT_EQ(ProblemOf("passive listening L on=S port=0"), "");
}

}  // namespace
}  // namespace cm
