#include "tools/app/responder.h"

#include <fmt/format.h>
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/protocol.h"
#include "sim/uapi/bytes.h"
#include "sim/uapi/layout.h"
#include "sim/uapi/words.h"
#include "tools/app/sleeps.h"

namespace cm::app {
namespace {

using sim::uapi::Answer;
using sim::uapi::Op;
using sim::uapi::Request;

// Microseconds for which a busy system keeps a thread that could go on, and how often.
constexpr std::array kLate = {0, 10, 100, 1'000};
constexpr std::array<uint8_t, 8> kHowLate = {0, 0, 0, 0, 0, 1, 2, 3};

// The outcomes of a decision: one in so many gives way, and is late; the others do not, and are 0.
template <size_t kOneIn>
constexpr std::array<uint8_t, kOneIn * kHowLate.size()> GivesWay() {
  std::array<uint8_t, kOneIn * kHowLate.size()> outcomes{};
  for (size_t i = 0; i < kHowLate.size(); ++i) outcomes[i] = kHowLate[i] + 1;
  return outcomes;
}
constexpr std::array kAfterCalls = GivesWay<4>();
constexpr std::array kAtLocks = GivesWay<2>();

// Other threads may see what comes of it.
bool IsSeenByOthers(const Request& request) {
  return request.op != Op::kSleep && request.op != Op::kNow && request.op != Op::kPollTime;
}

}  // namespace

void Responder::Asks(Process* process, Thread* thread) {
  const Request& request = thread->request;
  if (Is(request, sim::uapi::SleepKind::kBegins)) return Reply(process, thread, {});
  if (Is(request, sim::uapi::SleepKind::kTurn))
    return Hold(
        thread, {},
        may_be_late_ ? order_->OneOf(kHowLate, DecisionName(*process, thread) + "/turn") : 0);
  if (Is(request, sim::uapi::SleepKind::kOffers)) {
    const uint64_t way = order_->OneOf(kAtLocks, DecisionName(*process, thread) + "/lock");
    return way == 0 ? Reply(process, thread, {}) : Hold(thread, {}, way - 1);
  }
  if (PollsMemory(request)) {
    // It may have done what others look for; and a thread that a signal woke, or one on another
    // processor, what this one looks for.
    const bool first = Is(request, sim::uapi::SleepKind::kLooks) &&
                       sim::uapi::WhichLook(request.on) == sim::uapi::Look::kFirst;
    thread->spins = true;
    thread->answered = false;
    if (first) processes_->LetAllLook();
    return;
  }
  ends_->NoteEndsOfSilent();
  kernels_->socket_ends.Asks(*process);
  if (request.op == Op::kCarry) return Carries(process, thread);
  const Answer answer = kernels_->machine.Ask(thread->asker, request);
  if (answer.waits) {
    thread->waits = true;
    return;
  }
  if (Recorder* const recorder = trace_->recorder())
    recorder->Answered(kernels_->Now(), process->side, thread->asker, request, answer);
  if (!IsSeenByOthers(request)) return Reply(process, thread, answer);
  ++thread->calls;
  if (!order_->Decides()) return Reply(process, thread, answer);
  const uint64_t way = order_->OneOf(kAfterCalls, DecisionName(*process, thread) + "/call");
  return way == 0 ? Reply(process, thread, answer) : Hold(thread, answer, way - 1);
}

void Responder::Carries(Process* process, Thread* thread) {
  const auto record = sim::uapi::As<sim::uapi::CarryRecord>(thread->request.bytes);
  const auto what = static_cast<sim::uapi::Carry>(record.what);
  if (what == sim::uapi::Carry::kMayEnd || what == sim::uapi::Carry::kExecutes) {
    if (what == sim::uapi::Carry::kMayEnd)
      kernels_->socket_ends.MayEnd(*process, record);
    else
      kernels_->socket_ends.Executes(*process, record);
    return Reply(process, thread, {});
  }
  const SocketLinks::Answered answered = kernels_->sockets.Ask(
      process->pid, process->side, thread->request, [&](uint64_t address, auto bytes) {
        return kernels_->memory.Read(process->number, address, bytes);
      });
  ++thread->calls;
  const bool decides = answered.at <= kernels_->Now() && order_->Decides();
  uint64_t way = answered.at > kernels_->Now() ? 1 : 0;
  if (decides) way = order_->OneOf(kAfterCalls, DecisionName(*process, thread) + "/call");
  if (way == 0) return Reply(process, thread, {.value = answered.value});
  Hold(thread, {.value = answered.value}, way - 1);
  thread->since = std::max(thread->since, answered.at);
}

void Responder::Hold(Thread* thread, Answer answer, uint64_t late) {
  thread->spins = thread->ready = true;
  thread->answered = false;
  thread->held = std::move(answer);
  thread->since = kernels_->Now() + Duration::Microseconds(may_be_late_ ? kLate[late] : 0);
}

void Responder::Takes(Process* process, const Thread& thread, const Request& request) {
  if (Recorder* const recorder = trace_->recorder())
    recorder->Told(kernels_->Now(), process->side, thread.asker, request);
  if (request.op == Op::kHold) {
    HeldEvent event = thread.event;
    event.type = request.on;
    process->belongings.Holds(request.more, event);
  } else if (const auto twice = process->belongings.Acknowledges(request.more)) {
    complaints_->misbehaviour.push_back(fmt::format("{} acknowledges {} twice", process->name,
                                                    ToString(static_cast<EventType>(*twice))));
  }
}

void Responder::Interrupts(Process* process, Thread* thread) {
  detector_->MayHaveWoken();
  if (thread->waits) {
    const Answer answer = kernels_->machine.Interrupt(thread->asker);
    if (answer.waits) return;
    Reply(process, thread, answer);
  } else if (thread->spins && (!thread->ready || Connects(thread->request))) {
    Reply(process, thread, {.value = -EINTR});
  }
}

void Responder::Reply(Process* process, Thread* thread, const Answer& answer) {
  const Request& request = thread->request;
  thread->waits = thread->spins = thread->may_go_on = thread->ready = thread->sleeps = false;
  thread->answered = true;
  detector_->HasWoken();
  thread->rank.reset();
  if (NothingNew(request, answer)) {
    if (request.op != Op::kSleep) PutWords(request, &thread->polls);
  } else {
    kernels_->shared_time->NoteHappened();
    thread->polls.clear();
    // Other threads may wait for the result.
    processes_->LetAllLook();
    PutWords(request, answer, &words_);
    if (!words_.empty()) {
      limits_->HasSpoken();
      trace_->Say(kernels_->Now(), process->name, words_);
      thread->last = words_;
      thread->fetched = EventsFetched(request, answer);
      NoteEvents(thread, answer);
      NoteBelongings(process, request, answer);
    }
  }
  if (IsAboutAGoneId(request, answer))
    complaints_->misbehaviour.push_back(
        fmt::format("{} uses an id that does not exist: {}", process->name, thread->last));
  pipes_->BringAllUp(process);
  if (request.op == Op::kPollTime) limits_->Limit(UntilOf(request));
  if (const auto next = kernels_->world->NextAt()) limits_->Limit(*next);
  // On failure the thread has ended, and its connection closes.
  if (Foresees(process, thread, answer)) static_cast<void>(thread->connection.Send(answer));
}

// Returns false when the thread has its answer already. Where the order decides, a thread may give
// way after each request, so nothing is foreseen. Where time has passed meanwhile, the thread has
// run beside the machine, and its run is another one each time anyway.
bool Responder::Foresees(Process* process, Thread* thread, const Answer& answer) {
  if (order_->Decides()) return true;
  std::vector<sim::uapi::Foreseen> next =
      kernels_->foresight.After(thread->asker, thread->request, answer);
  if (std::exchange(thread->foretold, false)) {
    const Answer& told = thread->foreseen[thread->come_true++].answer;
    const bool is_it = told.value == answer.value && told.bytes == answer.bytes;
    if (!is_it && thread->foreseen_at == kernels_->Now())
      complaints_->left_open.push_back(fmt::format("{} has gone on before another thread: {}",
                                                   process->name, InWords(thread->request)));
    return false;
  }
  thread->foreseen = std::move(next);
  thread->come_true = 0;
  thread->foreseen_at = kernels_->Now();
  for (sim::uapi::Foreseen& one : thread->foreseen) {
    one.happened = kernels_->shared_time->happened();
    static_cast<void>(thread->connection.Send(one));
  }
  return true;
}

void Responder::NoteEvents(Thread* thread, const Answer& answer) const {
  const auto command = sim::uapi::CommandIn(thread->request);
  if (!command || answer.value < 0) return;
  if (command->number == RDMA_USER_CM_CMD_GET_EVENT)
    thread->event = {.type = 0,
                     .id = sim::uapi::As<rdma_ucm_event_resp>(answer.bytes).id,
                     .at = kernels_->Now()};
  if (command->number == RDMA_USER_CM_CMD_DESTROY_ID)
    thread->destroyed = sim::uapi::As<rdma_ucm_destroy_id>(command->body).id;
}

// One process of a program can release what another one created.
void Responder::NoteBelongings(Process* process, const Request& request, const Answer& answer) {
  process->belongings.Asked(request, answer);
  for (const auto& other : processes_->all()) {
    if (other->first != process->first) continue;
    for (const uint32_t id : other->belongings.GivenUp(request, answer))
      complaints_->left_open.push_back(
          fmt::format("{} closes the event channel of id {}, which is lost with it: {}",
                      process->name, id, InWords(request)));
  }
}

bool Responder::MayGoOn(const Thread& thread) const {
  if (thread.ready) return thread.since <= kernels_->Now();
  if (thread.waits) return kernels_->machine.MayContinue(thread.asker);
  return thread.spins && !Yields(thread.request) && UntilOf(thread.request) <= kernels_->Now();
}

bool Responder::GoOn(Process* process, Thread* thread) {
  if (thread->ready) {
    if (thread->since > kernels_->Now()) return false;
    Reply(process, thread, std::exchange(thread->held, {}));
    return true;
  }
  if (thread->waits) {
    const Answer answer = kernels_->machine.Continue(thread->asker);
    if (Recorder* const recorder = answer.waits ? nullptr : trace_->recorder())
      recorder->Answered(kernels_->Now(), process->side, thread->asker, thread->request, answer);
    if (!answer.waits) Reply(process, thread, answer);
    return !answer.waits;
  }
  const bool limited = thread->spins && !Yields(thread->request);
  if (!limited || UntilOf(thread->request) > kernels_->Now()) return false;
  Reply(process, thread, {});
  return true;
}

bool Responder::LookAgain(Process* process, Thread* thread) {
  if (!thread->may_go_on) return false;
  Reply(process, thread, {});
  return true;
}

}  // namespace cm::app
