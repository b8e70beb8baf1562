// Hashes of the parts of a world, without the numbers of their slots.
#ifndef SIM_WORLD_FINGERPRINT_PARTS_H_
#define SIM_WORLD_FINGERPRINT_PARTS_H_

#include <cstdint>

#include "model/base/digest.h"
#include "model/base/duration.h"
#include "sim/fabric/fabric.h"
#include "sim/ib_cm/ib_cm.h"
#include "sim/iw_cm/iw_cm.h"
#include "sim/lib/library.h"
#include "sim/rdma_cm/rdma_cm.h"
#include "sim/verbs/verbs.h"

namespace cm::sim::parts {

// How long it is until then; an instant that never comes is none.
inline void PutTime(Digest* d, Instant at, Instant now) {
  d->I64(at == Instant::Never() ? 0 : (at - now).nanoseconds() + 1);
}
void Put(Digest* d, const response::Event& event);
void Put(Digest* d, const Fifo<WorkRequest>& queue);
uint64_t HashOf(const CmId& id, const IbCm& ib, const IwCm& iw, Instant now);
uint64_t HashOf(const UserId& id);
uint64_t HashOf(const FetchedEvent& fetched, const Library& library);
uint64_t HashOf(const Qp& qp, const SharedQueues& srqs, Instant now);
// Of a packet of the fabric.
uint64_t HashOf(const Fabric& fabric, uint32_t number, Instant now);

// What is below the libraries.
struct Below {
  const Fabric& fabric;
  const IbCm& ib;
  const IwCm& iw;
  const RdmaCm& cma;
  const Verbs& verbs;
};
// Of an id with all that is tied to it; 0 for none.
uint64_t HashOf(const Library& library, uint32_t id, const Below& below, Instant now);

}  // namespace cm::sim::parts

#endif  // SIM_WORLD_FINGERPRINT_PARTS_H_
