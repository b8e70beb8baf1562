// What unmodified programs on simulated hosts take, with the command that runs them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/check.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/app/broker.h"
#include "tools/app/explore.h"
#include "tools/bench/figure.h"
#include "tools/bench/ours.h"

namespace cm::bench {
namespace {

constexpr const char* kPassive = "10.0.1.1";

// The path of a program that is built with this one: "app/odd".
std::string Built(const std::string& program) {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  return own.parent_path().parent_path() / program;
}

app::Setting Beside(std::vector<std::string> passive, std::vector<std::string> active) {
  app::Setting setting{.topology = FindTopology("two-kernels"),
                       .profile = *FindProfile("6.1-rxe"),
                       .programs = {{.side = kPassiveSide, .words = std::move(passive)},
                                    {.side = kActiveSide, .words = std::move(active)}},
                       .staying_sides = {},
                       .script = {}};
  setting.hears = [](std::string_view, std::string_view) {};
  return setting;
}

double SecondsOf(const app::Setting& setting) {
  const double before = CpuSecondsOfAll();
  const auto ran = app::Run(setting);
  const auto* const report = std::get_if<app::Report>(&ran);
  CM_CHECK(report != nullptr && report->clean());
  return CpuSecondsOfAll() - before;
}

// Of one more message, or connection: without the beginning of the programs.
template <typename Make>
void MeasureEach(benchmark::State& state, int64_t count, Make make) {
  for (auto _ : state) {
    const double few = SecondsOf(make(1));
    const double many = SecondsOf(make(count + 1));
    state.counters["ns_each"] = 1e9 * (many - few) / static_cast<double>(count);
  }
}

// Connections that have one completion queue together, or two each with their channels.
app::Setting Holding(int64_t connections, bool one_queue) {
  const std::string times = std::to_string(connections);
  const std::string program = Built("app/odd");
  const std::string last = one_queue ? "one-queue" : "queues";
  return Beside({program, "serve", times, last}, {program, "hold", kPassive, times, last});
}

}  // namespace

void OurApps() {
  Figure("polled/1000/app", 1, [](benchmark::State& state) {
    // Two messages each time.
    MeasureEach(state, Scaled(2000), [](int64_t count) {
      const std::string times = std::to_string((count + 1) / 2);
      const std::string program = Built("bench/exchange");
      return Beside({program, "serve", kPassive, times}, {program, "ask", kPassive, times});
    });
  });
  for (const int64_t connections : {1'000, 20'000})
    Figure("held/" + std::to_string(connections) + "/app", 1, [=](benchmark::State& state) {
      MeasureEach(state, Scaled(connections), [](int64_t count) { return Holding(count, true); });
    });
  Figure("channels/400/app", 1, [](benchmark::State& state) {
    MeasureEach(state, Scaled(400), [](int64_t count) { return Holding(count, false); });
  });
  Figure("explored/100/app", 1, [](benchmark::State& state) {
    const auto seeds = static_cast<uint64_t>(Scaled(100));
    for (auto _ : state) {
      const double before = CpuSecondsOfAll();
      const auto explored = app::Explore(
          {.setting =
               [](uint64_t seed) {
                 const std::string program = Built("app/planted");
                 app::Setting setting = Beside({program, "serve"}, {program, "ask", kPassive});
                 setting.seed = seed;
                 return setting;
               },
           .seeds = seeds,
           .jobs = 2});
      const auto* const failure = std::get_if<app::Failure>(&explored);
      CM_CHECK(failure != nullptr && failure->kind.empty());
      state.counters["ns_each"] = 1e9 * (CpuSecondsOfAll() - before) / static_cast<double>(seeds);
    }
  });
}

}  // namespace cm::bench
