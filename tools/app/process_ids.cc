#include "tools/app/process_ids.h"

#include <optional>
#include <utility>

namespace cm::app {
namespace {

// Hosts share files, which programs name by their process ids: those of two hosts differ, unless
// one has had a thousand processes and threads.
constexpr pid_t kApart = 1000;
// The ids of a small system end at 32768. source: man proc(5), /proc/sys/kernel/pid_max
constexpr pid_t kRanges = 30;

}  // namespace

ProcessIds::ProcessIds(const Topology& topology) {
  for (size_t kernel = 0; kernel < topology.hosts.size(); ++kernel) {
    const pid_t range = 1 + static_cast<pid_t>(kernel) % kRanges;
    std::optional<PidNamespace> made = PidNamespace::Make(kApart * range);
    if (!made) {
      hosts_.clear();
      return;
    }
    hosts_.push_back(std::move(*made));
  }
}

std::vector<pid_t> ProcessIds::Inits() const {
  std::vector<pid_t> inits;
  for (const PidNamespace& host : hosts_) inits.push_back(host.init());
  return inits;
}

}  // namespace cm::app
