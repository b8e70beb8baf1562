// System calls that a program makes by itself, with syscall(2): those whose functions are replaced
// by others of this object go there. All others are the system's.
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <optional>

#include "sim/fake_libibverbs/futexes.h"
#include "sim/fake_libibverbs/libc.h"

#if defined(__x86_64__)

namespace cm::sim::fake_libibverbs {
namespace {

using Arguments = std::array<long, 6>;

template <typename T>
T* PointerIn(const Arguments& arguments, size_t nth) {
  return std::bit_cast<T*>(arguments[nth]);
}

long FailsWith(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// Empty where the call is the system's.
std::optional<long> Replaced(long number, const Arguments& given) {
  switch (number) {
    case SYS_futex:
      return CallFutex(given);
    case SYS_clock_gettime:
      return clock_gettime(static_cast<clockid_t>(given[0]), PointerIn<timespec>(given, 1));
    case SYS_gettimeofday:
      return gettimeofday(PointerIn<timeval>(given, 0), PointerIn<void>(given, 1));
    case SYS_time:
      return time(PointerIn<time_t>(given, 0));
    case SYS_nanosleep:
      return nanosleep(PointerIn<timespec>(given, 0), PointerIn<timespec>(given, 1));
    case SYS_clock_nanosleep:
      return FailsWith(clock_nanosleep(static_cast<clockid_t>(given[0]), static_cast<int>(given[1]),
                                       PointerIn<timespec>(given, 2),
                                       PointerIn<timespec>(given, 3)));
    case SYS_getrandom:
      return getrandom(PointerIn<void>(given, 0), static_cast<size_t>(given[1]),
                       static_cast<unsigned>(given[2]));
    case SYS_close_range:
      return close_range(static_cast<unsigned>(given[0]), static_cast<unsigned>(given[1]),
                         static_cast<int>(given[2]));
    default:
      return std::nullopt;
  }
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

// No call has more than six arguments, and a caller may leave out the last ones.
long syscall(long number, ...) noexcept {
  Arguments given{};
  va_list more;
  va_start(more, number);
  for (long& each : given) each = va_arg(more, long);
  va_end(more);
  const std::optional<long> result = Replaced(number, given);
  return result ? *result : SystemCall(number, given);
}
}

#endif
