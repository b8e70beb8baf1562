// A counter for tests on machines whose processors' counters cannot be had: the program says how
// many instructions it has retired.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "sim/fake_libibverbs/instruction_counter.h"

namespace cm::sim::fake_libibverbs {
namespace {

thread_local uint64_t retired = 0;

// The environment of the program may say how many more each thread retires between two readings.
uint64_t Between() {
  static const uint64_t kBetween = [] {
    const char* const text = std::getenv("SYNTHETIC_INSTRUCTIONS");
    return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
  }();
  return kBetween;
}

}  // namespace

// A descriptor as a real one has, which a program must not see or close.
int OpenInstructionCounter() {
  const int64_t counter = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
  return counter < 0 ? -errno : static_cast<int>(counter);
}

std::optional<uint64_t> ReadInstructionCounter(int counter) {
  // Empty where the program has put another file in its place.
  const dev_t null = makedev(1, 3);
  errno = 0;
  struct stat status {};
  if (syscall(SYS_fstat, counter, &status) != 0 || status.st_rdev != null) return std::nullopt;
  return std::exchange(retired, retired + Between());
}

}  // namespace cm::sim::fake_libibverbs

// The calling thread has retired this many.
extern "C" void cmsim_retire(uint64_t instructions) {
  cm::sim::fake_libibverbs::retired += instructions;
}
