// Completion channels, completion queues, shared receive queues.
#include <fcntl.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>

#include "sim/fake_libibverbs/descriptors.h"
#include "sim/fake_libibverbs/extended.h"
#include "sim/fake_libibverbs/objects.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"

using namespace cm::sim::fake_libibverbs;  // what follows is C
using cm::sim::uapi::Answer;
using cm::sim::uapi::Op;
using cm::sim::uapi::Request;
using cm::sim::uapi::SrqRecord;

namespace {

// A request about the queues of a channel.
Request About(Channel* channel, Op op, uint64_t more) {
  Request request = {.op = op, .more = more};
  const std::lock_guard held(channel->lock);
  for (const CompletionQueue* queue : channel->queues)
    if (queue->handle.Lives()) Append(&request.bytes, queue->handle.number);
  return request;
}

void WatchAgain(Channel* channel) {
  if (channel->is_watched) WatchDescriptor(channel->name, About(channel, Op::kPollEvents, 0));
}

void Join(Channel* channel, CompletionQueue* queue) {
  {
    const std::lock_guard held(channel->lock);
    channel->queues.push_back(queue);
    ++channel->shown.refcnt;
  }
  WatchAgain(channel);
}

void Leave(Channel* channel, CompletionQueue* queue) {
  {
    const std::lock_guard held(channel->lock);
    const auto last = std::remove(channel->queues.begin(), channel->queues.end(), queue);
    channel->queues.erase(last, channel->queues.end());
    --channel->shown.refcnt;
  }
  WatchAgain(channel);
}

CompletionQueue* QueueOf(Channel* channel, int64_t number) {
  const std::lock_guard held(channel->lock);
  const auto found = std::find_if(channel->queues.begin(), channel->queues.end(),
                                  [number](const CompletionQueue* queue) {
                                    return queue->handle.Lives() && queue->handle.number == number;
                                  });
  return found == channel->queues.end() ? nullptr : *found;
}

void Count(ibv_cq* queue, uint32_t* counter, uint32_t more) {
  pthread_mutex_lock(&queue->mutex);
  *counter += more;
  pthread_mutex_unlock(&queue->mutex);
}

bool IsAcknowledged(CompletionQueue* queue) {
  pthread_mutex_lock(&queue->shown.mutex);
  const bool all = queue->shown.comp_events_completed == queue->delivered;
  pthread_mutex_unlock(&queue->shown.mutex);
  return all;
}

}  // namespace

namespace cm::sim::fake_libibverbs {

CompletionQueue* MakeQueue(ibv_context* context, int64_t entries, void* queue_context,
                           ibv_comp_channel* channel, int64_t vector) {
  if (entries < 1 || vector < 0 || vector >= context->num_comp_vectors) return Refuse(EINVAL);
  const int64_t place = PlaceOf(context);
  if (place < 0) return Refuse(ErrnoOf(place));
  auto made = std::make_unique<CompletionQueue>();
  const Answer answer = Ask({.op = Op::kCreateCq,
                             .on = static_cast<uint32_t>(place),
                             .more = static_cast<uint64_t>(entries),
                             .bytes = BytesOf(TellOf(context, made.get()))});
  if (answer.value < 0) return Refuse(ErrnoOf(answer.value));
  CompletionQueue* const queue = made.release();
  queue->handle.number = static_cast<uint32_t>(answer.value);
  queue->shown.context = context;
  queue->shown.channel = channel;
  queue->shown.cq_context = queue_context;
  queue->shown.handle = queue->handle.number;
  queue->shown.cqe = static_cast<int>(entries);
  pthread_mutex_init(&queue->shown.mutex, nullptr);
  pthread_cond_init(&queue->shown.cond, nullptr);
  pthread_mutex_init(&queue->polled, nullptr);
  if (channel != nullptr) Join(Whole<Channel>(channel), queue);
  return queue;
}

int Arm(ibv_cq* queue, int solicited_only) {
  auto* const whole = Whole<CompletionQueue>(queue);
  if (queue->channel != nullptr && whole->handle.Lives()) {
    auto* const channel = Whole<Channel>(queue->channel);
    if (!channel->is_watched.exchange(true)) WatchAgain(channel);
  }
  return ErrnoOf(AskAbout(Op::kArm, whole->handle, solicited_only != 0 ? 1 : 0).value);
}

ibv_srq* MakeSharedQueue(ibv_pd* pd, const ibv_srq_init_attr_ex& initial) {
  const int64_t place = PlaceOf(pd->context);
  if (place < 0) return Refuse(ErrnoOf(place));
  auto made = std::make_unique<SharedQueue>();
  const SrqRecord record = {.room = {.work = initial.attr.max_wr, .pieces = initial.attr.max_sge},
                            .limit = initial.attr.srq_limit,
                            .told = TellOf(pd->context, made.get()),
                            .xrcd = NumberOf(initial.xrcd),
                            .queue = NumberOf(initial.cq),
                            .domain = NumberOf(pd)};
  const Answer answer =
      Ask({.op = Op::kCreateSrq, .on = static_cast<uint32_t>(place), .bytes = BytesOf(record)});
  if (answer.value < 0) return Refuse(ErrnoOf(answer.value));
  SharedQueue* const queue = made.release();
  queue->handle.number = static_cast<uint32_t>(answer.value);
  queue->number = RecordIn<uint32_t>(answer.bytes).value_or(0);
  queue->shown.context = pd->context;
  queue->shown.srq_context = initial.srq_context;
  queue->shown.pd = pd;
  Enter(pd);
  queue->shown.handle = queue->handle.number;
  pthread_mutex_init(&queue->shown.mutex, nullptr);
  pthread_cond_init(&queue->shown.cond, nullptr);
  return &queue->shown;
}

}  // namespace cm::sim::fake_libibverbs

extern "C" {

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  const Backend* const backend = TheBackend();
  const bool is_watched = backend != nullptr && backend->WatchesUnarmed();
  const int fd =
      is_watched ? MakeDescriptor(DescriptorKind::kChannel, {}, O_CLOEXEC, {.op = Op::kPollEvents})
                 : MakeUnwatchedDescriptor(DescriptorKind::kChannel, {}, O_CLOEXEC);
  if (fd < 0) return Refuse(-fd);
  auto* channel = new Channel{};
  channel->shown.context = context;
  channel->shown.fd = fd;
  channel->is_watched = is_watched;
  channel->name = FindDescriptor(fd)->name;
  return &channel->shown;
}

int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  auto* whole = Whole<Channel>(channel);
  {
    const std::lock_guard held(whole->lock);
    if (channel->refcnt != 0) return EBUSY;
  }
  CloseDescriptor(channel->fd);
  delete whole;
  return 0;
}

// A queue that joins the channel while a thread waits for an event of the channel does not end that
// wait.
int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** queue, void** queue_context) {
  auto* whole = Whole<Channel>(channel);
  const Answer answer =
      AskUntilAnswered(About(whole, Op::kTakeEvent, IsNonBlocking(channel->fd) ? 1 : 0));
  CompletionQueue* reported = answer.value < 0 ? nullptr : QueueOf(whole, answer.value);
  if (reported == nullptr) {
    errno = answer.value < 0 ? ErrnoOf(answer.value) : EIO;
    return -1;
  }
  Count(&reported->shown, &reported->delivered, 1);
  *queue = &reported->shown;
  *queue_context = reported->shown.cq_context;
  return 0;
}

void ibv_ack_cq_events(ibv_cq* queue, unsigned int count) {
  Count(queue, &queue->comp_events_completed, count);
}

ibv_cq* ibv_create_cq(ibv_context* context, int entries, void* queue_context,
                      ibv_comp_channel* channel, int vector) {
  CompletionQueue* const queue = MakeQueue(context, entries, queue_context, channel, vector);
  return queue == nullptr ? nullptr : &queue->shown;
}

int ibv_resize_cq(ibv_cq* queue, int entries) {
  if (entries < 1) return EINVAL;
  const Answer answer = AskAbout(Op::kResizeCq, Whole<CompletionQueue>(queue)->handle,
                                 static_cast<uint64_t>(entries));
  if (answer.value < 0) return Failed(answer.value);
  queue->cqe = entries;
  return 0;
}

int ibv_destroy_cq(ibv_cq* queue) {
  auto* whole = Whole<CompletionQueue>(queue);
  const Answer answer = AskAbout(Op::kDestroyCq, whole->handle);
  if (answer.value < 0) return Failed(answer.value);
  if (queue->channel != nullptr) Leave(Whole<Channel>(queue->channel), whole);
  AwaitAcknowledged(whole->handle, answer, &queue->mutex, &queue->async_events_completed);
  while (whole->handle.Lives() && TheBackend() != nullptr && !IsAcknowledged(whole)) Yield();
  if (whole->parent != nullptr) Leave(whole->parent);
  delete whole;
  return 0;
}

ibv_srq* ibv_create_srq(ibv_pd* pd, ibv_srq_init_attr* initial) {
  ibv_srq_init_attr_ex all{};
  all.srq_context = initial->srq_context;
  all.attr = initial->attr;
  return MakeSharedQueue(pd, all);
}

int ibv_modify_srq(ibv_srq* queue, ibv_srq_attr* attributes, int mask) {
  const SrqRecord record = {.room = {.work = attributes->max_wr},
                            .limit = attributes->srq_limit,
                            .mask = static_cast<uint32_t>(mask)};
  return Failed(
      AskAbout(Op::kModifySrq, Whole<SharedQueue>(queue)->handle, 0, BytesOf(record)).value);
}

int ibv_query_srq(ibv_srq* queue, ibv_srq_attr* attributes) {
  const Answer answer = AskAbout(Op::kQuerySrq, Whole<SharedQueue>(queue)->handle);
  if (answer.value < 0) return Failed(answer.value);
  const auto record = RecordIn<SrqRecord>(answer.bytes);
  if (!record) return EIO;
  *attributes = {
      .max_wr = record->room.work, .max_sge = record->room.pieces, .srq_limit = record->limit};
  return 0;
}

int ibv_destroy_srq(ibv_srq* queue) {
  auto* whole = Whole<SharedQueue>(queue);
  const Answer answer = AskAbout(Op::kDestroySrq, whole->handle);
  if (answer.value < 0) return Failed(answer.value);
  AwaitAcknowledged(whole->handle, answer, &queue->mutex, &queue->events_completed);
  Leave(queue->pd);
  delete whole;
  return 0;
}
}
