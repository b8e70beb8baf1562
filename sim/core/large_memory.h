// Memory for large arrays that are looked at in no order.
#ifndef SIM_CORE_LARGE_MEMORY_H_
#define SIM_CORE_LARGE_MEMORY_H_

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace cm::sim {

// Has what is there fetched into the cache. To a compiler this does nothing, and it leaves out
// calls of functions that do nothing: the empty statement says that it does.
inline void FetchSoon(const void* there) {
  __builtin_prefetch(there);
  asm volatile("");
}

// An allocator that asks for large pages where an array has several: with small ones most looks at
// one of a million objects would have to find the page first. source: man madvise(2) MADV_HUGEPAGE
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
    // Advice: who does not take it is slower, and that is all.
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
