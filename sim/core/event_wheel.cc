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
  const uint32_t chunks = chunks_[ChunkOf(slot.end)].before + 1;
  // What is on a lower wheel has been told of, or was pushed a moment ago.
  const bool tell = wheel > 1 && size_ >= kVeryMany && chunks < kNearChunks;
  if (tell) nearing_.clear();
  if (chunks < kManyChunks) {
    opened_until_ = ((base_ >> (8 * wheel)) + 1) << (8 * wheel);
    Empty(slot, [&](const Event& event) {
      if (tell) nearing_.push_back(event);
      opened_.Push(event);
    });
    return opened_.Pop();
  }
  Event next;
  bool found = false;
  Empty(slot, [&](const Event& event) {
    if (tell) nearing_.push_back(event);
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
