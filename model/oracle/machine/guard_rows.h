// The predicates of all guards.
#ifndef MODEL_ORACLE_MACHINE_GUARD_ROWS_H_
#define MODEL_ORACLE_MACHINE_GUARD_ROWS_H_

#include "model/oracle/machine/address_guards.h"
#include "model/oracle/machine/connection_guards.h"
#include "model/oracle/machine/group_guards.h"
#include "model/oracle/machine/guard_row.h"
#include "model/oracle/machine/iw_guards.h"
#include "model/oracle/machine/lookup_guards.h"
#include "model/oracle/machine/option_guards.h"
#include "model/oracle/machine/queue_guards.h"

namespace cm::model {

inline constexpr auto kGuardRows =
    Joined(guards::kOfAddresses, guards::kOfConnections, guards::kOfIwarp, guards::kOfGroups,
           guards::kOfOptions, guards::kOfLookups, guards::kOfQueues);

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_GUARD_ROWS_H_
