// What happens around programs while they run: faults, and their end, at instants of virtual time.
#ifndef TOOLS_APP_SCRIPT_H_
#define TOOLS_APP_SCRIPT_H_

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/topology.h"

namespace cm::app {

struct Happening {
  Instant at;
  std::optional<Fault> fault;  // none: everything is healed
};

// The lines `fault`, `heal` and `pass` of a conversation; each `pass` lets the next ones come
// later. What is wrong with the text, with the number of the line, when something is.
std::variant<std::vector<Happening>, std::string> ReadScript(std::string_view text,
                                                             const TopologyRef& topology);

}  // namespace cm::app

#endif  // TOOLS_APP_SCRIPT_H_
