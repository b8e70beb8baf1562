// The life of a connection, over and over: connect, stay, disconnect, timewait, connect again.
//
// Every message takes 10 us and is lost in one of a hundred cases; unanswered messages are
// retransmitted. A figure is measured in events; its counter `events_per_cycle` is the number of
// events in a life.
#ifndef TOOLS_BENCH_LIFE_H_
#define TOOLS_BENCH_LIFE_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>

#include "tools/bench/figure.h"

namespace cm::bench {

inline constexpr int64_t kLifeSizes[] = {1000, 1'000'000};
inline constexpr int64_t kLifeEvents = 2'000'000;
// Warm-up of each connection: more than two lives, so that as many begin as end.
inline constexpr int64_t kWarmUpEvents = 30;
inline constexpr int64_t kLatencyNs = 10'000;
inline constexpr uint64_t kLossOneIn = 100;
// The time that a connection stays: anything below 2^31 ns, so that connections are not in step.
inline int64_t StayNs(Random* random) { return static_cast<int64_t>(random->Next() >> 33); }

// A Lives is constructed with the number of connections; it has void Run(events), void
// MeasuredLife(events), which is Run under another name, and uint64_t cycles().
template <typename Lives>
void LifeFigure(const std::string& job, int64_t connections, const std::string& variant) {
  const std::string name = job + "/" + std::to_string(connections) + "/" + variant;
  Figure(name, kLifeEvents, [connections](benchmark::State& state) {
    const double before = ResidentBytes();
    auto lives = std::make_unique<Lives>(connections);
    lives->Run(kWarmUpEvents * connections + Scaled(100'000));
    // Of the two ids of each connection.
    state.counters["bytes_per_id"] =
        (ResidentBytes() - before) / (2 * static_cast<double>(connections));
    const uint64_t cycles = lives->cycles();
    MeasureOnce(state, [&](int64_t events) { lives->MeasuredLife(events); });
    state.counters["events_per_cycle"] =
        static_cast<double>(state.iterations()) / static_cast<double>(lives->cycles() - cycles);
  });
}

// "life" with few connections and with many; "wire" is the same with the bytes of each message.
template <typename Lives, typename LivesWithBytes>
void LifeFigures(const std::string& variant) {
  for (const int64_t connections : kLifeSizes) LifeFigure<Lives>("life", connections, variant);
  LifeFigure<LivesWithBytes>("wire", kLifeSizes[0], variant);
}

}  // namespace cm::bench

#endif  // TOOLS_BENCH_LIFE_H_
