// Groups of calls that a connection manager may leave out. What needs one of them is unsupported.
#ifndef CONFORMANCE_ADAPTERS_EXEC_GROUPS_H_
#define CONFORMANCE_ADAPTERS_EXEC_GROUPS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/conversation/conversation.h"

namespace cm {

struct CallGroup {
  std::string_view name;       // in a greeting
  std::string_view sentence;   // what it is
  std::string_view functions;  // separated by spaces; empty: as `datagrams`, a use of some calls
};

// In the order of docs/driver_protocol.md. Functions in none of them cannot be left out.
std::span<const CallGroup> CallGroups();

// What a driver leaves out.
class LeftOut {
 public:
  // A group or a function. False when there is none of that name, or it cannot be left out.
  bool Add(std::string_view name);
  // Why the conversation cannot be carried out, with the first name that it needs; empty when it
  // can.
  std::string WhyUnsupported(const Conversation& conversation) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  bool Has(std::string_view name) const;

  std::vector<std::string> names_;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_GROUPS_H_
