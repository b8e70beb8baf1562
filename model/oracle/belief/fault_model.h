// The environment, as far as the conversation determines it: possible loss, delay and absence.
#ifndef MODEL_ORACLE_BELIEF_FAULT_MODEL_H_
#define MODEL_ORACLE_BELIEF_FAULT_MODEL_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "model/base/inline_vector.h"
#include "model/oracle/belief/carriers.h"
#include "model/oracle/belief/certainty.h"
#include "model/oracle/belief/fixed.h"
#include "model/oracle/belief/may_send.h"
#include "model/oracle/belief/neighbours.h"
#include "model/oracle/belief/state.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm::model {

// Time of an observation, in ns, and the last settling: every prompt event that was in progress at
// its beginning has happened before its end.
struct Window {
  int64_t begin = 0;
  int64_t end = 0;
  Span settled = {-1, -1};

  Span span() const { return {begin, end}; }
  // Its first moment alone, and its last.
  Window AtBegin() const { return {begin, begin, settled}; }
  Window AtEnd() const { return {end, end, settled}; }
};

// A counted rule may hit a message.
struct MayHit {
  uint8_t rule = kNoRule;
  PacketEffect effect = PacketEffect::kNone;
};

// What a counted rule makes of a message.
struct Counted {
  uint8_t rule = kNoRule;
  PacketEffect effect = PacketEffect::kNone;
  bool hits = false;
};

// The possible fates of a message.
struct Fate {
  bool can_arrive = true;
  bool can_be_lost = false;
  bool can_be_copied = false;
  bool in_order = true;              // after all earlier messages of its sender
  bool fails_at_sender = false;      // the send fails immediately
  int64_t early = 0;                 // minimum delay
  int64_t late = 0;                  // maximum delay beyond prompt arrival
  Certainty mutes = Certainty::kNo;  // where it is lost, its sender's device is mute from then on
  InlineVector<MayHit, kCountedRules> hits;
  uint8_t loses = kNoRule;  // the counted rule that loses it for certain

  bool for_now = false;  // it cannot arrive as the device or the host is, which may come back
  // It is lost, as certainly as that.
  void Lose(Certainty lost) {
    can_be_lost |= lost != Certainty::kNo;
    can_arrive &= lost != Certainty::kYes;
  }
  // It is lost for good, and nothing else comes of it.
  bool OnlyLost() const {
    return !can_arrive && !for_now && !fails_at_sender && mutes == Certainty::kNo && hits.empty();
  }
};

struct FaultPlaces {
  const Topology& topology_;
  const Profile& profile_;
};

class FaultModel : Fixed<FaultPlaces> {
 public:
  FaultModel(const Topology& topology, const Profile& profile);

  // One more id of the device is connected, or asked to be.
  void AddConnection(uint8_t device) {
    if (device != kNoDevice) ++devices_[device].connections;
  }
  // Its messages may have taken each address handle of the device.
  Certainty HandlesTaken(uint8_t device) const {
    const uint32_t limit = profile_.limits.max_address_handles;
    const bool may_be = limit != 0 && devices_[device].connections >= limit;
    return may_be ? Certainty::kMaybe : Certainty::kNo;
  }

  // The environment injects a fault at `now`. `meets_flights`: messages that were sent at that
  // instant may be in flight.
  void Inject(const Fault& fault, int64_t now, bool meets_flights = false);
  // A call has just sent the message, for certain: what a rule makes of it that counts messages,
  // where its place among them is certain enough.
  std::optional<Counted> Count(const Flight& flight);
  // What may have been sent: the most that a message's place can be.
  MaySends& may_sends() { return may_sends_; }
  void Heal(int64_t now);
  // How many faults there were so far, healing included. Those beyond the 254th count as that one.
  uint8_t Injected() const { return std::min<uint8_t>(injected_, Moment::kByItself - 1); }
  // How many messages each of the counted rules may hit.
  Hits allowances() const;
  // A request from an unresolvable source arrives at the device at `now`: its kernel's CM is busy
  // with the resolution for a second. source: linux 6.1 addr.c rdma_addr_find_l2_eth_by_grh
  void Occupy(uint8_t device, int64_t now);
  // When the CM of the device's kernel is idle again, at the latest.
  int64_t BusyUntil(uint8_t device) const { return devices_[device].busy_until; }
  // Every prompt event in progress has happened by `now`.
  void Settle(int64_t now);

  // Sets the epoch of each flight: what is sent in different ones has different fates.
  void TellEpochs(Possibility* p) const;
  // Whether the source GID of the message was gone when it was sent.
  Certainty SentWithoutSource(const Flight& flight) const;
  // The longest delay of a rule without a count that may hit the message.
  Duration LongestDelay(const Flight& flight) const;
  // By what the counted rules have hit in the possibility, and which devices are mute in it.
  Fate FateOf(const Flight& flight, const Possibility& p) const;
  // The same but for faults of packets, which act on what gets so far.
  Fate FateBeforeRules(const Flight& flight, const Possibility& p) const;
  // A TCP connection cannot make progress from one device to the other.
  bool Parted(uint8_t a, uint8_t b) const;
  // The possible results of a query to the SA of the device's subnet that is sent at `since`, and
  // retried for `patience`.
  struct Query {
    bool answered = true;
    int64_t answered_from = 0;
    bool prompt = true;     // the SA answers immediately
    bool unheard = false;   // the SA may not answer for that long
    bool silenced = false;  // silent at some time
  };
  Query QueryOf(uint8_t device, Span since, Duration patience) const;
  // Whether ids can be bound to the device.
  Certainty Registered(uint8_t device, const Window& window) const;
  Carriers& carriers() { return carriers_; }
  const Carriers& carriers() const { return carriers_; }
  // The first registered device, and the next one while the first may just have been removed.
  // source: linux 6.1 cma.c cma_bind_loopback
  InlineVector<uint8_t, 2> LoopbackDevices(uint8_t kernel, const Window& window) const;
  Neighbours& neighbours() { return neighbours_; }
  // There is a link from one device to the other, and the host at its end is running.
  bool Reaches(uint8_t from, uint8_t to) const {
    return topology_.Linked(from, to) && !devices_[to].halted;
  }
  // How the host of the device learns the hardware address of the peer, as things stand.
  Asking AskingFor(uint8_t device, uint8_t peer) const;
  // The next time until `until` that an interface goes down or up by itself, which is then done.
  std::optional<int64_t> NextTurn(int64_t until) const;
  void Turn();
  // The number of fail-overs of the device's bond.
  uint32_t FailOvers(uint8_t device) const { return devices_[device].fail_overs; }
  // Whether the GID of an id that got the device after `from` to `to` fail-overs is gone: a
  // fail-over creates new ones. source: linux 6.1 roce_gid_mgmt.c netdevice_event
  Certainty SourceLost(uint8_t device, uint32_t from, uint32_t to, const Window& window) const;
  // A fault was injected that can delay or lose messages.
  bool disturbed() const { return disturbed_; }

 private:
  static constexpr int64_t kNoTime = -1;
  // A fault, and the time by which it was injected.
  struct Change {
    int64_t begin = 0;
    int64_t end = 0;
  };
  struct DeviceInfo {  // of a port
    bool registered = true;
    bool up = true;
    bool halted = false;  // its host is not running
    int64_t flaps_until = kNoTime;
    uint32_t fail_overs = 0;
    std::vector<Change> failed_over;  // each time
    bool may_be_deaf = false;         // a send may have failed, after which it receives nothing
    bool changes = false;             // it was removed or added
    int64_t changed = 0;              // and when
    int64_t deaf_from = 0;            // of a removed one: later messages do not arrive
    Moment link_changed;
    Moment neighbour_changed;
    uint32_t connections = 0;  // ids on it that were connected or asked, ever
    int64_t busy_until = kNoTime;
    std::vector<Change> silences;  // of the SM and SA of its subnet
  };
  struct Rule {
    Fault fault;
    int64_t since = 0;
    bool meets_flights = false;  // sent at that same instant, which it does not affect
    int64_t until = kStill;
    uint8_t healed = 0;         // where it is healed: the number of that, as of a fault
    uint8_t counted = kNoRule;  // its number, if it is
    std::vector<Span> sent;     // what it has counted for certain
    // The earliest and the latest time of its effect.
    int64_t first() const { return since + fault.after.nanoseconds(); }
    int64_t last() const {
      const bool bounded = fault.window != Duration::Max();
      return bounded ? std::min(until, first() + fault.window.nanoseconds()) : until;
    }
  };

  // Whether the device is that of a side of the packet fault.
  bool Names(uint8_t side, uint8_t device) const {
    return side == kAnySide || topology_.sides[side].device == device;
  }
  // Places of a message among those that a rule counts, from 1.
  struct Places {
    uint32_t first = 1;
    uint32_t last = kNoEnd;
    bool AreWithin(const Fault& fault) const {
      return first >= fault.first && last <= LastOf(fault);
    }
    bool AreBeyond(const Fault& fault) const { return last < fault.first || first > LastOf(fault); }
  };
  static constexpr uint32_t kNoEnd = std::numeric_limits<uint32_t>::max();
  static uint32_t LastOf(const Fault& fault) { return fault.last == 0 ? kNoEnd : fault.last; }
  // Behind `before` messages for certain.
  Places PlacesBehind(uint32_t before, const Rule& rule, const Flight& flight) const;
  Places PlacesOf(const Rule& rule, const Flight& flight) const;
  static void Delay(const Fault& fault, Fate* fate);
  // It was sent when the rule was in force.
  bool HasBegun(const Rule& rule, const Flight& flight) const;
  // The time of the rule is not over before the message has met it.
  bool Lasts(const Rule& rule, const Flight& flight) const;
  // A later repetition of it, which the rule does not delay any more, may arrive before it.
  bool MayBeOvertaken(const Rule& rule, const Flight& flight) const;
  Fate FateOverTcp(const Flight& flight) const;
  // By the links at both ends, as they are and as they were when it was sent.
  void ApplyLinks(const Flight& flight, Fate* fate) const;
  // An end of its link that goes down and up was down before it was sent, and is so until it would
  // have arrived.
  bool MeetsLinkDown(const Flight& flight) const;
  // Whether the rule decides, so that later rules are skipped. `asked`: earlier rules certainly
  // have not decided.
  Certainty ApplyRule(const Rule& rule, const Flight& flight, const Hits& hits, bool asked,
                      Fate* fate) const;
  // Whether it may hit the message, for its time and its kind.
  bool Matches(const Rule& rule, const Flight& flight) const;
  bool Prompt(int64_t since, const Window& window) const;
  void AddRule(const Fault& fault, int64_t now, bool meets_flights);

  // A flapping link.
  struct LinkTurn {
    uint8_t device = 0;
    int64_t at = 0;
    int64_t every = 0;
    uint32_t left = 0;  // the interface is down before an odd one
  };
  std::vector<LinkTurn>::const_iterator FirstTurn() const;
  // A bond that is down receives, and its answer cannot leave. source: observed 6.1-rxe in the lab
  bool MayBeDeafWhenAdded(const DeviceInfo& info) const;
  void SetDevice(uint8_t device, bool registered, int64_t now);
  void SetHost(uint8_t kernel, bool runs);
  void SetLink(uint8_t number, bool up, Moment now);
  // The fault that is being injected.
  Moment ThisFault(int64_t now) const { return {now, injected_}; }

  uint8_t FirstWorking(uint8_t kernel, const Window& window, Certainty least) const;

  Carriers carriers_;
  Neighbours neighbours_;
  std::vector<DeviceInfo> devices_;
  std::vector<uint8_t> order_;  // devices in the order of their registration
  std::vector<Rule> rules_;
  std::vector<int64_t> losses_end_;  // of faults that lose messages for a time
  MaySends may_sends_;
  std::vector<Fault> counted_;  // the faults of the counted rules, also of those that are healed
  std::vector<LinkTurn> turns_;
  uint8_t injected_ = 0;
  bool disturbed_ = false;
  bool delays_ = false;  // a rule has delayed messages, which later ones may hit
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_FAULT_MODEL_H_
