// The processors of a program: those that there were before it was given one, together with its
// machine. What it asks for is shown to it, and has no effect.
#include <pthread.h>
#include <sched.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "sim/fake_libibverbs/libc.h"

namespace cm::sim::fake_libibverbs {
namespace {

using Words = std::array<uint64_t, sizeof(cpu_set_t) / sizeof(uint64_t)>;

// Those that all threads begin with; empty where programs are given none.
// source: tools/app/one_processor.h
const std::optional<Words>& AtFirst() {
  static const auto* const kWords = [] {
    auto* const words = new std::optional<Words>;
    const char* at = std::getenv("CMSIM_PROCESSORS");
    if (at == nullptr) return words;
    words->emplace();
    for (uint64_t& word : **words) {
      char* end = nullptr;
      word = std::strtoull(at, &end, 16);
      if (*end != ',') break;
      at = end + 1;
    }
    return words;
  }();
  return *kWords;
}

__attribute__((constructor)) void NoteProcessors() { AtFirst(); }

// What threads have asked for, by their number.
struct Asked {
  std::mutex lock;
  std::map<pid_t, Words> words;
};

Asked& TheAsked() {
  static auto* const kAsked = new Asked;
  return *kAsked;
}

Words WordsOf(pid_t thread) {
  const std::lock_guard held(TheAsked().lock);
  const auto found = TheAsked().words.find(thread);
  return found == TheAsked().words.end() ? *AtFirst() : found->second;
}

void Show(pid_t thread, size_t size, void* processors) {
  const Words words = WordsOf(thread);
  const size_t known = std::min(size, sizeof words);
  std::memcpy(processors, words.data(), known);
  std::memset(static_cast<char*>(processors) + known, 0, size - known);
}

// 0, or EINVAL when none of them can be had, as in linux 6.1 sched/core.c __sched_setaffinity.
int Note(pid_t thread, size_t size, const void* processors) {
  Words words{};
  std::memcpy(words.data(), processors, std::min(size, sizeof words));
  bool any = false;
  for (size_t i = 0; i < words.size(); ++i) any |= (words[i] &= (*AtFirst())[i]) != 0;
  if (!any) return EINVAL;
  const std::lock_guard held(TheAsked().lock);
  TheAsked().words[thread] = words;
  return 0;
}

// 0 is the calling thread in the system's calls.
pid_t Named(pid_t thread) { return thread == 0 ? gettid() : thread; }

// source: linux 6.1 posix-timers_types.h MAKE_THREAD_CPUCLOCK
pid_t NumberOf(pthread_t thread) {
  clockid_t clock = 0;
  return pthread_getcpuclockid(thread, &clock) == 0 ? ~(clock >> 3) : 0;
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t* processors) noexcept {
  static auto* const kReal = Next("sched_getaffinity", &sched_getaffinity);
  const int result = kReal(thread, size, processors);
  if (result == 0 && AtFirst()) Show(Named(thread), size, processors);
  return result;
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t* processors) noexcept {
  static auto* const kReal = Next("sched_setaffinity", &sched_setaffinity);
  if (!AtFirst()) return kReal(thread, size, processors);
  cpu_set_t own{};
  if (sched_getaffinity(thread, sizeof own, &own) != 0) return -1;  // there is no such thread
  const int error = Note(Named(thread), size, processors);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* processors) noexcept {
  static auto* const kReal = Next("pthread_getaffinity_np", &pthread_getaffinity_np);
  const int error = kReal(thread, size, processors);
  if (error == 0 && AtFirst()) Show(NumberOf(thread), size, processors);
  return error;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* processors) noexcept {
  static auto* const kReal = Next("pthread_setaffinity_np", &pthread_setaffinity_np);
  if (!AtFirst()) return kReal(thread, size, processors);
  cpu_set_t own{};
  const int error = pthread_getaffinity_np(thread, sizeof own, &own);
  return error != 0 ? error : Note(NumberOf(thread), size, processors);
}
}
