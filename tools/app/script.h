// Faults at instants of virtual time while programs run.
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
#include "model/vocabulary/topology_ref.h"

namespace cm::app {

struct Happening {
  Instant at;
  std::optional<Fault> fault;  // empty: heal everything
  std::string text;            // its line
  std::string waits;           // the `pass` line directly before it
  std::string in_vain = {};    // why the fault does nothing after those before it
};

// Parses the lines `fault`, `heal` and `pass` of a conversation; each `pass` delays the following
// ones. A comment begins with a '#' surrounded by blanks. Returns an error with its line number for
// invalid text, for a fault that could have no effect as a first line either, and for one that
// needs a capability that the profile lacks: a replay of the run would be refused. Without a
// profile, faults that only some profiles support are accepted.
std::variant<std::vector<Happening>, std::string> ReadScript(std::string_view text,
                                                             const TopologyRef& topology,
                                                             const Profile* profile = nullptr);

// The same for a script that was drawn. Empty where it is refused.
std::optional<std::vector<Happening>> ReadIfPossible(std::string_view text,
                                                     const TopologyRef& topology,
                                                     const Profile& profile);

}  // namespace cm::app

#endif  // TOOLS_APP_SCRIPT_H_
