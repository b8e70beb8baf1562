// What the application looks at or releases: fields of ids and events, names, address infos, lists
// of devices.
#ifndef MODEL_ORACLE_JUDGE_RESULTS_H_
#define MODEL_ORACLE_JUDGE_RESULTS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

// Fields of ids and of id->event, names of events.
class Inspections : JudgeBase {
 public:
  explicit Inspections(JudgeContext& context) : JudgeBase(context) {}

  Verdict Show(const Record& record, IdRef id, const Shown& shown);
  Verdict ShowEvent(const Record& record, IdRef id, const seen::Answered& answered);
  Verdict EventStr(const call::EventStr& call, const seen::Answered& answered);

 private:
  Shown ExpectedOf(const IdState& id) const;
  std::optional<CmEvent> RetainedBy(const IdState& id) const;
  // Whether the event that the id keeps, which is `expected`, may be read as `seen`.
  bool MayBe(const CmEvent& seen, const IdState& id, CmEvent expected) const;
};

// Results that the application must release.
class OwnedResults : JudgeBase {
 public:
  explicit OwnedResults(JudgeContext& context) : JudgeBase(context) {}

  Verdict Called(const Record& record, Lane lane, const Call& call,
                 const seen::Answered& answered) const;

 private:
  std::pair<DeviceBits, DeviceBits> DevicesOf(uint8_t side, const Window& window) const;
  std::vector<Output> OutputsOf(const Call& call, uint8_t side, const Window& window,
                                const std::optional<Output>& seen) const;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_RESULTS_H_
