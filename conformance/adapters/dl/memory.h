// The registered memory of a conversation in one process, and the work posted on it.
#ifndef CONFORMANCE_ADAPTERS_DL_MEMORY_H_
#define CONFORMANCE_ADAPTERS_DL_MEMORY_H_

#include <infiniband/verbs.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "model/vocabulary/call.h"
#include "model/vocabulary/names.h"

namespace cm {

// Thread-safe.
class Memory {
 public:
  // `names` must outlive this object.
  explicit Memory(const Names& names) : names_(names), regions_(names.regions.size()) {}

  // The buffer to register, with its initial content. It stays mapped to the end: peers may still
  // know its address.
  uint8_t* NewBuffer(MrRef mr, uint32_t length);
  void SetRegion(MrRef mr, ibv_mr* region);
  ibv_mr* RegionAt(MrRef mr) const;
  uint32_t DigestOf(MrRef mr) const;

  // The parts of a work request as the C functions take them.
  std::vector<ibv_sge> SgesOf(const call::Work& work) const;
  struct Piece {
    void* address;
    uint32_t length;
    ibv_mr* region;
  };
  Piece FirstOf(const call::Work& work) const;
  // Its key is known to peers after the region is gone.
  struct Remote {
    uint64_t address;
    uint32_t key;
  };
  Remote RemoteOf(const call::Work& work) const;

  // Work is recorded before it is posted: another lane may see its completion before the call
  // returns.
  void NotePosted(const call::Work& work, bool receive);
  void ForgetPosted(const call::Work& work, bool receive);
  // The completion of work that was posted on the id.
  Completion Read(const ibv_wc& wc, IdRef id, bool receive, bool datagram);

 private:
  struct Region {
    ibv_mr* mr = nullptr;
    uint32_t key = 0;
    std::vector<uint8_t> buffer;
  };
  struct Posted {
    bool receive = false;
    call::Work work;
    bool Is(IdRef id, bool received, uint16_t context) const {
      return work.id == id && receive == received && work.context == context;
    }
  };
  ibv_sge In(const Sge& sge) const;
  uint32_t BytesOf(const call::Work& work, uint32_t length, bool datagram) const;

  const Names& names_;
  mutable std::mutex mutex_;
  std::vector<Region> regions_;
  std::vector<Posted> posted_;  // and not completed
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_MEMORY_H_
