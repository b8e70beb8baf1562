// Judges outputs of calls besides their value: attributes, options, ports, names.
#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/lookups.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

// source: <infiniband/verbs.h> enum ibv_qp_attr_mask
constexpr uint32_t kForInit = 0x39;       // state, access flags, P_Key index, port
constexpr uint32_t kForDatagrams = 0x71;  // state, P_Key index, port, Q_Key
constexpr uint32_t kForRtr = 0x129181;    // state, address, MTU, PSN, depth, RNR timer, number
constexpr uint32_t kForRts = 0x12e01;     // state, time-out, retries, PSN, depth
constexpr uint32_t kForRearm = 0x44000;   // the alternate path, and that it is to be taken
constexpr std::string_view kUnknown = "UNKNOWN EVENT";

bool HandsOut(CallKind kind) {
  return kind == CallKind::kInitQpAttr || kind == CallKind::kGetRemoteEce ||
         kind == CallKind::kGetSrcPort || kind == CallKind::kGetDstPort ||
         kind == CallKind::kQueryAddrInfo;
}

constexpr uint32_t kIwForInit = 0x29;  // over iWARP: state, access flags, port
constexpr uint32_t kIwForRts = 0x20;   // port

uint32_t MaskOverIwarp(const IdState& id, uint8_t state) {
  const bool for_rts = id.iw != IwState::kNone && state == static_cast<uint8_t>(QpState::kRts);
  return for_rts ? kIwForRts : kIwForInit;
}

// source: linux 6.1 cma.c cma_ib_init_qp_attr, cm.c cm_init_qp_init_attr, cm_init_qp_rtr_attr,
// cm_init_qp_rts_attr
uint32_t MaskFor(const IdState& id, uint8_t state, bool datagram) {
  if (datagram) return kForDatagrams;
  if (id.ib == IbState::kNone || state == static_cast<uint8_t>(QpState::kInit)) return kForInit;
  if (state == static_cast<uint8_t>(QpState::kRtr)) return kForRtr;
  return id.pathless || id.lap_rcvd ? kForRearm : kForRts;
}

// Ports chosen by the kernel have no meaning.
bool Fits(const HandedOut& expected, const HandedOut& seen) {
  const auto* port = std::get_if<PortHanded>(&expected);
  const auto* other = std::get_if<PortHanded>(&seen);
  if (port != nullptr && other != nullptr && port->port >= kFirstEphemeralPort)
    return other->port >= kFirstEphemeralPort;
  return expected == seen;
}

}  // namespace

std::vector<HandedOut> Oracle::ExpectedOf(const Possibility& p, const Call& call) const {
  const IdRef id = IdOf(call);
  const IdState& own = p.ids[p.Find(id)];
  if (const auto* attrs = std::get_if<call::InitQpAttr>(&call);
      attrs != nullptr && machine_.over_iwarp())
    return {QpAttrs{.mask = MaskOverIwarp(own, attrs->state), .state = attrs->state}};
  if (const auto* attrs = std::get_if<call::InitQpAttr>(&call))
    return {QpAttrs{.mask = MaskFor(own, attrs->state, IsDatagram(facts_.id(id).space)),
                    .state = attrs->state}};
  if (std::holds_alternative<call::GetRemoteEce>(call)) {
    const uint16_t heard = own.origin.valid() ? own.request_payload : own.reply_payload;
    return {heard == kNoPayload ? EceOptions{} : facts_.payloads[heard].ece};
  }
  if (std::holds_alternative<call::QueryAddrInfo>(call)) return LookedUp(*facts_.id(id).looked_up);
  const Shown& shown = facts_.id(id).shown;
  const bool source = std::holds_alternative<call::GetSrcPort>(call);
  return {PortHanded{source ? shown.source.port : shown.destination.port}};
}

void Oracle::JudgeHandedOut(const Call& call, const seen::Answered& answered, PossibilitySet* set,
                            Judgement* judgement) const {
  if (!HandsOut(KindOf(call))) return;
  if (answered.handed) judgement->saw += " " + ToString(*answered.handed, facts_.topology());
  PossibilitySet next;
  std::vector<Permitted> permitted;
  for (Possibility& p : set->mutable_items()) {
    const std::vector<HandedOut> expected = ExpectedOf(p, call);
    if (answered.handed && std::ranges::any_of(expected, [&](const HandedOut& one) {
          return Fits(one, *answered.handed);
        })) {
      next.Add(std::move(p));
      continue;
    }
    for (const HandedOut& one : expected) {
      const std::string text = "0 " + ToString(one, facts_.topology());
      if (std::ranges::find(permitted, text, &Permitted::what) == permitted.end())
        permitted.push_back({.what = text, .source = "what was asked for, in this state"});
    }
  }
  if (next.empty() && !permitted.empty()) judgement->permitted = std::move(permitted);
  *set = std::move(next);
}

Judgement Oracle::ObserveEventStr(const call::EventStr& call, const seen::Answered& answered) {
  const auto rule = std::ranges::find(rules::kCalls, CallKind::kEventStr, &CallRule::on);
  // The library itself gives no name to the last two. source: rdma-core 65 cma.c rdma_event_str
  const int names = profile_.capabilities.Has(Capability::kLaterCalls)
                        ? static_cast<int>(EventType::kUser)
                        : kFirstEventTypeCount;
  const bool known = call.type < names;
  const std::string_view name = known ? ToString(static_cast<EventType>(call.type)) : kUnknown;
  const HandedOut expected = TextHanded::Of(name);
  Judgement judgement{.saw = ToString(answered.reply)};
  if (answered.handed) judgement.saw += " " + ToString(*answered.handed, facts_.topology());
  Permit(&judgement.permitted, *rule, "0 " + ToString(expected, facts_.topology()));
  const bool unseen = answered.reply.kind == ReplyKind::kUnseen;
  const bool fits = answered.reply.succeeded() && answered.handed == expected;
  if (!fits && !unseen) judgement.verdict = Verdict::kRefused;
  judgement.certain.set(NumberOf(&*rule));
  return judgement;
}

Judgement Oracle::ObserveShow(const Record& record, const call::Show& call, const Shown& shown) {
  Judgement judgement{.saw = ToString(shown, facts_.topology())};
  Component* component = &ComponentOf(call.id);
  if (!Close(component, WindowOf(record), &judgement)) return judgement;
  const auto same = [](const Address& expected, const Address& seen) {
    if (!expected.SameHost(seen)) return false;
    if (expected.port >= kFirstEphemeralPort) return seen.port >= kFirstEphemeralPort;
    return expected.port == seen.port;
  };
  const bool may_have_failed = facts_.ledger.MayHaveFailed(call.id, EndsOf(call.id));
  PossibilitySet next;
  for (Possibility& p : component->set.mutable_items()) {
    const uint8_t at = p.Find(call.id);
    if (at == kNoId) continue;
    Shown expected = facts_.id(call.id).shown;
    if (expected.device_known) {
      const uint8_t device = p.ids[at].device;
      expected.device = facts_.CaOf(device);
      expected.port_num = device == kNoDevice ? 0 : facts_.topology().devices[device].port;
    }
    switch (p.ids[at].qp) {
      case QpPhase::kInit:
        expected.qp = QpState::kInit;
        break;
      case QpPhase::kRts:
        expected.qp = QpState::kRts;
        break;
      case QpPhase::kErr:
        expected.qp = QpState::kErr;
        break;
      case QpPhase::kNone:
      case QpPhase::kSame:
        expected.qp.reset();
        break;
    }
    // Soft-iWARP says that of every queue pair. source: linux 6.1 siw_verbs.c siw_query_qp
    if (machine_.over_iwarp() && expected.qp) expected.qp = QpState::kReset;
    const std::string text = ToString(expected, facts_.topology());
    if (std::ranges::none_of(judgement.permitted,
                             [&](const Permitted& known) { return known.what == text; }))
      judgement.permitted.push_back({.what = text, .source = "rdma-core 44 cma.c ucma_query_addr"});
    Shown normal = shown;
    const bool failed =
        expected.qp == QpState::kRts && shown.qp == QpState::kErr && may_have_failed;
    if (failed) expected.qp = QpState::kErr;
    if (same(expected.source, shown.source)) normal.source = expected.source;
    if (same(expected.destination, shown.destination)) normal.destination = expected.destination;
    if (normal != expected) continue;
    if (failed) p.ids[at].qp = QpPhase::kErr;
    next.Add(std::move(p));
  }
  Keep(component, std::move(next), &judgement);
  return judgement;
}

}  // namespace cm::model
