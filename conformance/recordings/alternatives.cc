#include "conformance/recordings/alternatives.h"

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

}  // namespace cm
