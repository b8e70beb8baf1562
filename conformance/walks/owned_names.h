// The names of a conversation, each owned by the side that its object is of.
#ifndef CONFORMANCE_WALKS_OWNED_NAMES_H_
#define CONFORMANCE_WALKS_OWNED_NAMES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/conversation/conversation.h"
#include "model/vocabulary/call.h"

namespace cm {

class OwnedNames {
 public:
  // `names` must outlive this.
  explicit OwnedNames(Names* names) : names_(names) {}

  ChannelRef NewChannel(uint8_t side);
  // For the id that a call of the side will create.
  IdRef NewId(uint8_t side);
  // The event, and the id that it creates if it is a request.
  std::pair<EventRef, IdRef> NewEvent(uint8_t side);
  HeldRef NewHeld(uint8_t side);
  MrRef NewRegion(uint8_t side);
  EventRef LastEvent() const { return EventRef{static_cast<uint16_t>(event_side_.size() - 1)}; }

  uint8_t SideOf(ChannelRef channel) const { return channel_side_[channel.index]; }
  uint8_t SideOf(IdRef id) const { return id_side_[id.index]; }
  uint8_t SideOf(EventRef event) const { return event_side_[event.index]; }
  uint8_t SideOf(MrRef region) const { return region_side_[region.index]; }
  // Of the call's id, list, region, event or channel.
  uint8_t SideOf(const Call& call) const;

 private:
  Names* names_;
  std::vector<uint8_t> channel_side_;
  std::vector<uint8_t> event_side_;
  std::vector<uint8_t> held_side_;  // lists and address infos
  std::vector<uint8_t> region_side_;
  std::vector<uint8_t> id_side_;
  int ids_ = 0;  // those that calls create
};

}  // namespace cm

#endif  // CONFORMANCE_WALKS_OWNED_NAMES_H_
