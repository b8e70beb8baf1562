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
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm::app {

struct Happening {
  Instant at;
  std::optional<Fault> fault;  // none: everything is healed
  std::string text;            // the line that says so
  std::string waits;           // the last `pass` before it, when no other happening is between
};

// The lines `fault`, `heal` and `pass` of a conversation; each `pass` lets the next ones come
// later. A comment begins with a '#' that stands alone before it. What is wrong with the text, with
// the number of the line, when something is; that a fault can do nothing is wrong, too. Without a
// profile nothing is said of what only some profiles have.
std::variant<std::vector<Happening>, std::string> ReadScript(std::string_view text,
                                                             const TopologyRef& topology,
                                                             const Profile* profile = nullptr);

}  // namespace cm::app

#endif  // TOOLS_APP_SCRIPT_H_
