// What looking an address up comes to, by the arguments alone: those of rdma_getaddrinfo, which
// rdma_resolve_addrinfo hands on.
#ifndef MODEL_ORACLE_MACHINE_LOOKUPS_H_
#define MODEL_ORACLE_MACHINE_LOOKUPS_H_

#include <vector>

#include "model/cm_id/guard.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/reply.h"

namespace cm::model {

// What rdma_resolve_addrinfo looks up.
call::GetAddrInfo LookupOf(const call::ResolveAddrInfo& resolve);
Guard LookupGuard(const call::GetAddrInfo& get);
// The permitted results of a successful lookup.
std::vector<Output> LookedUp(const call::GetAddrInfo& get);

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_LOOKUPS_H_
