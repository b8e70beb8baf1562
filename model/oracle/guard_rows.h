// The predicates of all guards.
#ifndef MODEL_ORACLE_GUARD_ROWS_H_
#define MODEL_ORACLE_GUARD_ROWS_H_

#include "model/oracle/address_guards.h"
#include "model/oracle/connection_guards.h"
#include "model/oracle/group_guards.h"
#include "model/oracle/guard_row.h"
#include "model/oracle/iw_guards.h"
#include "model/oracle/lookup_guards.h"
#include "model/oracle/option_guards.h"
#include "model/oracle/queue_guards.h"

namespace cm::model {

inline constexpr auto kGuardRows =
    Joined(guards::kOfAddresses, guards::kOfConnections, guards::kOfIwarp, guards::kOfGroups,
           guards::kOfOptions, guards::kOfLookups, guards::kOfQueues);

}  // namespace cm::model

#endif  // MODEL_ORACLE_GUARD_ROWS_H_
