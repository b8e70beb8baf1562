// The misuse table: calls on destroyed objects. Their effect is undefined: the real library reads
// freed memory, and may return, crash, or change other objects.
#ifndef MODEL_CHANNEL_MISUSE_H_
#define MODEL_CHANNEL_MISUSE_H_

#include <span>
#include <string_view>

#include "model/rules/rule.h"
#include "model/rules/transports.h"
#include "model/vocabulary/misuse.h"

namespace cm::model {

struct MisuseRule {
  std::string_view id;
  Misuse on;
  Outcome outcome;
  Evidence evidence;
  Transports over = over::kAll;
};

namespace rules {

extern const std::span<const MisuseRule> kMisuses;

}  // namespace rules

std::string_view ToString(Misuse misuse);

}  // namespace cm::model

#endif  // MODEL_CHANNEL_MISUSE_H_
