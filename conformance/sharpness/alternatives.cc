#include "conformance/sharpness/alternatives.h"

#include <algorithm>
#include <array>
#include <string>

namespace cm {

std::vector<Errno> AllErrnos() {
  constexpr int kLast = 133;  // of Linux for user space
  std::vector<Errno> all;
  for (int number = 0; number <= kLast; ++number) {
    const auto error = static_cast<Errno>(number);
    const bool named = ToString(error) != "E" + std::to_string(number);
    if (named) all.push_back(error);
  }
  return all;
}

std::vector<int32_t> AllStatuses() {
  constexpr int32_t kLastReason = 35;
  std::vector<int32_t> all;
  for (const Errno error : AllErrnos()) all.push_back(-static_cast<int32_t>(error));
  for (int32_t reason = 1; reason <= kLastReason; ++reason) all.push_back(reason);
  return all;
}

std::vector<EventType> EventsInSilence() {
  std::vector<EventType> types;
  for (int n = 0; n < kEventTypeCount; ++n)
    if (static_cast<EventType>(n) != EventType::kConnectRequest)
      types.push_back(static_cast<EventType>(n));
  return types;
}

int32_t UsualStatus(EventType type) {
  constexpr auto kTimedOut = std::to_array<EventType>(
      {EventType::kAddrError, EventType::kRouteError, EventType::kConnectError,
       EventType::kUnreachable, EventType::kMulticastError, EventType::kAddrInfoError});
  if (std::ranges::count(kTimedOut, type) > 0) return -static_cast<int32_t>(Errno::kTimedOut);
  if (type == EventType::kRejected) return static_cast<int32_t>(RejReason::kInvalidServiceId);
  return 0;
}

}  // namespace cm
