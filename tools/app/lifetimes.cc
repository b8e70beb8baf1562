// Starts programs on their hosts, detects their processes, sleeps and ends, and records what they
// leave.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "sim/uapi/words.h"
#include "tools/app/host.h"
#include "tools/app/serving.h"
#include "tools/app/sleeps.h"

namespace cm::app {
namespace {

// The largest size of a pipe. source: linux 6.1 fs/pipe.c pipe_max_size
constexpr size_t kAllOutput = size_t{1} << 20;

// Programs that send no request while one of them always runs count as endless after this much CPU
// time of theirs: on a busy machine they may get none for long. They are asked for it whenever we
// have looked for so much CPU time of our own; if they have printed much by then, that is theirs.
constexpr Duration kPatience = Duration::Seconds(1);
constexpr Duration kShortPatience = Duration::Milliseconds(20);
constexpr Duration kLook = Duration::Milliseconds(20);
constexpr uint64_t kMuchOutput = uint64_t{1} << 16;     // bytes
constexpr Duration kTick = Duration::Milliseconds(10);  // source: man proc(5), sysconf(_SC_CLK_TCK)
// Those that wait in the system, and get no CPU time, count as endless after so much of ours.
constexpr Duration kLongPatience = Duration::Seconds(30);

Duration OwnTime() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return Duration::Seconds(now.tv_sec) + Duration::Nanoseconds(now.tv_nsec);
}

// The process at the other end, as we see it. source: man unix(7), SO_PEERCRED
pid_t PeerOf(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

// By the user; /tmp is what Bazel and others set.
bool NamesAFolderForTemporaryFiles() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && std::string_view(folder) != "/tmp";
}

std::string Leaves(const sim::Usage& before, const sim::Usage& after) {
  std::vector<std::string> left;
  const auto count = [&left](uint32_t had, uint32_t has, std::string_view what) {
    if (had > has)
      left.push_back(fmt::format("{} {}{}", had - has, what, had - has > 1 ? "s" : ""));
  };
  count(before.kernel_ids, after.kernel_ids, "rdma_cm id");
  count(before.queue_pairs, after.queue_pairs, "queue pair");
  count(before.receive_queues, after.receive_queues, "shared receive queue");
  count(before.regions, after.regions, "memory region");
  return fmt::format("{}", fmt::join(left, ", "));
}

}  // namespace

std::string Serving::LayOut(uint8_t kernel) {
  const std::string host = folder_.HostPath(kernel);
  if (LayOutHost(host, world_->topology(), kernel)) return {};
  return fmt::format("cannot write {}", host);
}

// For `ssh`, which runs commands on other hosts.
std::vector<std::pair<std::string, std::string>> Serving::NetworkPlaces() const {
  std::vector<std::pair<std::string, std::string>> places;
  for (uint8_t kernel = 0; kernel < world_->topology().hosts.size() && network_->is_apart();
       ++kernel)
    places.emplace_back(network_->PathOf(kernel), folder_.HostPath(kernel) + "/" + kNetworkFile);
  return places;
}

std::variant<Serving::Place, std::string> Serving::Prepare(uint8_t side) {
  const uint32_t number = machine_.AddProcess(side);
  const int listening = folder_.Listen(number);
  if (listening < 0) return fmt::format("no socket {}", folder_.SocketPath(number));
  const Topology& topology = world_->topology();
  const std::string host = folder_.HostPath(topology.KernelOf(side));
  const char* const path = std::getenv("PATH");
  const DeviceInfo& device = topology.devices[topology.sides[side].device];
  std::vector<std::string> environment = {
      fmt::format("CMSIM_ADDRESS={}", device.Host(0, false)),
      fmt::format("CMSIM_ADDRESS6={}", device.Host(0, true)),
      fmt::format("CMSIM_SEED={}", seed_),
      "LD_PRELOAD=" + folder_.ObjectPath(),
      "CMSIM_SOCKET=" + folder_.SocketPath(number),
      "CMSIM_HOST=" + host,
      fmt::format("PATH={}/bin:{}", host, path == nullptr ? "" : path)};
  std::vector<std::pair<std::string, std::string>> places;
  // Files are named by process ids, which other runs have as well.
  if (ids_->are_of_hosts()) places = folder_.PlacesOf(topology.KernelOf(side));
  const bool has_memory = !places.empty();
  if (processor_.is_bound()) environment.push_back(processor_.Variable());
  if (time_->costs().instructions != 0) environment.emplace_back("CMSIM_COUNTS=1");
  if (has_memory && !NamesAFolderForTemporaryFiles())
    environment.emplace_back("TMPDIR=/dev/shm/tmp");
  // First: the folder itself may get another place.
  if (ids_->are_of_hosts()) {
    const auto networks = NetworkPlaces();
    places.insert(places.begin(), networks.begin(), networks.end());
  }
  if (MakeReachable(host, environment)) return Place{number, listening, environment, places};
  close(listening);
  return fmt::format("cannot write {}", host);
}

std::string Serving::Start(const ProgramToRun& program, const std::string& name) {
  all_ask_ = false;
  auto prepared = Prepare(program.side);
  if (auto* problem = std::get_if<std::string>(&prepared)) return std::move(*problem);
  const Place& place = std::get<Place>(prepared);
  const uint8_t kernel = world_->topology().KernelOf(program.side);
  const Network::Visit there = network_->On(kernel);
  auto started = Program::Start(program, place.environment, ids_->On(kernel), place.places);
  if (auto* problem = std::get_if<std::string>(&started)) {
    close(place.listening);
    return std::move(*problem);
  }
  processes_.push_back(std::make_unique<Process>(name, std::move(std::get<Program>(started)),
                                                 program.side, place.number, place.listening));
  return {};
}

std::string Serving::Open(uint8_t side) {
  const auto prepared = Prepare(side);
  if (const auto* problem = std::get_if<std::string>(&prepared)) return *problem;
  const Place& place = std::get<Place>(prepared);
  processes_.push_back(std::make_unique<Process>(world_->topology().sides[side].name, side,
                                                 place.number, place.listening));
  return {};
}

// A thread reports its process: children connect to the socket of their ancestor.
void Serving::Greets(Thread* thread, const sim::uapi::Hello& hello) {
  // The ids in it are those of the process's PID namespace.
  const pid_t pid = PeerOf(thread->connection.socket());
  thread->number = hello.tid == hello.pid ? pid : ThreadCalled(pid, hello.tid);
  if (sim::uapi::SharedLine* const line = lines_->Get(hello.line); line != nullptr) {
    thread->line = std::shared_ptr<void>(
        nullptr, [lines = lines_, number = hello.line](void*) { lines->GiveBack(number); });
    thread->connection.ShareAsMachine(line);
  }
  Process* const asked = Owner(thread);
  Process* const process = ProcessOf(asked, pid);
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

std::vector<pid_t> Serving::Running() const {
  std::vector<pid_t> running;
  const auto add = [&running](pid_t root) {
    // A child that is a process here has children in its parent's tree.
    for (const pid_t pid : TreeOf(root))
      if (std::ranges::count(running, pid) == 0) running.push_back(pid);
  };
  for (const auto& process : processes_)
    if (!process->gone) add(process->pid);
  for (const pid_t orphan : orphans_->Alive(Programs())) add(orphan);
  return running;
}

std::vector<pid_t> Serving::Programs() const {
  std::vector<pid_t> programs;
  for (const auto& process : processes_)
    if (process->program) programs.push_back(process->pid);
  return programs;
}

const Process* Serving::FirstOf(pid_t orphan) const {
  const std::string socket = EnvironmentOf(orphan, "CMSIM_SOCKET");
  const auto found = std::ranges::find_if(processes_, [&](const auto& process) {
    return process->listening >= 0 && folder_.SocketPath(process->number) == socket;
  });
  return found == processes_.end() ? nullptr : found->get();
}

void Serving::NoteLeftBehind() {
  for (const pid_t orphan : orphans_->Alive(Programs())) {
    const Process* const first = FirstOf(orphan);
    noted_.misbehaviour.push_back(fmt::format("{} has left a process behind: {}",
                                              first == nullptr ? "some program" : first->name,
                                              NameOfProcess(orphan)));
  }
}

// Reading all of /proc takes longer than most of what programs do between two requests.
bool Serving::RunsForSure() {
  constexpr int kMost = 16;
  if (++sure_ % kMost == 0) return false;
  return std::ranges::any_of(processes_, [](const auto& process) {
    return std::ranges::any_of(process->threads, [&process](const auto& thread) {
      return !thread->waits && !thread->spins && !thread->sleeps && thread->number != 0 &&
             StateOf(process->pid, thread->number) == 'R';
    });
  });
}

// When all slept, and the system has created no process or thread since, those of programs are the
// known ones.
bool Serving::AllSleep() {
  if (AllStillAsk()) return true;
  all_ask_ = false;
  if (RunsForSure()) return false;
  const uint64_t created = LastCreated();
  const bool known = created != 0 && created == created_;
  if (known && !look_closely_ && AllAsk()) {
    timed_ = false;
    running_on_ = 0;
    all_ask_ = NothingIsPending();
    return all_ask_;
  }
  if (!known) {
    running_ = Running();
    processor_.TakeAlong(running_);
    listed_.clear();
  }
  const Sleep sleep = SleepOf(
      running_, &restless_, &running_on_, [this](pid_t thread) { return Asks(thread); }, &listed_);
  if (sleep == Sleep::kNone) return false;
  // A process or a thread that starts between the looks.
  // Where all ask, none can.
  const bool more = known ? sleep != Sleep::kAsking && LastCreated() != created
                          : Running() != running_ || !AreAll(listed_);
  if (more) return false;
  look_closely_ = false;
  created_ = running_on_ == 0 ? created : 0;
  NoteStrangers(running_);
  timed_ = sleep == Sleep::kTimed;
  for (const auto& process : processes_)
    for (const auto& thread : process->threads) thread->sleeps = true;
  return NothingIsPending();
}

bool Serving::MustBeSeenToSleep() {
  const auto is_armed = [](const auto& one) {
    const Watched& watched = one.second;
    return watched.readable.op == sim::uapi::Op::kPollTime &&
           watched.readable.more < sim::uapi::kNever;
  };
  const bool any = all_ask_ && std::ranges::any_of(processes_, [&](const auto& process) {
                     return std::ranges::any_of(process->watches, is_armed);
                   });
  look_closely_ = look_closely_ || any;
  return any;
}

bool Serving::NothingIsPending() const {
  if (HaveInMemory()) return false;
  std::vector<pollfd> descriptors;
  for (const auto& process : processes_) {
    if (process->program && process->program->output() >= 0)
      descriptors.push_back({process->program->output(), POLLIN, 0});
    if (process->listening >= 0) descriptors.push_back({process->listening, POLLIN, 0});
    for (const auto& thread : process->threads)
      descriptors.push_back({thread->connection.socket(), POLLIN, 0});
  }
  return poll(descriptors.data(), descriptors.size(), 0) == 0;
}

bool Serving::AllAsk() const {
  std::vector<pid_t> asking;
  for (const auto& process : processes_)
    for (const auto& thread : process->threads)
      if (thread->waits || thread->spins) asking.push_back(thread->number);
  std::ranges::sort(asking);
  return std::ranges::all_of(listed_, [&](const auto& one) {
    return std::ranges::all_of(
        one.second, [&](pid_t thread) { return std::ranges::binary_search(asking, thread); });
  });
}

bool Serving::Asks(pid_t number) const {
  return std::ranges::any_of(processes_, [number](const auto& process) {
    return std::ranges::any_of(process->threads, [number](const auto& thread) {
      return thread->number == number && (thread->waits || thread->spins);
    });
  });
}

bool Serving::OneStartsAProcess() const {
  return std::ranges::any_of(processes_, [](const auto& process) {
    return std::ranges::any_of(process->threads, [](const auto& thread) {
      return thread->waits && Is(thread->request, sim::uapi::SleepKind::kStarts);
    });
  });
}

bool Serving::OneMayRun() const {
  return std::ranges::any_of(processes_, [](const auto& process) {
    return !process->gone &&
           (process->threads.empty() || std::ranges::any_of(process->threads, [](const auto& one) {
              return !one->sleeps && !one->waits && !one->spins;
            }));
  });
}

// Programs that are linked statically or change their user, and those that were started by a system
// call without the environment. A process that asks is none of them.
void Serving::NoteStrangers(std::span<const pid_t> running) {
  for (const pid_t number : running) {
    const bool asks = std::ranges::any_of(processes_, [number](const auto& process) {
      return process->pid == number && !process->gone &&
             std::ranges::any_of(process->threads,
                                 [](const auto& thread) { return thread->waits || thread->spins; });
    });
    const std::string program = asks ? std::string() : strangers_.Sees(number);
    if (!program.empty())
      noted_.misbehaviour.push_back(fmt::format(
          "a process runs {} without the simulated devices, and would use those of this system",
          program));
  }
}

void Serving::SomebodyHasAsked() { asked_.reset(); }

uint64_t Serving::TicksOfPrograms() const {
  uint64_t ticks = 0;
  for (const pid_t process : Running()) ticks += TicksWithChildren(process);
  return ticks;
}

// No request for long, of programs that run whenever we look.
bool Serving::GoOnAndOn() {
  const Duration now = OwnTime();
  if (!asked_) asked_ = Asked{.at = now, .looked = now, .ticks = {}, .spent = {}};
  if (asked_->in_vain) return true;
  const Duration looking = now - asked_->looked;
  if (looking < kLook) return false;
  asked_->looked = now;
  const uint64_t ticks = TicksOfPrograms();
  // One that has ended is counted no more.
  const uint64_t before = std::min(std::exchange(asked_->ticks, ticks).value_or(ticks), ticks);
  const bool prints = std::exchange(printed_, 0) >= kMuchOutput;
  asked_->spent = asked_->spent + std::max(kTick * static_cast<int64_t>(ticks - before),
                                           prints ? looking : Duration());
  asked_->in_vain = asked_->spent >= (go_on_and_on_ ? kShortPatience : kPatience) ||
                    now - asked_->at >= kLongPatience;
  return asked_->in_vain;
}

bool Serving::Quiet() {
  if (AllSleep()) {
    go_on_and_on_ = false;
    SomebodyHasAsked();
    return true;
  }
  if (!GoOnAndOn()) return false;
  go_on_and_on_ = true;
  timed_ = false;
  running_on_ = std::max<size_t>(running_on_, 1);
  return true;
}

bool Serving::NoteEnds() {
  if (all_ask_) return false;
  bool any = false;
  for (const auto& process : processes_) {
    if (process->gone || !Ended(process.get())) continue;
    Remove(process.get());
    any = true;
  }
  orphans_->Reap(Programs());
  return any;
}

bool Serving::Ended(Process* process) {
  return process->program ? process->program->Ended() : IsGone(process->pid);
}

void Serving::NoteEndsOfSilent() {
  for (const auto& process : processes_) {
    const bool silent = process->threads.empty() && process->threads_ever > 0;
    if (silent && !process->gone && Ended(process.get())) Remove(process.get());
  }
}

void Serving::Remove(Process* process) {
  PassOutputOn(process, kAllOutput);
  process->gone = true;
  process->threads.clear();
  process->watches.clear();
  process->completion_watches.clear();
  const sim::Usage before = world_->InUse();
  machine_.RemoveProcess(process->number);
  foresight_.Forget(process->number);
  if (Recorder* const recorder = trace_->recorder())
    recorder->Ended(world_->Now(), process->side, process->number);
  time_->NoteHappened();
  LetAllLook();
  if (!process->program) return;  // its status and leftovers belong to its parent
  const int status = process->program->status();
  const std::string how = HowItEnded(status);
  trace_->Say(world_->Now(), process->name, how);
  if (process->host_has_crashed) return;
  if (!WIFEXITED(status)) {
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const bool crashes = signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS;
    noted_.misbehaviour.push_back(fmt::format("{} is {}{}", process->name, how,
                                              crashes ? process->belongings.BeforeCrash() : ""));
    return;
  }
  const std::string left = Leaves(before, world_->InUse());
  if (!left.empty())
    noted_.misbehaviour.push_back(fmt::format("{} leaves {}", process->name, left));
  const std::string open = process->belongings.Open();
  if (!open.empty())
    noted_.left_open.push_back(
        fmt::format("{} leaves {} open, which its exit closes", process->name, open));
  for (const auto& [address, event] : process->belongings.held())
    noted_.misbehaviour.push_back(
        fmt::format("{} has not acknowledged {} of id {}, which it fetched at {}", process->name,
                    ToString(static_cast<EventType>(event.type)), event.id, ToString(event.at)));
}

bool Serving::AllGone() const {
  return std::ranges::all_of(processes_, [](const auto& process) { return process->gone; });
}

void Serving::HostCrashes(uint8_t side) {
  look_closely_ = true;
  const Topology& topology = world_->topology();
  sockets_.HostCrashes(topology.KernelOf(side));
  for (const auto& process : processes_) {
    if (process->gone || topology.KernelOf(process->side) != topology.KernelOf(side)) continue;
    process->host_has_crashed = true;
    if (process->program) process->program->Kill(SIGKILL);
    if (!process->program) kill(process->pid, SIGKILL);
  }
  for (const pid_t orphan : orphans_->Alive(Programs())) {
    const Process* const first = FirstOf(orphan);
    if (first != nullptr && topology.KernelOf(first->side) == topology.KernelOf(side))
      kill(orphan, SIGKILL);
  }
}

void Serving::KillAll() {
  for (const auto& process : processes_) {
    if (process->gone || !process->program) continue;
    process->program->Kill(SIGKILL);
    PassOutputOn(process.get(), kAllOutput);
  }
  orphans_->EndAll(Programs());
}

}  // namespace cm::app
