#include "tools/app/receiver.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/uapi/asker.h"
#include "sim/uapi/request.h"
#include "tools/app/sleeps.h"
#include "tools/app/threads.h"

namespace cm::app {
namespace {

using sim::uapi::Request;

// The process at the other end, as we see it. source: man unix(7), SO_PEERCRED
pid_t PeerOf(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

}  // namespace

bool Receiver::OneAloneRuns() {
  constexpr uint32_t kMost = 16;
  if (detector_->may_have_woken() || ++served_alone_ % kMost == 0) return false;
  size_t running = 0;
  for (const auto& process : processes_->all()) {
    if (!process->gone && process->threads.empty()) return false;
    for (const auto& thread : process->threads)
      if (!thread->waits && !thread->spins) ++running;
  }
  return running <= 1;
}

// Descriptors are not looked at where only one thread runs, and has asked in memory.
bool Receiver::Serve(Duration patience) {
  if (detector_->AllStillAsk()) return false;
  const uint32_t bell = lines_->bell();
  const auto rings = [&] { return lines_->bell() != bell; };
  if (patience > Duration() && !processes_->HaveInMemory() && !processor_->LetOthersRun(rings))
    lines_->Await(bell, patience);
  if (processor_->HasBecomeCrowded()) processor_->Move(processes_->Running());
  lines_->LetTakeTurns(processor_->takes_turns());
  NoteWritten();
  if (OneAloneRuns() && ServeMemory()) return true;
  return ServeDescriptors();
}

// A thread that waits for the end of another thread or process asks after that end. So what it has
// written by now is served after the ends that descriptors show from now on; what it writes while
// they are looked at may follow an end that they have not shown.
void Receiver::NoteWritten() {
  for (const auto& process : processes_->all())
    for (const auto& thread : process->threads)
      if (const sim::uapi::Ring* ring = thread->connection.incoming())
        thread->written = ring->read() + ring->size();
}

bool Receiver::ServeMemory() {
  bool any = false;
  for (size_t i = 0; i < processes_->all().size(); ++i) {
    Process* const process = processes_->all()[i].get();
    for (size_t at = 0; at < process->threads.size(); ++at) {
      Thread* const thread = process->threads[at].get();
      const sim::uapi::Ring* const ring = thread->connection.incoming();
      if (ring == nullptr || ring->read() == thread->written) continue;
      any = true;
      while (ring->read() != thread->written) {
        std::optional<sim::uapi::Message> message = thread->connection.Next();
        if (!message) break;
        Heard(thread, std::move(*message));
      }
      if (thread->connection.damaged()) Lose(process, thread);
    }
  }
  return any;
}

bool Receiver::ServeDescriptors() {
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
  for (const auto& process : processes_->all()) {
    if (process->program && process->program->output() >= 0)
      add(process->program->output(), process.get(), nullptr);
    if (process->listening >= 0) add(process->listening, process.get(), nullptr);
    for (const auto& thread : process->threads)
      add(thread->connection.socket(), process.get(), thread.get());
  }
  if (poll(descriptors.data(), descriptors.size(), 0) <= 0)
    return ServeMemory() || processes_->HaveInMemory();
  bool any = false;
  // What has ended, first: what it had is free for those that have waited for its end.
  for (size_t i = 0; i < descriptors.size(); ++i) {
    if (sources[i].thread == nullptr || (descriptors[i].revents & POLLHUP) == 0) continue;
    any = true;
    ServeThread(std::exchange(sources[i].thread, nullptr));
    descriptors[i].revents = 0;
  }
  for (size_t i = 0; i < descriptors.size(); ++i) {
    if (descriptors[i].revents == 0) continue;
    Process* const process = sources[i].process;
    if (sources[i].thread == nullptr && process->program &&
        descriptors[i].fd == process->program->output()) {
      output_->PassSomeOn(process);  // that it prints is no request
      continue;
    }
    any = true;
    if (sources[i].thread != nullptr) {
      ServeThread(sources[i].thread);
    } else if (const int socket = accept4(process->listening, nullptr, nullptr, SOCK_CLOEXEC);
               socket >= 0) {
      process->threads.push_back(std::make_unique<Thread>(
          socket, sim::uapi::Asker{process->number, process->threads_ever++}));
    }
  }
  return ServeMemory() || any || processes_->HaveInMemory();
}

void Receiver::HearAll(Thread* thread) {
  while (std::optional<sim::uapi::Message> message = thread->connection.Next())
    Heard(thread, std::move(*message));
}

void Receiver::ServeThread(Thread* thread) {
  const int error = thread->connection.Read();
  HearAll(thread);
  if (thread->connection.damaged() || (error != 0 && error != EINTR && error != EAGAIN))
    Lose(processes_->OwnerOf(thread), thread);
}

void Receiver::Heard(Thread* thread, sim::uapi::Message message) {
  thread->sleeps = false;
  if (const auto* hello = std::get_if<sim::uapi::Hello>(&message)) {
    detector_->MayHaveWoken();
    return Greets(thread, *hello);
  }
  Process* const process = processes_->OwnerOf(thread);
  if (auto* request = std::get_if<Request>(&message)) {
    if (thread->waits || thread->spins) return;
    endless_->HasAsked();
    if (IsTold(*request)) return responder_->Takes(process, *thread, *request);
    thread->request = std::move(*request);
    detector_->HasAsked(thread->number);
    responder_->Asks(process, thread);
    if (thread->waits || thread->spins) thread->connection.IsLate();
  } else if (auto* foretold = std::get_if<sim::uapi::Foretold>(&message)) {
    if (thread->come_true == thread->foreseen.size()) return;
    endless_->HasAsked();
    thread->request = std::move(foretold->request);
    thread->foretold = true;
    detector_->HasAsked(thread->number);
    responder_->Asks(process, thread);
  } else if (std::holds_alternative<sim::uapi::Interrupt>(message)) {
    responder_->Interrupts(process, thread);
  } else if (auto* watch = std::get_if<sim::uapi::Watch>(&message)) {
    pipes_->Keep(process, thread, *watch);
  } else if (auto* unwatch = std::get_if<sim::uapi::Unwatch>(&message)) {
    Pipes::Forget(process, unwatch->name);
  }
}

// A thread reports its process: children connect to the socket of their ancestor.
void Receiver::Greets(Thread* thread, const sim::uapi::Hello& hello) {
  // The ids in it are those of the process's PID namespace.
  const pid_t pid = PeerOf(thread->connection.socket());
  thread->number = hello.tid == hello.pid ? pid : ThreadCalled(pid, hello.tid);
  if (sim::uapi::SharedLine* const line = lines_->Get(hello.line); line != nullptr) {
    thread->line = std::shared_ptr<void>(
        nullptr, [lines = lines_, number = hello.line](void*) { lines->GiveBack(number); });
    thread->connection.ShareAsMachine(line);
  }
  Process* const asked = processes_->OwnerOf(thread);
  Process* const process = ProcessOf(asked, pid);
  if (process == asked) return;
  const auto found = std::ranges::find(asked->threads, thread, &std::unique_ptr<Thread>::get);
  thread->asker = {.process = process->number, .thread = process->threads_ever++};
  process->threads.push_back(std::move(*found));
  asked->threads.erase(found);
}

Process* Receiver::ProcessOf(Process* asked, pid_t pid) {
  for (const auto& process : processes_->all())
    if (!process->gone && process->pid == pid && process->first == asked->first)
      return process.get();
  const uint32_t number = kernels_->machine.AddProcess(asked->side);
  const std::string name = fmt::format("{}.{}", asked->name, ++asked->children);
  return processes_->Add(std::make_unique<Process>(*asked, name, pid, number));
}

void Receiver::Lose(Process* process, Thread* thread) {
  detector_->MayHaveWoken();
  // Others may look for what it has done since its last answer.
  processes_->LetAllLook();
  if (thread->waits) static_cast<void>(kernels_->machine.Interrupt(thread->asker));
  std::erase_if(process->threads, [&](const auto& one) { return one.get() == thread; });
  if (process->threads.empty()) kernels_->socket_ends.HasDisconnected(*process);
}

}  // namespace cm::app
