#include "conformance/walks/owned_names.h"

namespace cm {

ChannelRef OwnedNames::NewChannel(uint8_t side) {
  channel_side_.push_back(side);
  return names_->channels.Intern("c" + std::to_string(channel_side_.size()));
}

IdRef OwnedNames::NewId(uint8_t side) {
  const IdRef id = names_->ids.Intern((side == kActiveSide ? "a" : "p") + std::to_string(++ids_));
  id_side_.resize(names_->ids.size(), side);
  return id;
}

std::pair<EventRef, IdRef> OwnedNames::NewEvent(uint8_t side) {
  event_side_.push_back(side);
  const std::string name = "e" + std::to_string(event_side_.size());
  const EventRef event = names_->events.Intern(name);
  const IdRef request = names_->ids.Intern(name + ".id");
  id_side_.resize(names_->ids.size(), side);
  return {event, request};
}

HeldRef OwnedNames::NewHeld(uint8_t side) {
  held_side_.push_back(side);
  return names_->held.Intern("h" + std::to_string(held_side_.size()));
}

MrRef OwnedNames::NewRegion(uint8_t side) {
  region_side_.push_back(side);
  return names_->regions.Intern("m" + std::to_string(region_side_.size()));
}

uint8_t OwnedNames::SideOf(const Call& call) const {
  if (const IdRef id = IdOf(call); id.valid()) return SideOf(id);
  if (const HeldRef held = HeldOf(call); held.valid()) return held_side_[held.index];
  if (const MrRef region = RegionOf(call); region.valid()) return SideOf(region);
  if (const auto* ack = std::get_if<call::AckCmEvent>(&call)) return SideOf(ack->event);
  return SideOf(ChannelOf(call));
}

}  // namespace cm
