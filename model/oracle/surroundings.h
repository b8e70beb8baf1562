// The environment, as far as the conversation tells: what may be lost, late or gone.
#ifndef MODEL_ORACLE_SURROUNDINGS_H_
#define MODEL_ORACLE_SURROUNDINGS_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "model/base/inline_vector.h"
#include "model/oracle/state.h"
#include "model/oracle/tri.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm::model {

// When an observation was made, in ns, and since when nothing prompt can be left over.
struct Window {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t settled = -1;  // what was to happen promptly before this has happened
};

// What can become of a message.
struct Fate {
  bool can_arrive = true;
  bool can_be_lost = false;
  bool can_be_copied = false;
  bool in_order = true;          // behind what its sender sent before
  bool fails_at_sender = false;  // its sender finds at once that it cannot be sent
  int64_t late = 0;              // how much later than promptly it may arrive
};

class Surroundings {
 public:
  Surroundings(const Topology& topology, const Profile& profile);

  // The environment does something at `now`.
  void Inject(const Fault& fault, int64_t now);
  // One of packets. `meets_flights`: messages that were sent at that instant may be under way.
  void InjectOnPackets(const Fault& fault, int64_t now, bool meets_flights);
  void Heal(int64_t now);
  // A request of a sender that cannot be found is sent to the device at `now`: its kernel's CM
  // looks for a second, and does nothing else. source: linux 6.1 addr.c
  // rdma_addr_find_l2_eth_by_grh
  void Occupy(uint8_t device, int64_t now);
  // When the CM of the device's kernel is not busy any more, at the latest.
  int64_t BusyUntil(uint8_t device) const { return devices_[device].busy_until; }
  // Everything prompt that was under way has happened by `now`.
  void Settle(int64_t now);

  Fate FateOf(const Flight& flight) const;
  // Nothing of a TCP connection gets from one device to the other.
  bool Parted(uint8_t a, uint8_t b) const;
  // What can become of a question to the administrator of the device's subnet that is asked at
  // `since`, and repeated for `patience`.
  struct Query {
    bool answered = true;
    int64_t answered_from = 0;
    bool prompt = true;     // it answers at once
    bool unheard = false;   // nobody answers for so long
    bool silenced = false;  // ever
  };
  Query QueryOf(uint8_t device, Span since, Duration patience) const;
  // Whether ids can be bound to the device.
  Tri Registered(uint8_t device, const Window& window) const;
  bool LinkUp(uint8_t device) const { return devices_[device].up; }
  // Whether the device keeps what it was given at `since` to send over its link, and has it still.
  // What becomes of that once the link is up again nobody has seen.
  bool Keeps(uint8_t device, int64_t since) const {
    const DeviceInfo& from = devices_[device];
    return profile_.dialect.link_down_keeps_sends && !from.up && since > from.link_changed;
  }
  // The devices that a loopback destination may take on the kernel: one, or one and the one that
  // takes its place. source: linux 6.1 cma.c cma_bind_loopback
  InlineVector<uint8_t, 2> LoopbackDevices(uint8_t kernel, const Window& window) const;
  // False where there is no device: an id need be on no interface.
  bool NeighbourWrong(uint8_t device, uint8_t peer) const {
    return device != kNoDevice && Among(devices_[device].wrong_neighbours, peer);
  }
  // The same, before the environment's last act.
  bool NeighbourWasWrong(uint8_t device, uint8_t peer) const {
    return device != kNoDevice && Among(devices_[device].wrong_before, peer);
  }
  // A link leads from one device to the other, and a host that runs is at its end.
  bool Reaches(uint8_t from, uint8_t to) const {
    return topology_.Linked(from, to) && !devices_[to].halted;
  }
  // The next time by `until` that an interface goes down or up by itself; it has been done then.
  std::optional<int64_t> NextTurn(int64_t until) const;
  void Turn();
  // How often the device's bond has failed over.
  uint32_t FailOvers(uint8_t device) const { return devices_[device].fail_overs; }
  // Whether the GID of an id that took the device after `from` to `to` fail-overs is gone: a
  // fail-over makes new ones. source: linux 6.1 roce_gid_mgmt.c netdevice_event
  Tri SourceLost(uint8_t device, uint32_t from, uint32_t to, const Window& window) const;
  // Something was done that can make things late or lost.
  bool disturbed() const { return disturbed_; }

 private:
  static constexpr uint32_t kAllDevices = 0xffffffff;
  static constexpr int64_t kNever = -1;
  static constexpr int64_t kForEver = std::numeric_limits<int64_t>::max();
  // Something that the environment did, and by when it was done.
  struct Change {
    int64_t begin = 0;
    int64_t end = 0;
  };
  struct DeviceInfo {  // of a port
    bool registered = true;
    bool up = true;
    uint32_t wrong_neighbours = 0;  // a set of devices
    uint32_t wrong_before = 0;      // and before the environment's last act
    bool halted = false;            // its host is not running
    int64_t flaps_until = kNever;
    uint32_t fail_overs = 0;
    std::vector<Change> failed_over;  // each time
    bool may_be_deaf = false;         // a send may have failed, and then it hears nothing any more
    bool changes = false;             // it was removed or added
    int64_t changed = 0;              // and when
    int64_t deaf_from = 0;            // a removed one: what is sent from then on does not arrive
    int64_t link_changed = kNever;
    int64_t neighbour_changed = kNever;
    int64_t busy_until = kNever;
    std::vector<Change> silences;  // of the administrator of its subnet
  };
  struct Rule {
    Fault fault;
    int64_t since = 0;
    bool meets_flights = false;  // of that same instant, which it does not touch
    int64_t until = kForEver;
    // When it meddles for the first time, and for the last.
    int64_t first() const { return since + fault.after.nanoseconds(); }
    int64_t last() const {
      const bool bounded = fault.window != Duration::Max();
      return bounded ? std::min(until, first() + fault.window.nanoseconds()) : until;
    }
  };

  // Whether the peer is one of the devices; all of them, where it is none.
  static bool Among(uint32_t devices, uint8_t peer) {
    return peer == kNoDevice ? devices == kAllDevices : ((devices >> peer) & 1) != 0;
  }
  // Whether the device is that of a side that a packet fault names.
  bool Names(uint8_t side, uint8_t device) const {
    return side == kAnySide || topology_.sides[side].device == device;
  }
  // Whether the GID that the message is sent from was gone by then.
  Tri SentWithoutSource(const Flight& flight) const;
  Fate FateOverTcp(const Flight& flight) const;
  // Whether it decides, so that no later rule is asked. `asked`: an earlier one has not, for sure.
  Tri ApplyRule(const Rule& rule, const Flight& flight, bool asked, Fate* fate) const;
  bool Prompt(int64_t since, const Window& window) const;

  const Topology& topology_;
  const Profile& profile_;
  // A link that goes down and up by itself.
  struct LinkTurn {
    uint8_t device = 0;
    int64_t at = 0;
    int64_t every = 0;
    uint32_t left = 0;  // it is down before an odd one
  };
  std::vector<LinkTurn>::const_iterator FirstTurn() const;
  void SetDevice(uint8_t device, bool registered, int64_t now);
  void SetHost(uint8_t kernel, bool runs);
  void SetLink(DeviceInfo* device, bool up, int64_t now) const;

  uint8_t FirstWorking(uint8_t kernel, const Window& window, Tri least) const;

  std::vector<DeviceInfo> devices_;
  std::vector<uint8_t> order_;  // devices in the order of their registration
  std::vector<Rule> rules_;
  std::vector<LinkTurn> turns_;
  bool disturbed_ = false;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_SURROUNDINGS_H_
