#include "conformance/sharpness/history_alterations.h"

#include "conformance/sharpness/record_alterer.h"
#include "model/oracle/judge.h"
#include "model/oracle/orders.h"

namespace cm {

void AlterHistory(const AlterationKind& kind, const History& history,
                  const std::vector<size_t>& records, Transport over,
                  const OnAlteredHistory& each) {
  if (kind.record == nullptr) return;
  History seen = history;
  seen.wire.clear();  // of the simulator; the oracle does not see it
  for (const size_t record : records) {
    RecordAlterer alterer(seen, record, over, each);
    kind.record(alterer);
  }
}

std::vector<size_t> PermittedRecords(const History& history, const Profile& profile) {
  std::vector<size_t> records;
  size_t next = 0;
  const model::HistoryResult result =
      model::JudgeHistory(history, profile, [&](const Record&, const model::Verdict& at_record) {
        if (at_record.IsPermitted()) records.push_back(next);
        ++next;
      });
  if (result.kind != model::VerdictKind::kPermitted) return {};
  return records;
}

bool Admits(const History& history, const Profile& profile) {
  const model::HistoryResult result = model::HasTogether(history.conversation)
                                          ? model::FindOrder(history, profile).verdict
                                          : model::JudgeUpToRefusal(history, profile);
  return result.kind == model::VerdictKind::kPermitted;
}

}  // namespace cm
