// The rows as text, as tables, alternatives and diagrams.
#include "tools/rules/documents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/cm_id/guard.h"
#include "model/cm_id/state.h"
#include "model/vocabulary/call.h"
#include "tools/rules/alternatives.h"
#include "tools/rules/diagram.h"
#include "tools/rules/table.h"

namespace cm::ruledoc {
namespace {

TEST(Tables, HaveEveryRowOnceInTheOrderOfTheCatalogue) {
  model::RuleNumber next = 0;
  for (const Table& table : AllTables()) {
    for (const Row& row : table.rows) {
      EXPECT_EQ(row.number, next);
      EXPECT_EQ(row.id, model::InfoOf(next).id);
      EXPECT_EQ(row.source, model::InfoOf(next).evidence.source);
      ++next;
    }
  }
  EXPECT_EQ(next, model::RuleCount());
}

TEST(Tables, SayARowInWords) {
  const std::vector<Table> tables = AllTables();
  const auto row = std::ranges::find(tables.front().rows, "accept-7", &Row::id);
  ASSERT_NE(row, tables.front().rows.end());
  EXPECT_EQ(row->from, "CONNECT");
  EXPECT_EQ(row->on, "rdma_accept");
  EXPECT_EQ(row->when, "data-too-long");
  EXPECT_EQ(row->outcome, "-1 EINVAL");
  EXPECT_EQ(row->then, "");
  EXPECT_EQ(row->effects, "QP to ERR; rejects what there is to reject");
}

TEST(Tables, SayASetOfStatesTheShorterWay) {
  const std::vector<Table> tables = AllTables();
  const auto from = [&](std::string_view id) {
    return std::ranges::find(tables.front().rows, id, &Row::id)->from;
  };
  EXPECT_EQ(from("bind-2"), "any");
  EXPECT_EQ(from("bind-3"), "any but IDLE");
  EXPECT_EQ(from("disconnect-7"), "CONNECT, DISCONNECT, DEVICE_REMOVAL");
}

TEST(Alternatives, ShareTheirSituation) {
  const std::vector<Alternatives> all = AllAlternatives();
  const auto disconnect = std::ranges::find_if(
      all, [](const Alternatives& a) { return a.stimulus == "rdma_disconnect"; });
  ASSERT_NE(disconnect, all.end());
  EXPECT_EQ(disconnect->states, "DEVICE_REMOVAL");
  EXPECT_EQ(disconnect->guard, "fine");
  std::vector<std::string_view> ids;
  for (const model::RuleNumber row : disconnect->rows) ids.push_back(model::InfoOf(row).id);
  EXPECT_EQ(ids, (std::vector<std::string_view>{"disconnect-7", "disconnect-8"}));
}

TEST(Answers, ComeWithTheUnguardedOneFirst) {
  EXPECT_EQ(Answers(model::State::kIdle, CallKind::kListen), "**0**, ENXIO");
  EXPECT_EQ(Answers(model::State::kConnect, CallKind::kListen), "**EINVAL**, ENXIO");
  EXPECT_EQ(Answers(model::State::kIdle, CallKind::kDestroyQp), "**0**, crashes, blocks");
}

TEST(Diagrams, DrawOneArrowBetweenTwoStatesAndNoneThatStays) {
  for (const Diagram& diagram : AllDiagrams()) {
    std::set<std::pair<std::string, std::string>> drawn;
    for (const Edge& edge : diagram.edges) {
      EXPECT_NE(edge.from, edge.to) << diagram.name;
      EXPECT_TRUE(drawn.insert({edge.from, edge.to}).second)
          << diagram.name << ": " << edge.from << " -> " << edge.to << " is drawn twice";
    }
  }
}

TEST(Diagrams, LeaveNoStateOut) {
  for (const Diagram& diagram : AllDiagrams()) {
    for (const std::string& state : diagram.states) {
      EXPECT_TRUE(std::ranges::any_of(diagram.edges, [&](const Edge& e) { return e.to == state; }))
          << diagram.name << ": nothing leads to " << state;
    }
  }
}

TEST(Diagrams, DrawOnceWhatEveryStateDoes) {
  const Diagram cm_id = AllDiagrams().front();
  const auto to_removal = std::ranges::find(cm_id.edges, "DEVICE_REMOVAL", &Edge::to);
  ASSERT_NE(to_removal, cm_id.edges.end());
  EXPECT_EQ(to_removal->from, kElsewhere);
  EXPECT_EQ(to_removal->labels, std::vector<std::string>{"device goes (removal-1)"});
}

TEST(Diagrams, AbbreviateIdsThatShareAWord) {
  EXPECT_EQ(Abbreviated({"ib-rej-1", "ib-rej-2", "report-3", "ib-rej-4"}),
            "ib-rej-1, 2, report-3, ib-rej-4");
}

TEST(Diagrams, AreWrittenInBothLanguages) {
  const Diagram diagram{
      .name = "small",
      .states = {"A", "B"},
      .edges = {{std::string(kBirth), "A", {"made (a-1)"}}, {"A", "B", {"x (a-2)", "y (a-3)"}}}};
  EXPECT_EQ(ToMermaid(diagram),
            "stateDiagram-v2\n"
            "  [*] --> A: made (a-1)\n"
            "  A --> B: x (a-2)<br/>y (a-3)\n");
  EXPECT_NE(ToDot(diagram).find("  A -> B [label=\"x (a-2)\\ny (a-3)\"];\n"), std::string::npos);
}

TEST(Documents, AreTheSameEachTime) {
  const std::vector<Document> first = AllDocuments(".");
  const std::vector<Document> second = AllDocuments(".");
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].text, second[i].text);
}

}  // namespace
}  // namespace cm::ruledoc
