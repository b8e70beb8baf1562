#include "model/capture/timing.h"

#include <algorithm>

namespace cm::wire {
namespace {

struct Lifetimes {
  int shortest = 31;
  int longest = 0;
};

// The packet lifetimes that yield such an ACK timeout.
Lifetimes LifetimesOf(int ack_timeout, int ack_delay) {
  Lifetimes lifetimes;
  for (int t = 0; t < 32; ++t) {
    if (Timing::AckTimeout(ack_delay, t) != ack_timeout) continue;
    lifetimes.shortest = std::min(lifetimes.shortest, t);
    lifetimes.longest = std::max(lifetimes.longest, t);
  }
  return lifetimes;
}

// An MRA changes the timeout of its receiver for good.
std::optional<Duration> AfterMra(std::span<const Spoken> spoken, int ack_timeout) {
  const auto* mra = FirstOf<mad::Mra>(spoken);
  if (mra == nullptr) return std::nullopt;
  return Timing::Exponent(mra->service_timeout) + Timing::Exponent(ack_timeout);
}

// For a sender of that profile; null where the profile is unknown.
std::optional<Interval> IntervalBy(const Profile* profile, MadKind what, bool active,
                                   std::span<const Spoken> spoken) {
  if (what == MadKind::kSidrReq) {  // source: linux 6.1 cma.c CMA_CM_RESPONSE_TIMEOUT
    if (profile == nullptr) return std::nullopt;
    const Duration nominal = Timing::Exponent(profile->timing.response_timeout);
    return Interval{nominal, profile->timing.Latest(nominal)};
  }
  const auto* req = FirstOf<mad::Req>(spoken);
  if (req == nullptr) return std::nullopt;
  Duration shortest =
      Timing::Exponent(active ? req->remote_cm_response_timeout : req->local_cm_response_timeout);
  Duration longest = shortest;
  if (active && profile != nullptr) {
    const Lifetimes path = LifetimesOf(req->primary_local_ack_timeout, profile->timing.ack_delay);
    shortest = shortest + Timing::Exponent(path.shortest) * 2;
    longest = longest + Timing::Exponent(path.longest) * 2;
  }
  if (const auto patience = AfterMra(spoken, req->primary_local_ack_timeout)) {
    shortest = std::min(shortest, *patience);
    longest = longest + *patience;
  }
  if (profile == nullptr) return Interval{shortest};
  return Interval{shortest, profile->timing.Latest(longest)};
}

}  // namespace

std::optional<Interval> IntervalOf(MadKind what, bool active, std::span<const Spoken> spoken,
                                   const SenderFingerprint& sender) {
  if (!sender.is_known()) return IntervalBy(nullptr, what, active, spoken);
  std::optional<Interval> all;
  for (const Profile* profile : sender.profiles()) {
    const auto one = IntervalBy(profile, what, active, spoken);
    if (!one) return std::nullopt;
    all =
        all ? Interval{std::min(all->shortest, one->shortest), std::max(all->longest, one->longest)}
            : *one;
  }
  if (all && sender.waits_in_line()) all->longest = Duration::Max();
  return all;
}

uint64_t TimesOf(std::span<const Spoken> spoken) {
  const auto* req = FirstOf<mad::Req>(spoken);
  return 1 + (req == nullptr ? 15 : req->max_cm_retries);
}

}  // namespace cm::wire
