// A set of small numbers that returns its lowest.
#ifndef SIM_CORE_NUMBER_SET_H_
#define SIM_CORE_NUMBER_SET_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/base/check.h"
#include "sim/core/large_memory.h"

namespace cm::sim {

// Each bit of a level says whether the word of 64 below it is not empty, so that every step reads
// one word of each level, however large the set is. The last level is one word.
class NumberSet {
 public:
  bool empty() const { return count_ == 0; }
  uint32_t size() const { return count_; }

  // `number` must not be in the set.
  void Add(uint32_t number) {
    ++count_;
    for (size_t i = 0;; ++i) {
      auto& level = levels_[i];
      const uint32_t word = number / kBits;
      if (word >= level.size()) {
        if (word > 0 && i + 1 == depth_) {
          CM_CHECK(depth_ < kLevels);
          levels_[depth_++].assign(1, !level.empty() && level.front() != 0 ? 1 : 0);
        }
        level.resize(word + 1);
      }
      const bool known_above = level[word] != 0;
      level[word] |= uint64_t{1} << (number % kBits);
      if (known_above || i + 1 == depth_) return;
      number = word;
    }
  }
  // Prefetches the memory that changes when the number is added.
  void Prefetch(uint32_t number) const {
    const auto& level = levels_.front();
    if (number / kBits < level.size()) FetchSoon(&level[number / kBits]);
  }
  // The set must not be empty.
  uint32_t TakeLowest() {
    --count_;
    const uint32_t lowest = Lowest();
    uint32_t number = lowest;
    for (size_t i = 0; i < depth_; ++i) {
      uint64_t& bits = levels_[i][number / kBits];
      bits &= ~(uint64_t{1} << (number % kBits));
      if (bits != 0) break;
      number /= kBits;
    }
    return lowest;
  }

 private:
  static constexpr uint32_t kBits = 64;
  static constexpr size_t kLevels = 5;  // of 2^30 numbers

  uint32_t Lowest() const {
    uint32_t lowest = 0;
    for (size_t i = depth_; i-- > 0;)
      lowest = lowest * kBits + static_cast<uint32_t>(std::countr_zero(levels_[i][lowest]));
    return lowest;
  }

  std::array<std::vector<uint64_t, LargeMemory<uint64_t>>, kLevels> levels_;
  size_t depth_ = 1;
  uint32_t count_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_CORE_NUMBER_SET_H_
