// The row of a call on a channel.
#ifndef MODEL_ORACLE_MACHINE_CHANNEL_ROWS_H_
#define MODEL_ORACLE_MACHINE_CHANNEL_ROWS_H_

#include <algorithm>

#include "model/channel/rules.h"

namespace cm::model {

// `from`, `on` and `when` must have a row.
inline const ChannelRule& RowOf(ChannelState from, CallKind on, ChannelGuard when) {
  return *std::ranges::find_if(rules::kChannels, [&](const ChannelRule& rule) {
    return rule.from.Has(from) && rule.on == on && rule.when.Has(when);
  });
}

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_CHANNEL_ROWS_H_
