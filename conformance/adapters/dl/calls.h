// The calls on the C functions, one for each of the table.
#ifndef CONFORMANCE_ADAPTERS_DL_CALLS_H_
#define CONFORMANCE_ADAPTERS_DL_CALLS_H_

#include <cstdint>

#include "conformance/adapters/dl/api.h"
#include "conformance/adapters/dl/memory.h"
#include "conformance/adapters/dl/objects.h"
#include "conformance/adapters/dl/products.h"
#include "conformance/adapters/dl/services.h"
#include "model/conversation/conversation.h"

namespace cm {

// What the calls of a process work on.
struct Application {
  explicit Application(const RdmaCmApi* with, const Conversation& of)
      : api(with),
        topology(*of.topology),
        objects(of.names),
        memory(of.names),
        services(of.names) {}

  template <typename Ref>
  auto* At(Ref ref) const {
    return objects.At(ref);
  }

  const RdmaCmApi* api;
  const Topology& topology;
  Objects objects;
  Memory memory;
  Services services;
};

// Each makes one call, in the file of its topic; what it returns in C, and what it writes.
#define CM_MAKE(number, type, function, linkage) \
  int Make(const call::type& c, Application& app, Products* products);
CM_CALLS(CM_MAKE)
#undef CM_MAKE

// A context is never dereferenced: events and completions return it.
inline void* PointerOf(uint16_t context) {
  return reinterpret_cast<void*>(uintptr_t{context});  // NOLINT(performance-no-int-to-ptr)
}

// The functions that the inline functions of <rdma/rdma_verbs.h> call from now on.
void UseInline(const RdmaCmApi* api);

// Values of C structs. Events are read in terms of the names that their ids have.
CmEvent Read(const rdma_cm_event& event, const Application& app);
Shown Look(rdma_cm_id* id, const Application& app);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_CALLS_H_
