// Devices, interfaces and the links between them; what becomes of a message under way.
#ifndef SIM_FABRIC_FABRIC_H_
#define SIM_FABRIC_FABRIC_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "model/base/choice.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/core/agenda.h"
#include "sim/core/slab.h"
#include "sim/fabric/mad.h"

namespace cm::sim {

inline constexpr uint8_t kNoDevice = 0xff;
inline constexpr uint32_t kAllDevices = 0xffffffff;  // as a set of devices

// One message between two devices.
struct Packet {
  bool live = false;
  uint8_t from = 0;
  uint8_t to = 0;
  bool late = false;  // under way for longer than the link takes
  Instant arrives;    // an arrival event at another instant is stale
  Mad mad;
  friend bool operator==(const Packet&, const Packet&) = default;
};

// When a device's CM handles what reaches it.
enum class Hears : uint8_t {
  kAtOnce,
  kNever,  // a send of it failed in its driver
  kLater,  // its kernel's CM is busy
};

// A port of an RDMA device and the network interface under it.
struct DeviceState {
  bool registered = true;  // ids can be bound to it
  bool receives = true;    // messages reach it
  Hears hears = Hears::kAtOnce;
  bool up = true;                 // its interface
  uint32_t wrong_neighbours = 0;  // devices that its interface has a wrong hardware address of
  uint8_t bond_slave = 0;         // which of the two interfaces of its bond is active
  uint32_t fail_overs = 0;        // of its bond; each makes new GIDs
  bool sm_silent = false;         // nobody administers its subnet
  bool halted = false;            // its host is not running
  friend bool operator==(const DeviceState&, const DeviceState&) = default;
};

// A packet fault since its installation. The first rule that matches decides.
struct InstalledRule {
  Fault fault;
  Instant since;
  uint32_t seen = 0;  // matching packets so far
  friend bool operator==(const InstalledRule&, const InstalledRule&) = default;
};

// What an onlooker of the wire writes down; not part of the world's state.
struct WireNote {
  Instant at;
  uint8_t from = 0;
  uint8_t to = 0;
  bool lost = false;
  bool corrupt = false;  // it is lost because its check sum is wrong
  bool doubled = false;  // it arrives twice
  Mad mad;
};

class Fabric {
 public:
  // `coins`: what delays of a range are drawn from.
  Fabric(const Topology* topology, const Profile* profile, StreamState coins = {});

  const Topology& topology() const { return *topology_; }
  const DeviceState& device(uint8_t index) const { return devices_[index]; }
  DeviceState& device(uint8_t index) { return devices_[index]; }
  uint8_t device_count() const { return static_cast<uint8_t>(devices_.size()); }
  // Registered devices, the one that has been so for the longest time first; all ports of it.
  const std::vector<uint8_t>& ByRegistration() const { return registered_; }
  // The device, which any of its ports stands for.
  void Register(uint8_t device);
  void Unregister(uint8_t device);
  uint8_t KernelOf(uint8_t device) const { return topology_->devices[device].kernel; }
  // The channel adapter that the port is of, by its first port; kNoDevice for none.
  uint8_t CaOf(uint8_t device) const {
    return device == kNoDevice ? kNoDevice : topology_->FirstPortOf(device);
  }

  // The device that has this address; kNoDevice for an address that is not a side's.
  uint8_t DeviceOf(const Address& address) const;
  // The same, if that device belongs to `kernel`.
  uint8_t LocalDevice(const Address& address, uint8_t kernel) const;

  // A link leads there, and a host that runs is at its end.
  bool Reaches(uint8_t from, uint8_t to) const {
    return topology_->Linked(from, to) && !devices_[to].halted;
  }
  // Its interface does: a bond that is down still takes what its links bring.
  // source: observed 6.1-rxe in the lab
  bool TakesWhatComes(uint8_t device) const {
    return devices_[device].up || topology_->devices[device].bonded;
  }
  // Whether the interface has a wrong hardware address of that device, or of all devices.
  bool NeighbourWrong(uint8_t from, uint8_t to) const {
    return IsWrong(devices_[from].wrong_neighbours, to);
  }
  static bool IsWrong(uint32_t wrong, uint8_t to) {
    return to == kNoDevice ? wrong == kAllDevices : ((wrong >> to) & 1) != 0;
  }
  // The same device, or both interfaces are up.
  bool Linked(uint8_t a, uint8_t b) const {
    if (b == kNoDevice) return false;
    return !CrossesLink(a, b) || (devices_[a].up && devices_[b].up && Reaches(a, b));
  }
  // A TCP connection between the devices gets on at present.
  bool CarriesTcp(uint8_t a, uint8_t b) const;
  // What is sent over TCP, for an onlooker.
  void NoteTcp(Instant now, uint8_t from, uint8_t to, MadKind kind, const PrivateData& data) {
    if (watches) wire_notes.push_back({.at = now, .from = from, .to = to, .mad = {.kind = kind}});
    if (watches) wire_notes.back().mad.data = data;
  }
  // Sends a message; false when the sending device finds at once that it cannot.
  bool Send(Agenda* agenda, uint8_t from, uint8_t to, const Mad& mad);
  // Whether the sending device keeps what it is given, and neither sends it nor says so.
  bool Keeps(uint8_t from, uint8_t to) const {
    return CrossesLink(from, to) && !devices_[from].up && profile_->dialect.link_down_keeps_sends;
  }
  // The packet that arrives, which stays until the next one does; null when it does not (stale
  // event, or nobody receives), and when its receiver hears it later.
  const Packet* Arrive(Instant now, uint32_t packet);
  // After a null: the packet that arrived to be heard later, or null.
  const Packet* TakeLate() { return std::exchange(late_, false) ? &arrived_ : nullptr; }

  void Install(const Fault& fault, Instant now) { rules_.push_back({fault, now}); }
  void RemoveRules() { rules_.clear(); }

  bool watches = false;  // whether the wire is written down
  std::vector<WireNote> wire_notes;

  // Rules and pending packets; for fingerprints.
  const std::vector<InstalledRule>& rules() const { return rules_; }
  const Slab<Packet>& packets() const { return packets_; }

  friend bool operator==(const Fabric& a, const Fabric& b) {
    return a.devices_ == b.devices_ && a.registered_ == b.registered_ && a.rules_ == b.rules_ &&
           a.packets_ == b.packets_ && a.held_ == b.held_ && a.coins_ == b.coins_;
  }

 private:
  bool Names(uint8_t side, uint8_t device) const {
    return side == kAnySide || topology_->sides[side].device == device;
  }
  const InstalledRule* Decide(Instant now, uint8_t from, uint8_t to, MadKind kind);
  Duration DelayBy(const Fault& fault);
  void SetAside(const Packet& due);
  uint32_t Take(uint8_t from, uint8_t to, const Mad& mad, Instant arrives, bool late);
  void Deliver(Agenda* agenda, uint8_t from, uint8_t to, const Mad& mad, Duration after);
  void Hold(Agenda* agenda, uint8_t from, uint8_t to, const Mad& mad);
  void ReleaseHeld(Agenda* agenda, uint8_t from, Duration after);
  bool CrossesLink(uint8_t from, uint8_t to) const { return from != to; }

  const Topology* topology_;
  const Profile* profile_;
  std::vector<DeviceState> devices_;
  std::vector<uint8_t> registered_;
  std::vector<InstalledRule> rules_;
  Slab<Packet> packets_;
  Packet arrived_;  // for whoever receives it; its place is free for what is sent in answer
  bool late_ = false;
  StreamState coins_;
  std::vector<uint32_t> held_;  // by sending device: a packet that lets the next one pass
};

}  // namespace cm::sim

#endif  // SIM_FABRIC_FABRIC_H_
