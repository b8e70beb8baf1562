// Results of the library that the application must release: address infos and lists of devices.
#ifndef MODEL_ORACLE_JUDGE_OWNED_RESULTS_H_
#define MODEL_ORACLE_JUDGE_OWNED_RESULTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class OwnedResults : JudgeBase {
 public:
  explicit OwnedResults(JudgeContext& context) : JudgeBase(context) {}

  Verdict Called(const Record& record, Lane lane, const Call& call,
                 const seen::Answered& answered) const;

 private:
  std::pair<uint32_t, uint32_t> DevicesOf(uint8_t side, const Window& window) const;
  std::vector<HandedOut> OutputsOf(const Call& call, uint8_t side, const Window& window,
                                   const std::optional<HandedOut>& seen) const;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_OWNED_RESULTS_H_
