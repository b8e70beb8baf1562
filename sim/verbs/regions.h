// Memory regions, and copying to and from them. source: linux 6.1 rxe_mr.c
#ifndef SIM_VERBS_REGIONS_H_
#define SIM_VERBS_REGIONS_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/core/slab.h"
#include "sim/fabric/fabric.h"
#include "sim/verbs/memory.h"

namespace cm::sim {

// Rights at a region or a window, as bits. source: <infiniband/verbs.h> enum ibv_access_flags
inline constexpr uint32_t kLocalWrite = 0x1;
inline constexpr uint32_t kRemoteWrite = 0x2;
inline constexpr uint32_t kRemoteRead = 0x4;
inline constexpr uint32_t kRemoteAtomic = 0x8;
inline constexpr uint32_t kBinds = 0x10;      // memory windows may be bound to it
inline constexpr uint32_t kZeroBased = 0x20;  // its addresses begin at 0
inline constexpr uint32_t kOnDemand = 0x40;   // paging on demand

// A registered buffer. Its number is unique, and is its key.
struct Region {
  bool live = false;
  bool local_write = true;
  bool remote_read = false;
  bool remote_write = false;
  bool remote_atomic = false;
  bool binds = false;          // memory windows may be bound to it
  uint32_t windows = 0;        // that are
  uint8_t device = 0;          // by its first port: usable on all ports
  bool external = false;       // it is in the memory of a process, with this length
  std::vector<uint8_t> bytes;  // the buffer outlives its registration
  uint32_t process = 0;
  uint64_t address = 0;
  uint64_t length = 0;
  uint64_t domain = 0;  // protection domain: only queue pairs of the same one may use it
  uint64_t size() const { return external ? length : bytes.size(); }
  friend bool operator==(const Region&, const Region&) = default;
};

// A range of a region: struct ibv_sge with the offset in place of the address.
struct Piece {
  uint32_t region = kNobody;
  uint32_t offset = 0;
  uint32_t length = 0;
  friend bool operator==(const Piece&, const Piece&) = default;
};

// Whose requests may use a region: the queue pairs of its device and protection domain.
struct Protection {
  uint8_t device = 0;  // by its first port
  uint64_t domain = 0;
};

class Regions {
 public:
  // The key of the region, which is live from now on. Never fails.
  uint32_t Register(Region region);
  // The key is invalid from now on; the region stays, for what was received into it.
  void Deregister(uint32_t number) { regions_[number].live = false; }
  // Changes all but where it is in memory.
  void Change(uint32_t number, Region region) { regions_[number] = std::move(region); }
  const Region& operator[](uint32_t number) const { return regions_[number]; }
  const std::vector<Region>& all() const { return regions_; }
  uint32_t live_count() const;

  // A window is bound to the region from now on; or no longer.
  void EnterWindow(uint32_t number) { ++regions_[number].windows; }
  void LeaveWindow(uint32_t number) { --regions_[number].windows; }

  // False for an unknown or invalid key, another device or domain, and a range that leaves the
  // region. Access flags are the caller's to check.
  // source: linux 6.1 rxe_mr.c lookup_mr, mr_check_range
  bool Reaches(const Protection& by, const Piece& piece) const;
  // As elements of a local request, read from or written to.
  // source: linux 6.1 rxe_resp.c send_data_in, rxe_comp.c do_read, do_atomic
  bool MayRead(const Protection& by, const std::vector<Piece>& pieces) const;
  bool MayWrite(const Protection& by, const std::vector<Piece>& pieces) const;

  // Copy from or to the pieces, in order; `memory` is needed for external regions. False when some
  // of the memory does not exist: its bytes are zeros then, or are not written.
  bool Gather(Memory* memory, const std::vector<Piece>& pieces, std::vector<uint8_t>* bytes) const;
  // Leaves out the first `skip` bytes of the pieces.
  bool Scatter(Memory* memory, const std::vector<Piece>& pieces, std::span<const uint8_t> bytes,
               uint32_t skip = 0);

  friend bool operator==(const Regions&, const Regions&) = default;

 private:
  bool ScatterOne(Memory* memory, const Piece& piece, std::span<const uint8_t> bytes);

  std::vector<Region> regions_;
};

}  // namespace cm::sim

#endif  // SIM_VERBS_REGIONS_H_
