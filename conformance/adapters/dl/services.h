// The paths of datagram ids, and the address handles for them.
#ifndef CONFORMANCE_ADAPTERS_DL_SERVICES_H_
#define CONFORMANCE_ADAPTERS_DL_SERVICES_H_

#include <rdma/rdma_cma.h>

#include <mutex>
#include <utility>
#include <vector>

#include "conformance/adapters/dl/api.h"
#include "model/vocabulary/names.h"

namespace cm {

// Thread-safe; no lock is held while the library is called.
class Services {
 public:
  explicit Services(const Names& names) : services_(names.ids.size()) {}

  // The path that the id's ESTABLISHED reported.
  void Learn(IdRef id, const rdma_ud_param& ud) {
    const std::lock_guard lock(mutex_);
    Service& service = services_[id.index];
    service.path = {.attributes = ud.ah_attr, .qp_num = ud.qp_num};
  }

  // An address handle for that path, null when none can be created, and the queue pair behind it.
  std::pair<ibv_ah*, uint32_t> At(IdRef id, const RdmaCmApi& api, ibv_pd* domain) {
    Path path;
    {
      const std::lock_guard lock(mutex_);
      path = services_[id.index].path;
    }
    if (path.handle == nullptr) path.handle = api.ibv_create_ah(domain, &path.attributes);
    const std::lock_guard lock(mutex_);
    Service& service = services_[id.index];
    if (path.handle != nullptr && path.handle != service.path.handle) {
      service.path.handle = path.handle;
      service.made.push_back(path.handle);
    }
    return {path.handle, path.qp_num};
  }

  // Destroys all handles of an id that is about to be destroyed: its protection domain is freed
  // with the last user, if it is empty.
  void Destroy(IdRef id, const RdmaCmApi& api) {
    std::vector<ibv_ah*> handles;
    {
      const std::lock_guard lock(mutex_);
      services_[id.index].path.handle = nullptr;
      handles.swap(services_[id.index].made);
    }
    for (ibv_ah* const handle : handles) api.ibv_destroy_ah(handle);
  }

 private:
  struct Path {
    ibv_ah_attr attributes{};
    uint32_t qp_num = 0;
    ibv_ah* handle = nullptr;
  };
  struct Service {
    Path path;
    std::vector<ibv_ah*> made;  // for this path and earlier ones
  };
  std::mutex mutex_;
  std::vector<Service> services_;  // by id
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_SERVICES_H_
