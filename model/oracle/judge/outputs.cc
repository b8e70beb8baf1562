#include "model/oracle/judge/outputs.h"

#include "model/oracle/machine/lookups.h"

namespace cm::model {
namespace {

// source: <infiniband/verbs.h> enum ibv_qp_attr_mask
constexpr uint32_t kForInit = 0x39;       // state, access flags, P_Key index, port
constexpr uint32_t kForDatagrams = 0x71;  // state, P_Key index, port, Q_Key
constexpr uint32_t kForRtr = 0x129181;    // state, address, MTU, PSN, depth, RNR timer, number
constexpr uint32_t kForRts = 0x12e01;     // state, time-out, retries, PSN, depth
constexpr uint32_t kForRearm = 0x44000;   // the alternate path, and that it is to be taken
constexpr uint32_t kIwForInit = 0x29;     // over iWARP: state, access flags, port
constexpr uint32_t kIwForRts = 0x20;      // port

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

}  // namespace

bool HasOutput(CallKind kind) {
  return kind == CallKind::kInitQpAttr || kind == CallKind::kGetRemoteEce ||
         kind == CallKind::kGetSrcPort || kind == CallKind::kGetDstPort ||
         kind == CallKind::kQueryAddrInfo;
}

std::vector<HandedOut> OutputsOf(const ConversationFacts& facts, const Possibility& p,
                                 const Call& call) {
  const IdRef id = IdOf(call);
  const IdState& own = p.ids[p.Find(id)];
  if (const auto* attrs = std::get_if<call::InitQpAttr>(&call)) {
    const bool over_iwarp = facts.profile().transport == Transport::kIwarp;
    const uint32_t mask = over_iwarp ? MaskOverIwarp(own, attrs->state)
                                     : MaskFor(own, attrs->state, IsDatagram(facts.id(id).space));
    return {QpAttrs{.mask = mask, .state = attrs->state}};
  }
  if (std::holds_alternative<call::GetRemoteEce>(call)) {
    const uint16_t heard = own.origin.valid() ? own.request_payload : own.reply_payload;
    return {heard == kNoPayload ? EceOptions{} : facts.payloads[heard].ece};
  }
  if (std::holds_alternative<call::QueryAddrInfo>(call)) return LookedUp(*facts.id(id).looked_up);
  const Shown& shown = facts.id(id).shown;
  const bool source = std::holds_alternative<call::GetSrcPort>(call);
  return {PortHanded{source ? shown.source.port : shown.destination.port}};
}

bool SameOutput(const HandedOut& expected, const HandedOut& seen) {
  const auto* port = std::get_if<PortHanded>(&expected);
  const auto* other = std::get_if<PortHanded>(&seen);
  if (port != nullptr && other != nullptr && port->port >= kFirstEphemeralPort)
    return other->port >= kFirstEphemeralPort;
  return expected == seen;
}

}  // namespace cm::model
