// The objects of verbs as the program holds them: each begins with what <infiniband/verbs.h> shows.
#ifndef SIM_STANDIN_OBJECTS_H_
#define SIM_STANDIN_OBJECTS_H_

#include <infiniband/verbs.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sim/standin/asking.h"
#include "sim/uapi/request.h"

namespace cm::sim::standin {

struct Device {
  ibv_device shown;
  uapi::DeviceRecord record;
  uint32_t process;
  uint32_t place;  // in the kernel's list of `world`
  uint32_t world;
};

struct Context {
  ibv_context shown;
  Device* device;
  Handle events;
};

// Of protection. The machine knows it by the number, which is told with the objects that are in it.
struct Domain {
  ibv_pd shown;
  uint32_t number;              // never given twice
  std::atomic<uint32_t> users;  // what is in it, which it does not go before
};

struct Region {
  ibv_mr shown;
  Handle key;
};

struct AddressHandle {
  ibv_ah shown;
  ibv_ah_attr to;
};

struct CompletionQueue {
  ibv_cq shown;  // its mutex guards the two counters
  Handle handle;
  uint32_t delivered;
};

struct Channel {
  ibv_comp_channel shown;
  uint64_t name;  // of its descriptor
  std::mutex lock;
  std::vector<CompletionQueue*> queues;
};

struct SharedQueue {
  ibv_srq shown;
  Handle handle;
};

struct QueuePair {
  ibv_qp shown;
  Handle handle;
  ibv_qp_init_attr initial;
  ibv_qp_attr attributes;  // as they were set
};

template <typename T, typename Shown>
T* Whole(Shown* shown) {
  return reinterpret_cast<T*>(shown);
}

inline uint32_t NumberOf(ibv_cq* queue) {
  return queue == nullptr ? 0 : Whole<CompletionQueue>(queue)->handle.number;
}

inline void Enter(ibv_pd* domain) { ++Whole<Domain>(domain)->users; }
inline void Leave(ibv_pd* domain) { --Whole<Domain>(domain)->users; }

inline uint32_t NumberOf(ibv_pd* domain) { return Whole<Domain>(domain)->number; }

// The place of a context's device in the kernel's list, or minus an errno.
int64_t PlaceOf(ibv_context* context);

// For an object of that context: it is called by its address.
uapi::ToldRecord TellOf(ibv_context* context, const void* object);
// After a destroy, which has said how many asynchronous events of the object were taken, until they
// are acknowledged. Of another world nobody is left who could.
void AwaitAcknowledged(Handle object, const uapi::Answer& destroyed, pthread_mutex_t* mutex,
                       const uint32_t* acknowledged);

// For functions that return an errno.
inline int ErrnoOf(int64_t value) { return value < 0 ? static_cast<int>(-value) : 0; }

// For functions that set it: null.
inline std::nullptr_t Refuse(int error) {
  errno = error;
  return nullptr;
}

// The operations behind the inline functions.
void FillOperations(ibv_context_ops* operations);

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_OBJECTS_H_
