#include "conformance/properties/observations.h"

#include <algorithm>
#include <variant>

namespace cm {

ChannelRef IndexedId::ChannelAt(size_t record) const {
  for (const auto& [at, earlier] : left)
    if (record <= at) return earlier;
  return channel;
}

bool IndexedId::WasSynchronous() const {
  return !channel.valid() ||
         std::ranges::any_of(left, [](const auto& one) { return !one.second.valid(); });
}

FaultLog::FaultLog(const History& history) {
  for (size_t at = 0; at < history.records.size(); ++at) {
    const Line& line = history.conversation.lines[history.records[at].line];
    if (const auto* const injects = std::get_if<line::Injects>(&line))
      all_.push_back({at, injects->fault});
  }
}

bool FaultLog::Before(size_t record, FaultKind kind, std::optional<uint8_t> side) const {
  return std::ranges::any_of(all_, [&](const InjectedFault& injected) {
    return injected.at < record && injected.fault.kind == kind &&
           (!side || injected.fault.side == *side);
  });
}

int FaultLog::CountBefore(size_t record, FaultKind kind) const {
  return static_cast<int>(std::ranges::count_if(all_, [&](const InjectedFault& injected) {
    return injected.at < record && injected.fault.kind == kind;
  }));
}

bool FaultLog::Injected(FaultKind kind) const {
  return std::ranges::any_of(all_, [kind](const auto& i) { return i.fault.kind == kind; });
}

bool FaultLog::DetectedImmediately() const {
  return std::ranges::any_of(all_, [](const InjectedFault& injected) {
    const FaultTells tells = RowOf(injected.fault.kind).tells;
    return tells != FaultTells::kNoId && tells != FaultTells::kPeersOfProcess;
  });
}

}  // namespace cm
