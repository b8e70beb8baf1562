// A conversation: what is said and done, line by line, with everything needed to say it again.
#ifndef MODEL_CONVERSATION_CONVERSATION_H_
#define MODEL_CONVERSATION_CONVERSATION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/names.h"
#include "model/vocabulary/tester.h"
#include "model/vocabulary/topology.h"

namespace cm {

namespace line {

struct Calls {
  Lane lane;
  Call call;
  // Made at the same time as the call of the line before, by another thread: nobody says which of
  // them comes first. Without such a line before it, an ordinary call.
  bool meanwhile = false;
};
// Until the channel's descriptor is readable, at most `within`; fetches nothing.
struct Waits {
  Lane lane;
  ChannelRef channel;
  Duration within;
};
// Time passes. Nothing is fetched.
struct Passes {
  Duration span;
};
// Time passes until nothing has happened for the profile's quiet bound.
struct Settles {};
struct Injects {
  Fault fault;
};
// All packet faults end, links and neighbours are as they were; removed devices stay removed.
struct Heals {};
// The tester sends a message.
struct Sends {
  uint8_t side = 0;
  TesterMad mad;
};

}  // namespace line

using Line = std::variant<line::Calls, line::Waits, line::Passes, line::Settles, line::Injects,
                          line::Heals, line::Sends>;

// Where a drawn conversation came from.
struct Origin {
  uint64_t seed = 0;
  uint64_t index = 0;
  std::string walk;
  std::string options;  // "calls=20"
  friend bool operator==(const Origin&, const Origin&) = default;
};

struct Conversation {
  std::string comment;  // the leading `#` lines, without the marks
  TopologyRef topology;
  std::string profile;
  Capabilities capabilities;
  std::optional<Origin> origin;
  Names names;
  std::vector<Line> lines;
};

// One past the last of the calls that are made at once, the first of which is line `first`: of the
// lines that follow it, those that say so, each of a lane of its own.
size_t EndOfTogether(const Conversation& conversation, size_t first);

// The ids that a message of the tester speaks of; some may be none.
std::array<IdRef, 3> IdsIn(const TesterMad& mad);

// The number of C calls in it; `show` is none.
int CallCount(const Conversation& conversation);

}  // namespace cm

#endif  // MODEL_CONVERSATION_CONVERSATION_H_
