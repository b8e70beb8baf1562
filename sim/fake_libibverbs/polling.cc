#include "sim/fake_libibverbs/polling.h"

#include <cerrno>

#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr int kLooks = 32;

thread_local int in_vain = 0;

}  // namespace

void NotePoll(bool found) {
  if (found || Inside() || TheBackend() == nullptr) {
    in_vain = 0;
    return;
  }
  const int before = errno;
  if (!SpendLook() && ++in_vain > kLooks) Yield();
  errno = before;
}

}  // namespace cm::sim::fake_libibverbs
