// Faults that hit a number of messages: what is known of their count.
#include <algorithm>

#include "model/oracle/belief/fault_model.h"

namespace cm::model {

void FaultModel::StopCounting(MadKinds messages) {
  for (const MadKind kind : {MadKind::kReq, MadKind::kRep}) {
    if (!messages.Has(kind)) continue;
    for (Rule& rule : rules_) rule.exact &= !rule.fault.messages.Has(kind);
  }
}

std::optional<Counted> FaultModel::Count(const Flight& flight, int64_t now, int64_t repeats) {
  Rule* counts = nullptr;
  bool certain = true;
  for (Rule& rule : rules_) {
    if (!Matches(rule, flight)) continue;
    certain &= counts == nullptr && rule.exact && now < rule.repeats;
    counts = &rule;
  }
  if (counts == nullptr) return std::nullopt;
  if (!certain) {
    StopCounting(counts->fault.messages);
    return std::nullopt;
  }
  counts->repeats = std::min(counts->repeats, repeats);
  ++counts->seen;
  const Fault& fault = counts->fault;
  return Counted{.rule = counts->counted,
                 .effect = fault.Effect(),
                 .hits = fault.first <= counts->seen && counts->seen <= fault.last};
}

Hits FaultModel::allowances() const {
  Hits most{};
  for (size_t i = 0; i < counted_.size(); ++i)
    most[i] =
        static_cast<uint8_t>(std::min<int64_t>(counted_[i].last - counted_[i].first + 1, 255));
  return most;
}

}  // namespace cm::model
