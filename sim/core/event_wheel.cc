#include "sim/core/event_wheel.h"

#include "model/base/check.h"

namespace cm::sim {

void EventWheel::MoreChunks() {
  CM_CHECK(chunks_.size() < ChunkOf(kNone));
  chunks_.emplace_back();
  free_ = static_cast<uint32_t>(chunks_.size() - 1);
}

// Reports the events of the slot, and frees its chunks. While one chunk is processed, the next one,
// which may have been written long ago, is prefetched.
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

// Empties the first slot: takes the next event, and moves the rest to the list if it is short, else
// to lower wheels.
Event EventWheel::PopFromHigherWheel() {
  const size_t wheel = LowestInUse();
  const size_t number = FirstSlot(wheel);
  const Slot slot = SlotOf(wheel, number);
  SlotIsEmpty(wheel, number);
  base_ = static_cast<uint64_t>(slot.earliest.nanoseconds());
  if (wheel == kToldWheel && size_ >= kVeryMany) first_told_ = static_cast<uint32_t>(number);
  if (wheel > kToldWheel) near_ = coming_ = 0;
  if (ChunksOf(slot) < kManyChunks) {
    opened_until_ = ((base_ >> kShift[wheel]) + 1) << kShift[wheel];
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
