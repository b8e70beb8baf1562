// The verbs objects as the program holds them: each begins with the public struct of
// <infiniband/verbs.h>.
#ifndef SIM_FAKE_LIBIBVERBS_OBJECTS_H_
#define SIM_FAKE_LIBIBVERBS_OBJECTS_H_

#include <infiniband/verbs.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sim/fake_libibverbs/requests.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {

// The libraries of providers compare the operations of a device with their own.
struct Device {
  ibv_device shown;
  const void* operations_of_provider;
  uapi::DeviceRecord record;
  uint32_t process;
  uint32_t place;  // index in the kernel's list of `world`
  uint32_t world;
};

// Soft-RoCE with a provider that has extended verbs; what is simulated beyond those of Soft-RoCE
// belongs to the same devices.
inline bool HasExtendedVerbs(const Device& device) {
  return device.record.old_provider == 0 && device.record.iwarp == 0;
}

// Inline functions and the libraries of providers look at the operations before the context.
struct Context {
  verbs_context shown;
  Device* device;
  Handle events;
};

struct ThreadDomain {
  ibv_td shown;
  std::atomic<uint32_t> users = 0;  // parent domains
};

// A protection domain. The machine knows it by its number, which is reported with the objects in
// it. A parent domain is one as well.
struct Domain {
  ibv_pd shown;
  uint32_t number;                  // unique; of a parent domain: that of the domain below
  std::atomic<uint32_t> users = 0;  // objects in it; it cannot be destroyed before them
  Domain* below = nullptr;          // of a parent domain
  ThreadDomain* threads = nullptr;  // the same
};

struct Region {
  ibv_mr shown;
  Handle key;
  uint32_t access;  // enum ibv_access_flags
};

struct MemoryWindow {
  ibv_mw shown;
  Handle handle;
};

struct AddressHandle {
  ibv_ah shown;
  ibv_ah_attr to;
};

struct CompletionQueue {
  union {
    ibv_cq_ex extended;
    ibv_cq shown;  // the same as far as it goes. Its mutex guards the two counters
  };
  Handle handle;
  uint32_t delivered;
  pthread_mutex_t polled;  // held while a thread reads completions one after the other
  ibv_wc current;          // the one that it reads
  ibv_pd* parent;          // its parent domain, or null
};

struct Channel {
  ibv_comp_channel shown;
  uint64_t name;  // of its descriptor
  std::atomic<bool> is_watched;
  std::mutex lock;
  std::vector<CompletionQueue*> queues;
};

// Of extended reliable connections.
struct XrcDomain {
  ibv_xrcd shown;
  Handle handle;
  int file;  // a duplicate of the descriptor that names it, so that no other file is taken for it;
             // or -1
};

struct SharedQueue {
  ibv_srq shown;
  Handle handle;
  uint32_t number;  // of XRC; else 0
};

// A work request between ibv_wr_start and ibv_wr_complete.
struct Built {
  ibv_send_wr work;
  std::vector<ibv_sge> pieces;
  std::vector<uint8_t> data;  // inline data
};

struct QueuePair {
  union {
    ibv_qp_ex extended;
    ibv_qp shown;  // its first member
  };
  Handle handle;
  ibv_qp_init_attr initial;
  ibv_qp_attr attributes;    // as set by ibv_modify_qp
  bool is_extended;          // made by ibv_create_qp_ex
  pthread_mutex_t building;  // held from ibv_wr_start on
  std::vector<Built> built;
  int build_error;  // the first one
};

template <typename T, typename Shown>
T* Whole(Shown* shown) {
  return reinterpret_cast<T*>(shown);
}

inline Context* ContextOf(ibv_context* context) {
  return Whole<Context>(reinterpret_cast<char*>(context) - offsetof(verbs_context, context));
}

inline uint32_t NumberOf(ibv_cq* queue) {
  return queue == nullptr ? 0 : Whole<CompletionQueue>(queue)->handle.number;
}

inline void Enter(ibv_pd* domain) { ++Whole<Domain>(domain)->users; }
inline void Leave(ibv_pd* domain) { --Whole<Domain>(domain)->users; }

inline uint32_t NumberOf(ibv_pd* domain) { return Whole<Domain>(domain)->number; }
inline uint32_t NumberOf(ibv_xrcd* domain) {
  return domain == nullptr ? 0 : Whole<XrcDomain>(domain)->handle.number;
}

// Index of a context's device in the kernel's list, or a negative errno.
int64_t PlaceOf(ibv_context* context);

// A request for an object of that context, named by its address.
uapi::ToldRecord TellOf(ibv_context* context, const void* object);
// Called after a destroy, which has returned the number of asynchronous events taken for the
// object; waits until they are acknowledged. Objects of an earlier world do not wait.
void AwaitAcknowledged(Handle object, const uapi::Answer& destroyed, pthread_mutex_t* mutex,
                       const uint32_t* acknowledged);

// For functions that return an errno.
inline int ErrnoOf(int64_t value) { return value < 0 ? static_cast<int>(-value) : 0; }

// For functions that return what a command of the kernel did, and leave it in errno. source:
// rdma-core 44 cmd_ioctl.c execute_ioctl, cmd.c
inline int Failed(int64_t value) {
  if (value < 0) errno = ErrnoOf(value);
  return ErrnoOf(value);
}

// For functions that set errno: returns null.
inline std::nullptr_t Refuse(int error) {
  errno = error;
  return nullptr;
}

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_OBJECTS_H_
