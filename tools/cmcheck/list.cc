#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "conformance/defects/defects.h"
#include "conformance/properties/registry.h"
#include "conformance/runner/verdict.h"
#include "conformance/walks/walk.h"
#include "model/catalogue/catalogue.h"
#include "model/conversation/call_syntax.h"
#include "model/conversation/topology_text.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

void Print(std::string_view id, std::string_view sentence) { fmt::print("{}  {}\n", id, sentence); }

void ListWalks() {
  for (const Walk& walk : Walks()) Print(walk.name, walk.sentence);
}

void ListProperties() {
  for (const RunnerClaim& claim : kRunnerClaims)
    Print(claim.id,
          fmt::format(
              "{}{}", claim.says,
              IsOfWholeCampaign(claim.id) ? " (of whole campaigns: not for --property)" : ""));
  for (const Property& property : Properties())
    Print(property.id,
          fmt::format("{} ({}; {})", property.says, ToString(property.kind), property.source));
}

void ListRules() {
  for (const model::RuleInfo& rule : model::AllRules()) {
    const std::string observed = rule.evidence.observed.empty()
                                     ? "unobserved"
                                     : fmt::format("observed {}", rule.evidence.observed);
    Print(rule.id,
          fmt::format("{} [{}; {}; {}]", rule.says, rule.machine, rule.evidence.source, observed));
  }
}

void ListDefects() {
  for (const Defect& defect : Defects()) {
    const std::string_view shown_by = WhoShows(defect.name, Profiles().front());
    Print(defect.name, shown_by.empty()
                           ? std::string(defect.sentence)
                           : fmt::format("{} (profile {})", defect.sentence, shown_by));
  }
}

// The syntax of a call in a conversation, its defaults, and its traits.
void ListFunctions() {
  for (int i = 0; i < kCallKindCount; ++i) {
    const auto kind = static_cast<CallKind>(i);
    std::string rest = fmt::format("({}", TraitsOf(kind).manual);
    for (const std::string& more : {DefaultsOf(kind), TraitsText(kind)})
      if (!more.empty()) rest += "; " + more;
    Print(SyntaxOf(kind), rest + ")");
  }
}

void ListProfiles() {
  for (const Profile& profile : Profiles()) Print(profile.name, profile.sentence);
}

void ListTopologies() {
  for (const Topology& topology : AllTopologies()) Print(topology.name, topology.sentence);
}

// As a conversation contains them.
void ListTopologyTexts() {
  for (const Topology& topology : AllTopologies()) fmt::print("{}\n", ToText(topology));
}

// "from=SIDE or any", "[nth=N, N..M or N..]": in brackets what may be left out.
std::string Argument(const FaultFieldRow& field) {
  std::string text =
      field.key.empty() ? std::string(field.form) : fmt::format("{}={}", field.key, field.form);
  if (field.otherwise.empty()) return text;
  return fmt::format("[{}; {}]", text, field.otherwise);
}

void ListFaults() {
  for (const FaultRow& row : kFaultKinds) {
    std::string text = fmt::format("{} Takes", row.sentence);
    for (const FaultField field : row.takes) text += " " + Argument(RowOf(field));
    text += fmt::format("; needs {}", ToString(row.needs));
    if (row.healed) text += "; ends with heal";
    if (row.undone_by)
      text += fmt::format("; {} with {}", row.healed ? "and" : "ends", ToString(*row.undone_by));
    Print(row.name, text);
  }
}

struct Listing {
  std::string_view what;
  void (*print)();
};
constexpr auto kListings = std::to_array<Listing>({{"walks", ListWalks},
                                                   {"properties", ListProperties},
                                                   {"rules", ListRules},
                                                   {"defects", ListDefects},
                                                   {"functions", ListFunctions},
                                                   {"faults", ListFaults},
                                                   {"profiles", ListProfiles},
                                                   {"topologies", ListTopologies},
                                                   {"topology-texts", ListTopologyTexts}});

std::string ListNames() {
  std::string names;
  for (const Listing& listing : kListings)
    names += (names.empty() ? "" : ", ") + std::string(listing.what);
  return names;
}

int List(const std::string& what) {
  for (const Listing& listing : kListings)
    if (listing.what == what) {
      listing.print();
      return kExitClean;
    }
  return Unusable(fmt::format("there is no list '{}'; lists are {}", what, ListNames()));
}

}  // namespace

void AddList(Verb cmcheck) {
  Verb verb =
      cmcheck.Add("list", "List names, one a line: id, then a sentence",
                  "\nExamples:\n  cmcheck list walks\n  cmcheck list rules | grep unobserved");
  auto what = std::make_shared<std::string>();
  verb.Argument("what", what.get(), "Which list: " + ListNames());
  verb.Does([what] { return List(*what); });
}

}  // namespace cm
