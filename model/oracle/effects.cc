// What a call does besides answering, to possibilities and to what is known for certain.
#include <algorithm>
#include <array>
#include <optional>

#include "model/base/check.h"
#include "model/oracle/effect_row.h"
#include "model/oracle/lookups.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

// What a rejection says; nothing when a failed answer rejects.
PrivateData DataOfReject(const Call& call) {
  if (const auto* reject = std::get_if<call::Reject>(&call)) return reject->private_data;
  if (const auto* reject = std::get_if<call::RejectEce>(&call)) return reject->private_data;
  return {};
}

// Groups need no neighbour to answer. source: linux 6.1 arp.c arp_constructor
Resolution ResolutionOf(const Address& destination) {
  if (destination.AnyOrLoopback()) return Resolution::kLoopback;
  const bool answers =
      destination.kind == AddressKind::kSide || destination.kind == AddressKind::kGroup;
  return answers ? Resolution::kFound : Resolution::kSilent;
}

}  // namespace

// An effect on a possibility.
struct Oracle::Carrying {
  Oracle& oracle;
  Possibility* p;
  uint8_t id;
  const Call& call;
  Span when;

  IdState& own() const { return p->ids[id]; }
  uint16_t Interned(const Payload& payload) const { return oracle.facts_.payloads.Intern(payload); }
  void Asks(IbStimulus on, const Details& details = {}) const {
    oracle.machine_.Stimulate(p, id, on, details, when);
  }
  void Asks(IwStimulus on, const Details& details = {}) const {
    oracle.machine_.StimulateIw(p, id, on, details, when);
  }
};

// An effect on what is known for certain.
struct Oracle::Learning {
  Oracle& oracle;
  IdRef id;
  const Call& call;

  IdInfo& info() const { return oracle.facts_.id(id); }
};

struct Oracle::Actions {
  using Row = EffectRow<void (*)(const Carrying&), void (*)(const Learning&)>;

  template <QpStimulus kOn>
  static void MovesQp(const Carrying& c) {
    Machine::MoveQp(c.p, c.id, kOn);
  }

  template <QpStimulus kOn>
  static void BreaksQpOverTcp(const Carrying& c) {
    const bool had_one = c.own().qp != QpPhase::kNone;
    Machine::MoveQp(c.p, c.id, kOn);
    if (had_one && !c.own().closed) c.Asks(IwStimulus::kQpBreaks);
  }

  template <IbStimulus kOn>
  static void AsksIbCm(const Carrying& c) {
    c.Asks(kOn);
  }

  static void BindsAddress(const Carrying& c) {
    const ConversationFacts& facts = c.oracle.facts_;
    const uint8_t device =
        facts.LocalDevice(AddressWantedBy(c.call), facts.id(c.own().name).kernel);
    if (device != kNoDevice) c.own().device = device;
  }

  static void LearnsAddress(const Learning& l) {
    l.oracle.LearnBinding(l.id, AddressWantedBy(l.call));
  }

  static void SetsBacklog(const Carrying& c) {
    const auto max = static_cast<int32_t>(c.oracle.profile_.limits.max_backlog);
    const int32_t given = std::get<call::Listen>(c.call).backlog;
    c.own().backlog = static_cast<int16_t>(given <= 0 || given > max ? max : given);
  }

  static void StartsResolving(const Carrying& c) { c.own().resolving = c.when; }

  static void LearnsRequest(const Learning& l) {
    l.info().connected = true;
    l.oracle.MergeForRequest(l.id);
  }

  static void SendsReq(const Carrying& c) {
    const bool has_qp = c.own().qp != QpPhase::kNone;
    c.Asks(
        IbStimulus::kSendReq,
        {.payload = c.Interned(c.oracle.RequestPayload(std::get<call::Connect>(c.call), has_qp))});
  }

  static void SendsReqOverTcp(const Carrying& c) {
    c.Asks(IwStimulus::kConnect,
           {.payload = c.Interned(c.oracle.IwRequestPayload(std::get<call::Connect>(c.call)))});
  }

  static void SendsRep(const Carrying& c) {
    c.Asks(IbStimulus::kSendRep,
           {.payload = c.Interned(c.oracle.ReplyPayload(std::get<call::Accept>(c.call), c.own()))});
    c.own().accepted = true;
  }

  static void SendsRepOverTcp(const Carrying& c) {
    c.own().accepted = true;
    c.Asks(IwStimulus::kAccept, c.oracle.AgreedOn(std::get<call::Accept>(c.call), c.own()));
  }

  static void SendsRej(const Carrying& c) {
    Details details;
    if (std::holds_alternative<call::RejectEce>(c.call))
      details.reason = static_cast<uint16_t>(RejReason::kVendorOptionNotSupported);
    details.payload =
        c.Interned({.data = DataOfReject(c.call).Resized(c.oracle.profile_.limits.reject_data)});
    c.Asks(IbStimulus::kSendRej, details);
  }

  static void SendsRejOverTcp(const Carrying& c) {
    c.Asks(IwStimulus::kReject, {.payload = c.Interned({.data = DataOfReject(c.call)})});
  }

  static void RefusesSidr(const Carrying& c) {
    const PrivateData data =
        DataOfReject(c.call).Resized(c.oracle.profile_.limits.datagram_reply_data);
    c.Asks(IbStimulus::kSendSidrRefusal, {.payload = c.Interned({.data = data})});
  }

  static void Rejects(const Carrying& c) {
    IsDatagram(c.oracle.facts_.SpaceOf(c.own())) ? RefusesSidr(c) : SendsRej(c);
  }

  static void SendsSidrReq(const Carrying& c) {
    c.Asks(IbStimulus::kSendSidrReq, {.payload = c.Interned(c.oracle.DatagramPayload(
                                          std::get<call::Connect>(c.call).param,
                                          c.oracle.profile_.limits.datagram_request_data))});
  }

  static void AnswersSidr(const Carrying& c) {
    const Payload payload = c.oracle.ServicePayload(c.call, c.own());
    if (std::holds_alternative<call::Accept>(c.call)) {
      c.own().accepted = true;
      if (c.oracle.profile_.dialect.accept_releases_datagram_request) c.own().retained.reset();
    }
    c.Asks(IbStimulus::kSendSidrRep, {.payload = c.Interned(payload)});
  }

  static void LearnsService(const Learning& l) {
    const bool accepts = std::holds_alternative<call::Accept>(l.call);
    if (accepts && l.oracle.profile_.dialect.accept_releases_datagram_request) l.oracle.LetGo(l.id);
  }

  static void LimitsFamily(const Learning& l) {
    const bool alone = std::get<call::SetOption>(l.call).value != 0;
    l.info().family_only = alone;
    for (PortOwner& owner : l.oracle.facts_.ports)
      if (owner.id == l.id) owner.family_only = alone;
  }

  static void LeavesGroup(const Carrying& c) {
    const Address& address = std::get<call::LeaveMulticast>(c.call).address;
    c.oracle.DropEvents(c.p, c.id, c.oracle.facts_.id(c.own().name).JoinedAs(address));
  }

  static void LearnsLeft(const Learning& l) {
    const uint16_t left = l.info().JoinedAs(std::get<call::LeaveMulticast>(l.call).address);
    if (left != 0) l.info().memberships[left - 1].joined = false;
  }

  static void LearnsJoined(const Learning& l) { l.oracle.LearnJoined(l.id, l.call); }

  static void LooksUp(const Carrying& c) {
    c.own().looks_up = c.own().has_info = true;
    c.own().queue.push_back({.type = EventType::kInternal});
  }

  static void WritesEvent(const Carrying& c) {
    const auto& write = std::get<call::WriteCmEvent>(c.call);
    c.own().queue.push_back({.type = EventType::kUser,
                             .payload = c.Interned({.argument = write.argument}),
                             .status = write.status});
  }

  static constexpr auto kRows = std::to_array<Row>({
      {.effect = Effect::kBindsAddress, .carry = BindsAddress, .learn = LearnsAddress},
      {.effect = Effect::kBindsAny,
       .learn = [](auto& l) { l.oracle.LearnBinding(l.id, {.kind = AddressKind::kAny}); }},
      {.effect = Effect::kBindsSource, .carry = BindsAddress, .learn = LearnsAddress},
      {.effect = Effect::kSetsDestination,
       .learn =
           [](auto& l) { l.info().destination = std::get<call::ResolveAddr>(l.call).destination; }},
      {.effect = Effect::kMeetsInterface,
       .learn =
           [](auto& l) {
             l.info().interface =
                 l.oracle.facts_.LocalDevice(AddressWantedBy(l.call), l.info().kernel);
           }},
      {.effect = Effect::kSetsBacklog, .carry = SetsBacklog},
      {.effect = Effect::kStartsAddress,
       .carry = StartsResolving,
       .learn = [](auto& l) { l.oracle.LearnDestination(&l.info(), l.call); }},
      {.effect = Effect::kStartsRoute,
       .carry = StartsResolving,
       .learn = [](auto& l) { l.oracle.LearnRoute(&l.info(), l.call); }},
      {.effect = Effect::kQpCreated, .carry = MovesQp<QpStimulus::kCreate>},
      {.effect = Effect::kQpDestroyed, .carry = MovesQp<QpStimulus::kDestroy>, .over = over::kIbCm},
      {.effect = Effect::kQpDestroyed,
       .carry = BreaksQpOverTcp<QpStimulus::kDestroy>,
       .over = over::kIwarp},
      {.effect = Effect::kQpUp, .carry = MovesQp<QpStimulus::kBringUp>},
      {.effect = Effect::kQpError, .carry = MovesQp<QpStimulus::kError>, .over = over::kIbCm},
      {.effect = Effect::kQpError,
       .carry = BreaksQpOverTcp<QpStimulus::kError>,
       .over = over::kIwarp},
      {.effect = Effect::kSendsReq, .carry = SendsReq, .learn = LearnsRequest, .over = over::kIbCm},
      {.effect = Effect::kSendsReq,
       .carry = SendsReqOverTcp,
       .learn = LearnsRequest,
       .over = over::kIwarp},
      {.effect = Effect::kSendsRep,
       .carry = SendsRep,
       .learn = [](auto& l) { l.oracle.MergeForQp(l.id); },
       .over = over::kIbCm},
      {.effect = Effect::kSendsRep, .carry = SendsRepOverTcp, .over = over::kIwarp},
      {.effect = Effect::kSendsRtu, .carry = AsksIbCm<IbStimulus::kSendRtu>},
      {.effect = Effect::kSendsRej, .carry = SendsRej, .over = over::kIbCm},
      {.effect = Effect::kSendsRej, .carry = SendsRejOverTcp, .over = over::kIwarp},
      {.effect = Effect::kRejects, .carry = Rejects, .over = over::kIbCm},
      {.effect = Effect::kRejects, .carry = SendsRejOverTcp, .over = over::kIwarp},
      {.effect = Effect::kSendsDreq, .carry = AsksIbCm<IbStimulus::kSendDreq>},
      {.effect = Effect::kSendsDrep, .carry = AsksIbCm<IbStimulus::kSendDrep>},
      {.effect = Effect::kEndsUnsaid, .carry = AsksIbCm<IbStimulus::kUnsentEnd>},
      {.effect = Effect::kGivesUp, .carry = AsksIbCm<IbStimulus::kUnsentRej>},
      {.effect = Effect::kDatagramQpCreated, .carry = MovesQp<QpStimulus::kCreateDatagram>},
      {.effect = Effect::kSendsSidrReq, .carry = SendsSidrReq, .learn = LearnsRequest},
      {.effect = Effect::kAnswersSidr, .carry = AnswersSidr, .learn = LearnsService},
      {.effect = Effect::kRefusesSidr, .carry = RefusesSidr},
      {.effect = Effect::kDestroys,
       .carry = [](auto& c) { c.oracle.machine_.Destroy(c.p, c.id, c.when); }},
      {.effect = Effect::kEstablishes, .carry = AsksIbCm<IbStimulus::kCommEst>},
      {.effect = Effect::kMigratesPath,
       .carry =
           [](auto& c) {
             c.Asks(IbStimulus::kPathMig);
             c.own().pathless = true;
           }},
      {.effect = Effect::kSetsEce,
       .learn = [](auto& l) { l.info().ece = std::get<call::SetLocalEce>(l.call).ece; }},
      {.effect = Effect::kSharesPort, .learn = [](auto& l) { l.info().shares_port = true; }},
      {.effect = Effect::kSharesPortNoMore, .learn = [](auto& l) { l.info().shares_port = false; }},
      {.effect = Effect::kLimitsFamily, .learn = LimitsFamily},
      {.effect = Effect::kSetsTimeout,
       .learn =
           [](auto& l) {
             l.info().ack_timeout = static_cast<uint8_t>(std::get<call::SetOption>(l.call).value);
           }},
      {.effect = Effect::kSetsPath,
       .carry = [](auto& c) { c.own().queue.push_back({.type = EventType::kRouteResolved}); },
       .learn = [](auto& l) { l.info().path_given = true; }},
      {.effect = Effect::kMovesEvents,
       .carry =
           [](auto& c) {
             c.oracle.MoveTo(std::get<call::MigrateId>(c.call).channel, c.p, c.id, c.when);
           }},
      {.effect = Effect::kJoinsGroup,
       .carry = [](auto& c) { c.oracle.Join(c.p, c.id, c.call, true, c.when); },
       .learn = LearnsJoined},
      {.effect = Effect::kJoinsInVain,
       .carry = [](auto& c) { c.oracle.Join(c.p, c.id, c.call, false, c.when); },
       .learn = LearnsJoined},
      {.effect = Effect::kLeavesGroup, .carry = LeavesGroup, .learn = LearnsLeft},
      {.effect = Effect::kForgetsGroup, .learn = LearnsLeft},
      {.effect = Effect::kLooksUp,
       .carry = LooksUp,
       .learn =
           [](auto& l) { l.info().looked_up = LookupOf(std::get<call::ResolveAddrInfo>(l.call)); }},
      {.effect = Effect::kHandsInfo,
       .carry = [](auto& c) { c.own().looks_up = c.own().has_info = false; }},
      {.effect = Effect::kForgetsInfo, .carry = [](auto& c) { c.own().looks_up = false; }},
      {.effect = Effect::kWritesEvent, .carry = WritesEvent},
      {.effect = Effect::kCloses,
       .carry = [](auto& c) { c.Asks(IwStimulus::kDisconnect); },
       .over = over::kIwarp},
      {.effect = Effect::kEndsLater,
       .carry = [](auto& c) { c.own().ending = true; },
       .over = over::kIwarp},
  });

  static constexpr auto kByTransport = ByTransport<Row>(kRows);

  static const Row& Of(Effect effect, Transport transport) {
    const Row* row = kByTransport[static_cast<size_t>(transport)][static_cast<size_t>(effect)];
    CM_CHECK(row != nullptr) << ToString(effect) << ": not over this transport";
    return *row;
  }
};

// Its name in a message of the compiler names the effect.
template <Effect kEffect>
struct TheEffectWithoutOneAction {
  static_assert(kEffect == Effect::kNone,
                "an effect has an action, and one alone over a transport");
};
template struct TheEffectWithoutOneAction<
    FirstWithoutOneAction<Oracle::Actions::Row>(Oracle::Actions::kRows).value_or(Effect::kNone)>;

void Oracle::Carry(Possibility* p, uint8_t id, Effect effect, const Call& call, Span when) {
  if (effect == Effect::kNone) return;
  const auto carry = Actions::Of(effect, profile_.transport).carry;
  if (carry != nullptr) carry({*this, p, id, call, when});
}

void Oracle::Apply(Possibility* p, uint8_t id, const CallRule& rule, const Call& call, Span when) {
  p->used.set(NumberOf(&rule));
  if (rule.to != State::kSame) p->ids[id].state = rule.to;
  for (const Effect effect : rule.effects) Carry(p, id, effect, call, when);
}

// The devices that the id may find itself on by this row: a loopback destination takes the first
// one that works, at once.
InlineVector<uint8_t, 2> Oracle::DevicesAfter(const IdState& before, const CallRule& rule,
                                              const Call& call, const Window& window) const {
  const auto* resolve = std::get_if<call::ResolveAddr>(&call);
  const bool unbound = resolve != nullptr && rule.to == State::kAddrQuery &&
                       resolve->destination.AnyOrLoopback() && before.device == kNoDevice &&
                       (before.state != State::kIdle || AddressWantedBy(call).AnyOrLoopback());
  if (unbound) return fault_model_.LoopbackDevices(facts_.id(before.name).kernel, window);
  InlineVector<uint8_t, 2> same;
  same.push_back(kNoDevice);
  return same;
}

// Equal for connections whose peers cannot tell their queue pairs apart.
void Oracle::LearnQpKey(const CallRule& rule, const Call& call, const IdState& id) {
  const auto* connect = std::get_if<call::Connect>(&call);
  const auto* accept = std::get_if<call::Accept>(&call);
  const bool replies =
      accept != nullptr && std::ranges::find(rule.effects, Effect::kSendsRep) != rule.effects.end();
  const bool asks =
      connect != nullptr && rule.outcome == Returns() && !IsDatagram(facts_.id(connect->id).space);
  if (!asks && (!replies || machine_.over_iwarp())) return;
  const std::optional<ConnParam>& param = asks ? connect->param : accept->param;
  const IdRef own = IdOf(call);
  facts_.id(own).boot = facts_.boots[facts_.id(own).kernel];
  facts_.id(own).qp_key = id.qp != QpPhase::kNone
                              ? kFirstLibraryQp + own.index
                              : uint64_t{param ? param->qp_num & 0xffffff : 0} + 1;
}

// No link leads from the id's interface to the device with the address, or its host does not run.
bool Oracle::NobodyAnswers(const IdInfo& info, const Address& destination) const {
  const uint8_t there = facts_.DeviceOf(destination);
  if (there == kNoDevice || facts_.KernelOf(there) == info.kernel) return false;
  return !fault_model_.Reaches(info.interface, there);
}

void Oracle::LearnBinding(IdRef id, const Address& address) {
  IdInfo& info = facts_.id(id);
  info.bound = address;
  info.owns_port = true;
  const uint8_t device = facts_.LocalDevice(address, info.kernel);
  if (device != kNoDevice) {
    info.interface = device;
    info.fail_overs = fault_model_.FailOvers(device);
    info.source_from = info.source_to = info.fail_overs;
  }
  facts_.ports.insert(facts_.ports.begin(),
                      {.id = id,
                       .kernel = info.kernel,
                       .space = info.space,
                       .address = address,
                       .family_only = info.family_only.value_or(!address.v6)});
  MergeForService(id, address.port);
}

void Oracle::LearnRoute(IdInfo* info, const Call& call) {
  const auto* resolve = std::get_if<call::ResolveRoute>(&call);
  info->timeout_ms = resolve == nullptr ? 0 : resolve->timeout_ms;
  // Of the path; over InfiniBand it is the administrator's.
  info->tracked = profile_.transport == Transport::kRoce;
  if (info->ack_timeout != 0 && !machine_.over_infiniband())
    info->packet_lifetime = info->ack_timeout - 1;
  const uint8_t there = facts_.DeviceOf(info->destination);
  if (there != kNoDevice) info->peer_fail_overs = fault_model_.FailOvers(there);
  info->knew_wrong_neighbour = fault_model_.NeighbourWrong(info->interface, there);
}

void Oracle::LearnDestination(IdInfo* info, const Call& call) {
  const auto& resolve = std::get<call::ResolveAddr>(call);
  info->shown.destination = resolve.destination;
  info->timeout_ms = resolve.timeout_ms;
  info->resolution = ResolutionOf(resolve.destination);
  // From loopback to the same kernel: found, and no device with it.
  const bool stays_inside = info->bound.kind == AddressKind::kLoopback &&
                            facts_.LocalDevice(resolve.destination, info->kernel) != kNoDevice;
  if (info->resolution == Resolution::kLoopback || stays_inside) return;
  info->interface = facts_.RouteTo(*info, resolve.destination).value_or(kNoDevice);
  if (info->interface == kNoDevice) return;
  if (NobodyAnswers(*info, resolve.destination)) info->resolution = Resolution::kSilent;
  info->fail_overs = fault_model_.FailOvers(info->interface);
  if (!info->source_from) info->source_from = info->fail_overs;
}

// What the caller can know now, and what follows from it.
void Oracle::Learn(IdRef id, const Call& call, const CallRule& rule) {
  IdInfo& info = facts_.id(id);
  const auto ephemeral = [](Address a) {
    return a.port == 0 ? a.WithPort(kFirstEphemeralPort) : a;
  };
  // A queue pair is asked for its vendor's options as soon as it is there, and Soft-RoCE has none.
  const bool asks_qp = QpAskedBy(call).has_value() && rule.outcome.kind == OutcomeKind::kReturns &&
                       !rule.when.Has(Guard::kQpPresent) && !rule.when.Has(Guard::kTypeUnsupported);
  if (asks_qp) info.ece = {};
  for (const Effect effect : rule.effects) {
    if (effect == Effect::kNone) continue;
    const auto learn = Actions::Of(effect, profile_.transport).learn;
    if (learn != nullptr) learn({*this, id, call});
  }
  const bool bound_now =
      std::holds_alternative<call::BindAddr>(call) || std::holds_alternative<call::Listen>(call);
  if (!bound_now || rule.outcome.error != Errno::kNone) return;
  if (std::holds_alternative<call::Listen>(call)) info.shares_port = false;
  // The library asks the kernel for the addresses.
  info.shown.source = ephemeral(info.bound);
  info.shown.destination = info.destination;
  if (info.destination.kind == AddressKind::kNone)
    info.shown.destination = {.kind = AddressKind::kAny, .v6 = info.bound.v6};
  info.shown.device_known |= !info.bound.AnyOrLoopback();
}

}  // namespace cm::model
