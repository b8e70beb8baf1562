// Memory for large arrays with random access.
#ifndef SIM_CORE_LARGE_MEMORY_H_
#define SIM_CORE_LARGE_MEMORY_H_

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace cm::sim {

// Prefetches the memory into the cache. Compilers drop calls of functions without effects: the
// empty asm statement is an effect.
inline void FetchSoon(const void* there) {
  __builtin_prefetch(there);
  asm volatile("");
}

// An allocator that requests large pages for large arrays: with small ones most accesses to a
// million objects miss the TLB. source: man madvise(2) MADV_HUGEPAGE
template <typename T>
struct LargeMemory {
  using value_type = T;

  LargeMemory() = default;
  template <typename U>
  LargeMemory(const LargeMemory<U>&) {}

  T* allocate(size_t n) {
    const size_t bytes = n * sizeof(T);
    const std::align_val_t align{AlignmentOf(bytes)};
    void* const memory = ::operator new(bytes, align);
    // A hint: failure costs speed only.
    if (bytes >= kLarge) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t n) {
    ::operator delete (memory, std::align_val_t{AlignmentOf(n * sizeof(T))});
  }
  friend bool operator==(LargeMemory, LargeMemory) { return true; }

 private:
  static constexpr size_t kPage = size_t{1} << 21;
  static constexpr size_t kLarge = 2 * kPage;

  static constexpr size_t AlignmentOf(size_t bytes) {
    if (bytes >= kLarge) return kPage;
    return alignof(T) > alignof(std::max_align_t) ? alignof(T) : alignof(std::max_align_t);
  }
};

}  // namespace cm::sim

#endif  // SIM_CORE_LARGE_MEMORY_H_
