// A million live ids, or another number, in one process: connected, left idle, disconnected and
// drained; or cycles of all that, one after the other.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "model/vocabulary/profile.h"
#include "tools/bench/library_load.h"
#include "tools/bench/protocol_load.h"

namespace cm {
namespace {

// Connections begin and end this long after each other, so that few messages are under way.
constexpr Duration kBetween = Duration::Nanoseconds(500);

struct Options {
  std::string level = "protocol";
  std::string profile = "6.1-rxe";
  uint64_t ids = 1'000'000;
  uint64_t cycles = 0;
  uint64_t lost_percent = 0;
};

rusage Used() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

// CPU time of this process; other load of the machine does not count.
double CpuSeconds() {
  const timeval user = Used().ru_utime;
  return static_cast<double>(user.tv_sec) + static_cast<double>(user.tv_usec) / 1e6;
}

uint64_t ResidentBytes() {
  uint64_t whole = 0;
  uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> whole >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t PeakBytes() { return static_cast<uint64_t>(Used().ru_maxrss) * 1024; }

bool NothingInUse(const ProtocolLoad& load) { return load.live() == 0; }
bool NothingInUse(LibraryLoad& load) {
  load.Exit();
  return load.InUse() == sim::Usage{};
}

// The time of a part of the run, in total and for each event.
class Stopwatch {
 public:
  template <typename Load>
  explicit Stopwatch(const Load& load) : events_(load.events()), began_(CpuSeconds()) {}
  template <typename Load>
  void Say(const char* what, const Load& load) const {
    const double seconds = CpuSeconds() - began_;
    const uint64_t events = load.events() - events_;
    fmt::print("{:<12} {:7.2f} s  {:>9} events  {:6.0f} ns/event\n", what, seconds, events,
               seconds * 1e9 / static_cast<double>(std::max<uint64_t>(events, 1)));
  }

 private:
  uint64_t events_;
  double began_;
};

template <typename Load>
bool AllAtOnce(Load* load, uint64_t ids) {
  const uint64_t connections = ids / 2;
  const uint64_t before = ResidentBytes();
  const uint32_t without = load->live();
  const auto per_id = [&] {
    return (ResidentBytes() - before) / std::max<uint64_t>(load->live() - without, 1);
  };
  const Stopwatch connecting(*load);
  for (uint64_t i = 0; i < connections; ++i) {
    load->Connect();
    load->RunUntil(load->Now() + kBetween);
  }
  while (load->standing() < connections && load->Step()) {
  }
  connecting.Say("connecting", *load);
  const uint64_t live = load->live() - without;
  fmt::print("live         {} ids, {} bytes/id\n", live, per_id());
  if (live != connections * 2) return false;
  // Until the timers of all answered messages have expired without effect.
  const Stopwatch idle(*load);
  load->RunUntil(load->Now() + Duration::Seconds(20));
  idle.Say("idle", *load);
  const Stopwatch ending(*load);
  for (uint64_t i = 0; i < connections; ++i) {
    load->Disconnect();
    load->RunUntil(load->Now() + kBetween);
  }
  ending.Say("ending", *load);
  fmt::print("timewait     {} ids, {} bytes/id\n", load->live() - without, per_id());
  const Stopwatch draining(*load);
  while (load->Step()) {
  }
  draining.Say("draining", *load);
  return load->live() == without && load->failed() == 0;
}

template <typename Load>
bool OneAfterTheOther(Load* load, const Options& options) {
  load->Cycle(true);
  for (uint64_t i = 0; i < options.ids / 2; ++i) {
    load->Connect();
    load->RunUntil(load->Now() + kBetween);
  }
  while (load->cycles() < options.ids / 2 && load->Step()) {
  }
  const Stopwatch cycling(*load);
  const uint64_t first = load->cycles();
  const double began = CpuSeconds();
  while (load->cycles() < first + options.cycles && load->Step()) {
  }
  const double seconds = CpuSeconds() - began;
  cycling.Say("cycling", *load);
  const auto done = static_cast<double>(load->cycles() - first);
  fmt::print("cycles       {:.0f} per second and core, {} failed, {} ids live\n", done / seconds,
             load->failed(), load->live());
  load->Cycle(false);
  while (load->Step()) {
  }
  return options.lost_percent > 0 || load->failed() == 0;
}

template <typename Load>
int Run(Load* load, const Options& options) {
  bool good = options.cycles > 0 ? OneAfterTheOther(load, options) : AllAtOnce(load, options.ids);
  const bool nothing = NothingInUse(*load);
  fmt::print("{}, peak {} MB\n", nothing ? "nothing in use" : "SOMETHING IS STILL IN USE",
             PeakBytes() >> 20);
  good = good && nothing;
  return good ? 0 : 1;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Many connections in one process.");
  app.add_option("--level", options.level, "protocol, or library: through librdmacm's calls")
      ->check(CLI::IsMember({"protocol", "library"}));
  app.add_option("--ids", options.ids, "number of live ids");
  app.add_option("--cycles", options.cycles,
                 "connections one after the other, instead of concurrently");
  app.add_option("--lost", options.lost_percent, "percent of the messages; protocol alone");
  app.add_option("--profile", options.profile);
  CLI11_PARSE(app, argc, argv);
  const Profile* profile = FindProfile(options.profile);
  if (profile == nullptr) return 2;
  if (options.level == "library") {
    LibraryLoad load(profile);
    return Run(&load, options);
  }
  ProtocolLoad load(profile, options.lost_percent);
  return Run(&load, options);
}

}  // namespace
}  // namespace cm

int main(int argc, char** argv) { return cm::Main(argc, argv); }
