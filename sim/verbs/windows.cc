#include "sim/verbs/windows.h"

namespace cm::sim {
namespace {

constexpr uint32_t kOwnByte = 0xff;  // of a key

// source: linux 6.1 rxe_mw.c rxe_check_bind_mw
bool MayBind(const Protection& by, const Region& region, const Binding& to) {
  const bool writes = (to.access & (kRemoteWrite | kRemoteAtomic)) != 0;
  if (!region.live || region.device != by.device || !region.binds ||
      (writes && !region.local_write))
    return false;
  if ((to.access & kZeroBased) != 0) return to.length <= region.size();
  return to.address >= region.address && to.length <= region.size() &&
         to.address - region.address <= region.size() - to.length;
}

}  // namespace

uint32_t Windows::Allocate(Window window) {
  const auto number = static_cast<uint32_t>(windows_.size());
  window.live = true;
  window.key = (kFirstIndex + number) << 8;
  windows_.push_back(window);
  return number;
}

void Windows::Deallocate(uint32_t number, Regions* regions) {
  Unbind(&windows_[number], regions);
  windows_[number].live = false;
}

Window* Windows::WithKey(uint32_t key) {
  const uint32_t number = (key >> 8) - kFirstIndex;
  if (!Has(key) || number >= windows_.size()) return nullptr;
  Window& window = windows_[number];
  return window.live && window.key == key ? &window : nullptr;
}

void Windows::Unbind(Window* window, Regions* regions) {
  if (window->region != kNobody) regions->LeaveWindow(window->region);
  window->region = kNobody;
  window->access = 0;
}

bool Windows::Bind(const Protection& by, uint32_t qp_number, const Binding& to, Regions* regions) {
  Window* const window = WithKey(to.window);
  if (window == nullptr || window->device != by.device) return false;
  const bool binds = to.length != 0;
  if (window->belongs_to_qp) {
    if (window->region != kNobody || window->domain != by.domain || !binds) return false;
  } else if ((to.access & kZeroBased) != 0) {
    return false;
  }
  if (binds && (to.region >= regions->all().size() || !MayBind(by, (*regions)[to.region], to)))
    return false;
  Unbind(window, regions);
  window->key = (window->key & ~kOwnByte) | (to.key & kOwnByte);
  window->access = to.access;
  window->address = to.address;
  window->qp_number = qp_number;
  if (!binds) return true;
  window->region = to.region;
  regions->EnterWindow(to.region);
  return true;
}

bool Windows::Invalidate(uint8_t device, uint32_t key, Regions* regions) {
  Window* const window = WithKey(key);
  if (window == nullptr || window->device != device || !window->belongs_to_qp ||
      window->region == kNobody)
    return false;
  Unbind(window, regions);
  return true;
}

bool Windows::Find(const Protection& by, uint32_t qp_number, uint32_t access, const WindowUse& use,
                   const Regions& regions, Piece* piece) const {
  const uint32_t number = (use.key >> 8) - kFirstIndex;
  if (!Has(use.key) || number >= windows_.size()) return false;
  const Window& window = windows_[number];
  const bool is_own = !window.belongs_to_qp || window.qp_number == qp_number;
  if (!window.live || window.key != use.key || window.device != by.device ||
      window.domain != by.domain || !is_own || window.region == kNobody ||
      (window.access & access) == 0)
    return false;
  const bool zero_based = (window.access & kZeroBased) != 0;
  const uint64_t address = use.address + (zero_based ? window.address : 0);
  const uint64_t offset = address - regions[window.region].address;
  if (offset > UINT32_MAX) return false;
  piece->region = window.region;
  piece->offset = static_cast<uint32_t>(offset);
  return true;
}

}  // namespace cm::sim
