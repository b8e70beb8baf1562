// Fast queues written for the benchmarks alone: without checks, inspection, copying or comparison.
#ifndef TOOLS_BENCH_FLOOR_QUEUES_H_
#define TOOLS_BENCH_FLOOR_QUEUES_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tools/bench/hold.h"

namespace cm::bench {

// A flat 4-ary heap of 16-byte keys.
class FloorHeap {
 public:
  void Push(Due due) {
    const Key key{due.at, (uint64_t{++pushed_} << 32) | due.id};
    size_t i = heap_.size();
    heap_.push_back(key);
    while (i > 0) {
      const size_t parent = (i - 1) / 4;
      if (!Before(key, heap_[parent])) break;
      heap_[i] = heap_[parent];
      i = parent;
    }
    heap_[i] = key;
  }
  Due Pop() {
    const Key first = heap_.front();
    const Key last = heap_.back();
    heap_.pop_back();
    const size_t n = heap_.size();
    Key* const heap = heap_.data();
    size_t i = 0;
    while (4 * i + 1 < n) {
      const size_t least = LeastChild(4 * i + 1);
      if (!Before(heap[least], last)) break;
      heap[i] = heap[least];
      i = least;
    }
    if (n > 0) heap[i] = last;
    return {first.at, static_cast<uint32_t>(first.key)};
  }

 private:
  struct Key {
    int64_t at;
    uint64_t key;
  };
  // Without branches, because the first one is unpredictable.
  static bool Before(const Key& a, const Key& b) {
    return (a.at < b.at) | ((a.at == b.at) & (a.key < b.key));
  }
  size_t LeastChild(size_t child) const {
    const Key* const heap = heap_.data();
    if (child + 4 <= heap_.size()) {
      const size_t a = child + (Before(heap[child + 1], heap[child]) ? 1 : 0);
      const size_t b = child + 2 + (Before(heap[child + 3], heap[child + 2]) ? 1 : 0);
      return Before(heap[b], heap[a]) ? b : a;
    }
    size_t least = child;
    for (size_t i = child + 1; i < heap_.size(); ++i)
      if (Before(heap[i], heap[least])) least = i;
    return least;
  }

  std::vector<Key> heap_;
  uint32_t pushed_ = 0;
};

// A sorted array, the next one last.
class FloorList {
 public:
  void Push(Due due) {
    size_t i = list_.size();
    list_.push_back(due);
    Due* const list = list_.data();
    for (; i > 0 && list[i - 1].at <= due.at; --i) list[i] = list[i - 1];
    list[i] = due;
  }
  Due Pop() {
    const Due next = list_.back();
    list_.pop_back();
    return next;
  }

 private:
  std::vector<Due> list_;
};

// A timing wheel of chunks; up to 2^48 ns.
class FloorWheel {
 public:
  void Push(Due due) {
    const auto at = static_cast<uint64_t>(due.at);
    const size_t wheel = (63 - static_cast<size_t>(std::countl_zero((at ^ now_) | 1))) / 8;
    const size_t number = (at >> (8 * wheel)) & 0xff;
    Slot& slot = slots_[wheel][number];
    uint64_t& word = in_use_[wheel][number / 64];
    const uint64_t bit = uint64_t{1} << (number % 64);
    uint32_t place = slot.end;
    if ((word & bit) == 0) {
      word |= bit;
      wheels_ |= 1u << wheel;
      slot.first = place = NewChunk() * 16;
      slot.earliest = due.at;
    } else if (place % 16 == 15) {
      const uint32_t chunk = NewChunk();
      chunks_[place / 16].next = chunk;
      place = chunk * 16;
    }
    if (due.at < slot.earliest) slot.earliest = due.at;
    chunks_[place / 16].due[place % 16] = due;
    slot.end = place + 1;
  }
  Due Pop() {
    if ((wheels_ & 1) == 0) return PopFromHigherWheel();
    size_t word = (now_ & 0xff) / 64;
    while (in_use_[0][word] == 0) ++word;
    Slot& slot = slots_[0][word * 64 + static_cast<size_t>(std::countr_zero(in_use_[0][word]))];
    const uint32_t place = slot.first++;
    const Due due = chunks_[place / 16].due[place % 16];
    now_ = static_cast<uint64_t>(due.at);
    if (slot.first == slot.end) {
      FreeChunk(place / 16);
      in_use_[0][word] &= in_use_[0][word] - 1;
      Used(0);
    } else if (slot.first % 16 == 15) {
      slot.first = chunks_[place / 16].next * 16;
      FreeChunk(place / 16);
    }
    return due;
  }

 private:
  struct alignas(64) Chunk {
    Due due[15];
    uint32_t next;
  };
  struct Slot {
    uint32_t first;
    uint32_t end;
    int64_t earliest;
  };
  static constexpr uint32_t kNone = 0xffffffff;

  uint32_t NewChunk() {
    if (free_ == kNone) {
      chunks_.emplace_back();
      return static_cast<uint32_t>(chunks_.size() - 1);
    }
    const uint32_t chunk = free_;
    free_ = chunks_[chunk].next;
    return chunk;
  }
  void FreeChunk(uint32_t chunk) {
    chunks_[chunk].next = free_;
    free_ = chunk;
  }
  void Used(size_t wheel) {
    const auto& words = in_use_[wheel];
    if ((words[0] | words[1] | words[2] | words[3]) == 0) wheels_ &= ~(1u << wheel);
  }
  [[gnu::noinline]] Due PopFromHigherWheel() {
    const auto wheel = static_cast<size_t>(std::countr_zero(wheels_));
    size_t word = 0;
    while (in_use_[wheel][word] == 0) ++word;
    const size_t number = word * 64 + static_cast<size_t>(std::countr_zero(in_use_[wheel][word]));
    in_use_[wheel][word] &= in_use_[wheel][word] - 1;
    Used(wheel);
    const Slot slot = slots_[wheel][number];
    now_ = static_cast<uint64_t>(slot.earliest);
    Due next{-1, 0};
    uint32_t place = slot.first;
    while (true) {
      const uint32_t chunk = place / 16;
      const bool last = chunk == slot.end / 16;
      const uint32_t end = last ? slot.end : chunk * 16 + 15;
      for (; place != end; ++place) {
        const Due due = chunks_[chunk].due[place % 16];
        if (next.at < 0 && due.at == slot.earliest)
          next = due;
        else
          Push(due);
      }
      place = chunks_[chunk].next * 16;
      FreeChunk(chunk);
      if (last) return next;
    }
  }

  std::vector<Chunk> chunks_;
  uint32_t free_ = kNone;
  uint32_t wheels_ = 0;
  uint64_t now_ = 0;
  std::array<std::array<uint64_t, 4>, 6> in_use_{};
  std::array<std::array<Slot, 256>, 6> slots_{};
};

}  // namespace cm::bench

#endif  // TOOLS_BENCH_FLOOR_QUEUES_H_
