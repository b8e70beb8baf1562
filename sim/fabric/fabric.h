// Devices, interfaces and the links between them; transport of messages.
#ifndef SIM_FABRIC_FABRIC_H_
#define SIM_FABRIC_FABRIC_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/choice.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/neighbours.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/core/agenda.h"
#include "sim/core/slab.h"
#include "sim/fabric/mad.h"

namespace cm::sim {

inline constexpr uint8_t kNoDevice = 0xff;

// One message between two devices.
struct Packet {
  bool live = false;
  uint8_t from = 0;
  uint8_t to = 0;
  bool late = false;  // delayed beyond the link's latency
  Instant arrives;    // an arrival event at another instant is stale
  Mad mad;
  friend bool operator==(const Packet&, const Packet&) = default;
};

// When a device's CM processes received messages.
enum class Hears : uint8_t {
  kAtOnce,
  kNever,  // one of its sends failed in the driver
  kLater,  // its kernel's CM is busy
};

// A port of an RDMA device and the network interface under it.
struct DeviceState {
  bool registered = true;  // ids can be bound to it
  bool receives = true;    // messages reach it
  Hears hears = Hears::kAtOnce;
  bool mute = false;  // nothing that it sends gets out, nor does it hear anything
  bool up = true;     // its interface
  NeighbourTable neighbours;
  uint8_t bond_slave = 0;   // which of the two interfaces of its bond is active
  uint32_t fail_overs = 0;  // of its bond; each creates new GIDs
  bool sm_silent = false;   // no SM or SA answers in its subnet
  bool halted = false;      // its host is not running
  friend bool operator==(const DeviceState&, const DeviceState&) = default;
};

// A packet fault since its installation. The first rule that matches decides.
struct InstalledRule {
  Fault fault;
  Instant since;
  uint32_t seen = 0;  // matching packets so far
  friend bool operator==(const InstalledRule&, const InstalledRule&) = default;
};

// A message between queue pairs, for observers.
struct DataNote {
  enum class What : uint8_t { kSend, kWrite, kRead, kCompareAndSwap, kFetchAndAdd };
  enum class Answer : uint8_t {
    kNone,
    kAck,
    kOutOfSequence,
    kNotReady,
    kInvalid,
    kNoAccess,
    kFailed
  };
  What what = What::kSend;
  bool datagram = false;
  bool solicited = false;
  Answer answer = Answer::kNone;
  uint32_t message = 0;          // its number in the connection, from 0
  uint32_t first_packet = 0;     // and that of its first packet
  uint32_t missing_message = 0;  // the same of the one that an answer out of sequence names
  uint32_t missing_packet = 0;
  uint32_t source_number = 0;
  uint32_t number = 0;          // of the queue pair that it is for
  std::vector<uint8_t> bytes;   // sent, written or read
  uint64_t remote_address = 0;  // not of a send
  uint32_t remote_key = 0;
  uint32_t length = 0;
  std::optional<uint32_t> immediate;
  uint64_t compare_or_add = 0;  // of an atomic operation
  uint64_t swap = 0;
  uint64_t before = 0;  // its result
};

// A wire record for observers; not part of the world's state.
struct WireNote {
  Instant at;    // of sending; of data: of its arrival, or when it would have arrived
  Instant sent;  // of data only
  Instant answered = Instant::Never();  // of data: when its answer arrives; never: it does not
  uint8_t from = 0;
  uint8_t to = 0;
  bool lost = false;
  bool corrupt = false;  // dropped because of a wrong checksum
  bool doubled = false;  // it arrives twice
  Mad mad;
  std::shared_ptr<const DataNote> data;  // set: the note is of data, and `mad` is not used
};

// A message of the CM that an interface has received, for observers.
struct WireArrival {
  Instant at;
  uint8_t from = 0;
  uint8_t to = 0;
  Mad mad;
};

// Bits a second that each device sends; messages of the CM take none of it. 0: no limit.
struct Bandwidth {
  uint64_t data = 0;     // between queue pairs
  uint64_t sockets = 0;  // TCP and UDP of programs
  friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

class Fabric {
 public:
  // Of a message over a link, without what faults add.
  static constexpr Duration kLatency = Duration::Microseconds(10);

  // The bytes of a packet of data, as requests for connections say.
  static constexpr uint32_t kMtu = 1024;
  static constexpr uint32_t PacketsOf(size_t length) {
    return length == 0 ? 1 : static_cast<uint32_t>((length + kMtu - 1) / kMtu);
  }

  // `coins`: random source of delays from a range.
  Fabric(const Topology* topology, const Profile* profile, StreamState coins = {});

  const Topology& topology() const { return *topology_; }
  const DeviceState& device(uint8_t index) const { return devices_[index]; }
  DeviceState& device(uint8_t index) { return devices_[index]; }
  uint8_t device_count() const { return static_cast<uint8_t>(devices_.size()); }
  // Registered devices, in the order of registration; all their ports.
  const std::vector<uint8_t>& ByRegistration() const { return registered_; }
  // The device of the port.
  void Register(uint8_t device);
  void Unregister(uint8_t device);
  uint8_t KernelOf(uint8_t device) const { return topology_->devices[device].kernel; }
  // The channel adapter of the port, by its first port; kNoDevice for none.
  uint8_t CaOf(uint8_t device) const {
    return device == kNoDevice ? kNoDevice : topology_->FirstPortOf(device);
  }

  // The device with this address; kNoDevice for an address that is not a side's.
  uint8_t DeviceOf(const Address& address) const;
  // The same, if that device belongs to `kernel`.
  uint8_t LocalDevice(const Address& address, uint8_t kernel) const;

  // A link leads there, and the host at its end is running.
  bool Reaches(uint8_t from, uint8_t to) const {
    return topology_->Linked(from, to) && !devices_[to].halted;
  }
  // Its interface can receive: a bond that is down still receives what its links bring. source:
  // observed 6.1-rxe in the lab
  bool TakesWhatComes(uint8_t device) const {
    return devices_[device].up || topology_->devices[device].bonded;
  }
  bool NeighbourWrong(uint8_t from, uint8_t to) const {
    return devices_[from].neighbours[to] == Neighbour::kWrong;
  }
  // The same device, or both interfaces are up.
  bool Linked(uint8_t a, uint8_t b) const {
    if (b == kNoDevice) return false;
    return !CrossesLink(a, b) || (devices_[a].up && devices_[b].up && Reaches(a, b));
  }
  // Whether the host of `from` has or gets a hardware address of the other. An entry that it learns
  // goes when the link does. source: linux 6.1 neighbour.c neigh_carrier_down
  bool FindsNeighbour(uint8_t from, uint8_t to) const {
    const Neighbour entry = devices_[from].neighbours[to];
    const bool asks = entry == Neighbour::kAbsent || entry == Neighbour::kAsked;
    return asks ? Linked(from, to) : Reaches(from, to);
  }
  // A TCP connection between the devices can make progress at present.
  bool CarriesTcp(uint8_t a, uint8_t b) const;
  // Records what is sent over TCP.
  void NoteTcp(Instant now, uint8_t from, uint8_t to, MadKind kind, const PrivateData& data) {
    if (watches) wire_notes.push_back({.at = now, .from = from, .to = to, .mad = {.kind = kind}});
    if (watches) wire_notes.back().mad.data = data;
  }
  // Sends a message; false when the send fails immediately.
  bool Send(Agenda* agenda, uint8_t from, uint8_t to, const Mad& mad);
  // Whether the sending device silently keeps messages that it is given, without sending them.
  bool Keeps(uint8_t from, uint8_t to) const {
    const bool now = CrossesLink(from, to) && NoCarrier(from, to);
    return (now || devices_[from].mute) && profile_->dialect.link_down_keeps_sends;
  }
  // The packet that arrives, valid until the next one arrives; null when it does not (a stale
  // event, or no receiver), and when its receiver processes it later.
  const Packet* Arrive(Instant now, uint32_t packet);
  // After a null: the packet that arrived to be processed later, or null.
  const Packet* TakeLate() { return std::exchange(late_, false) ? &arrived_ : nullptr; }

  void Install(const Fault& fault, Instant now) { rules_.push_back({fault, now}); }
  // A rule for `any` message without a count: it may hit messages between queue pairs as well.
  static bool IsOnData(const Fault& fault) {
    return fault.messages == MadKinds::All() && fault.first == 1 && fault.last == 0;
  }
  // What comes of a message between queue pairs by the first rule that is on data, where such rules
  // hit these. A delay of a range is its least.
  struct FateOfData {
    bool lost = false;
    Duration later;
  };
  FateOfData OfData(Instant now, uint8_t from, uint8_t to) const;
  // How long it takes until so many bytes have left a device, behind those that it has been given
  // before, at that many bits a second; 0: no time.
  Duration Leaves(Instant now, uint8_t from, uint8_t to, uint64_t bytes, uint64_t bits);
  void RemoveRules() { rules_.clear(); }

  bool rules_hit_data = false;
  Bandwidth bandwidth;
  bool watches = false;       // whether the wire is recorded
  bool watches_data = false;  // and what queue pairs send
  bool watches_arrivals = false;
  std::vector<WireNote> wire_notes;
  std::vector<WireArrival> arrivals;

  // Rules and pending packets; for fingerprints.
  const std::vector<InstalledRule>& rules() const { return rules_; }
  const Slab<Packet>& packets() const { return packets_; }
  // The next message that its device sends overtakes the packet.
  bool IsHeld(uint32_t packet) const { return held_[packets_[packet].from] == packet; }

  friend bool operator==(const Fabric& a, const Fabric& b) {
    return a.devices_ == b.devices_ && a.registered_ == b.registered_ && a.rules_ == b.rules_ &&
           a.packets_ == b.packets_ && a.held_ == b.held_ && a.coins_ == b.coins_ &&
           a.rules_hit_data == b.rules_hit_data && a.bandwidth == b.bandwidth &&
           a.leaves_ == b.leaves_;
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
  // Of a link: nothing that is sent gets over it.
  bool NoCarrier(uint8_t from, uint8_t to) const;

  const Topology* topology_;
  const Profile* profile_;
  std::vector<DeviceState> devices_;
  std::vector<uint8_t> registered_;
  std::vector<InstalledRule> rules_;
  Slab<Packet> packets_;
  Packet arrived_;  // for the receiver; its slot is free for the answer
  bool late_ = false;
  StreamState coins_;
  std::vector<uint32_t> held_;   // by sending device: a packet to be overtaken by the next
  std::vector<Instant> leaves_;  // by sending device: the last byte of its data; of limited ones
};

}  // namespace cm::sim

#endif  // SIM_FABRIC_FABRIC_H_
