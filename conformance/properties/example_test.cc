// The property that HACKING.md shows: it compiles, holds where nothing is wrong, and fails where
// ESTABLISHED comes twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "conformance/properties/counterexamples.h"
#include "conformance/properties/property.h"
#include "conformance/scenarios/on_sim.h"
#include "model/conversation/history.h"

namespace cm {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

void EstablishedOnce(const HistoryIndex& index, PropertyResult& result) {
  for (uint16_t i = 0; i < index.id_count(); ++i) {
    const auto events = index.EventsOf(IdRef{i}, EventType::kEstablished);
    if (events.empty()) continue;
    result.Arose();  // the premise of the claim: something was established
    if (events.size() > 1) result.Violated(events[1]->at, "ESTABLISHED again", "one ESTABLISHED");
  }
}

PropertyResult SaidOf(const History& history) {
  const HistoryIndex index(history, ProfileOf(history.conversation));
  PropertyResult result;
  EstablishedOnce(index, result);
  return result;
}

TEST(TheExample, HoldsAndFails) {
  History history = OnSim(ConversationOf(Connected("")));
  EXPECT_EQ(SaidOf(history).arose(), 2);
  EXPECT_THAT(SaidOf(history).violations(), IsEmpty());
  for (const Record& record : std::vector<Record>(history.records)) {
    const auto* const answered = std::get_if<seen::Answered>(&record.seen);
    if (answered == nullptr || !answered->event) continue;
    if (answered->event->type == EventType::kEstablished) history.records.push_back(record);
  }
  EXPECT_THAT(SaidOf(history).violations(), SizeIs(2));
}

TEST(TheExample, IsThatOfHacking) {
  const std::string source = TextOf("conformance/properties/example_test.cc");
  std::istringstream page(TextOf("HACKING.md"));
  std::string code;
  int blocks = 0;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (inside && line == "```") {
      EXPECT_THAT(source, HasSubstr("\n" + code));
      inside = false;
    }
    if (inside) code += line + "\n";
    if (line != "```cpp") continue;
    inside = true;
    code.clear();
    ++blocks;
  }
  EXPECT_GE(blocks, 1);
}

}  // namespace
}  // namespace cm
