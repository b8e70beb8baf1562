// How long requests of programs and messages take in a run: drawn by its seed.
//
// 1. Seed 0 draws none. Any other draws what a request costs a thread, from 100 ns to 12.8 us, and
//    how much longer the messages of each side are under way, up to 500 us; these keep their order.
// 2. Messages are left to the script where that has faults of its own for them, and their latency
//    ends with its first `heal`.
#ifndef TOOLS_APP_LATENCIES_H_
#define TOOLS_APP_LATENCIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology_ref.h"
#include "sim/uapi/shared_time.h"
#include "tools/app/script.h"

namespace cm::app {

struct Latencies {
  sim::uapi::Costs costs;
  std::vector<Fault> faults;
  std::string text;  // "a request takes 400ns; messages from active take 50us more"; empty for none
};

// `usual`: the costs of seed 0.
Latencies DrawLatencies(uint64_t seed, const sim::uapi::Costs& usual, const TopologyRef& topology,
                        const Profile& profile, const std::vector<Happening>& script);

}  // namespace cm::app

#endif  // TOOLS_APP_LATENCIES_H_
