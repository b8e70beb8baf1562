#include "sim/fabric/fabric.h"

#include <algorithm>
#include <utility>

namespace cm::sim {
namespace {

constexpr Duration kLoopbackLatency = Duration::Microseconds(4);
constexpr Duration kBehind = Duration::Microseconds(1);  // delay of a copy or an overtaken packet
constexpr Duration kHeldAtMost = Duration::Milliseconds(5);  // when no other message overtakes it

}  // namespace

Fabric::Fabric(const Topology* topology, const Profile* profile, StreamState coins)
    : topology_(topology),
      profile_(profile),
      devices_(topology->devices.size()),
      coins_(coins),
      held_(topology->devices.size(), kNobody) {
  for (uint8_t device = 0; device < devices_.size(); ++device) registered_.push_back(device);
}

void Fabric::Register(uint8_t device) {
  if (devices_[device].registered) return;
  for (uint8_t port = 0; port < devices_.size(); ++port) {
    if (!topology_->SameDevice(port, device)) continue;
    devices_[port].registered = devices_[port].receives = true;
    devices_[port].halted = false;
    if (devices_[port].hears == Hears::kNever) devices_[port].hears = Hears::kAtOnce;
    devices_[port].mute = false;
    registered_.push_back(port);
  }
}

void Fabric::Unregister(uint8_t device) {
  std::erase_if(registered_, [&](uint8_t port) { return topology_->SameDevice(port, device); });
  for (uint8_t port = 0; port < devices_.size(); ++port)
    if (topology_->SameDevice(port, device)) devices_[port].registered = false;
}

uint8_t Fabric::DeviceOf(const Address& address) const {
  if (address.kind != AddressKind::kSide) return kNoDevice;
  return topology_->sides[address.side].device;
}

uint8_t Fabric::LocalDevice(const Address& address, uint8_t kernel) const {
  const uint8_t device = DeviceOf(address);
  if (device == kNoDevice || KernelOf(device) != kernel) return kNoDevice;
  return device;
}

const InstalledRule* Fabric::Decide(Instant now, uint8_t from, uint8_t to, MadKind kind) {
  const InstalledRule* decided = nullptr;
  for (InstalledRule& rule : rules_) {
    const Fault& fault = rule.fault;
    if (!Names(fault.side, from) || !Names(fault.to, to) || !fault.messages.Has(kind)) continue;
    const Instant begins = rule.since + fault.after;
    if (now < begins || now - begins >= fault.window) continue;
    ++rule.seen;
    if (decided != nullptr || rule.seen < rule.fault.first) continue;
    if (rule.fault.last != 0 && rule.seen > rule.fault.last) continue;
    decided = &rule;
  }
  return decided;
}

Fabric::FateOfData Fabric::OfData(Instant now, uint8_t from, uint8_t to) const {
  if (!rules_hit_data || !CrossesLink(from, to)) return {};
  for (const auto& [fault, since, seen] : rules_) {
    const Instant begins = since + fault.after;
    const bool acts = now >= begins && now - begins < fault.window;
    if (!acts || !IsOnData(fault)) continue;
    if (!Names(fault.side, from) || !Names(fault.to, to)) continue;
    if (fault.Loses()) return {.lost = true, .later = {}};
    return {.lost = false, .later = fault.Effect() == PacketEffect::kLate ? fault.by : Duration()};
  }
  return {};
}

Duration Fabric::Leaves(Instant now, uint8_t from, uint8_t to, uint64_t bytes, uint64_t bits) {
  constexpr uint64_t kBits = 8;
  constexpr uint64_t kSecond = 1'000'000'000;
  if (bits == 0 || !CrossesLink(from, to)) return {};
  leaves_.resize(devices_.size());
  Instant& last = leaves_[from];
  const uint64_t nanoseconds = bytes * kBits * kSecond / bits;
  last = std::max(last, now) + Duration::Nanoseconds(static_cast<int64_t>(nanoseconds));
  return last - now;
}

// A delay with a tail is drawn from the whole range, its half, its quarter and so on.
Duration Fabric::DelayBy(const Fault& fault) {
  constexpr uint64_t kHalvings = 12;
  auto spread = static_cast<uint64_t>((fault.MostLate() - fault.by).nanoseconds());
  if (spread == 0) return fault.by;
  RandomChoice coin(&coins_);
  if (fault.shape == DelayShape::kTail) spread >>= coin.Below(kHalvings, "which part of a range");
  const uint64_t more = coin.Below(spread + 1, "how much later");
  return fault.by + Duration::Nanoseconds(static_cast<int64_t>(more));
}

void Fabric::Deliver(Agenda* agenda, uint8_t from, uint8_t to, const Mad& mad, Duration after) {
  const Instant arrives = agenda->Now() + after;
  agenda->At(arrives, EventKind::kPacketArrives,
             Take(from, to, mad, arrives, after > kLatency + kBehind));
}

uint32_t Fabric::Take(uint8_t from, uint8_t to, const Mad& mad, Instant arrives, bool late) {
  const uint32_t place = packets_.MakeAnyhow();
  Packet& packet = packets_[place];
  packet.from = from;
  packet.to = to;
  packet.late = late;
  packet.arrives = arrives;
  packet.mad = mad;
  return place;
}

void Fabric::Hold(Agenda* agenda, uint8_t from, uint8_t to, const Mad& mad) {
  const Instant arrives = agenda->Now() + kHeldAtMost;
  held_[from] = Take(from, to, mad, arrives, true);
  agenda->At(arrives, EventKind::kPacketArrives, held_[from]);
}

void Fabric::ReleaseHeld(Agenda* agenda, uint8_t from, Duration after) {
  if (held_[from] == kNobody) return;
  const uint32_t packet = held_[from];
  // One that is late itself does not overtake it.
  if (packets_[packet].arrives <= agenda->Now() + after) return;
  held_[from] = kNobody;
  packets_[packet].arrives = agenda->Now() + after;
  agenda->At(packets_[packet].arrives, EventKind::kPacketArrives, packet);
}

bool Fabric::CarriesTcp(uint8_t a, uint8_t b) const {
  if (!CrossesLink(a, b)) return true;
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
    if (!devices_[from].up || NeighbourWrong(from, to) || !Reaches(from, to)) return false;
  return true;
}

// Where that makes a device mute, either end of a link takes the carrier away; that of a bond is a
// switch's. source: observed lab 6.12-rxe, seeds 61 and 3004
bool Fabric::NoCarrier(uint8_t from, uint8_t to) const {
  if (!devices_[from].up) return true;
  return profile_->dialect.link_down_mutes && to != kNoDevice && !devices_[to].up &&
         topology_->Linked(from, to) && topology_->ShareLink(from, to);
}

bool Fabric::Send(Agenda* agenda, uint8_t from, uint8_t to, const Mad& mad) {
  const bool crosses = CrossesLink(from, to);
  const auto note = [&](bool lost, bool corrupt = false, bool doubled = false) {
    if (!watches) return;
    wire_notes.push_back({.at = agenda->Now(),
                          .from = from,
                          .to = to,
                          .lost = lost,
                          .corrupt = corrupt,
                          .doubled = doubled,
                          .mad = mad});
  };
  if (crosses && NoCarrier(from, to)) {
    note(true);
    // source: observed 6.1-rxe in the lab, rxe: "qp#1 Failed allocating skb"
    if (profile_->dialect.link_down_fails_sends) devices_[from].hears = Hears::kNever;
    devices_[from].mute |= profile_->dialect.link_down_mutes;
    return !profile_->dialect.link_down_fails_sends;
  }
  if (devices_[from].mute) {
    note(true);
    return true;
  }
  if (!crosses) {
    note(false);
    Deliver(agenda, from, to, mad, kLoopbackLatency);
    return true;
  }
  if (to == kNoDevice) {  // from a local address to a loopback address
    note(true);
    return true;
  }
  const InstalledRule* rule = Decide(agenda->Now(), from, to, mad.kind);
  const bool unreachable = !TakesWhatComes(to) || NeighbourWrong(from, to) || !Reaches(from, to);
  const PacketEffect effect = rule == nullptr ? PacketEffect::kNone : rule->fault.Effect();
  const bool dropped = rule != nullptr && rule->fault.Loses();
  const bool corrupt = effect == PacketEffect::kCorrupt && !unreachable;
  const bool lost = unreachable || dropped;
  const bool doubled = !lost && effect == PacketEffect::kDoubled;
  note(lost, corrupt, doubled);
  if (lost) return true;
  Duration after = kLatency;
  if (effect == PacketEffect::kLate) after = after + DelayBy(rule->fault);
  if (effect == PacketEffect::kOvertaken && held_[from] == kNobody) {
    Hold(agenda, from, to, mad);
    return true;
  }
  Deliver(agenda, from, to, mad, after);
  if (doubled) Deliver(agenda, from, to, mad, after + kBehind);
  ReleaseHeld(agenda, from, after + kBehind);
  return true;
}

void Fabric::SetAside(const Packet& due) {
  late_ = devices_[due.to].hears == Hears::kLater;
  if (late_) arrived_ = due;
}

const Packet* Fabric::Arrive(Instant now, uint32_t packet) {
  if (!packets_.Live(packet) || packets_[packet].arrives != now) return nullptr;
  const Packet& due = packets_[packet];
  if (held_[due.from] == packet) held_[due.from] = kNobody;
  const bool has_host = !topology_->devices[due.to].tester;
  // A prompt packet was sent before the interface can have gone down.
  const bool received = has_host && devices_[due.to].receives && !devices_[due.to].mute &&
                        (!due.late || TakesWhatComes(due.to));
  if (received && watches_arrivals) arrivals.push_back({now, due.from, due.to, due.mad});
  if (received && devices_[due.to].hears == Hears::kAtOnce) {
    arrived_ = due;
    packets_.Free(packet);
    return &arrived_;
  }
  if (received) SetAside(due);
  packets_.Free(packet);
  return nullptr;
}

}  // namespace cm::sim
