// What an environment can do. What it cannot do is not drawn.
#ifndef MODEL_VOCABULARY_CAPABILITY_H_
#define MODEL_VOCABULARY_CAPABILITY_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "model/base/enumeration.h"

namespace cm {

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
  kCrashes,     // calls that crash the real library or kernel may be made
  kMisuse,      // calls on what is gone may be made, which read memory that is not theirs
  kLaterCalls,  // the library has the calls of its map 1.4, and the kernel serves them
  kData,        // bytes move: queues take work, and complete it
  kSilenceSm,   // there is an SA, which can be silenced
  kCorrupt,
  kDirection,   // packet faults between two sides of several, and of any sender
  kDelayRange,  // delays that are drawn for each message
  kLateStart,   // packet faults that begin to act a while after their installation
  kDuplicateAddress,
  kFlap,
  kHostCrash,  // hosts stop, and start again
  kTester,     // a side sends messages that are made by hand
};

struct CapabilityRow {
  Capability capability = Capability::kDrop;
  std::string_view name;  // in a line `capabilities` of a conversation
};

// By value. Texts name capabilities in this order.
inline constexpr auto kCapabilities =
    ByValue(std::to_array<CapabilityRow>({
                {Capability::kDrop, "drop"},
                {Capability::kDropNth, "drop-nth"},
                {Capability::kDelay, "delay"},
                {Capability::kDuplicate, "duplicate"},
                {Capability::kReorder, "reorder"},
                {Capability::kLink, "link"},
                {Capability::kRemoveDevice, "remove-device"},
                {Capability::kAddDevice, "add-device"},
                {Capability::kFailOver, "fail-over"},
                {Capability::kNeighbour, "neighbour"},
                {Capability::kExit, "exit"},
                {Capability::kTime, "time"},
                {Capability::kRaces, "races"},
                {Capability::kLanes, "lanes"},
                {Capability::kCrashes, "crashes"},
                {Capability::kMisuse, "misuse"},
                {Capability::kLaterCalls, "later-calls"},
                {Capability::kData, "data"},
                {Capability::kSilenceSm, "silence-sm"},
                {Capability::kCorrupt, "corrupt"},
                {Capability::kDirection, "direction"},
                {Capability::kDelayRange, "delay-range"},
                {Capability::kLateStart, "late-start"},
                {Capability::kDuplicateAddress, "duplicate-address"},
                {Capability::kFlap, "link-flap"},
                {Capability::kHostCrash, "host-crash"},
                {Capability::kTester, "tester"},
            }),
            &CapabilityRow::capability);
inline constexpr int kCapabilityCount = kCapabilities.size();
static_assert(kCapabilityCount < 32, "a set has a bit for each");

class Capabilities {
 public:
  constexpr Capabilities() = default;
  constexpr Capabilities(std::initializer_list<Capability> some) {
    for (const Capability one : some) bits_ |= Bit(one);
  }
  constexpr bool Has(Capability c) const { return (bits_ & Bit(c)) != 0; }
  constexpr bool Includes(Capabilities some) const { return (some.bits_ & ~bits_) == 0; }
  constexpr Capabilities With(Capability c) const { return With(Capabilities{c}); }
  constexpr Capabilities With(Capabilities more) const {
    more.bits_ |= bits_;
    return more;
  }
  constexpr Capabilities Without(Capability c) const { return Without(Capabilities{c}); }
  constexpr Capabilities Without(Capabilities fewer) const {
    fewer.bits_ = bits_ & ~fewer.bits_;
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
  static constexpr uint32_t Bit(Capability c) { return uint32_t{1} << static_cast<int>(c); }

  uint32_t bits_ = 0;
};

constexpr Capabilities AllCapabilities() {
  Capabilities all;
  for (const CapabilityRow& row : kCapabilities) all = all.With(row.capability);
  return all;
}

std::string_view ToString(Capability capability);
std::optional<Capability> ParseCapability(std::string_view name);
// "drop delay link", in the order of the table; "none" for the empty set.
std::string ToString(Capabilities capabilities);
std::optional<Capabilities> ParseCapabilities(std::string_view text);

}  // namespace cm

#endif  // MODEL_VOCABULARY_CAPABILITY_H_
