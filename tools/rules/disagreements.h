// Disagreements of manual and code, and situations for which the sources permit more than one
// outcome: written by hand, with the rows that decide them.
#ifndef TOOLS_RULES_DISAGREEMENTS_H_
#define TOOLS_RULES_DISAGREEMENTS_H_

#include <span>
#include <string_view>

namespace cm::ruledoc {

// The manual says one thing, the code does another; the rows follow the code.
struct Disagreement {
  std::string_view id;  // "doc-1", permanent
  std::string_view manual;
  std::string_view code;
  std::string_view rows;     // ids, with blanks between them
  std::string_view outside;  // why there is no row; empty if there is one
};
std::span<const Disagreement> Disagreements();

// A race: the set of its possible outcomes.
struct Race {
  std::string_view id;  // "race-1", permanent
  std::string_view situation;
  std::string_view admissible;
  std::string_view rows;
  std::string_view outside;
};
std::span<const Race> Races();

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_DISAGREEMENTS_H_
