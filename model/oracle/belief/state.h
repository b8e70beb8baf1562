// What an implementation may be in, as far as the tables know it.
#ifndef MODEL_ORACLE_BELIEF_STATE_H_
#define MODEL_ORACLE_BELIEF_STATE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/channel/rules.h"
#include "model/cm_id/rules.h"
#include "model/ib_cm/rules.h"
#include "model/iw_cm/rules.h"
#include "model/qp/rules.h"
#include "model/vocabulary/names.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/topology.h"

namespace cm::model {

inline constexpr uint8_t kNoId = 0xff;      // index into a state's ids
inline constexpr uint8_t kNoDevice = 0xff;  // index into the topology's devices
inline constexpr uint8_t kNoSource = 0xff;
inline constexpr uint16_t kNoPayload = 0xffff;
inline constexpr uint16_t kNoTester = 0xffff;

// When something began, in ns: not before `earliest`, not after `latest`.
struct Span {
  int64_t earliest = 0;
  int64_t latest = 0;
  // The smallest span around both.
  void Widen(Span other) {
    earliest = std::min(earliest, other.earliest);
    latest = std::max(latest, other.latest);
  }
  bool Contains(Span other) const { return earliest <= other.earliest && other.latest <= latest; }
};

// A span in a state. Times do not tell states apart, so any two of these compare equal.
struct Since : Span {
  constexpr Since() = default;
  constexpr Since(Span span) : Span(span) {}  // NOLINT: it is one
  constexpr Since(int64_t earliest, int64_t latest) : Span{earliest, latest} {}
  friend constexpr bool operator==(const Since&, const Since&) { return true; }
};

// An event in the kernel's queue of an id.
struct Pending {
  EventType type = EventType::kAddrResolved;
  uint8_t child = kNoId;  // of CONNECT_REQUEST: the new id
  uint16_t payload = kNoPayload;
  int32_t status = 0;
  Since since;  // of CONNECT_REQUEST: when it came
  friend constexpr bool operator==(const Pending&, const Pending&) = default;
};

// Packet rules that hit a limited number of messages, and are counted.
inline constexpr uint8_t kCountedRules = 4;
inline constexpr uint8_t kNoRule = 0xff;
using Hits = std::array<uint8_t, kCountedRules>;

// A message under way.
struct Flight {
  Sends kind = Sends::kNothing;
  uint8_t hit = kNoRule;  // the counted rule that has delayed it
  uint8_t spared = 0;     // set of counted rules: they do not hit it
  bool doomed = false;    // a counted rule loses it
  uint8_t epoch = 0;     // how many faults that lose messages for a time were over when it was sent
  uint8_t faults = 0;    // how many were injected before the call that sent it; 0: it is not known
  bool copied = false;   // a copy of it is under way or has arrived already
  uint8_t from = kNoId;  // kNoId: sent for an id that is gone
  uint8_t to = kNoId;    // kNoId: an id that is gone; of REQ: any listener
  uint8_t from_device = kNoDevice;
  uint8_t to_device = kNoDevice;
  uint16_t reason = 0;  // of REJ; of MRA: 1 if it speaks of a reply; of an MPA reply: what
                        // it carries for an id that cannot take the connection
  // Minimum and maximum fail-overs when its sender took its GID; kNoSource: an answer that is made
  // from what it answers.
  uint8_t source_from = kNoSource;
  uint8_t source_to = kNoSource;
  IdRef sender;  // its name, if it has one, also when it is gone
  uint16_t payload = kNoPayload;
  uint16_t tester = kNoTester;  // which of the messages of the tester it is
  Since since;

  bool SameSender(const Flight& other) const {
    if (tester != kNoTester || other.tester != kNoTester)
      return (tester == kNoTester) == (other.tester == kNoTester);
    if (sender.valid() || other.sender.valid()) return sender == other.sender;
    return from == other.from && (from != kNoId || to == other.to);
  }
  friend bool operator==(const Flight&, const Flight&) = default;
};

// Whether it is delivered only where the queue of its listener has room.
constexpr bool NeedsRoom(Sends kind) { return kind == Sends::kReq || kind == Sends::kMpaRequest; }
// Whether it asks for a connection or for a service.
constexpr bool IsRequest(Sends kind) {
  return kind == Sends::kReq || kind == Sends::kSidrReq || kind == Sends::kMpaRequest;
}

// What a thread within a call on a synchronous id waits for.
enum class Awaits : uint8_t {
  kNothing,
  kEvent,    // whatever comes next
  kRequest,  // the same, in rdma_get_request
  kServed,   // its request is the first of the queue, and its own
};

// Since when something of an id is so.
struct IdTimes {
  Since awaited;    // since when a call waits
  Since resolving;  // since when an address or a route is looked for
  Since due;        // since when something from below is to happen
  Since joined;     // since when memberships are to be reported
  Since first;      // since the first transmission of the outstanding message
  Since last;       // and the last
  Since first_mra;  // when the first MRA for it came
  Since timewait;
  Since full;  // of a listener in a crowd: when its queue may have been full; 0: never
  friend bool operator==(const IdTimes&, const IdTimes&) = default;
};

inline constexpr auto kIdTimes = std::to_array<Since IdTimes::*>(
    {&IdTimes::awaited, &IdTimes::resolving, &IdTimes::due, &IdTimes::joined, &IdTimes::first,
     &IdTimes::last, &IdTimes::first_mra, &IdTimes::timewait, &IdTimes::full});
static_assert(sizeof(IdTimes) == kIdTimes.size() * sizeof(Since), "each time is listed");

// One rdma_cm_id with all its layers. What is no time is a part of its identity.
struct IdState : IdTimes {
  IdRef name;          // none for an unfetched request
  IdRef origin;        // of a request: the id that sent it
  ChannelRef left_on;  // of a request: the channel that its listener has left it on
  uint16_t alike = 0;  // equal for ids of which the same was seen; 0: of no other. See alike.h
  State state = State::kIdle;
  IbState ib = IbState::kNone;
  IwState iw = IwState::kNone;  // over iWARP, where it has no identifier of the IB CM
  QpPhase qp = QpPhase::kNone;
  uint8_t device = kNoDevice;
  uint8_t source = 0;    // of a request: fail-overs of the device's bond when it came
  uint8_t peer = kNoId;  // the id at the other end, once it is known
  IdRef answered_by;     // of one that has asked: the id whose reply it took
  bool met = false;      // it knows its peer's communication id
  bool accepted = true;  // events of a request that is not accepted are discarded
  bool closed = false;   // gone in the kernel, with its device
  bool connect_error = false;
  bool gone = false;         // destroyed; kept for what it has sent
  bool outstanding = false;  // a message of its own waits for an answer
  bool abandoned = false;    // that message is of no interest any more, and still repeated
  bool mra = false;          // an MRA has changed the interval of that message for good
  bool pathless = false;     // the alternate path took over, and there was none
  bool lap_rcvd = false;     // its peer has asked for another path
  uint8_t mra_timeout = 0;   // what an MRA of the tester said; 0: there was none
  bool looks_up = false;     // an address info: no other may be looked up
  bool has_info = false;     // it is found, and not returned yet
  bool ending = false;       // a call that is to close the connection waits for the reply
  bool removal_due = false;
  uint8_t addr_change_due = 0;
  uint8_t neighbour_due = 0;
  int16_t backlog = 0;
  Sends message = Sends::kNothing;  // the outstanding one
  uint16_t message_payload = kNoPayload;
  uint16_t request_payload = kNoPayload;  // of a request: what it carried
  uint16_t reply_payload = kNoPayload;    // what the reply carried that was fetched
  // Requests that stand behind one another are in no order but that of their times.
  std::vector<Pending> queue;
  std::vector<uint16_t> joining;  // memberships that are not reported yet: what will be said
  Awaits awaits = Awaits::kNothing;
  std::optional<Pending> retained;  // id->event of a synchronous id, as it was delivered

  // The name of the id at the other end, also when that is gone.
  IdRef PeerName() const { return origin.valid() ? origin : answered_by; }
  // A synchronous call waits on it, and what it waits for is there.
  bool HasItsEvent() const {
    return (awaits == Awaits::kEvent || awaits == Awaits::kRequest) && !queue.empty();
  }

  // Puts an event at the end of the queue, a request among the requests there.
  void Put(Pending pending);
  // Puts requests that stand behind one another in the order of their ids.
  void OrderRequests();
  // How many events at the beginning of the queue are requests, one of which may be the first.
  size_t FirstRequests() const;
  // Whether the event in that place may be the first of the queue, and makes it that.
  bool MayBeFirst(size_t place) const;
  void MakeFirst(size_t place);

  friend bool operator==(const IdState&, const IdState&) = default;
};

// One possibility for all ids of a component at once.
struct Possibility {
  std::vector<IdState> ids;
  // By sender, and those of ids that are gone and had no name by receiver; those of one in the
  // order of sending.
  std::vector<Flight> flights;
  Hits hits{};           // by counted rule: how many messages it has hit, at least
  DeviceBits mutes = 0;  // nothing that they send gets out
  RuleBits used;         // rows that led here since they were last reported
  RuleBits perhaps;      // rows of some of the ways that led here, but not of all

  bool IsMute(uint8_t device) const { return (mutes & BitOfDevice(device)) != 0; }
  uint8_t Find(IdRef name) const {
    for (uint8_t i = 0; i < ids.size(); ++i)
      if (ids[i].name == name) return i;
    return kNoId;
  }
  bool HasAlike() const {
    return std::ranges::any_of(ids, [](const IdState& id) { return id.alike != 0; });
  }
  void Send(Flight flight);
  // Puts an id in that place and mends what points to those behind it.
  void Insert(uint8_t place, IdState id);
  // Puts the ids in that order, each by its place, and mends what points to them.
  void Reorder(const std::vector<uint8_t>& order);
  // Takes an id out and mends what points to it.
  void Remove(uint8_t index);
  // Ids that are gone and have nothing under way any more are dropped.
  void Tidy();
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_STATE_H_
