// What an environment can do to a conversation, as data.
#ifndef MODEL_VOCABULARY_FAULT_H_
#define MODEL_VOCABULARY_FAULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/base/duration.h"
#include "model/vocabulary/protocol.h"

namespace cm {

enum class FaultKind : uint8_t {
  kDrop,              // messages that match are lost on their way in
  kDelay,             // they arrive later by `by`
  kDuplicate,         // they arrive twice
  kReorder,           // they let the next message of their direction pass
  kLinkDown,          // the side's network interface goes down
  kLinkUp,            // and up again, with its routes and neighbours
  kRemoveDevice,      // the side's RDMA device is removed; its network interface stays
  kAddDevice,         // and comes back
  kFailOver,          // the side's bond moves to another interface with another hardware address
  kNeighbourChange,   // the hardware address behind the other side's IP address changes
  kExit,              // the side's process exits without cleaning up
  kSilenceSm,         // the administrator of the side's subnet answers nothing
  kCorrupt,           // messages that match arrive with a wrong check sum, and are dropped
  kDuplicateAddress,  // another host answers for the side's address, and its peers believe it
  kFlap,              // the side's network interface goes down and up again, and again
  kCrash,             // the side's host stops: nothing of it is left, and nobody is told
  kRestart,           // and starts again, with nothing of what it had
};
inline constexpr int kFaultKindCount = 17;

// How delays of a range are spread over it.
enum class DelayShape : uint8_t {
  kUniform,
  kTail,  // most are short, and a few are very long: each order of magnitude is as likely
};

// A set of message kinds.
class MadKinds {
 public:
  constexpr MadKinds() = default;
  constexpr explicit MadKinds(MadKind kind)
      : bits_(static_cast<uint16_t>(1u << static_cast<int>(kind))) {}
  static constexpr MadKinds All() {
    MadKinds all;
    all.bits_ = (1u << kMadKindCount) - 1;
    return all;
  }
  constexpr bool Has(MadKind kind) const { return (bits_ >> static_cast<int>(kind)) & 1; }
  friend constexpr auto operator<=>(MadKinds, MadKinds) = default;

 private:
  uint16_t bits_ = 0;
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

  constexpr bool OnPackets() const {
    return kind <= FaultKind::kReorder || kind == FaultKind::kCorrupt;
  }
  // kDrop and kCorrupt: what matches does not get there.
  constexpr bool Loses() const { return kind == FaultKind::kDrop || kind == FaultKind::kCorrupt; }
  constexpr Duration MostLate() const { return at_most > by ? at_most : by; }
};

// "drop", "link-down", "remove-device", ...
std::string_view ToString(FaultKind kind);
std::optional<FaultKind> ParseFaultKind(std::string_view name);
// "drop, delay, duplicate, ...": all of them, for whoever has misspelt one.
std::string AllFaultKinds();

// "REQ", "any".
std::string ToString(MadKinds kinds);
std::optional<MadKinds> ParseMadKinds(std::string_view name);

// What an environment can do. What it cannot do is not drawn.
enum class Capability : uint8_t {
  kDrop,
  kDropNth,  // occurrence ranges and windows of drop rules
  kDelay,
  kDuplicate,
  kReorder,
  kLink,
  kRemoveDevice,
  kAddDevice,
  kFailOver,
  kNeighbour,
  kExit,
  kTime,        // minutes may pass: virtual time, or patience
  kRaces,       // calls may follow one another before the world has settled
  kLanes,       // a side has more than one thread
  kCrashes,     // calls that crash the real library may be made
  kMisuse,      // calls on what is gone may be made, which read memory that is not theirs
  kLaterCalls,  // the library has the calls of its map 1.4, and the kernel serves them
  kData,        // bytes move: queues take work, and complete it
  kSilenceSm,   // there is an administrator of the subnet, which can be silenced
  kCorrupt,
  kDirection,   // packet faults between two sides of several, and of whoever sends
  kDelayRange,  // delays that are drawn for each message
  kLateStart,   // packet faults that begin to act a while after their installation
  kDuplicateAddress,
  kFlap,
  kHostCrash,  // hosts stop, and start again
  kTester,     // a side sends messages that are made by hand
};
inline constexpr int kCapabilityCount = 27;

class Capabilities {
 public:
  constexpr Capabilities() = default;
  constexpr bool Has(Capability c) const { return (bits_ >> static_cast<int>(c)) & 1; }
  constexpr Capabilities With(Capability c) const {
    Capabilities more = *this;
    more.bits_ |= 1u << static_cast<int>(c);
    return more;
  }
  constexpr Capabilities Without(Capability c) const {
    Capabilities fewer = *this;
    fewer.bits_ &= ~(1u << static_cast<int>(c));
    return fewer;
  }
  constexpr uint32_t bits() const { return bits_; }
  // Those that both have.
  friend constexpr Capabilities Common(Capabilities a, Capabilities b) {
    a.bits_ &= b.bits_;
    return a;
  }
  friend constexpr bool operator==(Capabilities, Capabilities) = default;

 private:
  uint32_t bits_ = 0;
};

std::string_view ToString(Capability capability);
std::optional<Capability> ParseCapability(std::string_view name);
// "drop delay link", in declared order; "none" for the empty set.
std::string ToString(Capabilities capabilities);
std::optional<Capabilities> ParseCapabilities(std::string_view text);

// What `fault` asks of an environment.
Capabilities Needs(const Fault& fault);

}  // namespace cm

#endif  // MODEL_VOCABULARY_FAULT_H_
