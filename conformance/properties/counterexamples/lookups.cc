// Address lookup of ids, and written events.
#include <string>

#include "conformance/properties/counterexamples.h"
#include "conformance/properties/mutate_history.h"

namespace cm::counterexamples {
namespace {

std::string OnAnId(std::string_view rest) {
  return OnLater("active rdma_create_event_channel C nonblocking\nactive rdma_create_id A on=C\n" +
                 std::string(rest));
}

constexpr std::string_view kWritten = R"(active rdma_write_cm_event A status=-5 argument=0x100000001
active rdma_write_cm_event A argument=0x2
active taking C
active taking C
)";

constexpr std::string_view kLookedUp = R"(active rdma_resolve_addrinfo A node=passive service=7471
active taking C
active rdma_query_addrinfo A info=I
active rdma_query_addrinfo A info=J
)";

}  // namespace

std::vector<Counterexample> Lookups() {
  return {
      {"USER-1", "the argument is cut", OnAnId(kWritten), "user-argument-cut"},
      {"USER-1", "one overtakes another", OnAnId(kWritten), "",
       [](History& h) { Swaps(h, Hears(h, EventType::kUser, 1), Hears(h, EventType::kUser, 2)); }},
      {"USER-1", "the status is lost", OnAnId(kWritten), "",
       [](History& h) { EventAt(h, Hears(h, EventType::kUser)).status = 0; }},
      {"AINFO-1", "it is returned twice", OnAnId(kLookedUp), "info-handed-twice"},
      {"AINFO-2", "the service is forgotten", OnAnId(kLookedUp), "addrinfo-drops-service"},
      {"USER-2", kHappens, OnAnId(kWritten)},
  };
}

}  // namespace cm::counterexamples
