#include "sim/fabric/fabric.h"

namespace cm::sim {
namespace {

constexpr Duration kLinkLatency = Duration::Microseconds(10);
constexpr Duration kLoopbackLatency = Duration::Microseconds(4);
constexpr Duration kBehind =
    Duration::Microseconds(1);  // how far a copy or an overtaken packet is behind
constexpr Duration kHeldAtMost =
    Duration::Milliseconds(5);  // when no other message comes to pass it

}  // namespace

Fabric::Fabric(const Topology* topology, const Profile* profile)
    : topology_(topology),
      profile_(profile),
      devices_(topology->devices.size()),
      held_(topology->devices.size(), kNobody) {
  for (uint8_t device = 0; device < devices_.size(); ++device) registered_.push_back(device);
}

void Fabric::Register(uint8_t device) {
  if (devices_[device].registered) return;
  devices_[device].registered = devices_[device].receives = true;
  devices_[device].deaf = false;
  registered_.push_back(device);
}

void Fabric::Unregister(uint8_t device) {
  devices_[device].registered = false;
  std::erase(registered_, device);
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

const InstalledRule* Fabric::Decide(Instant now, uint8_t from, MadKind kind) {
  const InstalledRule* decided = nullptr;
  for (InstalledRule& rule : rules_) {
    if (topology_->sides[rule.fault.side].device != from || !rule.fault.messages.Has(kind))
      continue;
    if (now - rule.since >= rule.fault.window) continue;
    ++rule.seen;
    if (decided != nullptr || rule.seen < rule.fault.first) continue;
    if (rule.fault.last != 0 && rule.seen > rule.fault.last) continue;
    decided = &rule;
  }
  return decided;
}

void Fabric::Deliver(Agenda* agenda, uint8_t from, uint8_t to, const Mad& mad, Duration after) {
  const Instant arrives = agenda->Now() + after;
  agenda->At(arrives, EventKind::kPacketArrives, Take(from, to, mad, arrives));
}

uint32_t Fabric::Take(uint8_t from, uint8_t to, const Mad& mad, Instant arrives) {
  const uint32_t place = packets_.Make();
  Packet& packet = packets_[place];
  packet.from = from;
  packet.to = to;
  packet.arrives = arrives;
  packet.mad = mad;
  return place;
}

void Fabric::Hold(Agenda* agenda, uint8_t from, uint8_t to, const Mad& mad) {
  const Instant arrives = agenda->Now() + kHeldAtMost;
  held_[from] = Take(from, to, mad, arrives);
  agenda->At(arrives, EventKind::kPacketArrives, held_[from]);
}

void Fabric::ReleaseHeld(Agenda* agenda, uint8_t from, Duration after) {
  if (held_[from] == kNobody) return;
  const uint32_t packet = held_[from];
  held_[from] = kNobody;
  packets_[packet].arrives = agenda->Now() + after;
  agenda->At(packets_[packet].arrives, EventKind::kPacketArrives, packet);
}

bool Fabric::CarriesTcp(uint8_t a, uint8_t b) const {
  if (!CrossesLink(a, b)) return true;
  for (const uint8_t device : {a, b})
    if (!devices_[device].up || devices_[device].neighbour_wrong) return false;
  return true;
}

bool Fabric::Send(Agenda* agenda, uint8_t from, uint8_t to, const Mad& mad) {
  const bool crosses = CrossesLink(from, to);
  const auto note = [&](bool lost) {
    if (!watches) return;
    wire_notes.push_back({agenda->Now(), from, to, lost, mad});
  };
  if (crosses && !devices_[from].up) {
    note(true);
    // source: observed 6.1-rxe in the lab, rxe: "qp#1 Failed allocating skb"
    devices_[from].deaf |= profile_->dialect.link_down_fails_sends;
    return !profile_->dialect.link_down_fails_sends;
  }
  if (!crosses) {
    note(false);
    Deliver(agenda, from, to, mad, kLoopbackLatency);
    return true;
  }
  if (to == kNoDevice) {  // as from an address of one's own to a loopback address
    note(true);
    return true;
  }
  const InstalledRule* rule = Decide(agenda->Now(), from, mad.kind);
  // A bond that is down still takes what its links bring. source: observed 6.1-rxe in the lab
  const bool hears = devices_[to].up || topology_->devices[to].bonded;
  const bool unreachable = !hears || devices_[from].neighbour_wrong;
  const bool dropped = rule != nullptr && rule->fault.kind == FaultKind::kDrop;
  note(unreachable || dropped);
  if (unreachable || dropped) return true;
  Duration after = kLinkLatency;
  if (rule != nullptr && rule->fault.kind == FaultKind::kDelay) after = after + rule->fault.by;
  if (rule != nullptr && rule->fault.kind == FaultKind::kReorder && held_[from] == kNobody) {
    Hold(agenda, from, to, mad);
    return true;
  }
  Deliver(agenda, from, to, mad, after);
  if (rule != nullptr && rule->fault.kind == FaultKind::kDuplicate)
    Deliver(agenda, from, to, mad, after + kBehind);
  ReleaseHeld(agenda, from, after + kBehind);
  return true;
}

std::optional<Packet> Fabric::Arrive(Instant now, uint32_t packet) {
  if (!packets_.Live(packet) || packets_[packet].arrives != now) return std::nullopt;
  std::optional<Packet> arrived(packets_[packet]);
  if (held_[arrived->from] == packet) held_[arrived->from] = kNobody;
  packets_.Free(packet);
  if (!devices_[arrived->to].receives || devices_[arrived->to].deaf) arrived.reset();
  return arrived;
}

}  // namespace cm::sim
