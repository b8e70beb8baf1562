// The objects behind a conversation's names in one process.
#ifndef CONFORMANCE_ADAPTERS_DL_OBJECTS_H_
#define CONFORMANCE_ADAPTERS_DL_OBJECTS_H_

#include <rdma/rdma_cma.h>

#include <mutex>
#include <vector>

#include "model/vocabulary/names.h"

namespace cm {

// Null where a name has no object, or a reference no name. Thread-safe.
class Objects {
 public:
  explicit Objects(const Names& names)
      : ids_(names.ids.size()),
        channels_(names.channels.size()),
        events_(names.events.size()),
        infos_(names.held.size()),
        devices_(names.held.size()) {}

  rdma_cm_id* At(IdRef ref) const { return In(ids_, ref); }
  rdma_event_channel* At(ChannelRef ref) const { return In(channels_, ref); }
  rdma_cm_event* At(EventRef ref) const { return In(events_, ref); }
  rdma_addrinfo* InfoAt(HeldRef ref) const { return In(infos_, ref); }
  ibv_context** DevicesAt(HeldRef ref) const { return In(devices_, ref); }
  IdRef NameOf(const rdma_cm_id* id) const {
    const std::lock_guard lock(mutex_);
    for (uint16_t i = 0; id != nullptr && i < ids_.size(); ++i)
      if (ids_[i] == id) return IdRef{i};
    return {};
  }

  // An address may be reused after its object was destroyed: then the old name is dropped.
  void Set(IdRef ref, rdma_cm_id* id) {
    const std::lock_guard lock(mutex_);
    for (rdma_cm_id*& known : ids_)
      if (known == id) known = nullptr;
    ids_[ref.index] = id;
  }
  void Set(ChannelRef ref, rdma_event_channel* channel) { In(&channels_, ref, channel); }
  void Set(EventRef ref, rdma_cm_event* event) { In(&events_, ref, event); }
  void Set(HeldRef ref, rdma_addrinfo* info, ibv_context** devices) {
    In(&infos_, ref, info);
    In(&devices_, ref, devices);
  }

 private:
  template <typename T, typename Ref>
  T* In(const std::vector<T*>& table, Ref ref) const {
    const std::lock_guard lock(mutex_);
    return ref.valid() ? table[ref.index] : nullptr;
  }
  template <typename T, typename Ref>
  void In(std::vector<T*>* table, Ref ref, T* object) {
    const std::lock_guard lock(mutex_);
    (*table)[ref.index] = object;
  }

  mutable std::mutex mutex_;
  std::vector<rdma_cm_id*> ids_;
  std::vector<rdma_event_channel*> channels_;
  std::vector<rdma_cm_event*> events_;
  std::vector<rdma_addrinfo*> infos_;
  std::vector<ibv_context**> devices_;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_OBJECTS_H_
