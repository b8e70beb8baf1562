// Many pending events in a timing wheel: eight wheels, each for some bits of an instant.
//
// 1. An event is on the wheel of the highest bit in which its instant differs from `base_`, in the
//    slot of that wheel's bits. So all events of one slot of wheel 0 have the same instant, and
//    every event on a lower wheel happens before every event on a higher one.
// 2. A slot is first in, first out. When the first slot of a higher wheel becomes the next one, its
//    events move to lower wheels in their order, before any other event can come there: events of
//    one instant stay in the order in which they were pushed.
// 3. `base_` moves to the earliest instant of that slot, never past it, and only in Pop: an event
//    may be pushed at any instant that is not before the last one taken.
// 4. A first slot of few events is opened instead of moved: its events become one sorted list.
//    Events pushed for the time of that slot join the list, so that an event that is due soon is
//    mostly appended, and no event of a quiet time goes through every wheel. A list that becomes
//    long goes back to the wheels.
// 5. A wheel with very many events reports those that have come near, so that their objects, which
//    are hardly in the cache, can be prefetched: when a slot becomes the first one, the events of
//    the next two.
// 6. A slot stores its events in chunks of 256 bytes, so that a push appends to memory that is
//    near, and no event needs a node of its own.
#ifndef SIM_CORE_EVENT_WHEEL_H_
#define SIM_CORE_EVENT_WHEEL_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "sim/core/event.h"
#include "sim/core/event_list.h"
#include "sim/core/large_memory.h"

namespace cm::sim {

class EventWheel {
 public:
  // For events that are not before `from`.
  explicit EventWheel(Instant from)
      : base_(static_cast<uint64_t>(from.nanoseconds())), slots_(kFirstSlot[kWheels]) {}

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  // After all events that are due until then.
  void Push(Event event) {
    ++size_;
    if (static_cast<uint64_t>(event.at.nanoseconds()) >= opened_until_) return Place(event);
    opened_.Push(event);
    if (opened_.size() == kLong) CloseOpened();
  }

  // Reports events that have come near, and those reported before, if that has changed since the
  // last call; nothing for a wheel without very many events.
  template <typename Visitor>
  void VisitNearing(Visitor visitor) {
    if (first_told_ == kNone) return;
    const uint32_t near = NextSlot(kToldWheel, std::exchange(first_told_, kNone));
    if (near == kNone) return;
    const uint32_t coming = NextSlot(kToldWheel, near);
    const std::span<const Event> nothing;
    const auto tell_coming = [&](uint32_t slot) {
      VisitChunks(slot, [&](auto events) { visitor(events, nothing); });
      coming_ = slot;
    };
    if (near > coming_)
      tell_coming(near);
    else if (near > near_)
      VisitChunks(near, [&](auto events) { visitor(nothing, events); });
    near_ = near;
    if (coming == kNone) return;
    if (coming > coming_) tell_coming(coming);
    const uint32_t after = NextSlot(kToldWheel, coming);
    if (after != kNone) chunks_[ChunkOf(SlotOf(kToldWheel, after).first)].Prefetch();
  }

  // The first event of a wheel that is not empty.
  Instant NextAt() const {
    if (!opened_.empty()) return opened_.NextAt();
    const size_t wheel = LowestInUse();
    const size_t slot = FirstSlot(wheel);
    return SlotOf(wheel, slot).earliest;
  }
  Event Pop() {
    --size_;
    if (!opened_.empty()) return PopOpened();
    return (wheels_in_use_ & 1) != 0 ? PopFromWheel0() : PopFromHigherWheel();
  }

 private:
  // Number of bits of each wheel. With a million timers of seconds a slot of wheel 2, which is 4 us
  // long, has about as many events as a chunk and is opened; they arrive there from wheel 3, into
  // which most timers of less than 17 s are pushed directly.
  static constexpr auto kBits = std::to_array<uint8_t>({4, 8, 11, 11, 6, 8, 8, 8});
  static constexpr size_t kWheels = kBits.size();
  static constexpr size_t kToldWheel = 2;
  static constexpr size_t kWords = (size_t{1} << std::ranges::max(kBits)) / 64;
  static_assert(kWords <= 64);
  // The lowest bit of each wheel.
  static constexpr auto kShift = [] {
    std::array<uint8_t, kWheels + 1> shift{};
    for (size_t i = 0; i < kWheels; ++i) shift[i + 1] = static_cast<uint8_t>(shift[i] + kBits[i]);
    return shift;
  }();
  static_assert(kShift[kWheels] == 64);
  // The first slot of the wheel.
  static constexpr auto kFirstSlot = [] {
    std::array<uint32_t, kWheels + 1> first{};
    for (size_t i = 0; i < kWheels; ++i) first[i + 1] = first[i] + (1u << kBits[i]);
    return first;
  }();
  // The wheel that a bit belongs to.
  static constexpr auto kWheelOf = [] {
    std::array<uint8_t, 64> wheel_of{};
    for (uint8_t wheel = 0; wheel < kWheels; ++wheel)
      for (size_t bit = kShift[wheel]; bit < kShift[wheel + 1]; ++bit) wheel_of[bit] = wheel;
    return wheel_of;
  }();
  static constexpr uint32_t kNone = 0xffffffff;
  // A slot with this many chunks is moved instead of sorted, and a list of that length goes back.
  static constexpr uint32_t kManyChunks = 4;
  static constexpr size_t kLong = 192;
  // A wheel with this many events reports those that have come near.
  static constexpr size_t kVeryMany = size_t{1} << 15;

  struct alignas(64) Chunk {
    static constexpr uint32_t kEvents = 15;
    std::array<Event, kEvents> events;
    uint32_t next = kNone;
    uint32_t before = 0;  // chunks of the slot

    void Prefetch() const {
      for (size_t i = 0; i < kEvents; i += 4) FetchSoon(&events[i]);
    }
  };
  static_assert(sizeof(Chunk) == 256);

  // The position of an event is its chunk and its index within; a position after the last of a
  // chunk equals the first of the next one. Undefined for an empty slot.
  struct Slot {
    uint32_t first = 0;
    uint32_t end = 0;
    Instant earliest;
  };
  static uint32_t FirstOf(uint32_t chunk) { return chunk * 16; }
  static uint32_t ChunkOf(uint32_t place) { return place / 16; }
  static uint32_t WithinOf(uint32_t place) { return place % 16; }

  void Place(Event event) {
    const auto at = static_cast<uint64_t>(event.at.nanoseconds());
    const size_t wheel = kWheelOf[static_cast<size_t>(std::bit_width((at ^ base_) | 1) - 1)];
    const size_t number = NumberOf(at, wheel);
    Slot& slot = SlotOf(wheel, number);
    uint64_t& word = in_use_[wheel][number / 64];
    const uint64_t bit = uint64_t{1} << (number % 64);
    uint32_t place = slot.end;
    if ((word & bit) == 0) {
      word |= bit;
      words_in_use_[wheel] |= uint64_t{1} << (number / 64);
      wheels_in_use_ |= 1u << wheel;
      slot.first = place = FirstOf(NewChunk(0));
      slot.earliest = event.at;
    } else {
      slot.earliest = std::min(slot.earliest, event.at);
      if (WithinOf(place) == Chunk::kEvents) {
        const uint32_t chunk = NewChunk(chunks_[ChunkOf(place)].before + 1);
        chunks_[ChunkOf(place)].next = chunk;
        place = FirstOf(chunk);
      }
    }
    chunks_[ChunkOf(place)].events[WithinOf(place)] = event;
    slot.end = place + 1;
  }

  static size_t NumberOf(uint64_t at, size_t wheel) {
    return (at >> kShift[wheel]) & ((uint64_t{1} << kBits[wheel]) - 1);
  }
  const Slot& SlotOf(size_t wheel, size_t number) const {
    return slots_[kFirstSlot[wheel] + number];
  }
  Slot& SlotOf(size_t wheel, size_t number) { return slots_[kFirstSlot[wheel] + number]; }
  uint32_t ChunksOf(const Slot& slot) const { return chunks_[ChunkOf(slot.end)].before + 1; }
  size_t LowestInUse() const { return static_cast<size_t>(std::countr_zero(wheels_in_use_)); }
  // For a wheel that is in use.
  size_t FirstSlot(size_t wheel) const {
    const auto word = static_cast<size_t>(std::countr_zero(words_in_use_[wheel]));
    return word * 64 + static_cast<size_t>(std::countr_zero(in_use_[wheel][word]));
  }
  // The first one in use after `slot`; kNone when none is.
  uint32_t NextSlot(size_t wheel, uint32_t slot) const {
    size_t word = slot / 64;
    uint64_t bits = in_use_[wheel][word] & (~uint64_t{1} << (slot % 64));
    if (bits == 0) {
      const uint64_t words = words_in_use_[wheel] & (~uint64_t{1} << word);
      if (words == 0) return kNone;
      word = static_cast<size_t>(std::countr_zero(words));
      bits = in_use_[wheel][word];
    }
    return static_cast<uint32_t>(word * 64 + static_cast<size_t>(std::countr_zero(bits)));
  }
  void SlotIsEmpty(size_t wheel, size_t slot) {
    uint64_t& word = in_use_[wheel][slot / 64];
    word &= ~(uint64_t{1} << (slot % 64));
    if (word != 0) return;
    words_in_use_[wheel] &= ~(uint64_t{1} << (slot / 64));
    if (words_in_use_[wheel] == 0) wheels_in_use_ &= ~(1u << wheel);
  }
  // The events of a reported slot, a chunk at a time.
  template <typename Visitor>
  void VisitChunks(uint32_t number, Visitor visitor) const {
    const Slot& slot = SlotOf(kToldWheel, number);
    const uint32_t last = ChunkOf(slot.end);
    for (uint32_t chunk = ChunkOf(slot.first);; chunk = chunks_[chunk].next) {
      const uint32_t size = chunk == last ? WithinOf(slot.end) : Chunk::kEvents;
      visitor(std::span<const Event>(chunks_[chunk].events.data(), size));
      if (chunk == last) return;
    }
  }

  uint32_t NewChunk(uint32_t before) {
    if (free_ == kNone) MoreChunks();
    const uint32_t chunk = free_;
    free_ = chunks_[chunk].next;
    // Prefetches the next free chunk, whose memory was used long ago.
    if (free_ != kNone) FetchSoon(&chunks_[free_].next);
    chunks_[chunk].before = before;
    return chunk;
  }
  void FreeChunk(uint32_t chunk) {
    chunks_[chunk].next = free_;
    free_ = chunk;
  }

  Event PopOpened() {
    const Event event = opened_.Pop();
    base_ = static_cast<uint64_t>(event.at.nanoseconds());
    return event;
  }
  Event PopFromWheel0() {
    const size_t number = FirstSlot(0);
    Slot& slot = slots_[number];
    const uint32_t place = slot.first++;
    const Chunk& chunk = chunks_[ChunkOf(place)];
    const Event event = chunk.events[WithinOf(place)];
    base_ = static_cast<uint64_t>(event.at.nanoseconds());
    if (slot.first == slot.end) {
      FreeChunk(ChunkOf(place));
      SlotIsEmpty(0, number);
    } else if (WithinOf(slot.first) == Chunk::kEvents) {
      slot.first = FirstOf(chunk.next);
      FreeChunk(ChunkOf(place));
    }
    return event;
  }

  // event_wheel.cc
  Event PopFromHigherWheel();
  template <typename Visitor>
  void Empty(const Slot& slot, Visitor visitor);
  void CloseOpened();
  void MoreChunks();

  friend class EventWheelPeer;  // tests check its memory

  size_t size_ = 0;
  uint64_t base_;
  uint32_t wheels_in_use_ = 0;                    // one bit each
  uint32_t free_ = kNone;                         // the first of the chunks that are free
  std::array<uint64_t, kWheels> words_in_use_{};  // one bit a word
  std::array<std::array<uint64_t, kWords>, kWheels> in_use_{};  // one bit a slot
  uint64_t opened_until_ = 0;  // events due before this are in the list
  EventList opened_;
  uint32_t first_told_ = kNone;  // a slot that has become the first one since the last report
  uint32_t near_ = 0;            // the last reported slot of this turn
  uint32_t coming_ = 0;          // and the last one of the first report
  std::vector<Slot> slots_;
  std::vector<Chunk, LargeMemory<Chunk>> chunks_;
};

}  // namespace cm::sim

#endif  // SIM_CORE_EVENT_WHEEL_H_
