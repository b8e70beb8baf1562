// Calls on destroyed objects.
#include "model/channel/misuse.h"

#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/oracle.h"

namespace cm::model {

Judgement Oracle::ObserveMisuse(Misuse misuse, const Reply& reply) {
  const auto rule = std::ranges::find(rules::kMisuses, misuse, &MisuseRule::on);
  Judgement judgement{.saw = ToString(reply), .sharp = false};
  Permit(&judgement.permitted, *rule, "anything: undefined");
  judgement.certain.set(NumberOf(&*rule));
  undefined_ = true;
  return judgement;
}

}  // namespace cm::model
