// The objects of the simulated libraries behind a conversation's names.
#ifndef CONFORMANCE_ADAPTERS_SIM_SIM_NAMES_H_
#define CONFORMANCE_ADAPTERS_SIM_SIM_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/vocabulary/names.h"
#include "sim/core/slab.h"
#include "sim/lib/calls.h"

namespace cm::sim {

class SimNames {
 public:
  // `names` must outlive this object.
  explicit SimNames(const Names& names)
      : names_(&names),
        ids_(names.ids.size(), kNobody),
        channels_(names.channels.size(), kNobody),
        events_(names.events.size(), kNobody),
        regions_(names.regions.size(), kNobody),
        sides_(names.ids.size()) {}

  uint32_t Id(IdRef ref) const { return ids_[ref.index]; }
  uint8_t SideOf(IdRef ref) const { return sides_[ref.index]; }
  // kNobody for a null pointer.
  uint32_t Channel(ChannelRef ref) const { return ref.valid() ? channels_[ref.index] : kNobody; }
  uint32_t Event(EventRef ref) const { return events_[ref.index]; }

  void Set(IdRef ref, uint8_t side, uint32_t id) {
    for (size_t i = 0; i < ids_.size(); ++i)
      if (ids_[i] == id && sides_[i] == side) ids_[i] = kNobody;  // the place is used again
    ids_[ref.index] = id;
    sides_[ref.index] = side;
  }
  void Set(ChannelRef ref, uint8_t /*side*/, uint32_t channel) { channels_[ref.index] = channel; }
  void Set(EventRef ref, uint8_t /*side*/, uint32_t event) { events_[ref.index] = event; }
  uint32_t Region(MrRef ref) const { return ref.valid() ? regions_[ref.index] : kNobody; }
  const std::string& NameOf(MrRef ref) const { return names_->regions.NameOf(ref); }
  void Set(MrRef ref, uint8_t /*side*/, uint32_t region) { regions_[ref.index] = region; }
  static void Set(HeldRef /*ref*/, uint8_t /*side*/, uint32_t /*made*/) {}
  void Forget(IdRef ref) { ids_[ref.index] = kNobody; }
  void Forget(ChannelRef ref) { channels_[ref.index] = kNobody; }
  void Forget(EventRef ref) { events_[ref.index] = kNobody; }
  // The peer still knows the key of a region that is gone.
  static void Forget(MrRef /*ref*/) {}
  static void Forget(HeldRef /*ref*/) {}

  // Adds what the name stands for to what a call is given.
  void PutInto(Named* named, IdRef ref) const { named->id = Id(ref); }
  void PutInto(Named* named, ChannelRef ref) const { named->channel = Channel(ref); }
  void PutInto(Named* named, EventRef ref) const { named->event = Event(ref); }
  void PutInto(Named* named, MrRef ref) const { named->regions.push_back(Region(ref)); }
  static void PutInto(Named* /*named*/, HeldRef /*ref*/) {}

  // The name of a library's id; none when the conversation has no name for it.
  IdRef NameOf(uint8_t side, uint32_t id) const {
    for (uint16_t i = 0; i < ids_.size(); ++i)
      if (ids_[i] == id && sides_[i] == side) return IdRef{i};
    return {};
  }

 private:
  const Names* names_;
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> channels_;
  std::vector<uint32_t> events_;
  std::vector<uint32_t> regions_;
  std::vector<uint8_t> sides_;  // of the ids
};

}  // namespace cm::sim

#endif  // CONFORMANCE_ADAPTERS_SIM_SIM_NAMES_H_
