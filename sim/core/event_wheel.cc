#include "sim/core/event_wheel.h"

#include "model/base/check.h"

namespace cm::sim {

uint32_t EventWheel::MoreChunks() {
  CM_CHECK(chunks_.size() < ChunkOf(kNone));
  chunks_.emplace_back();
  return static_cast<uint32_t>(chunks_.size() - 1);
}

// Empties the first slot: the next event is taken, what is left moves to lower wheels.
Event EventWheel::PopFromHigherWheel() {
  const size_t wheel = LowestInUse();
  const size_t number = FirstSlot(wheel);
  const Slot slot = slots_[wheel * kSlots + number];
  SlotIsEmpty(wheel, number);
  base_ = static_cast<uint64_t>(slot.earliest.nanoseconds());
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
