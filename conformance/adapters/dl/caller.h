// Makes the calls of a conversation on the C functions, and reads their results.
#ifndef CONFORMANCE_ADAPTERS_DL_CALLER_H_
#define CONFORMANCE_ADAPTERS_DL_CALLER_H_

#include <mutex>
#include <optional>
#include <vector>

#include "conformance/adapters/dl/api.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"

namespace cm {

// The output of a call: return value and pointed-to results. Must not move while the call is
// blocked.
struct Products {
  rdma_event_channel* channel = nullptr;
  rdma_cm_id* id = nullptr;
  rdma_cm_event* event = nullptr;
  int value = 0;
  int error = 0;                    // errno
  std::optional<HandedOut> handed;  // further outputs
  rdma_addrinfo* info = nullptr;
  ibv_context** devices = nullptr;
  ibv_mr* region = nullptr;
};

// The objects behind a conversation's names in one process, and the calls on them. Thread-safe.
class Caller {
 public:
  // Both must outlive this object.
  Caller(const RdmaCmApi* api, const Conversation* conversation);

  // Sets the functions for all later calls: each process has its own.
  void Use(const RdmaCmApi* api) { api_ = api; }

  // Makes the call; returns when the C function does.
  void Make(const Call& call, Products* products);
  // The observation of a call that has returned; stores the objects that it created under their
  // names.
  seen::Answered Conclude(const Call& call, const Products& products);
  // Null when the name has no object.
  rdma_event_channel* ChannelOf(ChannelRef ref) const { return At(channels_, ref); }

 private:
  template <typename T, typename R>
  T* At(const std::vector<T*>& table, R ref) const {
    const std::lock_guard lock(mutex_);
    return table[ref.index];
  }
  rdma_cm_id* At(IdRef ref) const { return At(ids_, ref); }
  // Null for the null pointer as well.
  rdma_event_channel* At(ChannelRef ref) const {
    return ref.valid() ? At(channels_, ref) : nullptr;
  }

  // Makes one call on the C functions; what it returns in C. One for each call of the table, in the
  // file of its topic.
#define CM_ONE(number, type, function, linkage) \
  int One(const call::type& c, Products* products) const;
  CM_CALLS(CM_ONE)
#undef CM_ONE
  struct Registered {
    ibv_mr* mr = nullptr;
    uint32_t key = 0;  // peers may use it after the region is gone
  };
  std::vector<ibv_sge> SgesOf(const call::Work& work) const;
  uint8_t* AddressIn(MrRef mr, uint32_t offset) const;
  Registered RegionAt(MrRef mr) const;
  uint8_t* Buffer(MrRef mr, uint32_t length) const;
  Completion ReadCompletion(IdRef id, bool received, const ibv_wc& wc) const;
  uint32_t BytesOf(const call::Work& work, uint32_t length, bool datagram) const;
  void LearnRegion(const Call& call, const Products& products);
  // Posted work is recorded before it is posted: another lane may see its completion before the
  // call returns.
  void NotePosted(const call::Work& work, bool receive);
  void ForgetPosted(const call::Work& work, bool receive);
  // The path that a datagram id's ESTABLISHED reported.
  struct Service {
    ibv_ah_attr way{};
    uint32_t qp_num = 0;
    ibv_ah* handle = nullptr;   // for this path
    std::vector<ibv_ah*> made;  // all created for the id
  };
  void LearnService(IdRef id, const rdma_ud_param& ud);
  Service ServiceOf(IdRef id) const;
  // Destroys those of an id that is about to be destroyed.
  void DestroyHandles(IdRef id) const;
  // A context is never dereferenced: events and completions return it.
  static void* PointerOf(uint16_t context) {
    return reinterpret_cast<void*>(uintptr_t{context});  // NOLINT(performance-no-int-to-ptr)
  }
  DevicesHanded NamesOf(ibv_context** devices) const;
  AddrInfoHanded FieldsOf(const rdma_addrinfo& info) const;

  void SetId(IdRef ref, rdma_cm_id* id);
  IdRef NameOf(const rdma_cm_id* id) const;
  CmEvent Read(const rdma_cm_event& event) const;
  CmEvent ReadLater(const rdma_cm_event& event) const;
  CmEvent ReadDatagram(const rdma_cm_event& event) const;
  void ReadMembership(const rdma_ud_param& ud, CmEvent* read) const;
  Shown Look(rdma_cm_id* id) const;

  const RdmaCmApi* api_;
  const Conversation* conversation_;
  mutable std::mutex mutex_;  // guards the tables; never held during a library call
  std::vector<rdma_cm_id*> ids_;
  std::vector<rdma_event_channel*> channels_;
  std::vector<rdma_cm_event*> events_;
  std::vector<rdma_addrinfo*> infos_;   // by held name
  std::vector<ibv_context**> devices_;  // by held name
  struct RegionPlace {
    Registered registered;
    std::vector<uint8_t> buffer;
  };
  mutable std::vector<RegionPlace> regions_;
  mutable std::vector<Service> services_;  // by id
  struct Posted {
    IdRef id;
    bool receive = false;
    call::Work work;
  };
  mutable std::vector<Posted> posted_;  // posted and not completed
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_CALLER_H_
