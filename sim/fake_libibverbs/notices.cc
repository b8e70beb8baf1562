// Asynchronous events of a device, its port and its objects, and their acknowledgement. source:
// rdma-core 44 libibverbs/device.c ibv_get_async_event, ibv_ack_async_event
#include <infiniband/verbs.h>
#include <pthread.h>

#include <bit>
#include <cerrno>
#include <cstdint>

#include "sim/fake_libibverbs/descriptors.h"
#include "sim/fake_libibverbs/objects.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"

namespace cm::sim::fake_libibverbs {
namespace {

void Count(pthread_mutex_t* mutex, pthread_cond_t* changed, uint32_t* counter) {
  pthread_mutex_lock(mutex);
  ++*counter;
  pthread_cond_signal(changed);
  pthread_mutex_unlock(mutex);
}

bool IsOfPort(ibv_event_type type) {
  return type == IBV_EVENT_PORT_ACTIVE || type == IBV_EVENT_PORT_ERR ||
         type == IBV_EVENT_GID_CHANGE;
}

bool Equals(pthread_mutex_t* mutex, const uint32_t* counter, uint32_t value) {
  pthread_mutex_lock(mutex);
  const bool equal = *counter == value;
  pthread_mutex_unlock(mutex);
  return equal;
}

}  // namespace

uapi::ToldRecord TellOf(ibv_context* context, const void* object) {
  const Handle events = ContextOf(context)->events;
  return {.name = std::bit_cast<uint64_t>(object), .events = events.Lives() ? events.number : 0};
}

void AwaitAcknowledged(Handle object, const uapi::Answer& destroyed, pthread_mutex_t* mutex,
                       const uint32_t* acknowledged) {
  const uint32_t taken = RecordIn<uint32_t>(destroyed.bytes).value_or(0);
  while (object.Lives() && TheBackend() != nullptr && !Equals(mutex, acknowledged, taken)) Yield();
}

}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C
using cm::sim::uapi::Answer;
using cm::sim::uapi::Op;

extern "C" {

// An event without an object belongs to the device, or to its port.
int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  const Handle events = ContextOf(context)->events;
  const bool looks = IsNonBlocking(context->async_fd);
  Answer answer{.value = -EIO};
  if (events.Lives())
    answer = AskUntilAnswered(
        {.op = Op::kTakeEventOfDevice, .on = events.number, .more = looks ? 1U : 0U});
  if (answer.value < 0) {
    errno = ErrnoOf(answer.value);
    return -1;
  }
  *event = {};
  event->event_type = static_cast<ibv_event_type>(answer.value);
  const uint64_t name = RecordIn<uint64_t>(answer.bytes).value_or(0);
  if (IsOfPort(event->event_type))
    event->element.port_num = static_cast<int>(name);
  else
    event->element.cq = std::bit_cast<ibv_cq*>(name);
  return 0;
}

void ibv_ack_async_event(ibv_async_event* event) {
  switch (event->event_type) {
    case IBV_EVENT_CQ_ERR: {
      ibv_cq* const cq = event->element.cq;
      return Count(&cq->mutex, &cq->cond, &cq->async_events_completed);
    }
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_PATH_MIG:
    case IBV_EVENT_PATH_MIG_ERR:
    case IBV_EVENT_QP_LAST_WQE_REACHED: {
      ibv_qp* const qp = event->element.qp;
      return Count(&qp->mutex, &qp->cond, &qp->events_completed);
    }
    case IBV_EVENT_SRQ_ERR:
    case IBV_EVENT_SRQ_LIMIT_REACHED: {
      ibv_srq* const srq = event->element.srq;
      return Count(&srq->mutex, &srq->cond, &srq->events_completed);
    }
    default:
      return;
  }
}
}
