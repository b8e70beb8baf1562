// The column `over` of the tables: the transports over which a row can hold.
#ifndef MODEL_RULES_TRANSPORTS_H_
#define MODEL_RULES_TRANSPORTS_H_

#include "model/base/enumeration.h"
#include "model/rules/rule.h"
#include "model/vocabulary/profile.h"

namespace cm::model {

using Transports = Set<Transport>;

namespace over {
inline constexpr Transports kAll = Transports::All(kCountOf<Transport>);
inline constexpr Transports kRoce = Transport::kRoce;
inline constexpr Transports kIwarp = Transport::kIwarp;
inline constexpr Transports kInfiniband = Transport::kInfiniband;
// Connections are made by the IB CM.
inline constexpr Transports kIbCm = kRoce | kInfiniband;
// Links are Ethernet.
inline constexpr Transports kEthernet = kRoce | kIwarp;
}  // namespace over

}  // namespace cm::model

#endif  // MODEL_RULES_TRANSPORTS_H_
