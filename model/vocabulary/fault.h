// What an environment can do to a conversation, as data. Its kinds: fault_kinds.h.
#ifndef MODEL_VOCABULARY_FAULT_H_
#define MODEL_VOCABULARY_FAULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/base/duration.h"
#include "model/vocabulary/capability.h"
#include "model/vocabulary/fault_kinds.h"
#include "model/vocabulary/protocol.h"

namespace cm {

struct Topology;

// How delays of a range are spread over it.
enum class DelayShape : uint8_t {
  kUniform,
  kTail,  // most are short, and a few are very long: each order of magnitude is as likely
};

// Any of them, where a packet fault names sides.
inline constexpr uint8_t kAnySide = 0xff;

// One environment line. For packet faults the first installed rule that matches decides.
struct Fault {
  FaultKind kind = FaultKind::kDrop;
  uint8_t side = 0;       // packet faults: who sends, or kAnySide; others: who is hit
  uint8_t to = kAnySide;  // packet faults: who is sent to
  MadKinds messages;      // packet faults only
  uint32_t first = 1;     // packet faults: the first matching occurrence that is hit, from 1
  uint32_t last = 0;      // and the last; 0: all from `first` on; kFlap: how many times
  Duration by;            // kDelay: how much later, at least; kFlap: from each turn to the next
  Duration at_most;       // and at most, where that is more: drawn for each message
  DelayShape shape = DelayShape::kUniform;
  Duration after;  // packet faults: how long after its installation it begins to act
  Duration window = Duration::Max();  // and for how long
  friend constexpr bool operator==(const Fault&, const Fault&) = default;

  constexpr PacketEffect Effect() const { return RowOf(kind).packets; }
  constexpr bool OnPackets() const { return Effect() != PacketEffect::kNone; }
  // What matches does not get there.
  constexpr bool Loses() const {
    return Effect() == PacketEffect::kLost || Effect() == PacketEffect::kCorrupt;
  }
  // It hits some of the messages that match, by their number.
  constexpr bool CountsMessages() const { return first > 1 || last != 0; }
  constexpr Duration MostLate() const { return at_most > by ? at_most : by; }
};

// One argument of a fault line.
struct FaultFieldRow {
  FaultField field = FaultField::kSide;
  std::string_view key;        // empty: the word after the kind
  std::string_view form;       // "SIDE", "N, N..M or N.."
  std::string_view otherwise;  // the default; empty: the argument has to be there
  std::string_view example;    // empty for a side, and for what an example leaves out
  // Its value as text; empty for the default.
  std::string (*text)(const Fault&, const Topology&) = nullptr;
  // Whether its value asks more of an environment than the kind does, and what.
  bool (*asks)(const Fault&) = nullptr;
  Capability needs = Capability::kDrop;
};
const FaultFieldRow& RowOf(FaultField field);

// "drop", "link-down", "remove-device", ...
std::string_view ToString(FaultKind kind);
std::optional<FaultKind> ParseFaultKind(std::string_view name);
// "drop, delay, duplicate, ...": all of them, for messages about a misspelt one.
std::string AllFaultKinds();
// "drop REQ from=active nth=1": as a line of a conversation has it after `fault`.
std::string ToString(const Fault& fault, const Topology& topology);

// The shortest line of the kind that does something to `side`, or to one message of it, as above.
std::string ExampleOf(FaultKind kind, std::string_view side);

// "REQ", "any".
std::string ToString(MadKinds kinds);
std::optional<MadKinds> ParseMadKinds(std::string_view name);

// What `fault` asks of an environment.
Capabilities Needs(const Fault& fault);
// What packet faults can ask of one.
Capabilities NeedsOfPacketFaults();

}  // namespace cm

#endif  // MODEL_VOCABULARY_FAULT_H_
