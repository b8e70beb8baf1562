// Two hosts of a site as one implementation: an agent on each, behind the site's launcher.
#ifndef CONFORMANCE_ADAPTERS_EXEC_NODES_H_
#define CONFORMANCE_ADAPTERS_EXEC_NODES_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "conformance/adapters/exec/site.h"
#include "conformance/driver/implementation.h"
#include "model/vocabulary/profile.h"

namespace cm {

struct NodesOptions {
  Site site;
  std::string allow;  // what may be done to the hosts, as of `--allow`
  // Built-in ones of the active and of the passive side, by whose names agents are started.
  std::pair<Profile, Profile> own;
  Profile joint;  // by which both are judged together
  std::function<void(std::string_view side, const std::string& what)> lost;  // may be empty
  const std::atomic<bool>* interrupted = nullptr;                            // as in DriverPlace
};

// Starts both agents. The implementation, or the error in one line. `lost` is called when an agent
// is gone; it is started again.
std::variant<std::unique_ptr<Implementation>, std::string> MakeNodesImplementation(
    NodesOptions options);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_NODES_H_
