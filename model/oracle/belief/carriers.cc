#include "model/oracle/belief/carriers.h"

#include <algorithm>
#include <limits>

namespace cm::model {
namespace {

constexpr int64_t kStill = std::numeric_limits<int64_t>::max();

}  // namespace

void Carriers::Turn(uint8_t device, bool up, int64_t now) {
  if (IsUp(device) == up) return;
  std::vector<Span>& downs = devices_[device].downs;
  if (up)
    downs.back().latest = now;
  else
    downs.push_back({now, kStill});
}

bool Carriers::IsUp(uint8_t device) const {
  const std::vector<Span>& downs = devices_[device].downs;
  return downs.empty() || downs.back().latest != kStill;
}

void Carriers::NoteMute(uint8_t device, Certainty mute) {
  devices_[device].mute = std::max(devices_[device].mute, mute);
}

Certainty Carriers::Missed(uint8_t from, uint8_t to, Span sent) const {
  Certainty missed = Certainty::kNo;
  for (const uint8_t end : {from, to}) {
    // A bond that is down still takes what its links bring.
    if (end == kNoDevice || (end == to && topology_.devices[to].bonded)) continue;
    for (const Span& down : devices_[end].downs) {
      if (sent.earliest > down.earliest && sent.latest < down.latest) return Certainty::kYes;
      if (sent.latest >= down.earliest && sent.earliest <= down.latest) missed = Certainty::kMaybe;
    }
  }
  return missed;
}

Certainty Carriers::Mutes(const Flight& flight) const {
  return dialect_.link_down_mutes ? Missed(flight.from_device, flight.to_device, flight.since)
                                  : Certainty::kNo;
}

// What was sent before the link was down may still arrive.
Certainty Carriers::SentByMute(const Flight& flight, const Possibility& p) const {
  const Certainty mute = IsMute(flight.from_device, p);
  if (mute == Certainty::kNo) return mute;
  for (const uint8_t end : {flight.from_device, flight.to_device})
    for (const Span& down : devices_[end].downs)
      if (flight.since.earliest > down.earliest) return mute;
  return Certainty::kNo;
}

Certainty Carriers::Keeps(uint8_t device, uint8_t peer, Span sent, const Possibility& p) const {
  if (!dialect_.link_down_keeps_sends) return Certainty::kNo;
  return std::max(IsMute(device, p), Missed(device, peer, sent));
}

}  // namespace cm::model
