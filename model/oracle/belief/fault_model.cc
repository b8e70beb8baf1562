#include "model/oracle/belief/fault_model.h"

#include <algorithm>

namespace cm::model {
namespace {

// Timeout of resolving the sender of a request.
constexpr Duration kLooksFor = Duration::Seconds(1);

// How long TCP retransmits. source: man tcp(7), tcp_retries2
constexpr Duration kTcpPatience = Duration::Seconds(16 * 60);

// Rules for messages apply to those of the IB CM; TCP hides duplicates.
bool OfEveryPacket(const Fault& fault) {
  return fault.messages == MadKinds::All() && fault.Effect() != PacketEffect::kDoubled;
}

}  // namespace

FaultModel::FaultModel(const Topology& topology, const Profile& profile)
    : Fixed<FaultPlaces>({topology, profile}),
      carriers_(topology, profile.dialect),
      neighbours_(topology.devices.size()),
      devices_(topology.devices.size()) {
  for (uint8_t device = 0; device < devices_.size(); ++device) order_.push_back(device);
}

void FaultModel::Inject(const Fault& fault, int64_t now, bool meets_flights) {
  if (injected_ < Moment::kByItself) ++injected_;
  disturbed_ |= RowOf(fault.kind).disturbs;
  if (fault.OnPackets()) return AddRule(fault, now, meets_flights);
  neighbours_.Keep();
  const uint8_t number = topology_.sides[fault.side].device;
  DeviceInfo& device = devices_[number];
  switch (fault.kind) {
    case FaultKind::kDrop:
    case FaultKind::kDelay:
    case FaultKind::kDuplicate:
    case FaultKind::kReorder:
    case FaultKind::kCorrupt:
      return;
    case FaultKind::kLinkDown:
      return SetLink(number, false, ThisFault(now));
    case FaultKind::kLinkUp:
      neighbours_.Learn();
      return SetLink(number, true, ThisFault(now));
    case FaultKind::kRemoveDevice:
    case FaultKind::kAddDevice:
      return SetDevice(number, fault.kind == FaultKind::kAddDevice, now);
    case FaultKind::kFailOver:
      ++device.fail_overs;
      // The GIDs are those of the ports. source: linux 6.1 roce_gid_mgmt.c, which is of RoCE
      if (profile_.transport == Transport::kInfiniband) return;
      device.failed_over.push_back({now, now + profile_.timing.prompt.nanoseconds()});
      device.may_be_deaf = true;
      return;
    case FaultKind::kNeighbourChange:
      neighbours_.of(number) = NeighbourTable(Neighbour::kWrong);
      device.neighbour_changed = ThisFault(now);
      return;
    case FaultKind::kNeighbourExpires:
      return neighbours_.of(number).Expire();
    case FaultKind::kExit:
      return;
    case FaultKind::kDuplicateAddress:
      for (uint8_t peer = 0; peer < devices_.size(); ++peer) {
        if (peer == number || !topology_.Linked(peer, number)) continue;
        neighbours_.of(peer).Set(number, Neighbour::kWrong);
        devices_[peer].neighbour_changed = ThisFault(now);
      }
      return;
    case FaultKind::kFlap:
      turns_.push_back(
          {.device = number, .at = now, .every = fault.by.nanoseconds(), .left = 2 * fault.last});
      device.flaps_until =
          std::max(device.flaps_until, now + (2 * fault.last - 1) * fault.by.nanoseconds());
      losses_end_.push_back(device.flaps_until);
      return Turn();
    case FaultKind::kCrash:
    case FaultKind::kRestart:
      return SetHost(topology_.KernelOf(fault.side), fault.kind == FaultKind::kRestart);
    case FaultKind::kSilenceSm:
      if (device.silences.empty() || device.silences.back().end != kStill)
        device.silences.push_back({now, kStill});
      return;
  }
}

void FaultModel::Heal(int64_t now) {
  if (injected_ < Moment::kByItself) ++injected_;
  // What is delayed or held back stays so, and TCP's retransmissions arrive later still.
  const bool over_tcp = profile_.transport == Transport::kIwarp;
  std::erase_if(rules_, [over_tcp](const Rule& rule) {
    const PacketEffect effect = rule.fault.Effect();
    return !over_tcp && effect != PacketEffect::kLate && effect != PacketEffect::kOvertaken;
  });
  for (Rule& rule : rules_) {
    if (rule.until != kStill) continue;
    rule.until = now;
    rule.healed = injected_;
  }
  turns_.clear();
  neighbours_.Keep();
  neighbours_.Learn();
  for (uint8_t number = 0; number < devices_.size(); ++number) {
    DeviceInfo& device = devices_[number];
    if (!device.up) SetLink(number, true, ThisFault(now));
    if (neighbours_.of(number).Has(Neighbour::kWrong)) device.neighbour_changed = ThisFault(now);
    device.flaps_until = std::min(device.flaps_until, now);
    neighbours_.of(number) = NeighbourTable();
    if (!device.silences.empty())
      device.silences.back().end = std::min(device.silences.back().end, now);
  }
}

void FaultModel::SetLink(uint8_t number, bool up, Moment now) {
  carriers_.Turn(number, up, now);
  DeviceInfo* const device = &devices_[number];
  device->up = up;
  device->may_be_deaf |= !up && profile_.dialect.link_down_fails_sends;
  device->link_changed = now;
}

bool FaultModel::MayBeDeafWhenAdded(const DeviceInfo& info) const {
  return info.registered && !info.up && profile_.dialect.link_down_fails_sends;
}

// All ports of it.
void FaultModel::SetDevice(uint8_t device, bool registered, int64_t now) {
  if (devices_[device].halted || devices_[device].registered == registered) return;
  for (uint8_t port = 0; port < devices_.size(); ++port) {
    if (!topology_.SameDevice(port, device)) continue;
    DeviceInfo& info = devices_[port];
    info.registered = registered;
    std::erase(order_, port);
    order_.push_back(port);
    info.changes = true;
    info.may_be_deaf = MayBeDeafWhenAdded(info);
    if (registered) carriers_.Renew(port);  // what a mute one sends while it is removed is lost
    info.changed = now;
    info.deaf_from = now + profile_.timing.prompt.nanoseconds();
  }
}

void FaultModel::SetHost(uint8_t kernel, bool runs) {
  for (uint8_t device = 0; device < devices_.size(); ++device) {
    DeviceInfo& info = devices_[device];
    if (topology_.devices[device].kernel != kernel || info.halted != runs) continue;
    info.halted = !runs;
    info.registered = runs;
    info.may_be_deaf = MayBeDeafWhenAdded(info);
    carriers_.Renew(device);
    std::erase(order_, device);
    order_.push_back(device);
  }
}

std::vector<FaultModel::LinkTurn>::const_iterator FaultModel::FirstTurn() const {
  return std::ranges::min_element(turns_, {}, &LinkTurn::at);
}

std::optional<int64_t> FaultModel::NextTurn(int64_t until) const {
  const auto first = FirstTurn();
  if (first == turns_.end() || first->at > until) return std::nullopt;
  return first->at;
}

void FaultModel::Turn() {
  const auto first = turns_.begin() + (FirstTurn() - turns_.cbegin());
  --first->left;
  SetLink(first->device, first->left % 2 == 0, {.at = first->at});
  first->at += first->every;
  if (first->left == 0) turns_.erase(first);
}

FaultModel::Query FaultModel::QueryOf(uint8_t device, Span since, Duration patience) const {
  Query query{.answered_from = since.earliest};
  const int64_t last = since.earliest + (patience - Timing::AskInterval(patience)).nanoseconds();
  bool at_first = false;
  bool at_last = false;
  for (const Change& silence : devices_[device].silences) {
    query.silenced = true;
    if (silence.end < since.earliest) continue;
    query.prompt = false;
    at_first |= silence.begin <= since.latest;
    at_last |= silence.end >= last;
    if (silence.begin < query.answered_from) query.answered_from = silence.end;
  }
  query.answered = query.answered_from != kStill;
  query.unheard = at_first && at_last;
  return query;
}

Asking FaultModel::AskingFor(uint8_t device, uint8_t peer) const {
  if (!Reaches(device, peer)) return kUnanswered;
  if (neighbours_.of(device)[peer] != Neighbour::kAbsent) return {};
  // What it has learnt goes with the link, but a bond has others. source: linux 6.1 neighbour.c
  // neigh_carrier_down
  const bool bonded = topology_.devices[device].bonded || topology_.devices[peer].bonded;
  const bool up = devices_[device].up && devices_[peer].up;
  return {.asks = true, .answered = bonded ? Certainty::kMaybe : Of(up)};
}

void FaultModel::Occupy(uint8_t device, int64_t now) {
  const Timing& timing = profile_.timing;
  for (size_t own = 0; own < devices_.size(); ++own) {
    if (topology_.devices[own].kernel != topology_.devices[device].kernel) continue;
    int64_t& until = devices_[own].busy_until;
    until = std::max(until, now + timing.prompt.nanoseconds());
    until += timing.Latest(kLooksFor).nanoseconds();
  }
}

void FaultModel::Settle(int64_t now) {
  for (DeviceInfo& device : devices_) {
    device.deaf_from = std::min(device.deaf_from, now);
    for (Change& change : device.failed_over) change.end = std::min(change.end, now);
  }
}

// Whether an event that began at `since` may still be in progress.
bool FaultModel::Prompt(int64_t since, const Window& window) const {
  const int64_t bound = profile_.timing.prompt.nanoseconds();
  return since > window.settled.earliest && since + bound >= window.begin;
}

Certainty FaultModel::Registered(uint8_t device, const Window& window) const {
  const DeviceInfo& info = devices_[device];
  if (info.changes && Prompt(info.changed, window)) return Certainty::kMaybe;
  return info.registered ? Certainty::kYes : Certainty::kNo;
}

Certainty FaultModel::SourceLost(uint8_t device, uint32_t from, uint32_t to,
                                 const Window& window) const {
  const DeviceInfo& info = devices_[device];
  if (from == info.fail_overs || profile_.transport == Transport::kInfiniband)
    return Certainty::kNo;
  const bool only_now = to + 1 == info.fail_overs && Prompt(info.failed_over.back().begin, window);
  return to >= info.fail_overs || only_now ? Certainty::kMaybe : Certainty::kYes;
}

uint8_t FaultModel::FirstWorking(uint8_t kernel, const Window& window, Certainty least) const {
  uint8_t first = kNoDevice;
  for (const uint8_t device : order_) {
    if (topology_.devices[device].kernel != kernel || Registered(device, window) < least) continue;
    if (devices_[device].up) return device;
    if (first == kNoDevice) first = device;
  }
  return first;
}

InlineVector<uint8_t, 2> FaultModel::LoopbackDevices(uint8_t kernel, const Window& window) const {
  InlineVector<uint8_t, 2> found;
  const uint8_t early = FirstWorking(kernel, window, Certainty::kMaybe);
  const uint8_t late = FirstWorking(kernel, window, Certainty::kYes);
  found.push_back(early);
  if (late != early) found.push_back(late);
  return found;
}

Certainty FaultModel::SentWithoutSource(const Flight& flight) const {
  if (flight.source_from == kNoSource) return Certainty::kNo;
  const std::vector<Change>& failed_over = devices_[flight.from_device].failed_over;
  const auto goes = [&](uint8_t source) {
    if (source >= failed_over.size() || flight.since.latest < failed_over[source].begin)
      return Certainty::kNo;
    return flight.since.earliest >= failed_over[source].end ? Certainty::kYes : Certainty::kMaybe;
  };
  const Certainty first = goes(flight.source_from);
  return goes(flight.source_to) == first ? first : Certainty::kMaybe;
}

// TCP retransmits with growing timeouts, and drops duplicates. While a link is down or a neighbour
// is wrong nothing arrives; there is no observation of the time after that.
Fate FaultModel::FateOverTcp(const Flight& flight) const {
  Fate fate;
  if (flight.from_device == flight.to_device) return fate;
  const auto felt = [&](int64_t last) {
    return last != kNoTime && flight.since.earliest - kTcpPatience.nanoseconds() <= last;
  };
  bool meddled = false;
  for (const uint8_t device : {flight.from_device, flight.to_device}) {
    const DeviceInfo& info = devices_[device];
    meddled |= !info.up || felt(info.link_changed.at);
    meddled |= neighbours_.of(device).Has(Neighbour::kWrong) || felt(info.neighbour_changed.at);
    meddled |= !info.failed_over.empty() && felt(info.failed_over.back().begin);
  }
  fate.can_be_lost = meddled;
  if (meddled) fate.late += kTcpPatience.nanoseconds();
  for (const Rule& rule : rules_) {
    const bool on_its_way =
        Names(rule.fault.side, flight.from_device) || Names(rule.fault.side, flight.to_device);
    if (on_its_way && OfEveryPacket(rule.fault) && felt(rule.last()))
      fate.late += kTcpPatience.nanoseconds();
  }
  return fate;
}

bool FaultModel::Parted(uint8_t a, uint8_t b) const {
  if (a == b) return false;
  for (const uint8_t device : {a, b}) {
    const uint8_t other = device == a ? b : a;
    if (!devices_[device].up || neighbours_.Wrong(device, other) || !Reaches(device, other))
      return true;
    for (const Rule& rule : rules_) {
      const bool here = Names(rule.fault.side, device) && rule.until == kStill;
      if (here && rule.fault.Loses() && OfEveryPacket(rule.fault)) return true;
    }
  }
  return false;
}

Duration FaultModel::LongestDelay(const Flight& flight) const {
  Duration longest;
  for (const Rule& rule : rules_) {
    const bool delays = rule.counted == kNoRule && rule.fault.Effect() == PacketEffect::kLate;
    if (delays && Matches(rule, flight)) longest = std::max(longest, rule.fault.MostLate());
  }
  return longest;
}

void FaultModel::TellEpochs(Possibility* p) const {
  if (losses_end_.empty()) return;
  for (Flight& flight : p->flights) {
    const auto over = [&](int64_t end) { return end < flight.since.earliest; };
    flight.epoch = static_cast<uint8_t>(std::ranges::count_if(losses_end_, over));
  }
}

// Its turns may be late by the time of a prompt event.
bool FaultModel::MeetsLinkDown(const Flight& flight) const {
  const int64_t prompt = profile_.timing.prompt.nanoseconds();
  const auto stays_down = [&](uint8_t number) {
    const DeviceInfo& device = devices_[number];
    if (device.up || flight.since.earliest <= device.link_changed.at + prompt) return false;
    return std::ranges::none_of(turns_, [&](const LinkTurn& turn) {
      return turn.device == number && turn.at <= flight.since.latest + prompt;
    });
  };
  // A bond that is down still receives what its links bring. source: observed 6.1-rxe in the lab
  const bool hears = topology_.devices[flight.to_device].bonded;
  return stays_down(flight.from_device) || (!hears && stays_down(flight.to_device));
}

void FaultModel::ApplyLinks(const Flight& flight, Fate* fate) const {
  const DeviceInfo& from = devices_[flight.from_device];
  const DeviceInfo& to = devices_[flight.to_device];
  const int64_t flapping = std::max(from.flaps_until, to.flaps_until);
  const bool flaps = flapping != kNoTime && flight.since.earliest <= flapping;
  if (flaps) {
    fate->Lose(MeetsLinkDown(flight) ? Certainty::kYes : Certainty::kMaybe);
    fate->fails_at_sender |= profile_.dialect.link_down_fails_sends;
  } else if (!from.up || !to.up) {
    fate->fails_at_sender |= !from.up && profile_.dialect.link_down_fails_sends;
    const Moment changed = from.up ? to.link_changed : from.link_changed;
    // A bond that is down still receives what its links bring. source: observed 6.1-rxe in the lab
    const bool hears = from.up && topology_.devices[flight.to_device].bonded;
    fate->Lose(changed.Precedes(flight) && !hears ? Certainty::kYes : Certainty::kMaybe);
  }
  // It may have been sent while the link was still down: its failure is reported later.
  if (!flaps && from.up && !from.link_changed.Precedes(flight) && flight.hit == kNoRule)
    fate->fails_at_sender |= profile_.dialect.link_down_fails_sends;
}

Fate FaultModel::FateBeforeRules(const Flight& flight, const Possibility& p) const {
  Fate fate;
  if (flight.to_device == kNoDevice) {  // as from a local address to a loopback address
    const bool fails = !devices_[flight.from_device].up && profile_.dialect.link_down_fails_sends;
    fate.Lose(Certainty::kYes);
    fate.fails_at_sender = fails || SentWithoutSource(flight) != Certainty::kNo;
    return fate;
  }
  // An answer needs an address handle; what asks has one already.
  const bool asks = flight.kind == Sends::kReq || flight.kind == Sends::kRep ||
                    flight.kind == Sends::kDreq || flight.kind == Sends::kSidrReq;
  if (!asks) fate.Lose(HandlesTaken(flight.from_device));
  const DeviceInfo& to = devices_[flight.to_device];
  fate.late = std::max<int64_t>(fate.late, to.busy_until - flight.since.latest);
  fate.Lose(Of(topology_.devices[flight.to_device].tester));  // which receives nothing
  const Certainty unsent = SentWithoutSource(flight);
  fate.Lose(unsent);
  fate.fails_at_sender = unsent != Certainty::kNo;
  // source: observed lab 6.1-rxe, the deaf device in docs/decisions.md
  if (to.may_be_deaf) fate.Lose(Certainty::kMaybe);
  // The device that is being removed still receives for a moment.
  const bool deaf = flight.since.earliest >= to.deaf_from;
  if (!to.registered) fate.Lose(deaf ? Certainty::kYes : Certainty::kMaybe);
  fate.mutes = carriers_.Mutes(flight);
  fate.Lose(
      std::max({fate.mutes, carriers_.SentByMute(flight, p), carriers_.SentToMute(flight, p)}));
  if (flight.from_device == flight.to_device) return fate;  // it does not use the link
  const DeviceInfo& from = devices_[flight.from_device];
  ApplyLinks(flight, &fate);
  fate.Lose(Of(!Reaches(flight.from_device, flight.to_device)));
  fate.for_now = !fate.can_arrive;
  if (neighbours_.Wrong(flight.from_device, flight.to_device))
    fate.Lose(from.neighbour_changed.Precedes(flight) ? Certainty::kYes : Certainty::kMaybe);
  return fate;
}

Fate FaultModel::FateOf(const Flight& flight, const Possibility& p) const {
  if (profile_.transport == Transport::kIwarp) return FateOverTcp(flight);
  Fate fate = FateBeforeRules(flight, p);
  const bool on_link = flight.to_device != kNoDevice && flight.from_device != flight.to_device;
  if (!on_link) return fate;
  if (flight.doomed) {
    fate.Lose(Certainty::kYes);
    return fate;
  }
  if (flight.hit != kNoRule) {
    const Fault& fault = counted_[flight.hit];
    Delay(fault, &fate);
    fate.early = fault.by.nanoseconds();
    return fate;
  }
  bool asked = true;
  for (const Rule& rule : rules_) {
    const Certainty decides = ApplyRule(rule, flight, p.hits, asked, &fate);
    if (decides == Certainty::kYes) break;
    asked = asked && decides == Certainty::kNo;
  }
  return fate;
}

}  // namespace cm::model
