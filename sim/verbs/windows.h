// Memory windows. source: linux 6.1 rxe_mw.c
#ifndef SIM_VERBS_WINDOWS_H_
#define SIM_VERBS_WINDOWS_H_

#include <cstdint>
#include <vector>

#include "sim/core/slab.h"
#include "sim/verbs/regions.h"

namespace cm::sim {

// Its number is unique, and is in its key; the last byte of the key changes when it is bound.
struct Window {
  bool live = false;
  bool belongs_to_qp = false;  // type 2: to the one that binds it
  uint8_t device = 0;          // by its first port
  uint32_t process = 0;
  uint64_t domain = 0;
  uint32_t key = 0;
  uint32_t region = kNobody;  // that it is bound to
  uint32_t qp_number = 0;     // of the queue pair that has bound it
  uint32_t access = 0;        // enum ibv_access_flags
  uint64_t address = 0;
  friend bool operator==(const Window&, const Window&) = default;
};

// A queue pair's request to bind a window.
struct Binding {
  uint32_t window = 0;  // its key
  uint32_t key = 0;     // the last byte is its own from now on
  uint32_t region = kNobody;
  uint32_t access = 0;
  uint64_t address = 0;
  uint64_t length = 0;  // 0: to nothing
  friend bool operator==(const Binding&, const Binding&) = default;
};

// The use of a window by a work request: to bind it; to invalidate it, by its key; or to reach
// memory at a remote address, by its key.
struct WindowUse {
  Binding binding;
  uint32_t key = 0;
  uint64_t address = 0;
  friend bool operator==(const WindowUse&, const WindowUse&) = default;
};

class Windows {
 public:
  // True for keys of windows; others are those of regions.
  static bool Has(uint32_t key) { return key >> 8 >= kFirstIndex; }

  // Returns its number.
  uint32_t Allocate(Window window);
  void Deallocate(uint32_t number, Regions* regions);
  const std::vector<Window>& all() const { return windows_; }

  // False where it is refused; nothing has changed then. source: linux 6.1 rxe_mw.c rxe_bind_mw
  bool Bind(const Protection& by, uint32_t qp_number, const Binding& to, Regions* regions);
  // False for an unknown key, for a window of type 1, and for one that is not bound.
  // source: linux 6.1 rxe_mw.c rxe_invalidate_mw
  bool Invalidate(uint8_t device, uint32_t key, Regions* regions);
  // What `use` reaches in the region of the window, `piece.length` bytes; false where a queue pair
  // may not. Whether they are in the region is the caller's to check, and those of the window are
  // not looked at. source: linux 6.1 rxe_mw.c rxe_lookup_mw, rxe_resp.c check_rkey
  bool Find(const Protection& by, uint32_t qp_number, uint32_t access, const WindowUse& use,
            const Regions& regions, Piece* piece) const;

  friend bool operator==(const Windows&, const Windows&) = default;

 private:
  static constexpr uint32_t kFirstIndex = 0x80001;  // source: linux 6.1 rxe_param.h

  Window* WithKey(uint32_t key);
  static void Unbind(Window* window, Regions* regions);

  std::vector<Window> windows_;
};

}  // namespace cm::sim

#endif  // SIM_VERBS_WINDOWS_H_
