// The fortified variant of the header would define the same function a second time.
#undef _FORTIFY_SOURCE

#include "sim/harness/interposed.h"

#include <rdma/rdma_cma.h>

#include "sim/fake_libibverbs/libc.h"
#include "sim/harness/fiber.h"

namespace cm::sim {
namespace {

int RealPoll(pollfd* descriptors, nfds_t count, int timeout_ms) {
  static auto* const kReal = fake_libibverbs::Next("poll", &poll);
  return kReal(descriptors, count, timeout_ms);
}

CallObserver* the_observer = nullptr;

// Null for callers that are no programs.
CallObserver* Observer() { return Fiber::Current() == nullptr ? nullptr : the_observer; }

}  // namespace

void SetObserver(CallObserver* observer) { the_observer = observer; }

void InitializeLibrary() { rdma_destroy_event_channel(rdma_create_event_channel()); }

int PollNow(std::span<pollfd> descriptors) {
  return RealPoll(descriptors.data(), descriptors.size(), 0);
}

}  // namespace cm::sim

extern "C" {

int poll(pollfd* descriptors, nfds_t count, int timeout_ms) {
  cm::sim::CallObserver* const observer = cm::sim::Observer();
  if (observer == nullptr) return cm::sim::RealPoll(descriptors, count, timeout_ms);
  return observer->Poll({descriptors, count}, timeout_ms);
}

int rdma_get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  static auto* const kReal =
      cm::sim::fake_libibverbs::Next("rdma_get_cm_event", &rdma_get_cm_event);
  const int error = kReal(channel, event);
  cm::sim::CallObserver* const observer = cm::sim::Observer();
  if (error == 0 && observer != nullptr) observer->Fetched(*event, rdma_event_str((*event)->event));
  return error;
}

int rdma_ack_cm_event(rdma_cm_event* event) {
  static auto* const kReal =
      cm::sim::fake_libibverbs::Next("rdma_ack_cm_event", &rdma_ack_cm_event);
  if (cm::sim::CallObserver* const observer = cm::sim::Observer()) observer->Acknowledged(event);
  return kReal(event);
}
}
