#include "tools/app/broker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "conformance/process/process.h"
#include "model/base/choice.h"
#include "model/base/executable.h"
#include "sim/uapi/shared_lines.h"
#include "sim/uapi/shared_time.h"
#include "sim/world/world.h"
#include "tools/app/folder.h"
#include "tools/app/host.h"
#include "tools/app/latencies.h"
#include "tools/app/network.h"
#include "tools/app/orphans.h"
#include "tools/app/process_ids.h"
#include "tools/app/serving.h"
#include "tools/app/tally.h"
#include "tools/app/trace.h"
#include "tools/app/waiting_threads.h"

namespace cm::app {
namespace {

// Of a server of today; that of sockets is what its processor has left for them. Without a limit a
// program that sends without end would send for ever in no time.
constexpr sim::Bandwidth kUsualBandwidth = {.data = 100'000'000'000, .sockets = 10'000'000'000};
// How long the broker listens while a program runs before it looks at all of them again: longer and
// longer.
constexpr Duration kGlance = Duration::Microseconds(40);
constexpr Duration kLongGlance = Duration::Microseconds(160);
constexpr Duration kLook = Duration::Milliseconds(2);
constexpr Duration kSoon = Duration::Milliseconds(1);
constexpr Duration kLittle = Duration::Milliseconds(10);
// Programs that stay are let go on for this long after the last thing that happens to them.
constexpr Duration kLinger = Duration::Seconds(1);
// A program that polls without end has this long before the next one starts.
constexpr Duration kBeginning = Duration::Milliseconds(10);
constexpr Duration kComputedBeginning = Duration::Milliseconds(200);

std::optional<Instant> Sooner(std::optional<Instant> one, std::optional<Instant> other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

// As a kernel with 250 ticks a second: timers that are due in one tick come together.
Profile WithTicks(Profile profile) {
  profile.timing.clock = TimerClock::kWheel;
  return profile;
}

// The order of events of one instant, of which a recorder takes note.
class OrderOfEvents : public Choice {
 public:
  OrderOfEvents(Order* order, Recorder* recorder) : order_(order), recorder_(recorder) {}

  uint64_t Below(uint64_t bound, std::string_view what) override {
    const uint64_t first = order_->Below(bound, what);
    if (recorder_ != nullptr) recorder_->IsFirst(first);
    return first;
  }

 private:
  Order* order_;
  Recorder* recorder_;
};

class Broker {
 public:
  Broker(const Setting& setting, const Latencies& latencies, const ProcessIds* ids,
         Network* network, const Orphans* orphans, Folder folder,
         std::unique_ptr<sim::uapi::SharedTime> time, std::unique_ptr<sim::uapi::SharedLines> lines)
      : setting_(setting),
        network_(network),
        trace_(setting.traces, setting.recorder),
        order_(setting.seed, setting.order),
        events_(&order_, setting.recorder),
        time_(std::move(time)),
        lines_(std::move(lines)),
        profile_(WithTicks(setting.profile)),
        world_(setting.topology, &profile_, NamedStream(setting.seed, "world")),
        serving_(&world_, time_.get(), lines_.get(), &trace_, &order_, ids, network, orphans,
                 std::move(folder), setting.seed, setting.hears, setting.on_socket),
        tally_(&*setting.topology) {
    world_.LetFaultsHitData();
    world_.LimitBandwidth(setting.bandwidth == 0
                              ? kUsualBandwidth
                              : sim::Bandwidth{setting.bandwidth, setting.bandwidth});
    for (const Fault& fault : latencies.faults) world_.Inject(fault);
    report_.latencies = latencies.text;
    if (setting.recorder != nullptr) Record(latencies);
    if (setting.on_arrival) world_.Context().fabric->watches_arrivals = true;
    serving_.kernels.sockets.CountWith(
        [this](uint8_t from, uint8_t to) { tally_.SentOverSocket(world_.Now(), from, to); });
    if (setting.script.empty() && !setting.on_wire) return;
    world_.WatchWire();
    world_.WatchData();
  }

  // Empty, or the reason why it could not start.
  std::string Run();
  Report TakeReport();

 private:
  enum class Next { kGoesOn, kOver };

  bool Interrupted() const { return setting_.interrupted != nullptr && *setting_.interrupted; }
  void Record(const Latencies& latencies);
  void RecordEnd();
  std::string OpenHosts();
  bool MayStartNext() const;
  std::string StartNext();
  std::string NameOf(size_t program) const;
  bool Stays(const Process& process) const;
  bool OnlyStayingOnesAreLeft() const;
  std::vector<std::string> WhoWaits() const;
  void Watch();
  void NoteIdle();
  void HasHappened();
  std::optional<Instant> NextScripted() const;
  void DoScripted();
  void ChangeHost(const Fault& fault);
  Next SomethingHappens();
  Next TimePasses(Instant until);
  Next RealTimePasses(std::optional<Instant> until);
  Next TimeThatStandsPasses();
  Next LimitIsReached();

  const Setting& setting_;
  Network* network_;
  Trace trace_;
  Order order_;
  OrderOfEvents events_;
  std::unique_ptr<sim::uapi::SharedTime> time_;
  std::unique_ptr<sim::uapi::SharedLines> lines_;
  Profile profile_;
  sim::World world_;
  Serving serving_;
  Tally tally_;
  size_t started_ = 0;
  size_t scripted_ = 0;  // script lines done
  Instant last_happening_;
  Instant last_start_;
  std::optional<std::chrono::steady_clock::time_point> idle_since_;
  std::chrono::steady_clock::time_point counted_;  // while idle: virtual time advanced to here
  Report report_;
};

// The second program of a side gets a number.
std::string Broker::NameOf(size_t program) const {
  const uint8_t side = setting_.programs[program].side;
  const auto first = setting_.programs.begin();
  const auto before = std::count_if(first, first + static_cast<ptrdiff_t>(program),
                                    [=](const ProgramToRun& one) { return one.side == side; });
  const std::string& name = setting_.topology->sides[side].name;
  return before == 0 ? name : fmt::format("{}#{}", name, before + 1);
}

bool Broker::Stays(const Process& process) const {
  return std::ranges::count(setting_.staying_sides, process.side) != 0;
}

bool Broker::OnlyStayingOnesAreLeft() const {
  return std::ranges::all_of(serving_.processes.all(), [this](const auto& process) {
    return process->gone || Stays(*process);
  });
}

// Where the seed makes requests slow, or computation takes time, a server is still given the time
// to listen.
bool Broker::MayStartNext() const {
  if (serving_.processes.OneStartsAProcess()) return false;
  Duration beginning;
  if (setting_.seed != 0) beginning = kBeginning;
  if (setting_.costs.instructions != 0) beginning = kComputedBeginning;
  return !serving_.limits.NextSpent() || world_.Now() - last_start_ >= beginning;
}

void Broker::Record(const Latencies& latencies) {
  for (const Fault& fault : latencies.faults) setting_.recorder->Injected(world_.Now(), fault);
  setting_.recorder->WatchWith([this] { Watch(); });
  world_.WatchWire();
}

// Threads that wait at the limit of time, or at Ctrl-C, may be answered later.
void Broker::RecordEnd() {
  Recorder& recorder = *setting_.recorder;
  recorder.WatchWith({});
  const bool waits = !report_.waiting.empty() && !report_.at_limit && !report_.interrupted;
  for (const auto& process : serving_.processes.all()) {
    recorder.Names(process->number, process->name);
    for (const auto& thread : process->threads)
      if (waits && thread->waits)
        recorder.Waits(world_.Now(), process->side, thread->asker, thread->request);
  }
}

std::string Broker::OpenHosts() {
  const Topology& topology = *setting_.topology;
  std::set<uint8_t> open;
  for (const ProgramToRun& program : setting_.programs)
    open.insert(topology.KernelOf(program.side));
  for (uint8_t kernel = 0; kernel < topology.hosts.size(); ++kernel)
    if (std::string problem = serving_.launcher.LayOut(kernel); !problem.empty()) return problem;
  for (uint8_t side = 0; side < topology.sides.size(); ++side) {
    if (!open.insert(topology.KernelOf(side)).second) continue;
    if (std::string problem = serving_.launcher.Open(side); !problem.empty()) return problem;
  }
  return {};
}

std::string Broker::StartNext() {
  const size_t next = started_++;
  last_start_ = world_.Now();
  if (started_ == setting_.programs.size()) serving_.responder.AllAreStarted();
  return serving_.launcher.Start(setting_.programs[next], NameOf(next));
}

std::string Broker::Run() {
  if (std::string problem = OpenHosts(); !problem.empty()) return problem;
  // What hits messages from the beginning on hits the first as well.
  while (NextScripted() == Instant() && setting_.script[scripted_].fault &&
         setting_.script[scripted_].fault->OnPackets())
    DoScripted();
  bool was_quiet = true;
  for (Duration glance = kGlance;;) {
    if (Interrupted()) {
      report_.interrupted = true;
      report_.waiting = WhoWaits();
      break;
    }
    const bool heard =
        serving_.receiver.Serve(was_quiet && !serving_.processes.OneMayRun() ? Duration() : glance);
    // One that has been answered runs, and mostly asks soon.
    was_quiet = !(heard && serving_.processes.OneMayRun()) && serving_.detector.IsQuiet();
    glance = was_quiet || heard ? kGlance : std::min(glance * 2, kLongGlance);
    if (!was_quiet) continue;
    if (serving_.endless.TimeStands(world_.Now())) {
      if (TimeThatStandsPasses() == Next::kOver) break;
      continue;
    }
    if (serving_.ends.NoteEnds() || serving_.turns.LetOneGoOn()) {
      idle_since_.reset();
      continue;
    }
    if (started_ < setting_.programs.size() && MayStartNext()) {
      if (std::string problem = StartNext(); !problem.empty()) return problem;
      continue;
    }
    if (serving_.processes.AllGone()) {
      serving_.ends.NoteLeftBehind();
      break;
    }
    if (SomethingHappens() == Next::kOver) break;
  }
  return {};
}

std::vector<std::string> Broker::WhoWaits() const {
  return WaitingThreads(serving_.processes, serving_.kernels.machine,
                        serving_.detector.one_runs_on());
}

Broker::Next Broker::LimitIsReached() {
  report_.at_limit = true;
  report_.waiting = WhoWaits();
  return Next::kOver;
}

// Takes note of messages sent since the last call. Called before a fault is installed: messages are
// not kept for long.
void Broker::Watch() {
  world_.VisitWire([this](const sim::WireNote& note) {
    tally_.Sent(note);
    if (setting_.recorder != nullptr) setting_.recorder->Sent(note);
    if (setting_.on_wire) setting_.on_wire(note);
  });
  for (const sim::WireArrival& arrival : std::exchange(world_.Context().fabric->arrivals, {}))
    setting_.on_arrival(arrival);
}

// Lines of the script without effect.
void Broker::NoteIdle() {
  Watch();
  report_.idle = tally_.Idle();
  for (size_t i = 0; i < scripted_; ++i)
    if (const Happening& done = setting_.script[i]; !done.in_vain.empty())
      report_.idle.push_back(fmt::format("{}: {}", done.text, done.in_vain));
  for (size_t i = scripted_; i < setting_.script.size(); ++i)
    for (const std::string& line : {setting_.script[i].waits, setting_.script[i].text})
      if (!line.empty()) report_.idle.push_back(fmt::format("{}: not reached", line));
}

void Broker::HasHappened() {
  Watch();
  serving_.turns.HasHappened();
}

std::optional<Instant> Broker::NextScripted() const {
  if (scripted_ == setting_.script.size()) return std::nullopt;
  return setting_.script[scripted_].at;
}

void Broker::DoScripted() {
  const Happening& happening = setting_.script[scripted_++];
  serving_.limits.Expect(NextScripted());
  world_.RunUntil(happening.at, &events_);
  Watch();
  if (!happening.in_vain.empty()) return;
  if (setting_.recorder != nullptr) setting_.recorder->Injected(world_.Now(), happening.fault);
  if (happening.fault) world_.Inject(*happening.fault);
  if (happening.fault) tally_.Installed(*happening.fault, world_.Now(), happening.text);
  if (!happening.fault) tally_.Healed();
  if (happening.fault) ChangeHost(*happening.fault);
  if (!happening.fault) world_.Heal();
  trace_.Say(world_.Now(), "script",
             happening.fault ? ToString(happening.fault->kind) : std::string_view("heal"));
}

// No message of a host that crashes says that its programs have ended.
void Broker::ChangeHost(const Fault& fault) {
  if (fault.kind == FaultKind::kCrash) {
    network_->Cut(setting_.topology->KernelOf(fault.side));
    serving_.ends.HostCrashes(fault.side);
  }
  if (fault.kind == FaultKind::kRestart) network_->Renew(setting_.topology->KernelOf(fault.side));
}

// No thread can continue.
Broker::Next Broker::SomethingHappens() {
  if (serving_.detector.MustBeSeenToSleep()) return Next::kGoesOn;
  const std::optional<Instant> of_world = Sooner(world_.NextAt(), NextScripted());
  const std::optional<Instant> waking = serving_.limits.NextWaking();
  const std::optional<Instant> next = Sooner(of_world, waking);
  const std::optional<Instant> spent = serving_.limits.NextSpent();
  if (of_world) last_happening_ = *of_world;
  if (OnlyStayingOnesAreLeft() && world_.Now() >= last_happening_ + kLinger) return Next::kOver;
  const bool runs_on = serving_.detector.one_runs_on() && (!next || *next > world_.Now());
  if (runs_on || (!next && (!spent || serving_.detector.one_is_timed())))
    return RealTimePasses(Sooner(next, spent));
  if (spent && (!next || *spent < *next)) return TimePasses(*spent);
  if (*next - Instant() > setting_.limit) return TimePasses(*next);
  if (waking && (!of_world || *waking < *of_world))
    world_.RunUntil(*waking, &events_);
  else if (const auto scripted = NextScripted(); scripted && *scripted == *next)
    DoScripted();
  else
    world_.Step(&events_);
  HasHappened();
  return Next::kGoesOn;
}

Broker::Next Broker::TimePasses(Instant until) {
  const Instant last = Instant() + setting_.limit;
  world_.RunUntil(std::min(until, last), &events_);
  HasHappened();
  if (until <= last) return Next::kGoesOn;
  report_.after_limit = until;
  report_.kernel_after_limit = world_.NextAt() == until;
  return LimitIsReached();
}

// Advances virtual time, so that a polling thread sees a later time, but not beyond the next
// scheduled event. What comes soon comes at its time where a thread only runs: so the run of one
// that waits for memory to change is the same each time.
Broker::Next Broker::RealTimePasses(std::optional<Instant> until) {
  using std::chrono::steady_clock;
  if (!idle_since_) idle_since_ = counted_ = steady_clock::now();
  const bool in_vain = !serving_.detector.one_is_timed() && !serving_.detector.one_runs_on();
  if (in_vain ||
      counted_ - *idle_since_ >= std::chrono::nanoseconds(setting_.patience.nanoseconds())) {
    if (!OnlyStayingOnesAreLeft()) report_.waiting = WhoWaits();
    return Next::kOver;
  }
  const bool heard = serving_.receiver.Serve(kLook);
  const std::chrono::nanoseconds waited = steady_clock::now() - counted_;
  counted_ += waited;
  const bool only_runs = !serving_.detector.one_is_timed();
  if (only_runs && heard) return Next::kGoesOn;
  Instant later = world_.Now() + Duration::Nanoseconds(waited.count());
  const bool soon = only_runs && until && *until - world_.Now() <= kSoon;
  if (soon || (until && *until < later)) later = *until;
  report_.in_real_time = report_.in_real_time || !soon;
  if (later - Instant() > setting_.limit) return LimitIsReached();
  world_.RunUntil(later, &events_);
  HasHappened();
  return Next::kGoesOn;
}

// Threads wake each other endlessly, at one instant: a little time passes, as for one that runs.
Broker::Next Broker::TimeThatStandsPasses() {
  report_.in_real_time = true;
  const Instant until = world_.Now() + kLittle;
  const auto next = Sooner(Sooner(world_.NextAt(), NextScripted()), serving_.limits.NextWaking());
  return next && *next <= until ? SomethingHappens() : TimePasses(until);
}

Report Broker::TakeReport() {
  if (setting_.recorder != nullptr) RecordEnd();
  serving_.ends.KillAll();
  NoteIdle();
  for (const auto& process : serving_.processes.all()) {
    if (!process->program) continue;
    report_.programs.push_back({.name = process->name,
                                .ended = process->gone,
                                .status = process->gone ? process->program->status() : 0,
                                .stays = Stays(*process),
                                .crashed = process->host_has_crashed});
  }
  report_.misbehaviour = serving_.complaints.misbehaviour;
  report_.left_open = serving_.complaints.left_open;
  report_.last.assign(trace_.last().begin(), trace_.last().end());
  report_.digest = trace_.digest();
  report_.deviations = order_.taken();
  report_.socket_was_full = serving_.kernels.sockets.was_full();
  report_.ended = world_.Now();
  return std::move(report_);
}

}  // namespace

bool Report::clean() const {
  return misbehaviour.empty() && waiting.empty() &&
         std::ranges::all_of(programs, [](const EndOfProgram& p) {
           return p.crashed || ((p.ended || p.stays) && p.status == 0);
         });
}

std::variant<Report, std::string> Run(const Setting& setting) {
  for (const ProgramToRun& program : setting.programs) {
    const auto found = FindProgram(program.words[0], SearchPath());
    const int* const error = std::get_if<int>(&found);
    if (error != nullptr && !IsOnEveryHost(program.words[0]))
      return fmt::format("cannot start {}: {}", program.words[0], std::strerror(*error));
    if (error == nullptr && IsStatic(std::get<std::string>(found).c_str()))
      return fmt::format(
          "cannot start {}: it is linked statically, and would use the RDMA devices "
          "of this system",
          program.words[0]);
    if (setting.own_tmp && error == nullptr && std::get<std::string>(found).starts_with("/tmp/"))
      return fmt::format("cannot start {}: each host has a /tmp of its own, which is empty",
                         program.words[0]);
  }
  auto folder = Folder::Make(setting.own_tmp, setting.object);
  if (auto* problem = std::get_if<std::string>(&folder)) return std::move(*problem);
  // A program that ends must not kill its writer with SIGPIPE.
  signal(SIGPIPE, SIG_IGN);
  auto& whole = std::get<Folder>(folder);
  const Latencies latencies =
      DrawLatencies(setting.seed, setting.costs, setting.topology, setting.profile, setting.script);
  std::unique_ptr<sim::uapi::SharedTime> time =
      sim::uapi::SharedTime::Make(whole.TimePath(), latencies.costs);
  if (!time) return fmt::format("cannot make {}: {}", whole.TimePath(), std::strerror(errno));
  auto lines = sim::uapi::SharedLines::Make(whole.LinesPath());
  if (!lines) return fmt::format("cannot make {}: {}", whole.LinesPath(), std::strerror(errno));
  Network network(*setting.topology);
  const ProcessIds ids(*setting.topology);
  if (setting.own_tmp && !ids.are_of_hosts())
    return "no /tmp for each host: it takes CAP_SYS_ADMIN, for namespaces of processes and mounts";
  const Guard guard("CMSIM_SOCKET=" + whole.path() + "/", whole.path());
  const Orphans orphans(ids.Inits());
  Broker broker(setting, latencies, &ids, &network, &orphans, std::move(whole), std::move(time),
                std::move(lines));
  if (std::string problem = broker.Run(); !problem.empty()) return problem;
  return broker.TakeReport();
}

}  // namespace cm::app
