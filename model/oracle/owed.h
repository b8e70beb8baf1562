// What is owed after each fault, and from when until when: the page docs/owed.md is made of it, and
// a test holds the oracle to it.
#ifndef MODEL_ORACLE_OWED_H_
#define MODEL_ORACLE_OWED_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"

namespace cm::model {

enum class Owed : uint8_t { kAddress, kEvent, kNews, kReturn, kMessage, kRepetition, kTimewait };

// A thing that is owed, by the conversation in which it is. The fault comes right before the last
// call of it, or after it where time alone is owed something.
struct OwedThing {
  Owed owed;
  std::string_view name;
  std::string_view sentence;
};
inline constexpr auto kOwedThings = std::to_array<OwedThing>({
    {Owed::kAddress, "address", "the active side resolves an address: ADDR_RESOLVED"},
    {Owed::kEvent, "event", "the active side resolves a route: ROUTE_RESOLVED"},
    {Owed::kNews, "news", "a connection stands: what the fault tells its active side"},
    {Owed::kReturn, "return", "the active side destroys an id: rdma_destroy_id returns"},
    {Owed::kMessage, "message", "the active side connects: CONNECT_REQUEST at the listener"},
    {Owed::kRepetition, "repetition",
     "the active side connects, and its first request is lost: CONNECT_REQUEST at the listener"},
    {Owed::kTimewait, "timewait", "both sides have disconnected: TIMEWAIT_EXIT at the active one"},
});

constexpr std::string_view NameOf(Owed owed) {
  for (const OwedThing& thing : kOwedThings)
    if (thing.owed == owed) return thing.name;
  return "";
}

// From when until when, counted from the last call, from the fault that tells something, or from
// the beginning of timewait.
struct OwedBounds {
  std::string_view text;
  Duration (*first)(const Timing&);
  Duration (*last)(const Timing&);
};

// What comes of one thing after one fault.
struct OwedRow {
  FaultKind fault = FaultKind::kDrop;
  Owed owed = Owed::kEvent;
  std::string lines;       // the faults, as lines of a conversation, separated by "; "
  bool early = false;      // they come before everything else
  std::string_view event;  // owed at the active side in place of the thing; empty: the thing
  OwedBounds bounds;
  std::string_view profile;   // under which it is tried
  std::string_view topology;  // and in which
  std::string_view source;    // for what differs from a conversation without faults
};

// A row for each fault kind and each thing, in the order of kFaultKinds and kOwedThings; none where
// a fault tells nothing.
std::vector<OwedRow> OwedRows();

}  // namespace cm::model

#endif  // MODEL_ORACLE_OWED_H_
