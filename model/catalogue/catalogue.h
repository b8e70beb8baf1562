// Every row of every table under one number: for coverage, for lists and for the generated tables.
#ifndef MODEL_CATALOGUE_CATALOGUE_H_
#define MODEL_CATALOGUE_CATALOGUE_H_

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/rules/need.h"
#include "model/rules/rule.h"
#include "model/rules/transports.h"
#include "model/vocabulary/profile.h"

namespace cm::model {

// A row's number. Numbers are for one build; ids are for ever.
using RuleNumber = uint16_t;

// The number of all rows.
RuleNumber RuleCount();

// A set of rows: has room for those of all tables.
using RuleBits = std::bitset<640>;

// What every row has, whatever its table.
struct RuleInfo {
  std::string_view id;
  std::string_view machine;  // the table: "cm_id", "ib_cm", ...
  std::string says;          // the row as a sentence
  Evidence evidence;
  Transports over;
  Need needs = Need::kNothing;
  bool crashes = false;
};

std::span<const RuleInfo> AllRules();
const RuleInfo& InfoOf(RuleNumber rule);

// The row's number, by its place in its table: that of CallRule, of IbRule, ...
template <typename Row>
RuleNumber NumberOf(const Row* row);

// Whether implementations of the profile may show the row.
bool Enabled(RuleNumber rule, const Profile& profile);
// The row is of messages that no connection manager sends.
bool NeedsTester(RuleNumber rule);
// Enabled rows that do not crash and need no tester: what a campaign can reach.
RuleBits Reachable(const Profile& profile);

}  // namespace cm::model

#endif  // MODEL_CATALOGUE_CATALOGUE_H_
