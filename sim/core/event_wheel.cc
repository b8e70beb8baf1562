#include "sim/core/event_wheel.h"

#include "model/base/check.h"

namespace cm::sim {

uint32_t EventWheel::MoreChunks() {
  CM_CHECK(chunks_.size() < ChunkOf(kNone));
  chunks_.emplace_back();
  return static_cast<uint32_t>(chunks_.size() - 1);
}

// As far as it matters.
size_t EventWheel::ChunksOf(const Slot& slot) const {
  size_t chunks = 1;
  for (uint32_t chunk = ChunkOf(slot.first); chunk != ChunkOf(slot.end) && chunks < kNearChunks;
       chunk = chunks_[chunk].next)
    ++chunks;
  return chunks;
}

void EventWheel::Tell(const Slot& slot) {
  nearing_.clear();
  uint32_t place = slot.first;
  while (place != slot.end) {
    const Chunk& chunk = chunks_[ChunkOf(place)];
    nearing_.push_back(chunk.events[WithinOf(place)]);
    if (++place == slot.end) return;
    if (WithinOf(place) == Chunk::kEvents) place = FirstOf(chunk.next);
  }
}

// Empties the slot into the list, which is empty.
void EventWheel::Open(const Slot& slot, size_t wheel) {
  opened_until_ = ((base_ >> (8 * wheel)) + 1) << (8 * wheel);
  uint32_t place = slot.first;
  while (true) {
    const uint32_t chunk = ChunkOf(place);
    const bool last = chunk == ChunkOf(slot.end);
    const uint32_t end = last ? slot.end : FirstOf(chunk) + Chunk::kEvents;
    for (; place != end; ++place) opened_.Push(chunks_[chunk].events[WithinOf(place)]);
    const uint32_t following = chunks_[chunk].next;
    FreeChunk(chunk);
    if (last) return;
    place = FirstOf(following);
  }
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
  const size_t chunks = ChunksOf(slot);
  // What is on a lower wheel has been told of, or was pushed a moment ago.
  if (wheel > 1 && size_ >= kVeryMany && chunks < kNearChunks) Tell(slot);
  if (chunks < kManyChunks) {
    Open(slot, wheel);
    return opened_.Pop();
  }
  Event next;
  bool found = false;
  uint32_t place = slot.first;
  while (true) {
    const uint32_t chunk = ChunkOf(place);
    const bool last = chunk == ChunkOf(slot.end);
    const uint32_t end = last ? slot.end : FirstOf(chunk) + Chunk::kEvents;
    for (; place != end; ++place) {
      // A copy: the chunks may move.
      const Event event = chunks_[chunk].events[WithinOf(place)];
      if (!found && event.at == slot.earliest) {
        found = true;
        next = event;
      } else {
        Place(event);
      }
    }
    const uint32_t following = chunks_[chunk].next;
    FreeChunk(chunk);
    if (last) return next;
    place = FirstOf(following);
  }
}

}  // namespace cm::sim
