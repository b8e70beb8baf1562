// The checked variant of the header would define the same function a second time.
#undef _FORTIFY_SOURCE

#include "sim/harness/library.h"

#include <dlfcn.h>
#include <rdma/rdma_cma.h>

#include "sim/harness/fiber.h"
#include "sim/harness/harness.h"

namespace cm::sim {
namespace {

int RealPoll(pollfd* descriptors, nfds_t count, int timeout_ms) {
  using Poll = int(pollfd*, nfds_t, int);
  static auto* const kReal = reinterpret_cast<Poll*>(dlsym(RTLD_NEXT, "poll"));
  return kReal(descriptors, count, timeout_ms);
}

}  // namespace

void InitializeLibrary() { rdma_destroy_event_channel(rdma_create_event_channel()); }

int PollNow(std::span<pollfd> descriptors) {
  return RealPoll(descriptors.data(), descriptors.size(), 0);
}

}  // namespace cm::sim

extern "C" int poll(pollfd* descriptors, nfds_t count, int timeout_ms) {
  using cm::sim::Harness;
  Harness* const harness = Harness::Running();
  if (harness == nullptr || cm::sim::Fiber::Current() == nullptr)
    return cm::sim::RealPoll(descriptors, count, timeout_ms);
  return harness->Poll({descriptors, count}, timeout_ms);
}
