// Many pending events in a timing wheel: eight wheels of 256 slots, one for each byte of an
// instant.
//
// 1. An event is on the wheel of the highest byte in which its instant differs from `base_`, in the
//    slot of that byte. So all events of one slot of wheel 0 have the same instant, and whatever is
//    on a lower wheel happens before whatever is on a higher one.
// 2. A slot is first in, first out. When the first slot of a higher wheel becomes the next one, its
//    events move to lower wheels in their order, before any other event can come there: events of
//    one instant stay in the order in which they were pushed.
// 3. `base_` moves to the earliest instant of that slot, never past it, and only in Pop: an event
//    may be pushed at any instant that is not before the last one that was taken.
// 4. A first slot of few events is not moved: it is opened, which makes one sorted list of them.
//    Whatever is pushed for the time of that slot joins the list, so that an event that is due soon
//    is mostly appended, and no event of a quiet time goes through every wheel. A list that
//    becomes long goes back to the wheels.
// 5. A wheel that holds very many events tells which of them have come near, so that their objects,
//    which are hardly in the cache, can be fetched before they are needed: while one slot's events
//    happen those of the next one are told of, a chunk at a time.
// 6. A slot holds its events in chunks of 256 bytes, so that pushing is an append to memory that is
//    near, and no event has a node of its own.
#ifndef SIM_CORE_EVENT_WHEEL_H_
#define SIM_CORE_EVENT_WHEEL_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/base/duration.h"
#include "sim/core/event.h"
#include "sim/core/event_list.h"
#include "sim/core/large_memory.h"

namespace cm::sim {

class EventWheel {
 public:
  // Of events that are not before `from`.
  explicit EventWheel(Instant from)
      : base_(static_cast<uint64_t>(from.nanoseconds())), slots_(kWheels * kSlots) {}

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  // Behind all that are due until then.
  void Push(Event event) {
    ++size_;
    if (static_cast<uint64_t>(event.at.nanoseconds()) >= opened_until_) return Place(event);
    opened_.Push(event);
    if (opened_.size() == kLong) CloseOpened();
  }

  // Shows what has come near, and what had the time before, once in so many calls; nothing of a
  // wheel that does not hold very many.
  template <typename Visitor>
  void VisitNearing(Visitor visitor) {
    if (to_tell_ == kNone || ++calls_ % kTellEach != 0) return;
    TellNext();
    visitor(nearing_[1].shown(), nearing_[0].shown());
  }

  // The first one of a wheel that is not empty.
  Instant NextAt() const {
    if (!opened_.empty()) return opened_.NextAt();
    const size_t wheel = LowestInUse();
    const size_t slot = FirstSlot(wheel);
    if (wheel > 0) return slots_[wheel * kSlots + slot].earliest;
    return Instant::FromNanoseconds(static_cast<int64_t>((base_ & ~uint64_t{0xff}) | slot));
  }
  Event Pop() {
    --size_;
    if (!opened_.empty()) return PopOpened();
    return (wheels_in_use_ & 1) != 0 ? PopFromWheel0() : PopFromHigherWheel();
  }

 private:
  static constexpr size_t kWheels = 8;
  static constexpr size_t kSlots = 256;
  static constexpr size_t kWords = kSlots / 64;
  static constexpr uint32_t kNone = 0xffffffff;
  // At so many chunks a slot is moved rather than sorted, and a list as long as that goes back.
  static constexpr uint32_t kManyChunks = 4;
  static constexpr size_t kLong = 192;
  // A slot of fewer chunks is near, in a wheel of so many events.
  static constexpr uint32_t kNearChunks = 64;
  static constexpr size_t kVeryMany = size_t{1} << 15;
  // Twice as fast as events happen.
  static constexpr uint32_t kTellEach = 8;

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

  // What was told of a chunk.
  struct Told {
    std::array<Event, Chunk::kEvents> events;
    uint32_t size = 0;
    std::span<const Event> shown() const { return {events.data(), size}; }
  };

  // The place of an event is its chunk and the number within; a place behind the last of a chunk
  // stands for the first of the next one. A slot that holds nothing says nothing.
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
    const size_t wheel = static_cast<size_t>(std::bit_width((at ^ base_) | 1) - 1) / 8;
    const size_t number = (at >> (8 * wheel)) & 0xff;
    Slot& slot = slots_[wheel * kSlots + number];
    uint64_t& word = in_use_[wheel][number / 64];
    const uint64_t bit = uint64_t{1} << (number % 64);
    uint32_t place = slot.end;
    if ((word & bit) == 0) {
      word |= bit;
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

  uint32_t ChunksOf(const Slot& slot) const { return chunks_[ChunkOf(slot.end)].before + 1; }
  size_t LowestInUse() const { return static_cast<size_t>(std::countr_zero(wheels_in_use_)); }
  // Of a wheel that is in use.
  size_t FirstSlot(size_t wheel) const {
    size_t word = 0;
    while (in_use_[wheel][word] == 0) ++word;
    return word * 64 + static_cast<size_t>(std::countr_zero(in_use_[wheel][word]));
  }
  void SlotIsEmpty(size_t wheel, size_t slot) {
    auto& words = in_use_[wheel];
    words[slot / 64] &= ~(uint64_t{1} << (slot % 64));
    if ((words[0] | words[1] | words[2] | words[3]) == 0) wheels_in_use_ &= ~(1u << wheel);
  }

  uint32_t NewChunk(uint32_t before) {
    if (free_ == kNone) MoreChunks();
    const uint32_t chunk = free_;
    free_ = chunks_[chunk].next;
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
  void TellFirstSlot(size_t wheel);
  void TellNext();
  void CloseOpened();
  void MoreChunks();

  friend class EventWheelPeer;  // a test asks how much memory it has

  size_t size_ = 0;
  uint64_t base_;
  uint32_t wheels_in_use_ = 0;  // one bit each
  uint32_t free_ = kNone;       // the first of the chunks that are free
  std::array<std::array<uint64_t, kWords>, kWheels> in_use_{};  // one bit a slot
  uint64_t opened_until_ = 0;  // what is due before that is in the list
  EventList opened_;
  uint32_t to_tell_ = kNone;       // the next chunk to be told of
  size_t told_slot_ = 0;           // that it is of
  uint32_t calls_ = 0;             // of who asks what has come near
  std::array<Told, 2> nearing_{};  // the last two, the later one last
  std::vector<Slot> slots_;
  std::vector<Chunk, LargeMemory<Chunk>> chunks_;
};

}  // namespace cm::sim

#endif  // SIM_CORE_EVENT_WHEEL_H_
