// Expectations of the protocol's scenarios, written before any run: the events of each side, their
// times, and the messages sent. They are in the comment above a conversation:
//
//   # active: EST, DISC -110, TWX
//   # passive: CR, EST, DISC
//   # time: active DISC 98.304s [73.728s] after active rdma_disconnect
//   # time: passive CR#2 6.144s [4.608s]
//   # sends: active REQ 1, active DREQ 16
//   # says: active REJ reason=10 of=REP
//   # returns: passive rdma_accept EINVAL
//   # rows: L10 M5 R22 M6
//   # lab: no, its peer is off the rails
//
// A side and all its events in their order, with a status where it is not 0, or "nothing"; the time
// of an event (the second one of its kind as CR#2) after a call, an event or the first
// rdma_connect; the number of messages of a kind sent, lost ones included; a message with all
// fields of its history line but private data; the result of a call; rows of the protocol's tables,
// see docs/protocol.md; the reason why it is not run on a real kernel.
//
//   1. A side's events are those that its program fetched, without those of address and route
//      resolution. CR, EST, REJ, UNR, DISC and TWX are short for CONNECT_REQUEST,
//      ESTABLISHED, REJECTED, UNREACHABLE, DISCONNECTED and TIMEWAIT_EXIT.
//   2. Times are nominal: the latency of links and the lateness of a kernel's timers are added.
//      Times in brackets are for Linux 6.12 and 7.2, where they differ.
#ifndef CONFORMANCE_SCENARIOS_EXPECTATION_H_
#define CONFORMANCE_SCENARIOS_EXPECTATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "model/base/errno.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/protocol.h"

namespace cm {

// "98.304065s".
std::string SecondsText(Duration duration);

struct ScenarioEvent {
  EventType type = EventType::kEstablished;
  int32_t status = 0;
  friend bool operator==(const ScenarioEvent&, const ScenarioEvent&) = default;
};

// "UNR -110".
std::string ToString(const ScenarioEvent& event);

// All events of one side.
struct ExpectedSide {
  uint8_t side = 0;
  std::vector<ScenarioEvent> events;
};

// The `nth` time that a side fetches an event or makes a call.
struct Moment {
  uint8_t side = 0;
  std::variant<EventType, CallKind> what;
  int nth = 1;
};

struct ExpectedTime {
  Moment event;
  Moment after;
  Duration nominal;
  Duration later;  // on 6.12 and 7.2
  std::string text;
};

struct ExpectedSends {
  uint8_t side = 0;
  MadKind kind = MadKind::kReq;
  int count = 0;
  int later = 0;
};

struct ExpectedReturn {
  Moment call;
  Errno error = Errno::kNone;
  std::string text;
};

struct ExpectedMessage {
  uint8_t side = 0;
  std::string text;  // "REJ reason=10 of=REP"
};

struct Expectation {
  std::vector<ExpectedSide> sides;
  std::vector<ExpectedTime> times;
  std::vector<ExpectedSends> sends;
  std::vector<ExpectedMessage> says;
  std::vector<ExpectedReturn> returns;
  std::vector<std::string> rows;
  std::string not_in_lab;  // the reason; empty: runs there
};

// Parses the comment of a conversation; or returns the error.
std::variant<Expectation, std::string> ReadExpectation(const Conversation& conversation);

// A fetched event: the subject of a comparison of times.
struct FetchedEvent {
  uint8_t side = 0;
  ScenarioEvent event;
  Instant at;
  uint32_t record = 0;
};

// All but resolutions, in the order of the history.
std::vector<FetchedEvent> FetchedEvents(const History& history);

// Empty when that moment did not occur.
std::optional<Instant> When(const Moment& moment, const History& history);

// Whether the times in brackets apply.
bool IsLater(const Profile& profile);

// The differences from the expectation, as text. `slack` is the time for the links.
std::vector<std::string> Unexpected(const Expectation& expectation, const History& history,
                                    const Profile& profile, Duration slack);

}  // namespace cm

#endif  // CONFORMANCE_SCENARIOS_EXPECTATION_H_
