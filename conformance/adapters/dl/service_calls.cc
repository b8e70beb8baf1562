// The calls of the library's map RDMACM_1.4, on the C functions.
#include "conformance/adapters/dl/c_enum.h"
#include "conformance/adapters/dl/caller.h"
#include "conformance/adapters/dl/lookup.h"

namespace cm {

int Caller::One(const call::ResolveAddrInfo& c, Products* /*products*/) const {
  const Lookup lookup(c, *conversation_->topology);
  return api_->rdma_resolve_addrinfo(At(c.id), lookup.node(), lookup.service(), lookup.hints());
}

int Caller::One(const call::QueryAddrInfo& c, Products* products) const {
  const int value = api_->rdma_query_addrinfo(At(c.id), &products->info);
  if (value == 0) products->handed = FieldsOf(*products->info);
  return value;
}

int Caller::One(const call::WriteCmEvent& c, Products* /*products*/) const {
  return WithNumbers(api_->rdma_write_cm_event)(At(c.id), c.type, c.status, c.argument);
}

}  // namespace cm
