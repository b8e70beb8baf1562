#include "tools/app/serving.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "sim/uapi/words.h"
#include "tools/app/host.h"

namespace cm::app {
namespace {

using sim::uapi::Answer;
using sim::uapi::Op;
using sim::uapi::Request;

// At most this many bytes of a program's output are passed on before another program is served.
constexpr size_t kOutputAtOnce = size_t{1} << 16;
// A thread goes ahead at least this much, and at most by this part of the time in which programs
// have only polled.
constexpr Duration kSlice = Duration::Microseconds(10);
constexpr int64_t kShare = 16;

bool Is(const Request& request, sim::uapi::SleepKind kind) {
  return request.op == Op::kSleep && request.on == static_cast<uint32_t>(kind);
}

// A thread that yields sends a sleep of length zero.
bool Yields(const Request& request) { return request.op == Op::kSleep && request.more == 0; }

bool Spends(const Request& request) { return Is(request, sim::uapi::SleepKind::kSpends); }

bool PollsMemory(const Request& request) {
  return Yields(request) || Is(request, sim::uapi::SleepKind::kLooks);
}

Instant UntilOf(const Request& request) {
  return Instant::FromNanoseconds(static_cast<int64_t>(request.more));
}

bool Earlier(Instant one, const std::optional<Instant>& other) { return !other || one < *other; }

}  // namespace

Process::~Process() {
  if (listening >= 0) close(listening);
}

Serving::Serving(sim::World* world, sim::uapi::SharedTime* time, Trace* trace,
                 const Orphans* orphans, Folder folder, uint64_t seed, Hears hears)
    : world_(world),
      time_(time),
      trace_(trace),
      orphans_(orphans),
      folder_(std::move(folder)),
      seed_(seed),
      hears_(std::move(hears)),
      machine_(world, this) {
  SomebodyHasAsked();
}

std::string Serving::Start(const ProgramToRun& program, const std::string& name) {
  const uint32_t number = machine_.AddProcess(program.side);
  const int listening = folder_.Listen(number);
  if (listening < 0) return fmt::format("no socket {}", folder_.SocketPath(number));
  const uint8_t kernel = world_->topology().KernelOf(program.side);
  const std::string host = folder_.HostPath(kernel);
  if (!LayOutHost(host, world_->topology(), kernel)) return fmt::format("cannot write {}", host);
  const char* path = std::getenv("PATH");
  const Topology& topology = world_->topology();
  const DeviceInfo& device = topology.devices[topology.sides[program.side].device];
  auto started = Program::Start(
      program,
      {fmt::format("CMSIM_ADDRESS={}", device.Host(0, false)),
       fmt::format("CMSIM_ADDRESS6={}", device.Host(0, true)), fmt::format("CMSIM_SEED={}", seed_),
       "LD_PRELOAD=" + folder_.ObjectPath(), "CMSIM_SOCKET=" + folder_.SocketPath(number),
       "CMSIM_HOST=" + host, fmt::format("PATH={}/bin:{}", host, path == nullptr ? "" : path)});
  if (auto* problem = std::get_if<std::string>(&started)) {
    close(listening);
    return std::move(*problem);
  }
  processes_.push_back(std::make_unique<Process>(name, std::move(std::get<Program>(started)),
                                                 program.side, number, listening));
  return {};
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

void Serving::Serve(Duration patience) {
  struct Source {
    Process* process;
    Thread* thread;
  };
  std::vector<pollfd> descriptors;
  std::vector<Source> sources;
  const auto add = [&](int descriptor, Process* process, Thread* thread) {
    descriptors.push_back({.fd = descriptor, .events = POLLIN, .revents = 0});
    sources.push_back({process, thread});
  };
  for (const auto& process : processes_) {
    if (process->program && process->program->output() >= 0)
      add(process->program->output(), process.get(), nullptr);
    if (process->listening >= 0) add(process->listening, process.get(), nullptr);
    for (const auto& thread : process->threads)
      add(thread->connection.socket(), process.get(), thread.get());
  }
  const timespec limit = {.tv_sec = patience.nanoseconds() / 1'000'000'000,
                          .tv_nsec = patience.nanoseconds() % 1'000'000'000};
  if (ppoll(descriptors.data(), descriptors.size(), &limit, nullptr) <= 0) return;
  // What has ended, first: what it had is free for those that have waited for its end.
  for (size_t i = 0; i < descriptors.size(); ++i) {
    if (sources[i].thread == nullptr || (descriptors[i].revents & POLLHUP) == 0) continue;
    ServeThread(std::exchange(sources[i].thread, nullptr));
    descriptors[i].revents = 0;
  }
  for (size_t i = 0; i < descriptors.size(); ++i) {
    if (descriptors[i].revents == 0) continue;
    Process* const process = sources[i].process;
    if (sources[i].thread != nullptr) {
      ServeThread(sources[i].thread);
    } else if (descriptors[i].fd == process->program->output()) {
      PassOutputOn(process, kOutputAtOnce);
    } else if (const int socket = accept4(process->listening, nullptr, nullptr, SOCK_CLOEXEC);
               socket >= 0) {
      process->threads.push_back(std::make_unique<Thread>(
          socket, sim::uapi::Asker{process->number, process->threads_ever++}));
    }
  }
}

void Serving::PassOutputOn(Process* process, size_t most) {
  if (!process->program) return;
  for (const std::string& line : process->program->TakeLines(most)) hears_(process->name, line);
}

void Serving::ServeThread(Thread* thread) {
  const int error = thread->connection.Read();
  while (std::optional<sim::uapi::Message> message = thread->connection.Next())
    Heard(thread, std::move(*message));
  if (thread->connection.damaged() || (error != 0 && error != EINTR)) Lose(Owner(thread), thread);
}

void Serving::Heard(Thread* thread, sim::uapi::Message message) {
  if (const auto* hello = std::get_if<sim::uapi::Hello>(&message)) return Greets(thread, *hello);
  Process* const process = Owner(thread);
  if (auto* request = std::get_if<Request>(&message)) {
    if (thread->waits || thread->spins) return;
    thread->request = std::move(*request);
    SomebodyHasAsked();
    Asks(process, thread);
  } else if (std::holds_alternative<sim::uapi::Interrupt>(message)) {
    Interrupts(process, thread);
  } else if (auto* watch = std::get_if<sim::uapi::Watch>(&message)) {
    Keep(process, thread, *watch);
  } else if (auto* unwatch = std::get_if<sim::uapi::Unwatch>(&message)) {
    process->watches.erase(unwatch->name);
  }
}

// A thread reports its process: children connect to the socket of their ancestor.
void Serving::Greets(Thread* thread, const sim::uapi::Hello& hello) {
  thread->number = hello.tid;
  Process* const asked = Owner(thread);
  Process* const process = ProcessOf(asked, hello.pid);
  if (process == asked) return;
  const auto found = std::ranges::find(asked->threads, thread, &std::unique_ptr<Thread>::get);
  thread->asker = {.process = process->number, .thread = process->threads_ever++};
  process->threads.push_back(std::move(*found));
  asked->threads.erase(found);
}

Process* Serving::ProcessOf(Process* asked, pid_t pid) {
  for (const auto& process : processes_)
    if (!process->gone && process->pid == pid && process->first == asked->first)
      return process.get();
  const uint32_t number = machine_.AddProcess(asked->side);
  const std::string name = fmt::format("{}.{}", asked->name, ++asked->children);
  processes_.push_back(std::make_unique<Process>(*asked, name, pid, number));
  return processes_.back().get();
}

void Serving::Asks(Process* process, Thread* thread) {
  const Request& request = thread->request;
  if (PollsMemory(request)) {
    thread->spins = true;
    thread->looks = false;
    return;
  }
  NoteEndsOfSilent();
  if (Holds(process, request)) return Reply(process, thread, {});
  const Answer answer = machine_.Ask(thread->asker, request);
  if (answer.waits) {
    thread->waits = true;
    return;
  }
  Reply(process, thread, answer);
}

bool Serving::Holds(Process* process, const Request& request) {
  if (request.op == Op::kHold) {
    process->belongings.Holds(request.more, request.on);
    return true;
  }
  if (request.op != Op::kAcknowledge) return false;
  if (const auto twice = process->belongings.Acknowledges(request.more))
    misbehaviour_.push_back(fmt::format("{} acknowledges {} twice", process->name,
                                        ToString(static_cast<EventType>(*twice))));
  return true;
}

void Serving::Interrupts(Process* process, Thread* thread) {
  if (thread->waits) {
    const Answer answer = machine_.Interrupt(thread->asker);
    if (answer.waits) return;
    Reply(process, thread, answer);
  } else if (thread->spins) {
    Reply(process, thread, {.value = -EINTR});
  }
}

void Serving::Keep(Process* process, Thread* thread, const sim::uapi::Watch& watch) {
  Watched& watched = process->watches[watch.name];
  watched.readable = watch.readable;
  if (!watch.has_descriptor) return;
  watched.level = std::make_unique<sim::uapi::Level>(thread->connection.TakeDescriptor());
  watched.is_readable = false;
}

void Serving::Reply(Process* process, Thread* thread, const Answer& answer) {
  const Request& request = thread->request;
  thread->waits = thread->spins = thread->may_go_on = false;
  if (NothingNew(request, answer)) {
    if (request.op != Op::kSleep) thread->polls = InWords(request);
  } else {
    time_->NoteHappened();
    thread->polls.clear();
    // Other threads may wait for the result.
    LetAllLook();
    if (const std::string words = InWords(request, answer); !words.empty()) {
      spoken_ = world_->Now();
      trace_->Say(world_->Now(), process->name, words);
      thread->last = words;
      thread->fetched = EventsFetched(request, answer);
      NoteBelongings(process, request, answer);
    }
  }
  if (IsAboutAGoneId(request, answer))
    misbehaviour_.push_back(
        fmt::format("{} uses an id that does not exist: {}", process->name, thread->last));
  for (auto& [name, watched] : process->watches) BringUp(process, &watched);
  if (request.op == Op::kPollTime) LimitTime(UntilOf(request));
  if (const auto next = world_->NextAt()) LimitTime(*next);
  // On failure the thread has ended, and its connection closes.
  static_cast<void>(thread->connection.Send(answer));
}

// One process of a program can release what another one created.
void Serving::NoteBelongings(Process* process, const Request& request, const Answer& answer) {
  process->belongings.Asked(request, answer);
  for (const auto& other : processes_) {
    if (other->first != process->first) continue;
    for (const uint32_t id : other->belongings.GivenUp(request, answer))
      left_open_.push_back(
          fmt::format("{} closes the event channel of id {}, which is lost with it: {}",
                      process->name, id, InWords(request)));
  }
}

bool Serving::BringUp(Process* process, Watched* watched) {
  const bool readable = machine_.Ask(process->Watcher(), watched->readable).value == 1;
  if (readable == watched->is_readable || watched->level == nullptr) return false;
  watched->level->Set(readable);
  watched->is_readable = readable;
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
  if (thread->waits) static_cast<void>(machine_.Interrupt(thread->asker));
  std::erase_if(process->threads, [&](const auto& one) { return one.get() == thread; });
}

bool Serving::GoesOn(Process* process, Thread* thread) {
  if (thread->waits) {
    const Answer answer = machine_.Continue(thread->asker);
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

Instant Serving::Ahead() const {
  return world_->Now() + std::max(kSlice, (world_->Now() - spoken_) / kShare);
}

void Serving::LimitTime(Instant until) {
  if (until.nanoseconds() < time_->until()) time_->SetUntil(until.nanoseconds());
}

bool Serving::LetOneGoOn() {
  time_->SetUntil(Ahead().nanoseconds());
  for (const auto& next : {world_->NextAt(), NextWaking(), expected_})
    if (next) LimitTime(*next);
  // One that has looked and does not look again has gone on.
  for (const auto& process : processes_)
    for (const auto& thread : process->threads)
      if (std::exchange(thread->looks, false)) LetAllLook();
  for (const auto& process : processes_) {
    if (process->gone) continue;
    for (const auto& thread : process->threads)
      if (GoesOn(process.get(), thread.get())) return true;
    for (auto& [name, watched] : process->watches)
      if (BringUp(process.get(), &watched)) {
        LetAllLook();
        return true;
      }
  }
  for (const auto& process : processes_)
    for (const auto& thread : process->threads)
      if (LooksAgain(process.get(), thread.get())) return true;
  return false;
}

void Serving::HasHappened() {
  time_->Set(world_->Now().nanoseconds());
  time_->NoteHappened();
  LetAllLook();
}

std::optional<Instant> Serving::NextWaking() const {
  std::optional<Instant> first;
  const auto consider = [&first](Instant at) {
    if (Earlier(at, first)) first = at;
  };
  for (const auto& process : processes_) {
    for (const auto& thread : process->threads) {
      const bool sleeps = thread->waits || thread->spins;
      const Request& request = thread->request;
      if (!sleeps || request.op != Op::kSleep || Yields(request) || Spends(request)) continue;
      if (request.more < sim::uapi::kNever) consider(UntilOf(request));
    }
    for (const auto& [name, watched] : process->watches) {
      if (watched.readable.op != Op::kPollTime || watched.readable.more >= sim::uapi::kNever)
        continue;
      if (watched.level == nullptr || watched.is_readable) continue;
      consider(UntilOf(watched.readable));
    }
  }
  return first;
}

std::optional<Instant> Serving::NextSpent() const {
  std::optional<Instant> first;
  for (const auto& process : processes_) {
    for (const auto& thread : process->threads) {
      std::optional<Instant> at;
      if (thread->waits && Spends(thread->request)) at = UntilOf(thread->request);
      if (thread->spins && Yields(thread->request)) at = Ahead();
      if (at && Earlier(*at, first)) first = at;
    }
  }
  return first;
}

std::vector<std::string> Serving::WhoWaits() const {
  std::vector<std::string> lines;
  for (const auto& process : processes_) {
    if (process->gone) continue;
    size_t nth = 0;
    for (const ThreadState& state : ThreadsOf(process->pid))
      lines.push_back(
          fmt::format("{} thread {}: {}", process->name, ++nth, WaitsFor(*process, state)));
  }
  return lines;
}

std::string Serving::WaitsFor(const Process& process, const ThreadState& thread) const {
  std::string does = "sleeps in " + NameOfCall(thread.call);
  if (thread.state == 'R') does = "runs, and sends no request";
  if (IsStopped(thread)) does = "is stopped, and no process sends it SIGCONT";
  if (running_on_ > 0 && (thread.call == SYS_write || thread.call == SYS_writev))
    does = "writes without end, and sends no request";
  const auto found = std::ranges::find(process.threads, thread.thread,
                                       [](const auto& one) { return one->number; });
  if (found == process.threads.end()) return does;
  const Thread& known = **found;
  if (known.waits && Spends(known.request))
    return known.polls.empty() ? "runs" : fmt::format("polls: {}", known.polls);
  if (known.waits && known.request.op == Op::kSleep)
    return fmt::format("sleeps until {}", ToString(UntilOf(known.request)));
  if (known.waits) return fmt::format("waits for {}", machine_.WaitsFor(known.asker));
  if (known.spins) return "waits for another thread";
  if (!known.last.empty()) does += fmt::format(", after {}", known.last);
  if (known.fetched > 0)
    does += fmt::format(
        "; where that is rdma_destroy_id, it waits until all {} events of the id "
        "that were fetched are acknowledged",
        known.fetched);
  return does;
}

}  // namespace cm::app
