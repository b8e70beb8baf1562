#include "model/oracle/machine/machine.h"

#include <algorithm>
#include <utility>

namespace cm::model {
namespace {

// Whether an identifier in this state still waits for an answer to its message.
bool Waits(IbState state, Sends message) {
  if (message == Sends::kReq) return state == IbState::kReqSent || state == IbState::kMraReqRcvd;
  if (message == Sends::kRep) return state == IbState::kRepSent || state == IbState::kMraRepRcvd;
  if (message == Sends::kDreq) return state == IbState::kDreqSent;
  return message == Sends::kSidrReq && state == IbState::kSidrReqSent;
}

// What a call or a timer sends leaves by the id's own address; an answer to a message by that
// message's.
bool IsOwn(IbStimulus on) { return InfoOf(on).origin != Origin::kMessage; }

bool WasFull(Span full, Span when) {
  return full.latest > 0 && when.earliest <= full.latest && full.earliest <= when.latest;
}

// Behind its sender, and behind what that has sent before: in whatever order requests come, their
// ids are in the same order.
uint8_t PlaceOfChild(const Possibility& p, const IdState& child) {
  if (child.peer == kNoId || !child.origin.valid()) return static_cast<uint8_t>(p.ids.size());
  auto place = static_cast<uint8_t>(child.peer + 1);
  while (place < p.ids.size() && p.ids[place].origin == child.origin) ++place;
  return place;
}

}  // namespace

bool Machine::KnownRemotely(const IdState& id) {
  using enum IbState;
  static constexpr IbStates kKnown = IbStates(kMraReqSent) | kRepSent | kMraRepRcvd | kMraRepSent |
                                     kEstablished | kDreqSent | kDreqRcvd | kSidrReqRcvd;
  return kKnown.Has(id.ib) && !id.gone;
}

const IbRule* Machine::Find(IbState state, IbStimulus on) {
  for (const IbRule& rule : rules::kIbCm)
    if (rule.on == on && rule.from.Has(state)) return &rule;
  return nullptr;
}

bool Machine::MoveQp(Possibility* p, uint8_t id, QpStimulus on) {
  IdState& own = p->ids[id];
  const QpRule* rule = FindQpRule(own.qp, on);
  if (rule == nullptr || !rule->possible) return false;
  if (rule->to != QpPhase::kSame) own.qp = rule->to;
  p->used.set(NumberOf(rule));
  return true;
}

void Machine::Send(Possibility* p, uint8_t id, Sends kind, bool own_source, const Details& details,
                   Span when) const {
  // No id takes it: it matters only where sending it over a link that is down makes its device
  // mute.
  if (kind == Sends::kRejWithoutId && !facts_.profile().dialect.link_down_mutes) return;
  IdState& own = p->ids[id];
  if (kind == Sends::kAgain) {
    own.last = when;
  } else if (kind == Sends::kReq || kind == Sends::kRep || kind == Sends::kDreq ||
             kind == Sends::kSidrReq) {
    own.message = kind;
    own.message_payload = details.payload;
    own.outstanding = Waits(own.ib, kind);
    own.mra = false;
    own.first = own.last = when;
  }
  Flight flight{.kind = kind == Sends::kAgain ? own.message : kind,
                .from = id,
                .to = own.peer,
                .from_device = own.device,
                .reason = details.reason,
                .sender = own.name,
                .payload = kind == Sends::kAgain ? own.message_payload : details.payload,
                .since = when};
  if (flight.kind == Sends::kMra) flight.reason = own.origin.valid() ? 0 : 1;
  if (flight.kind == Sends::kRejTimeout) flight.reason = static_cast<uint16_t>(RejReason::kTimeout);
  if (flight.kind == Sends::kSidrReq || flight.kind == Sends::kSidrRep) flight.reason = 0;
  if (flight.kind == Sends::kSidrRefusal)
    flight.reason = static_cast<uint16_t>(SidrStatus::kReject);
  const bool names_no_id = flight.kind == Sends::kReq || flight.kind == Sends::kRejTimeout ||
                           flight.kind == Sends::kRejWithoutId || flight.kind == Sends::kSidrReq;
  if (names_no_id) flight.to = kNoId;
  if (own_source) {
    flight.source_from = facts_.EarliestSourceOf(own);
    flight.source_to = facts_.LatestSourceOf(own);
  }
  if (own_source && own.pathless) return;  // it has no address to send from any more
  flight.to_device = facts_.PeerDeviceOf(own);
  p->Send(flight);
}

void Machine::Report(Possibility* p, uint8_t id, model::Report report,
                     const Details& details) const {
  if (report == model::Report::kNothing) return;
  IdState& own = p->ids[id];
  for (const ReportRule& rule : rules::kReports) {
    if (rule.on != report || !rule.from.Has(own.state) || rule.accepted != own.accepted) continue;
    p->used.set(NumberOf(&rule));
    if (rule.to != State::kSame) own.state = rule.to;
    if (rule.silent) return;
    Pending pending{.type = rule.type, .status = rule.status};
    if (InfoOf(report).over == over::kIwarp) {
      pending.payload = report == model::Report::kIwEstablished ? details.told : details.payload;
      return own.Put(pending);
    }
    if (rule.status == kReason) pending.status = static_cast<int32_t>(details.reason);
    const bool replied =
        report == model::Report::kSidrRepReceived || report == model::Report::kSidrOtherKeyReceived;
    if (rule.type == EventType::kConnectResponse || replied) pending.payload = details.payload;
    if (report == model::Report::kSidrRefusalReceived) {
      pending.payload = details.payload == kNoPayload ? facts_.empty_refusal : details.payload;
    }
    if (rule.type == EventType::kRejected) {
      pending.payload = details.payload == kNoPayload ? facts_.empty_rejection : details.payload;
    }
    return own.Put(pending);
  }
}

const IbRule* Machine::Stimulate(Possibility* p, uint8_t id, IbStimulus on, const Details& details,
                                 Span when) const {
  IdState& own = p->ids[id];
  const IbRule* rule = Find(own.ib, on);
  if (rule == nullptr) return nullptr;
  p->used.set(NumberOf(rule));
  if (rule->answer != IbAnswer::kDone) return rule;
  const bool outlives = own.ib == IbState::kMraRepRcvd && on == IbStimulus::kDreq &&
                        facts_.profile().dialect.delayed_reply_outlives_dreq;
  if (rule->to != IbState::kSame) own.ib = rule->to;
  if (rule->to == IbState::kTimewait) own.timewait = when;
  if (on == IbStimulus::kMra) {
    if (!own.mra) own.first_mra = when;
    own.mra = true;
    own.last = when;
  }
  if (rule->abandons || outlives) own.abandoned = own.outstanding;
  if (!own.abandoned && !Waits(own.ib, own.message)) own.outstanding = false;
  if (!own.outstanding) own.mra = false;
  if (rule->sends != Sends::kNothing) Send(p, id, rule->sends, IsOwn(on), details, when);
  Report(p, id, rule->reports, details);
  return rule;
}

bool Machine::FromBelow(Possibility* p, uint8_t id, Below on, Span when) const {
  IdState& own = p->ids[id];
  for (const BelowRule& rule : rules::kFromBelow) {
    if (rule.on != on || !rule.from.Has(own.state)) continue;
    p->used.set(NumberOf(&rule));
    if (rule.to != State::kSame) own.state = rule.to;
    if (!rule.silent && own.accepted) own.Put({.type = rule.reports, .status = rule.status});
    if (on == Below::kDeviceGoes) own.due = when;
    if (on == Below::kKernelIdClosed) DestroyInKernel(p, id, when);
    return true;
  }
  return false;
}

void Machine::ReportMembership(Possibility* p, uint8_t id, size_t which, Below on,
                               Span when) const {
  IdState& own = p->ids[id];
  uint16_t payload = own.joining[which];
  own.joining.erase(own.joining.begin() + static_cast<ptrdiff_t>(which));
  const bool joined = facts_.payloads[payload].group.kind != AddressKind::kNone;
  if (on == Below::kGroupTimesOut) payload = facts_.payloads.FailureOf(payload);
  const bool told = own.state != State::kDeviceRemoval;
  if (!told) on = Below::kGroupJoined;
  FromBelow(p, id, on == Below::kGroupJoined && !joined && told ? Below::kGroupWithoutGid : on,
            when);
  if (told) p->ids[id].queue.back().payload = payload;
}

void Machine::DestroyInKernel(Possibility* p, uint8_t id, Span when) const {
  if (over_iwarp())
    StimulateIw(p, id, IwStimulus::kDestroy, {}, when);
  else
    Stimulate(p, id, IbStimulus::kDestroy, {}, when);
  IdState& own = p->ids[id];
  own.closed = true;
  own.joining.clear();
  if (!own.abandoned) own.outstanding = false;
}

void Machine::DropRequests(Possibility* p, uint8_t listener, Span when) const {
  std::vector<uint8_t> children;
  for (const Pending& pending : p->ids[listener].queue)
    if (pending.type == EventType::kConnectRequest && pending.child != kNoId)
      children.push_back(pending.child);
  p->ids[listener].queue.clear();
  for (const uint8_t child : children) {
    if (!p->ids[child].closed) DestroyInKernel(p, child, when);
    p->ids[child].gone = true;
  }
}

void Machine::Destroy(Possibility* p, uint8_t id, Span when) const {
  if (!p->ids[id].closed) DestroyInKernel(p, id, when);
  p->ids[id].gone = true;
  DropRequests(p, id, when);
  p->Tidy();
}

uint8_t Machine::FindChild(const Possibility& p, const Flight& request) const {
  for (uint8_t i = 0; i < p.ids.size(); ++i) {
    const IdState& id = p.ids[i];
    if (!id.origin.valid() && request.sender.valid()) continue;
    const bool asks = request.kind == Sends::kSidrReq && id.ib == IbState::kSidrReqRcvd &&
                      facts_.KernelOf(id.device) == facts_.KernelOf(request.to_device) &&
                      facts_.SameAsker(id.origin, request.sender);
    if (asks || (facts_.SamePeer(id.origin, request.sender) && KnownRemotely(id))) return i;
  }
  return kNoId;
}

bool Machine::IsFor(const Flight& request, const PortOwner& owner) const {
  const IdInfo& sender = facts_.id(request.sender);
  const uint16_t port = sender.destination.port;
  return owner.address.port == port && port != 0 && owner.space == sender.space &&
         owner.kernel == facts_.KernelOf(request.to_device);
}

// The table is the kernel's, of devices and numbers at the other end.
// source: linux 6.1 cm.c cm_insert_remote_qpn
uint8_t Machine::UserOf(const Possibility& p, const Flight& flight, Certainty least) const {
  if (!flight.sender.valid() || flight.to_device == kNoDevice) return kNoId;
  const uint8_t kernel = facts_.KernelOf(flight.to_device);
  for (uint8_t i = 0; i < p.ids.size(); ++i) {
    const IdState& id = p.ids[i];
    const IdRef peer = id.PeerName();
    if (!KnownRemotely(id) || !peer.valid() || facts_.SamePeer(peer, flight.sender)) continue;
    if (facts_.KernelOf(id.device) == kernel && facts_.SameQpNumber(peer, flight.sender) >= least &&
        facts_.CaOf(facts_.PeerDeviceOf(id)) == facts_.CaOf(flight.from_device)) {
      return i;
    }
  }
  return kNoId;
}

// What is wrong with a request of the tester, but for whom it is for.
RequestGuard Machine::OddityOf(const TesterMad& mad) const {
  const bool datagram = mad.kind == MadKind::kSidrReq;
  constexpr uint16_t kFullMember = 0x8000;
  const bool member = (mad.p_key | kFullMember) == kDefaultPkey;
  if (!datagram && (!member || mad.mixed_gids)) return RequestGuard::kNoPath;
  if (!datagram && mad.alternate_path && !over_infiniband()) return RequestGuard::kAlternatePath;
  if (mad.cma_version != 0 || (mad.unreliable && !datagram)) return RequestGuard::kNotUnderstood;
  // source: linux 6.1 cma.c cma_ib_check_req_qp_type
  if (datagram != IsDatagram(mad.space)) return RequestGuard::kNotUnderstood;
  return RequestGuard::kFine;
}

// Who answers a request, as linux 6.1 cma.c cma_find_listener looks for it: the newest owner of the
// port whose address and device fit.
RequestGuard Machine::GuardOf(const Possibility& p, const Flight& flight, uint8_t* listener) const {
  const IdInfo& sender = facts_.id(flight.sender);
  bool has_listener = false;
  *listener = kNoId;
  for (const PortOwner& owner : facts_.ports) {
    if (!IsFor(flight, owner)) continue;
    const uint8_t i = p.Find(owner.id);
    if (i == kNoId || p.ids[i].closed) continue;
    const IdState& id = p.ids[i];
    const bool listens = id.state == State::kListen;
    const Address address = facts_.OwnedAddress(owner, id);
    const bool wildcard = address.AnyOrLoopback();
    const bool device_fits = wildcard ? listens : id.device == flight.to_device;
    // On every port of its device. source: linux 6.1 cm.c cm_find_listen
    const bool ca_fits = wildcard || facts_.CaOf(id.device) == facts_.CaOf(flight.to_device);
    if (listens && ca_fits) has_listener = true;
    // An IPv4 socket hears no IPv6. source: linux 6.1 siw_cm.c siw_create_listen
    const bool mute = facts_.over_iwarp() && sender.destination.v6 && !address.v6;
    const bool address_fits =
        (wildcard && !owner.family_only && !mute) ||
        (address.v6 == sender.destination.v6 && (wildcard || address.SameHost(sender.destination)));
    if (*listener == kNoId && device_fits && address_fits) *listener = i;
  }
  if (!has_listener) return RequestGuard::kNoListener;
  if (flight.tester != kNoTester) {
    const RequestGuard odd = OddityOf(*facts_.tester_messages[flight.tester].mad);
    if (odd != RequestGuard::kFine) return odd;
  }
  if (*listener == kNoId || p.ids[*listener].state != State::kListen)
    return RequestGuard::kOtherAddress;
  return p.ids[*listener].backlog > 0 ? RequestGuard::kFine : RequestGuard::kBacklogFull;
}

uint8_t Machine::ListenerFor(const Possibility& p, const Flight& request) const {
  if (!request.sender.valid() || request.tester != kNoTester || FindChild(p, request) != kNoId)
    return kNoId;
  uint8_t listener = kNoId;
  GuardOf(p, request, &listener);
  return listener;
}

Flight Machine::RequestOf(const IdState& id) const {
  return {.kind = id.message,
          .from_device = id.device,
          .to_device = facts_.PeerDeviceOf(id),
          .sender = id.name};
}

int Machine::CountAsking(const Possibility& p, uint8_t listener) const {
  const auto asks = [&](const IdState& id) {
    return id.outstanding && NeedsRoom(id.message) && ListenerFor(p, RequestOf(id)) == listener;
  };
  return static_cast<int>(std::ranges::count_if(p.ids, asks));
}

bool Machine::MayBeFull(const IdState& listener, int asking, Span when) const {
  const Crowd& crowd = facts_.id(listener.name).crowd;
  const bool was = WasFull(listener.full, when) || WasFull(crowd.full, when);
  return listener.backlog > 0 && (was || asking + crowd.asking > listener.backlog);
}

bool Machine::MayBeFullFor(IdRef listener, Span when) const {
  const Crowd& crowd = facts_.id(listener).crowd;
  return crowd.too_many || WasFull(crowd.full, when);
}

void Machine::NoteFull(Possibility* p, uint8_t listener, Span when) const {
  IdState& own = p->ids[listener];
  if (CountAsking(*p, listener) <= own.backlog) return;
  Span full = when;
  for (const IdState& id : p->ids)
    if (id.outstanding && NeedsRoom(id.message)) full.Widen(id.first);
  if (own.full.latest == 0) own.full = full;
  own.full.Widen(full);
}

bool Machine::AsksElsewhere(const Possibility& p, const Flight& request) const {
  const bool of_an_id = request.sender.valid() && request.tester == kNoTester;
  if (!IsRequest(request.kind) || !of_an_id || request.to_device == kNoDevice) return false;
  const auto elsewhere = [&](const PortOwner& owner) {
    return IsFor(request, owner) && facts_.id(owner.id).in_scope &&
           facts_.id(owner.id).component != facts_.id(request.sender).component;
  };
  return std::ranges::any_of(facts_.ports, elsewhere) && FindChild(p, request) == kNoId;
}

void Machine::JoinApart(Possibility* p, uint8_t id) const {
  if (facts_.requests_may_be_late) return;  // what becomes of them differs
  std::vector<size_t> apart;
  for (size_t f = 0; f < p->flights.size(); ++f)
    if (p->flights[f].from == id && IsApart(*p, p->flights[f])) apart.push_back(f);
  while (apart.size() > 1) {
    const size_t first = apart.front();
    Since& since = p->flights[apart.back()].since;
    since.earliest = std::min(since.earliest, p->flights[first].since.earliest);
    p->flights.erase(p->flights.begin() + static_cast<ptrdiff_t>(first));
    apart.erase(apart.begin());
    for (size_t& f : apart) --f;
  }
}

// The connection that a stale request or reply collides with is ended.
void Machine::EndStale(Possibility* p, uint8_t user, Span when) const {
  const IdState& id = p->ids[user];
  if (id.ib != IbState::kEstablished) return;
  Stimulate(p, user, id.pathless ? IbStimulus::kUnsentEnd : IbStimulus::kSendDreq, {}, when);
}

bool Machine::Known(const Possibility& p, const Flight& reply) const {
  return std::ranges::any_of(p.ids, [&](const IdState& id) {
    return KnownRemotely(id) && facts_.SamePeer(id.PeerName(), reply.sender);
  });
}

void Machine::RefuseReply(Possibility* p, uint8_t id, const Flight& reply, uint8_t user,
                          Span when) const {
  const IbRule* rule = Find(p->ids[id].ib, IbStimulus::kRepStale);
  p->used.set(NumberOf(rule));
  p->Send({.kind = rule->sends,
           .from = id,
           .to = reply.from,
           .from_device = reply.to_device,
           .to_device = reply.from_device,
           .reason = static_cast<uint16_t>(RejReason::kStaleConn),
           .sender = p->ids[id].name,
           .since = when});
  EndStale(p, user, when);
}

// The listener hears of a request, which is an id of its own from now on.
void Machine::Deliver(Possibility* p, const Flight& flight, uint8_t listener, Span when) const {
  IdState child;
  child.origin = flight.sender;
  child.state = State::kConnect;
  if (flight.kind == Sends::kMpaRequest)
    child.iw = IwState::kConnRecv;
  else
    child.ib = flight.kind == Sends::kSidrReq ? IbState::kSidrReqRcvd : IbState::kMraReqSent;
  child.device = flight.to_device;
  child.source = facts_.fail_overs[flight.to_device];
  child.peer = p->Find(flight.sender);
  child.met = true;
  child.accepted = false;
  child.request_payload = flight.payload;
  --p->ids[listener].backlog;
  const IdRef name = p->ids[listener].name;
  const uint8_t place = PlaceOfChild(*p, child);
  p->Insert(place, std::move(child));
  p->ids[p->Find(name)].Put({.type = EventType::kConnectRequest,
                             .child = place,
                             .payload = flight.payload,
                             .since = when});
}

void Machine::Refuse(Possibility* p, const Flight& request, Sends kind, uint16_t reason,
                     Span when) {
  p->Send({.kind = kind,
           .to = p->Find(request.sender),
           .from_device = request.to_device,
           .to_device = request.from_device,
           .reason = reason,
           .since = when});
}

void Machine::ArriveSidrRequest(Possibility* p, const Flight& flight, Span when) const {
  uint8_t listener = kNoId;
  const RequestGuard guard = GuardOf(*p, flight, &listener);
  const SidrRequestRule& rule = Use(p, rules::kSidrRequests, guard);
  if (rule.delivered) return Deliver(p, flight, listener, when);
  Refuse(p, flight, Sends::kSidrRefusal, static_cast<uint16_t>(rule.status), when);
}

void Machine::MeetFullQueue(Possibility* p, const Flight& flight, Span when) const {
  if (flight.kind != Sends::kMpaRequest)
    Use(p, rules::kRequests, RequestGuard::kBacklogFull);
  else
    Refuse(p, flight, Use(p, rules::kIwRequests, RequestGuard::kBacklogFull).sends, 0, when);
}

void Machine::ArriveRequest(Possibility* p, const Flight& flight, uint8_t user, Span when) const {
  const bool made_by_hand = flight.tester != kNoTester;
  if (made_by_hand && facts_.tester_messages[flight.tester].mad->unresolvable) {
    Use(p, rules::kRequests, RequestGuard::kUnresolvable);  // it is dropped
    return;
  }
  const uint8_t known = FindChild(*p, flight);
  if (known != kNoId) {
    Stimulate(p, known, IbStimulus::kReqAgain, {}, when);
    return;
  }
  if (flight.kind == Sends::kSidrReq) return ArriveSidrRequest(p, flight, when);
  uint8_t listener = kNoId;
  const RequestGuard guard = user != kNoId ? RequestGuard::kStale : GuardOf(*p, flight, &listener);
  const RequestRule& rule = Use(p, rules::kRequests, guard);
  if (rule.outcome == RequestOutcome::kDelivered) return Deliver(p, flight, listener, when);
  if (rule.outcome == RequestOutcome::kDropped) return;
  Refuse(p, flight, Sends::kRejReq, static_cast<uint16_t>(rule.reason), when);
  if (user != kNoId) EndStale(p, user, when);
}

}  // namespace cm::model
