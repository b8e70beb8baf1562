// Tracks which ids of a run are synchronous, and so which calls wait for an event of their own.
#ifndef CONFORMANCE_DRIVER_SYNCHRONOUS_IDS_H_
#define CONFORMANCE_DRIVER_SYNCHRONOUS_IDS_H_

#include <set>

#include "model/vocabulary/call.h"

namespace cm {

// A call on a synchronous id may return only after a later call of another thread. So it counts as
// blocked when the world is quiet, not after the longest timer. The same holds for rdma_migrate_id,
// which waits for acknowledgements. source: rdma-core 44 cma.c ucma_complete, rdma_migrate_id
class SynchronousIds {
 public:
  void Made(const Call& call) {
    if (const auto* create = std::get_if<call::CreateId>(&call))
      create->channel.valid() ? Forget(create->id) : Note(create->id);
    else if (const auto* ep = std::get_if<call::CreateEp>(&call))
      Note(ep->id);
    else if (const auto* get = std::get_if<call::GetRequest>(&call))
      Note(get->request);
    else if (const auto* migrate = std::get_if<call::MigrateId>(&call))
      migrate->channel.valid() ? Forget(migrate->id) : Note(migrate->id);
    else if (const auto* event = std::get_if<call::GetCmEvent>(&call))
      Forget(event->request);
  }
  bool WaitsForOthers(const Call& call) const {
    const CallKind kind = KindOf(call);
    if (kind == CallKind::kMigrateId || kind == CallKind::kCreateEp) return true;
    const bool completes = kind == CallKind::kGetRequest || CompletesWithEvent(kind);
    return completes && ids_.contains(IdOf(call).index);
  }

 private:
  void Note(IdRef id) { ids_.insert(id.index); }
  void Forget(IdRef id) { ids_.erase(id.index); }

  std::set<uint16_t> ids_;
};

}  // namespace cm

#endif  // CONFORMANCE_DRIVER_SYNCHRONOUS_IDS_H_
