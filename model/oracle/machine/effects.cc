#include "model/oracle/machine/effects.h"

#include <array>

#include "model/base/check.h"
#include "model/oracle/machine/effect_row.h"
#include "model/oracle/machine/groups.h"
#include "model/oracle/machine/guards.h"
#include "model/oracle/machine/left_requests.h"
#include "model/oracle/machine/payloads.h"

namespace cm::model {
namespace {

// An effect that is carried out.
struct Carrying {
  ConversationFacts& facts;
  const Machine& machine;
  Possibility* p;
  uint8_t id;
  const Call& call;
  Span when;

  IdState& own() const { return p->ids[id]; }
  const Limits& limits() const { return facts.profile().limits; }
  const Dialect& dialect() const { return facts.profile().dialect; }
  uint16_t Interned(const Payload& payload) const { return facts.payloads.Intern(payload); }
  void Asks(IbStimulus on, const Details& details = {}) const {
    machine.Stimulate(p, id, on, details, when);
  }
  void Asks(IwStimulus on, const Details& details = {}) const {
    machine.StimulateIw(p, id, on, details, when);
  }
};

using Row = EffectRow<void (*)(const Carrying&)>;

// What a rejection says; nothing when a failed answer rejects.
PrivateData DataOfReject(const Call& call) {
  if (const auto* reject = std::get_if<call::Reject>(&call)) return reject->private_data;
  if (const auto* reject = std::get_if<call::RejectEce>(&call)) return reject->private_data;
  return {};
}

template <QpStimulus kOn>
void MovesQp(const Carrying& c) {
  Machine::MoveQp(c.p, c.id, kOn);
}

template <QpStimulus kOn>
void BreaksQpOverTcp(const Carrying& c) {
  const bool had_one = c.own().qp != QpPhase::kNone;
  Machine::MoveQp(c.p, c.id, kOn);
  if (had_one && !c.own().closed) c.Asks(IwStimulus::kQpBreaks);
}

template <IbStimulus kOn>
void AsksIbCm(const Carrying& c) {
  c.Asks(kOn);
}

void BindsAddress(const Carrying& c) {
  const uint8_t device =
      c.facts.LocalDevice(AddressWantedBy(c.call), c.facts.id(c.own().name).kernel);
  if (device != kNoDevice) c.own().device = device;
}

void SetsBacklog(const Carrying& c) {
  const auto max = static_cast<int32_t>(c.limits().max_backlog);
  const int32_t given = std::get<call::Listen>(c.call).backlog;
  c.own().backlog = static_cast<int16_t>(given <= 0 || given > max ? max : given);
}

void StartsResolving(const Carrying& c) { c.own().resolving = c.when; }

void SendsReq(const Carrying& c) {
  const bool has_qp = c.own().qp != QpPhase::kNone;
  c.Asks(IbStimulus::kSendReq,
         {.payload = c.Interned(RequestPayload(c.facts, std::get<call::Connect>(c.call), has_qp))});
}

void SendsReqOverTcp(const Carrying& c) {
  c.Asks(IwStimulus::kConnect,
         {.payload = c.Interned(IwRequestPayload(c.facts, std::get<call::Connect>(c.call)))});
}

void SendsRep(const Carrying& c) {
  c.Asks(IbStimulus::kSendRep,
         {.payload = c.Interned(ReplyPayload(c.facts, std::get<call::Accept>(c.call), c.own()))});
  c.own().accepted = true;
}

void SendsRepOverTcp(const Carrying& c) {
  c.own().accepted = true;
  c.Asks(IwStimulus::kAccept, AgreedOverIwarp(c.facts, std::get<call::Accept>(c.call), c.own()));
}

void SendsRej(const Carrying& c) {
  Details details;
  if (std::holds_alternative<call::RejectEce>(c.call))
    details.reason = static_cast<uint16_t>(RejReason::kVendorOptionNotSupported);
  details.payload = c.Interned({.data = DataOfReject(c.call).Resized(c.limits().reject_data)});
  c.Asks(IbStimulus::kSendRej, details);
}

void SendsRejOverTcp(const Carrying& c) {
  c.Asks(IwStimulus::kReject, {.payload = c.Interned({.data = DataOfReject(c.call)})});
}

void RefusesSidr(const Carrying& c) {
  const PrivateData data = DataOfReject(c.call).Resized(c.limits().datagram_reply_data);
  c.Asks(IbStimulus::kSendSidrRefusal, {.payload = c.Interned({.data = data})});
}

void Rejects(const Carrying& c) {
  IsDatagram(c.facts.SpaceOf(c.own())) ? RefusesSidr(c) : SendsRej(c);
}

void SendsSidrReq(const Carrying& c) {
  c.Asks(IbStimulus::kSendSidrReq,
         {.payload = c.Interned(DatagramPayload(std::get<call::Connect>(c.call).param,
                                                c.limits().datagram_request_data))});
}

void AnswersSidr(const Carrying& c) {
  const Payload payload = ServicePayload(c.facts, c.call, c.own());
  if (std::holds_alternative<call::Accept>(c.call)) {
    c.own().accepted = true;
    if (c.dialect().accept_releases_datagram_request) c.own().retained.reset();
  }
  c.Asks(IbStimulus::kSendSidrRep, {.payload = c.Interned(payload)});
}

void LeavesGroup(const Carrying& c) {
  const Address& address = std::get<call::LeaveMulticast>(c.call).address;
  DropEvents(c.facts, &c.own(), c.facts.id(c.own().name).JoinedAs(address));
}

void LooksUp(const Carrying& c) {
  c.own().looks_up = c.own().has_info = true;
  c.own().queue.push_back({.type = EventType::kInternal});
}

void WritesEvent(const Carrying& c) {
  const auto& write = std::get<call::WriteCmEvent>(c.call);
  c.own().queue.push_back({.type = EventType::kUser,
                           .payload = c.Interned({.argument = write.argument}),
                           .status = write.status});
}

void MigratesPath(const Carrying& c) {
  c.Asks(IbStimulus::kPathMig);
  c.own().pathless = true;
}

void MovesEvents(const Carrying& c) {
  MoveTo(std::get<call::MigrateId>(c.call).channel, c.facts, c.machine, c.p, c.id, c.when);
}

// Changes what is certain alone, for every possibility alike: see Learning.
void OnlyTeaches(const Carrying& /*c*/) {}

constexpr auto kRows = std::to_array<Row>({
    {Effect::kBindsAddress, BindsAddress},
    {Effect::kBindsSource, BindsAddress},
    {Effect::kSetsBacklog, SetsBacklog},
    {Effect::kStartsAddress, StartsResolving},
    {Effect::kStartsRoute, StartsResolving},
    {Effect::kQpCreated, MovesQp<QpStimulus::kCreate>},
    {Effect::kQpDestroyed, MovesQp<QpStimulus::kDestroy>, over::kIbCm},
    {Effect::kQpDestroyed, BreaksQpOverTcp<QpStimulus::kDestroy>, over::kIwarp},
    {Effect::kQpUp, MovesQp<QpStimulus::kBringUp>},
    {Effect::kQpError, MovesQp<QpStimulus::kError>, over::kIbCm},
    {Effect::kQpError, BreaksQpOverTcp<QpStimulus::kError>, over::kIwarp},
    {Effect::kSendsReq, SendsReq, over::kIbCm},
    {Effect::kSendsReq, SendsReqOverTcp, over::kIwarp},
    {Effect::kSendsRep, SendsRep, over::kIbCm},
    {Effect::kSendsRep, SendsRepOverTcp, over::kIwarp},
    {Effect::kSendsRtu, AsksIbCm<IbStimulus::kSendRtu>},
    {Effect::kSendsRej, SendsRej, over::kIbCm},
    {Effect::kSendsRej, SendsRejOverTcp, over::kIwarp},
    {Effect::kRejects, Rejects, over::kIbCm},
    {Effect::kRejects, SendsRejOverTcp, over::kIwarp},
    {Effect::kSendsDreq, AsksIbCm<IbStimulus::kSendDreq>},
    {Effect::kSendsDrep, AsksIbCm<IbStimulus::kSendDrep>},
    {Effect::kEndsUnsaid, AsksIbCm<IbStimulus::kUnsentEnd>},
    {Effect::kGivesUp, AsksIbCm<IbStimulus::kUnsentRej>},
    {Effect::kDatagramQpCreated, MovesQp<QpStimulus::kCreateDatagram>},
    {Effect::kSendsSidrReq, SendsSidrReq},
    {Effect::kAnswersSidr, AnswersSidr},
    {Effect::kRefusesSidr, RefusesSidr},
    {Effect::kDestroys, [](auto& c) { c.machine.Destroy(c.p, c.id, c.when); }},
    {Effect::kEstablishes, AsksIbCm<IbStimulus::kCommEst>},
    {Effect::kMigratesPath, MigratesPath},
    {Effect::kSetsPath,
     [](auto& c) { c.own().queue.push_back({.type = EventType::kRouteResolved}); }},
    {Effect::kMovesEvents, MovesEvents},
    {Effect::kJoinsGroup, [](auto& c) { Join(c.facts, &c.own(), c.call, true, c.when); }},
    {Effect::kJoinsInVain, [](auto& c) { Join(c.facts, &c.own(), c.call, false, c.when); }},
    {Effect::kLeavesGroup, LeavesGroup},
    {Effect::kLooksUp, LooksUp},
    {Effect::kHandsInfo, [](auto& c) { c.own().looks_up = c.own().has_info = false; }},
    {Effect::kForgetsInfo, [](auto& c) { c.own().looks_up = false; }},
    {Effect::kWritesEvent, WritesEvent},
    {Effect::kCloses, [](auto& c) { c.Asks(IwStimulus::kDisconnect); }, over::kIwarp},
    {Effect::kEndsLater, [](auto& c) { c.own().ending = true; }, over::kIwarp},
    {Effect::kBindsAny, OnlyTeaches},
    {Effect::kSetsDestination, OnlyTeaches},
    {Effect::kClearsDestination, OnlyTeaches},
    {Effect::kMeetsInterface, OnlyTeaches},
    {Effect::kSetsEce, OnlyTeaches},
    {Effect::kSharesPort, OnlyTeaches},
    {Effect::kSharesPortNoMore, OnlyTeaches},
    {Effect::kLimitsFamily, OnlyTeaches},
    {Effect::kSetsTimeout, OnlyTeaches},
    {Effect::kForgetsGroup, OnlyTeaches},
});

// Its name in a message of the compiler names the effect.
template <Effect kEffect>
struct TheEffectWithoutOneAction {
  static_assert(kEffect == Effect::kNone,
                "an effect has an action, and one alone over a transport");
};
template struct TheEffectWithoutOneAction<
    FirstWithoutOneAction<void (*)(const Carrying&)>(kRows).value_or(Effect::kNone)>;

constexpr auto kByTransport = ByTransport<void (*)(const Carrying&)>(kRows);

}  // namespace

bool RowExecutor::Acts(Effect effect, Transport transport) {
  const auto action = kByTransport[static_cast<size_t>(transport)][static_cast<size_t>(effect)];
  return action != nullptr && action != OnlyTeaches;
}

void RowExecutor::Carry(Possibility* p, uint8_t id, Effect effect, const Call& call,
                        Span when) const {
  if (effect == Effect::kNone) return;
  const auto transport = static_cast<size_t>(facts_.profile().transport);
  const auto action = kByTransport[transport][static_cast<size_t>(effect)];
  CM_CHECK(action != nullptr) << ToString(effect) << ": not over this transport";
  action({facts_, machine_, p, id, call, when});
}

void RowExecutor::Apply(Possibility* p, uint8_t id, const CallRule& rule, const Call& call,
                        Span when) const {
  p->used.set(NumberOf(&rule));
  if (rule.to != State::kSame) p->ids[id].state = rule.to;
  for (const Effect effect : rule.effects) Carry(p, id, effect, call, when);
}

}  // namespace cm::model
