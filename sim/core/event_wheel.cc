#include "sim/core/event_wheel.h"

#include "model/base/check.h"

namespace cm::sim {

void EventWheel::MoreChunks() {
  CM_CHECK(chunks_.size() < ChunkOf(kNone));
  chunks_.emplace_back();
  free_ = static_cast<uint32_t>(chunks_.size() - 1);
}

// Shows what the slot holds, and frees its chunks. What is in a chunk is shown while the next one,
// which may have been written long ago, is fetched.
template <typename Visitor>
void EventWheel::Empty(const Slot& slot, Visitor visitor) {
  uint32_t place = slot.first;
  while (true) {
    const uint32_t chunk = ChunkOf(place);
    const bool last = chunk == ChunkOf(slot.end);
    const uint32_t following = chunks_[chunk].next;
    if (!last) chunks_[following].Prefetch();
    const uint32_t end = last ? slot.end : FirstOf(chunk) + Chunk::kEvents;
    for (; place != end; ++place) {
      const Event event = chunks_[chunk].events[WithinOf(place)];
      visitor(event);
    }
    FreeChunk(chunk);
    if (last) return;
    place = FirstOf(following);
  }
}

// What the first slot holds will be told of, and nothing else any more.
void EventWheel::TellFirstSlot(size_t wheel) {
  to_tell_ = kNone;
  if (size_ < kVeryMany || (wheels_in_use_ & (1u << wheel)) == 0) return;
  told_slot_ = wheel * kSlots + FirstSlot(wheel);
  const Slot& slot = slots_[told_slot_];
  if (ChunksOf(slot) >= kNearChunks) return;
  to_tell_ = ChunkOf(slot.first);
  chunks_[to_tell_].Prefetch();
}

void EventWheel::TellNext() {
  const Chunk& chunk = chunks_[to_tell_];
  const uint32_t end = slots_[told_slot_].end;
  const bool last = to_tell_ == ChunkOf(end);
  nearing_[0] = nearing_[1];
  nearing_[1] = {.events = chunk.events, .size = last ? WithinOf(end) : Chunk::kEvents};
  to_tell_ = last ? kNone : chunk.next;
  if (!last) chunks_[to_tell_].Prefetch();
}

void EventWheel::CloseOpened() {
  opened_until_ = 0;
  while (!opened_.empty()) Place(opened_.Pop());
}

// Empties the first slot: the next event is taken; what is left moves to the list when it is
// little, and to lower wheels else.
Event EventWheel::PopFromHigherWheel() {
  const size_t wheel = LowestInUse();
  const size_t number = FirstSlot(wheel);
  const Slot slot = slots_[wheel * kSlots + number];
  SlotIsEmpty(wheel, number);
  base_ = static_cast<uint64_t>(slot.earliest.nanoseconds());
  // What is on a lower wheel has been told of, or was pushed a moment ago.
  if (wheel > 1) TellFirstSlot(wheel);
  if (ChunksOf(slot) < kManyChunks) {
    opened_until_ = ((base_ >> (8 * wheel)) + 1) << (8 * wheel);
    Empty(slot, [this](const Event& event) { opened_.Push(event); });
    return opened_.Pop();
  }
  Event next;
  bool found = false;
  Empty(slot, [&](const Event& event) {
    if (!found && event.at == slot.earliest) {
      found = true;
      next = event;
    } else {
      Place(event);
    }
  });
  return next;
}

}  // namespace cm::sim
