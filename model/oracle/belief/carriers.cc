#include "model/oracle/belief/carriers.h"

#include <algorithm>

namespace cm::model {

void Carriers::Turn(uint8_t device, bool up, Moment now) {
  if (IsUp(device) == up) return;
  std::vector<Down>& downs = devices_[device].downs;
  if (up)
    downs.back().until = now.at;
  else
    downs.push_back({now, kStill});
}

bool Carriers::IsUp(uint8_t device) const {
  const std::vector<Down>& downs = devices_[device].downs;
  return downs.empty() || downs.back().until != kStill;
}

bool Carriers::AnyDown() const {
  for (uint8_t device = 0; device < devices_.size(); ++device)
    if (!IsUp(device)) return true;
  return false;
}

void Carriers::NoteMute(uint8_t device, Certainty mute) {
  devices_[device].mute = std::max(devices_[device].mute, mute);
}

Certainty Carriers::Missed(const Flight& flight) const {
  Certainty missed = Certainty::kNo;
  const uint8_t to = flight.to_device;
  if (flight.from_device == to) return missed;  // it does not use the link
  const Span sent = flight.since;
  for (const uint8_t end : {flight.from_device, to}) {
    if (end == kNoDevice || (end == to && !OnOneLink(flight.from_device, to))) continue;
    for (const Down& down : devices_[end].downs) {
      if (down.from.Precedes(flight) && sent.latest < down.until) return Certainty::kYes;
      if (sent.latest >= down.from.at && sent.earliest <= down.until) missed = Certainty::kMaybe;
    }
  }
  return missed;
}

Certainty Carriers::Mutes(const Flight& flight) const {
  return dialect_.link_down_mutes ? Missed(flight) : Certainty::kNo;
}

bool Carriers::OnOneLink(uint8_t a, uint8_t b) const {
  return topology_.Linked(a, b) && topology_.ShareLink(a, b);
}

bool Carriers::WasDownBefore(const Flight& flight) const {
  for (const uint8_t end : {flight.from_device, flight.to_device})
    for (const Down& down : devices_[end].downs)
      if (down.from.Precedes(flight)) return true;
  return false;
}

// What was sent before the link was down may still arrive.
Certainty Carriers::SentByMute(const Flight& flight, const Possibility& p) const {
  return WasDownBefore(flight) ? IsMute(flight.from_device, p) : Certainty::kNo;
}

Certainty Carriers::SentToMute(const Flight& flight, const Possibility& p) const {
  const Certainty mute = IsMute(flight.to_device, p);
  return WasDownBefore(flight) ? mute : std::min(mute, Certainty::kMaybe);
}

Certainty Carriers::Keeps(uint8_t device, uint8_t peer, Span sent, const Possibility& p) const {
  if (!dialect_.link_down_keeps_sends) return Certainty::kNo;
  return std::max(IsMute(device, p),
                  Missed({.from_device = device, .to_device = peer, .since = {sent}}));
}

}  // namespace cm::model
