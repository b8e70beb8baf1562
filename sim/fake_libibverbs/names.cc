// Texts of enumerators as programs print them, rates as numbers, and functions without a device.
#include <infiniband/verbs.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace {

template <size_t kCount>
const char* Word(const std::array<const char*, kCount>& words, int value) {
  return value < 0 || static_cast<size_t>(value) >= kCount ? "unknown" : words[value];
}

// By enumerator; 0: there is none.
using Rates = std::array<int, IBV_RATE_1200_GBPS + 1>;
constexpr Rates kMultiples = {0, 0, 1, 4, 12, 2, 8,  16, 24,  32,  48,  0,  0,
                              0, 0, 0, 0, 0,  0, 11, 20, 160, 240, 320, 480};
constexpr Rates kMegabits = {0,       0,       2'500,   10'000,   30'000,  5'000,  20'000,
                             40'000,  60'000,  80'000,  120'000,  14'062,  56'250, 112'500,
                             168'750, 25'781,  103'125, 206'250,  309'375, 28'125, 53'125,
                             425'000, 637'500, 850'000, 1'275'000};

int NumberOf(const Rates& numbers, ibv_rate rate) {
  const auto place = static_cast<size_t>(rate);
  return place < numbers.size() && numbers[place] != 0 ? numbers[place] : -1;
}

ibv_rate RateOf(const Rates& numbers, int number) {
  const auto found = std::find(numbers.begin(), numbers.end(), number);
  return found == numbers.end() ? IBV_RATE_MAX : static_cast<ibv_rate>(found - numbers.begin());
}

}  // namespace

extern "C" {

// source: rdma-core 44 verbs.c
int ibv_rate_to_mult(ibv_rate rate) { return NumberOf(kMultiples, rate); }
ibv_rate mult_to_ibv_rate(int multiple) { return RateOf(kMultiples, multiple); }
int ibv_rate_to_mbps(ibv_rate rate) { return NumberOf(kMegabits, rate); }
ibv_rate mbps_to_ibv_rate(int megabits) { return RateOf(kMegabits, megabits); }

// source: rdma-core 44 enum_strs.c
const char* ibv_node_type_str(ibv_node_type type) {
  static constexpr std::array<const char*, 5> kWords = {"unknown", "InfiniBand channel adapter",
                                                        "InfiniBand switch", "InfiniBand router",
                                                        "iWARP NIC"};
  return Word(kWords, type);
}

const char* ibv_port_state_str(ibv_port_state state) {
  static constexpr std::array<const char*, 6> kWords = {
      "no state change (NOP)", "down", "init", "armed", "active", "active defer"};
  return state > IBV_PORT_ACTIVE_DEFER ? "invalid state" : Word(kWords, state);
}

const char* ibv_event_type_str(ibv_event_type event) {
  static constexpr std::array<const char*, 20> kWords = {"CQ error",
                                                         "local work queue catastrophic error",
                                                         "invalid request local work queue error",
                                                         "local access violation work queue error",
                                                         "communication established",
                                                         "send queue drained",
                                                         "path migrated",
                                                         "path migration request error",
                                                         "local catastrophic error",
                                                         "port active",
                                                         "port error",
                                                         "LID change",
                                                         "P_Key change",
                                                         "SM change",
                                                         "SRQ catastrophic error",
                                                         "SRQ limit reached",
                                                         "last WQE reached",
                                                         "client reregistration",
                                                         "GID table change",
                                                         "WQ fatal"};
  return Word(kWords, event);
}

const char* ibv_wc_status_str(ibv_wc_status status) {
  static constexpr std::array<const char*, 22> kWords = {"success",
                                                         "local length error",
                                                         "local QP operation error",
                                                         "local EE context operation error",
                                                         "local protection error",
                                                         "Work Request Flushed Error",
                                                         "memory management operation error",
                                                         "bad response error",
                                                         "local access error",
                                                         "remote invalid request error",
                                                         "remote access error",
                                                         "remote operation error",
                                                         "transport retry counter exceeded",
                                                         "RNR retry counter exceeded",
                                                         "local RDD violation error",
                                                         "remote invalid RD request",
                                                         "remote aborted error",
                                                         "invalid EE context number",
                                                         "invalid EE context state",
                                                         "fatal error",
                                                         "response timeout error",
                                                         "general error"};
  return Word(kWords, status);
}

// Memory is simulated, and no page of it is pinned.
int ibv_fork_init() { return 0; }
int ibv_dontfork_range(void* /*base*/, size_t /*size*/) { return 0; }
int ibv_dofork_range(void* /*base*/, size_t /*size*/) { return 0; }
ibv_fork_status ibv_is_fork_initialized() { return IBV_FORK_UNNEEDED; }
}
