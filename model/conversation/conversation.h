// A conversation: calls, faults and waits, line by line, with everything needed to repeat it.
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
#include "model/vocabulary/topology_ref.h"

namespace cm {

namespace line {

struct Calls {
  Lane lane;
  Call call;
  // Concurrent with the call of the line before, on another thread: their order is open. Without
  // such a line before it, an ordinary call.
  bool meanwhile = false;
};
// Waits until the channel's descriptor is readable, at most `within`; fetches nothing.
struct Waits {
  Lane lane;
  ChannelRef channel;
  Duration within;
};
// Lets time pass. Nothing is fetched.
struct Passes {
  Duration span;
};
// Lets time pass until nothing has happened for the profile's quiet bound.
struct Settles {};
struct Injects {
  Fault fault;
};
// Ends all packet faults, restores links and neighbours; removed devices stay removed.
struct Heals {};
// The tester sends a message.
struct Sends {
  uint8_t side = 0;
  TesterMad mad;
};

}  // namespace line

using Line = std::variant<line::Calls, line::Waits, line::Passes, line::Settles, line::Injects,
                          line::Heals, line::Sends>;

// The origin of a drawn conversation.
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
  // In a simulated world: for each instant with several events, again and again, which of those
  // that are left is next, past its end 0. They are numbered as they were scheduled, but timers of
  // the CM the other way round among themselves. Empty: all come as they were scheduled.
  std::vector<uint64_t> order;
  Names names;
  std::vector<Line> lines;
};

// One past the last of the concurrent calls that begin with line `first`: the following lines that
// are marked, each of a lane of its own.
size_t EndOfTogether(const Conversation& conversation, size_t first);

// Whether the line is one of several concurrent calls.
bool IsTogether(const Conversation& conversation, size_t line);

// The ids in a message of the tester; some may be none.
std::array<IdRef, 3> IdsIn(const TesterMad& mad);

// The number of C calls; `show` is none.
int CallCount(const Conversation& conversation);

}  // namespace cm

#endif  // MODEL_CONVERSATION_CONVERSATION_H_
