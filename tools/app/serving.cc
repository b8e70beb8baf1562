#include "tools/app/serving.h"

#include <fmt/format.h>
#include <rdma/rdma_user_cm.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

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

constexpr uint64_t kRanks = 3;
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

// Of a decision: the thread's, or its process's.
std::string NameOf(const Process& process, const Thread* thread) {
  return thread == nullptr ? fmt::format("{}", process.number)
                           : fmt::format("{}.{}", process.number, thread->asker.thread);
}

}  // namespace

Process::~Process() {
  if (listening >= 0) close(listening);
}

Serving::Serving(sim::World* world, sim::uapi::SharedTime* time, sim::uapi::SharedLines* lines,
                 Trace* trace, Order* order, const ProcessIds* ids, const Network* network,
                 const Orphans* orphans, Folder folder, uint64_t seed, Hears hears,
                 SocketNotes::Sink on_socket)
    : world_(world),
      time_(time),
      lines_(lines),
      trace_(trace),
      order_(order),
      ids_(ids),
      network_(network),
      orphans_(orphans),
      folder_(std::move(folder)),
      seed_(seed),
      hears_(std::move(hears)),
      machine_(world, this),
      foresight_(&machine_),
      sockets_(world, std::move(on_socket)) {
  SomebodyHasAsked();
}

bool Serving::Read(uint32_t process, uint64_t address, std::span<uint8_t> bytes) {
  const iovec ours = {.iov_base = bytes.data(), .iov_len = bytes.size()};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a program's pointer, as verbs have it
  const iovec theirs = {.iov_base = reinterpret_cast<void*>(address), .iov_len = bytes.size()};
  const pid_t pid = processes_[process]->pid;
  return process_vm_readv(pid, &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(bytes.size());
}

bool Serving::Write(uint32_t process, uint64_t address, std::span<const uint8_t> bytes) {
  const iovec ours = {.iov_base = const_cast<uint8_t*>(bytes.data()), .iov_len = bytes.size()};
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const iovec theirs = {.iov_base = reinterpret_cast<void*>(address), .iov_len = bytes.size()};
  const pid_t pid = processes_[process]->pid;
  return process_vm_writev(pid, &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(bytes.size());
}

void Serving::Heard(Thread* thread, sim::uapi::Message message) {
  thread->sleeps = false;
  if (const auto* hello = std::get_if<sim::uapi::Hello>(&message)) {
    look_closely_ = true;
    return Greets(thread, *hello);
  }
  Process* const process = Owner(thread);
  if (auto* request = std::get_if<Request>(&message)) {
    if (thread->waits || thread->spins) return;
    SomebodyHasAsked();
    if (IsTold(*request)) return Takes(process, *thread, *request);
    thread->request = std::move(*request);
    restless_.HasAsked(thread->number);
    Asks(process, thread);
    if (thread->waits || thread->spins) thread->connection.IsLate();
  } else if (auto* foretold = std::get_if<sim::uapi::Foretold>(&message)) {
    if (thread->come_true == thread->foreseen.size()) return;
    SomebodyHasAsked();
    thread->request = std::move(foretold->request);
    thread->foretold = true;
    restless_.HasAsked(thread->number);
    Asks(process, thread);
  } else if (std::holds_alternative<sim::uapi::Interrupt>(message)) {
    Interrupts(process, thread);
  } else if (auto* watch = std::get_if<sim::uapi::Watch>(&message)) {
    Keep(process, thread, *watch);
  } else if (auto* unwatch = std::get_if<sim::uapi::Unwatch>(&message)) {
    process->watches.erase(unwatch->name);
    process->completion_watches.erase(unwatch->name);
  }
}

void Serving::Asks(Process* process, Thread* thread) {
  const Request& request = thread->request;
  if (Is(request, sim::uapi::SleepKind::kBegins)) return Reply(process, thread, {});
  if (Is(request, sim::uapi::SleepKind::kTurn))
    return Hold(thread, {},
                may_be_late_ ? order_->OneOf(kHowLate, NameOf(*process, thread) + "/turn") : 0);
  if (Is(request, sim::uapi::SleepKind::kOffers)) {
    const uint64_t way = order_->OneOf(kAtLocks, NameOf(*process, thread) + "/lock");
    return way == 0 ? Reply(process, thread, {}) : Hold(thread, {}, way - 1);
  }
  if (PollsMemory(request)) {
    // It may have done what others look for; and a thread that a signal woke, or one on another
    // processor, what this one looks for.
    const bool first = Is(request, sim::uapi::SleepKind::kLooks) &&
                       sim::uapi::WhichLook(request.on) == sim::uapi::Look::kFirst;
    thread->spins = true;
    thread->looks = false;
    if (first) LetAllLook();
    return;
  }
  NoteEndsOfSilent();
  if (request.op == Op::kCarry) return Carries(process, thread);
  const Answer answer = machine_.Ask(thread->asker, request);
  if (answer.waits) {
    thread->waits = true;
    return;
  }
  if (Recorder* const recorder = trace_->recorder())
    recorder->Answered(world_->Now(), process->side, thread->asker, request, answer);
  if (!IsSeenByOthers(request)) return Reply(process, thread, answer);
  ++thread->calls;
  if (!order_->Decides()) return Reply(process, thread, answer);
  const uint64_t way = order_->OneOf(kAfterCalls, NameOf(*process, thread) + "/call");
  return way == 0 ? Reply(process, thread, answer) : Hold(thread, answer, way - 1);
}

void Serving::Carries(Process* process, Thread* thread) {
  const SocketLinks::Answered answered = sockets_.Ask(
      process->pid, process->side, thread->request,
      [&](uint64_t address, auto bytes) { return Read(process->number, address, bytes); });
  ++thread->calls;
  const bool decides = answered.at <= world_->Now() && order_->Decides();
  uint64_t way = answered.at > world_->Now() ? 1 : 0;
  if (decides) way = order_->OneOf(kAfterCalls, NameOf(*process, thread) + "/call");
  if (way == 0) return Reply(process, thread, {.value = answered.value});
  Hold(thread, {.value = answered.value}, way - 1);
  thread->since = std::max(thread->since, answered.at);
}

void Serving::Hold(Thread* thread, Answer answer, uint64_t late) {
  thread->spins = thread->ready = true;
  thread->looks = false;
  thread->held = std::move(answer);
  thread->since = world_->Now() + Duration::Microseconds(may_be_late_ ? kLate[late] : 0);
}

void Serving::Takes(Process* process, const Thread& thread, const Request& request) {
  if (Recorder* const recorder = trace_->recorder())
    recorder->Told(world_->Now(), process->side, thread.asker, request);
  if (request.op == Op::kHold) {
    HeldEvent event = thread.event;
    event.type = request.on;
    process->belongings.Holds(request.more, event);
  } else if (const auto twice = process->belongings.Acknowledges(request.more)) {
    noted_.misbehaviour.push_back(fmt::format("{} acknowledges {} twice", process->name,
                                              ToString(static_cast<EventType>(*twice))));
  }
}

void Serving::Interrupts(Process* process, Thread* thread) {
  look_closely_ = true;
  if (thread->waits) {
    const Answer answer = machine_.Interrupt(thread->asker);
    if (answer.waits) return;
    Reply(process, thread, answer);
  } else if (thread->spins && (!thread->ready || Connects(thread->request))) {
    Reply(process, thread, {.value = -EINTR});
  }
}

void Serving::Keep(Process* process, Thread* thread, const sim::uapi::Watch& watch) {
  const bool of_completions = watch.readable.op == Op::kPollEvents;
  Watched& watched = (of_completions ? process->completion_watches : process->watches)[watch.name];
  watched.readable = watch.readable;
  if (watch.has_descriptor) {
    watched.level = std::make_unique<sim::uapi::Level>(thread->connection.TakeDescriptor());
    watched.is_readable = false;
  }
  // The others are in their right state.
  if (of_completions) BringUp(process, &watched);
}

void Serving::Reply(Process* process, Thread* thread, const Answer& answer) {
  const Request& request = thread->request;
  thread->waits = thread->spins = thread->may_go_on = thread->ready = thread->sleeps = false;
  all_ask_ = false;
  thread->rank.reset();
  if (NothingNew(request, answer)) {
    if (request.op != Op::kSleep) PutWords(request, &thread->polls);
  } else {
    time_->NoteHappened();
    thread->polls.clear();
    // Other threads may wait for the result.
    LetAllLook();
    PutWords(request, answer, &words_);
    if (!words_.empty()) {
      spoken_ = world_->Now();
      trace_->Say(world_->Now(), process->name, words_);
      thread->last = words_;
      thread->fetched = EventsFetched(request, answer);
      NoteEvents(thread, answer);
      NoteBelongings(process, request, answer);
    }
  }
  if (IsAboutAGoneId(request, answer))
    noted_.misbehaviour.push_back(
        fmt::format("{} uses an id that does not exist: {}", process->name, thread->last));
  BringAllUp(process);
  if (request.op == Op::kPollTime) LimitTime(UntilOf(request));
  if (const auto next = world_->NextAt()) LimitTime(*next);
  // On failure the thread has ended, and its connection closes.
  if (Foresees(process, thread, answer)) static_cast<void>(thread->connection.Send(answer));
}

// Returns false when the thread has its answer already. Where the order decides, a thread may give
// way after each request, so nothing is foreseen. Where time has passed meanwhile, the thread has
// run beside the machine, and its run is another one each time anyway.
bool Serving::Foresees(Process* process, Thread* thread, const Answer& answer) {
  if (order_->Decides()) return true;
  std::vector<sim::uapi::Foreseen> next = foresight_.After(thread->asker, thread->request, answer);
  if (std::exchange(thread->foretold, false)) {
    const Answer& told = thread->foreseen[thread->come_true++].answer;
    const bool is_it = told.value == answer.value && told.bytes == answer.bytes;
    if (!is_it && thread->foreseen_at == world_->Now())
      noted_.left_open.push_back(fmt::format("{} has gone on before another thread: {}",
                                             process->name, InWords(thread->request)));
    return false;
  }
  thread->foreseen = std::move(next);
  thread->come_true = 0;
  thread->foreseen_at = world_->Now();
  for (sim::uapi::Foreseen& one : thread->foreseen) {
    one.happened = time_->happened();
    static_cast<void>(thread->connection.Send(one));
  }
  return true;
}

void Serving::NoteEvents(Thread* thread, const Answer& answer) {
  const auto command = sim::uapi::CommandIn(thread->request);
  if (!command || answer.value < 0) return;
  if (command->number == RDMA_USER_CM_CMD_GET_EVENT)
    thread->event = {
        .type = 0, .id = sim::uapi::As<rdma_ucm_event_resp>(answer.bytes).id, .at = world_->Now()};
  if (command->number == RDMA_USER_CM_CMD_DESTROY_ID)
    thread->destroyed = sim::uapi::As<rdma_ucm_destroy_id>(command->body).id;
}

// One process of a program can release what another one created.
void Serving::NoteBelongings(Process* process, const Request& request, const Answer& answer) {
  process->belongings.Asked(request, answer);
  for (const auto& other : processes_) {
    if (other->first != process->first) continue;
    for (const uint32_t id : other->belongings.GivenUp(request, answer))
      noted_.left_open.push_back(
          fmt::format("{} closes the event channel of id {}, which is lost with it: {}",
                      process->name, id, InWords(request)));
  }
}

bool Serving::Changes(const Process& process, const Watched& watched) {
  const bool readable = machine_.IsReadable(process.Watcher(), watched.readable);
  return readable != watched.is_readable && watched.level != nullptr;
}

void Serving::BringAllUp(Process* process) {
  for (auto& [name, watched] : process->watches) BringUp(process, &watched);
  const uint64_t changes = machine_.completion_changes();
  if (process->completions_seen == changes) return;
  for (auto& [name, watched] : process->completion_watches) BringUp(process, &watched);
  process->completions_seen = changes;
}

bool Serving::BringUp(Process* process, Watched* watched) {
  if (!Changes(*process, *watched)) return false;
  const bool readable = !watched->is_readable;
  watched->rank.reset();
  all_ask_ = false;  // it may send a signal to one that asks, as O_ASYNC has it
  watched->level->Set(readable);
  watched->is_readable = readable;
  // It may send a signal, as that of alarm does.
  if (watched->readable.op == Op::kPollTime) look_closely_ = true;
  if (watched->readable.op == Op::kPollTime && watched->readable.on != 0 && readable) {
    // The timer expires, and is set for the next time.
    watched->level->Set(false);
    watched->is_readable = false;
    watched->readable.more +=
        static_cast<uint64_t>(Duration::Microseconds(watched->readable.on).nanoseconds());
  }
  return true;
}

void Serving::Lose(Process* process, Thread* thread) {
  look_closely_ = true;
  if (thread->waits) static_cast<void>(machine_.Interrupt(thread->asker));
  std::erase_if(process->threads, [&](const auto& one) { return one.get() == thread; });
}

bool Serving::GoesOn(Process* process, Thread* thread) {
  if (thread->ready) {
    if (thread->since > world_->Now()) return false;
    Reply(process, thread, std::exchange(thread->held, {}));
    return true;
  }
  if (thread->waits) {
    const Answer answer = machine_.Continue(thread->asker);
    if (Recorder* const recorder = answer.waits ? nullptr : trace_->recorder())
      recorder->Answered(world_->Now(), process->side, thread->asker, thread->request, answer);
    if (!answer.waits) Reply(process, thread, answer);
    return !answer.waits;
  }
  const bool limited = thread->spins && !Yields(thread->request);
  if (!limited || UntilOf(thread->request) > world_->Now()) return false;
  Reply(process, thread, {});
  return true;
}

bool Serving::LooksAgain(Process* process, Thread* thread) {
  if (!thread->may_go_on) return false;
  Reply(process, thread, {});
  thread->looks = true;
  return true;
}

void Serving::LetAllLook() {
  for (const auto& process : processes_)
    for (const auto& thread : process->threads) thread->may_go_on = thread->spins;
}

bool Serving::LetOneGoOn() {
  if (sockets_.Flush()) return WakesOthers();
  time_->SetUntil(Ahead().nanoseconds());
  for (const auto& next : {world_->NextAt(), NextWaking(), expected_})
    if (next) LimitTime(*next);
  // One that has looked and does not look again has gone on.
  for (const auto& process : processes_)
    for (const auto& thread : process->threads)
      if (std::exchange(thread->looks, false)) LetAllLook();
  std::vector<Candidate> candidates = Candidates();
  // Where one alone could go on, there is nothing to decide.
  if (candidates.size() > 1) Rank(&candidates);
  return std::ranges::any_of(candidates, [this](const Candidate& one) { return LetGoOn(one); });
}

void Serving::Rank(std::vector<Candidate>* candidates) {
  if (!order_->Decides()) return;  // the first is the first
  for (const Candidate& one : *candidates) {
    std::optional<uint64_t>& rank = one.watched != nullptr ? one.watched->rank : one.thread->rank;
    if (rank) continue;
    const std::string name = NameOf(*one.process, one.thread);
    // By what the thread has done, so that it is the same whatever others decide.
    rank = one.watched != nullptr ? order_->Below(kRanks, name)
                                  : order_->BelowAt(kRanks, name, one.thread->calls);
  }
  std::ranges::stable_sort(*candidates, {}, [](const Candidate& one) {
    return one.watched != nullptr ? *one.watched->rank : *one.thread->rank;
  });
}

// First those that have what they wait for, then those that look whether they have.
std::vector<Serving::Candidate> Serving::Candidates() {
  std::vector<Candidate> found;
  for (const auto& process : processes_) {
    if (process->gone) continue;
    for (const auto& thread : process->threads)
      if (MayGoOn(*thread)) found.push_back({process.get(), thread.get(), nullptr});
    for (auto& [name, watched] : process->watches)
      if (Changes(*process, watched)) found.push_back({process.get(), nullptr, &watched});
    if (process->completions_seen == machine_.completion_changes()) continue;
    const size_t before = found.size();
    for (auto& [name, watched] : process->completion_watches)
      if (Changes(*process, watched)) found.push_back({process.get(), nullptr, &watched});
    if (found.size() == before) process->completions_seen = machine_.completion_changes();
  }
  for (const auto& process : processes_)
    for (const auto& thread : process->threads)
      if (thread->may_go_on && !thread->ready && !MayGoOn(*thread))
        found.push_back({process.get(), thread.get(), nullptr});
  return found;
}

bool Serving::LetGoOn(const Candidate& candidate) {
  if (candidate.watched != nullptr) {
    if (!BringUp(candidate.process, candidate.watched)) return false;
    LetAllLook();
    return true;
  }
  return GoesOn(candidate.process, candidate.thread) ||
         LooksAgain(candidate.process, candidate.thread);
}

bool Serving::MayGoOn(const Thread& thread) const {
  if (thread.ready) return thread.since <= world_->Now();
  if (thread.waits) return machine_.MayContinue(thread.asker);
  return thread.spins && !Yields(thread.request) && UntilOf(thread.request) <= world_->Now();
}

void Serving::HasHappened() {
  time_->Set(world_->Now().nanoseconds());
  time_->NoteHappened();
  if (sockets_.Happen()) WakesOthers();
  LetAllLook();
}

bool Serving::WakesOthers() {
  all_ask_ = false;
  look_closely_ = true;
  noted_.socket_was_full = sockets_.was_full();
  return true;
}

}  // namespace cm::app
