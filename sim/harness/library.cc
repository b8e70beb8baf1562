// The fortified variant of the header would define the same function a second time.
#undef _FORTIFY_SOURCE

#include "sim/harness/library.h"

#include <rdma/rdma_cma.h>

#include "sim/harness/fiber.h"
#include "sim/harness/harness.h"
#include "sim/standin/libc.h"

namespace cm::sim {
namespace {

int RealPoll(pollfd* descriptors, nfds_t count, int timeout_ms) {
  static auto* const kReal = standin::Next("poll", &poll);
  return kReal(descriptors, count, timeout_ms);
}

// The harness whose program is calling; null for other callers.
Harness* Caller() { return Fiber::Current() == nullptr ? nullptr : Harness::Running(); }

}  // namespace

void InitializeLibrary() { rdma_destroy_event_channel(rdma_create_event_channel()); }

int PollNow(std::span<pollfd> descriptors) {
  return RealPoll(descriptors.data(), descriptors.size(), 0);
}

}  // namespace cm::sim

extern "C" {

int poll(pollfd* descriptors, nfds_t count, int timeout_ms) {
  cm::sim::Harness* const harness = cm::sim::Caller();
  if (harness == nullptr) return cm::sim::RealPoll(descriptors, count, timeout_ms);
  return harness->Poll({descriptors, count}, timeout_ms);
}

int rdma_get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  static auto* const kReal = cm::sim::standin::Next("rdma_get_cm_event", &rdma_get_cm_event);
  const int error = kReal(channel, event);
  cm::sim::Harness* const harness = cm::sim::Caller();
  if (error == 0 && harness != nullptr) harness->Fetched(*event, rdma_event_str((*event)->event));
  return error;
}

int rdma_ack_cm_event(rdma_cm_event* event) {
  static auto* const kReal = cm::sim::standin::Next("rdma_ack_cm_event", &rdma_ack_cm_event);
  if (cm::sim::Harness* const harness = cm::sim::Caller()) harness->Acknowledged(event);
  return kReal(event);
}
}
