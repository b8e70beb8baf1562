// State diagrams, from the rows that change a state.
#ifndef TOOLS_RULES_DIAGRAM_H_
#define TOOLS_RULES_DIAGRAM_H_

#include <string>
#include <string_view>
#include <vector>

namespace cm::ruledoc {

// Names of pseudo-states.
inline constexpr std::string_view kBirth = "birth";          // before the id exists
inline constexpr std::string_view kDeath = "death";          // after it is destroyed
inline constexpr std::string_view kElsewhere = "elsewhere";  // any state but the target

// All rows that lead from one state to another.
struct Edge {
  std::string from;
  std::string to;
  std::vector<std::string> labels;  // one per stimulus: "rdma_listen (listen-2)"
};

struct Diagram {
  std::string_view name;  // "cm_id", of its file
  std::string_view title;
  std::string_view says;
  std::vector<std::string> states;
  std::vector<Edge> edges;
};

// cm_id, ib_cm, qp. A row that every state but its target has is drawn once, from kElsewhere, in
// diagrams with many states.
std::vector<Diagram> AllDiagrams();

// "a-1, 2, 3, b-1": ids that share a word are given by their numbers.
std::string Abbreviated(const std::vector<std::string>& ids);

std::string ToDot(const Diagram& diagram);
// Without the fence.
std::string ToMermaid(const Diagram& diagram);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_DIAGRAM_H_
