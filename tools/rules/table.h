// The rows of all tables as text, for printing.
#ifndef TOOLS_RULES_TABLE_H_
#define TOOLS_RULES_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/rules/rule.h"

namespace cm::ruledoc {

// A row as text. Columns that its table lacks are empty.
struct Row {
  model::RuleNumber number = 0;
  std::string_view id;
  std::string from;
  std::string on;
  std::string when;
  std::string outcome;
  std::string then;     // the new state; empty: unchanged
  std::string effects;  // further effects: messages, events
  std::string_view source;
  std::string_view observed;
};

struct Table {
  std::string_view title;
  std::string_view says;  // description of its rows
  std::vector<Row> rows;  // in the order of the source
};

// In the order of the catalogue.
std::vector<Table> AllTables();

// "-1 EINVAL", "0", "blocks", "crashes".
std::string ToText(const model::Outcome& outcome);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_TABLE_H_
