// Shares, the document and the figures.
#include "conformance/fidelity/fidelity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "conformance/fidelity/test_histories.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Profile& Reference() { return *FindProfile("6.1-rxe"); }

HistoryText ListensTwice(const std::string& answer) {
  return Listening() + HistoryText{"passive rdma_listen L backlog=8 -> " + answer};
}
const HistoryText kFault = {"fault link-down side=active -> done"};

LabReport Report() {
  return {.implementation = "librdmacm 44.0-2 on Linux 6.1.0",
          .profile = "6.1-rxe",
          .topology = "one-kernel-two-devices",
          .library = "44.0-2",
          .kernel = "6.1.0 (6.1.192-2)",
          .digest = "0x25021335aa2e35ce",
          .seed = 3,
          .first = 0,
          .sequences = 4,
          .failed = 1,
          .inconclusive = 0,
          .conversations = {}};
}

// Three equal, one of them faulted, and one that differs.
Fidelity Four() {
  Fidelity fidelity;
  const History plain = HistoryOf(ListensTwice("-1 EINVAL"));
  const History faulted = HistoryOf(kFault + ListensTwice("-1 EINVAL"));
  fidelity.Add(Compare(plain, plain, Reference()));
  fidelity.Add(Compare(plain, plain, Reference()));
  fidelity.Add(Compare(faulted, faulted, Reference()));
  fidelity.Add(Compare(HistoryOf(ListensTwice("-1 EBUSY")), plain, Reference()));
  return fidelity;
}

TEST(Fidelity, ASequenceIsFaultedWhenALineOfItIsAFault) {
  const History plain = HistoryOf(Listening() + HistoryText{"heal -> done"});
  const History faulted = HistoryOf(kFault + Listening());
  EXPECT_FALSE(Compare(plain, plain, Reference()).faulted);
  EXPECT_TRUE(Compare(faulted, faulted, Reference()).faulted);
}

TEST(Fidelity, EqualAndFaultedSequencesAreCounted) {
  const Fidelity fidelity = Four();
  EXPECT_EQ(fidelity.fault_free().equal, 2u);
  EXPECT_EQ(fidelity.fault_free().all, 3u);
  EXPECT_EQ(fidelity.fault_free().BasisPoints(), 6666u);
  EXPECT_EQ(fidelity.faulted().BasisPoints(), 10000u);
  EXPECT_EQ(fidelity.With(Cause::kKernelRefused), 1u);
  EXPECT_EQ(fidelity.With(Cause::kTimer), 0u);
  EXPECT_EQ(fidelity.refused(), 1u);
  EXPECT_EQ(fidelity.options(), "calls=20");
}

TEST(Fidelity, TheShareOfNoneIsWhole) { EXPECT_EQ(Share{}.BasisPoints(), 10000u); }

TEST(Fidelity, TheDocumentSaysWhatHowManyAndWhy) {
  const std::string text = ToMarkdown(Four(), Report(), Reference());
  EXPECT_THAT(text, AllOf(HasSubstr("--seed 3 --sequences 4 --calls 20"),
                          HasSubstr("| library | librdmacm 44.0-2 |"),
                          HasSubstr("| digest of the kernel's run | 0x25021335aa2e35ce |"),
                          HasSubstr("| fault-free | 2 | 3 | 66.66 % |"),
                          HasSubstr("| faulted | 1 | 1 | 100.00 % |"),
                          HasSubstr("| the tables lack a row | 1 | 7 |")));
  EXPECT_THAT(text, AllOf(HasSubstr("Sequence 7 (walk `random`), passive:"),
                          HasSubstr("kernel     passive rdma_listen L backlog=8 -> -1 EBUSY"),
                          HasSubstr("simulator  passive rdma_listen L backlog=8 -> -1 EINVAL")));
  EXPECT_EQ(text, ToMarkdown(Four(), Report(), Reference()));
}

TEST(Fidelity, TheDocumentListsRowsThatWereConfirmedAndThoseThatWereNot) {
  const std::string text = ToMarkdown(Four(), Report(), Reference());
  const size_t split = text.find("## Rows that can be reached and were not confirmed");
  ASSERT_NE(split, std::string::npos);
  EXPECT_THAT(text.substr(0, split),
              AllOf(HasSubstr("`channel-1`"), Not(HasSubstr("`connect-5`"))));
  EXPECT_THAT(text.substr(split), AllOf(HasSubstr("`connect-5`"), Not(HasSubstr("`channel-1` "))));
}

TEST(Fidelity, NoDifferenceIsSaidInAWord) {
  Fidelity fidelity;
  const History plain = HistoryOf(Listening());
  fidelity.Add(Compare(plain, plain, Reference()));
  EXPECT_THAT(ToMarkdown(fidelity, Report(), Reference()), HasSubstr("Nowhere."));
}

TEST(Fidelity, TheFiguresAreThereForPrograms) {
  const auto json = nlohmann::json::parse(ToJson(Four(), Report(), Reference()));
  EXPECT_EQ(json["fault_free"]["equal"], 2);
  EXPECT_EQ(json["faulted"]["all"], 1);
  EXPECT_EQ(json["causes"]["the tables lack a row"], 1);
  EXPECT_EQ(json["causes"]["permitted alternative"], 0);
  ASSERT_EQ(json["differences"].size(), 1u);
  EXPECT_EQ(json["differences"][0]["number"], 7);
  EXPECT_EQ(json["differences"][0]["track"], "passive");
}

}  // namespace
}  // namespace cm
