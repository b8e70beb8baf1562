#include "model/oracle/judge/id_calls.h"

#include <algorithm>
#include <vector>

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/call_rows.h"
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

// Whether another errno would have been refused: some of a handful is not among the permitted.
bool IsSharp(const std::vector<Permitted>& permitted) {
  for (const std::string_view other : {"0", "-1 EINVAL", "-1 ENXIO", "-1 EBADF"}) {
    const bool allowed =
        std::ranges::any_of(permitted, [other](const Permitted& p) { return p.what == other; });
    if (!allowed) return true;
  }
  return false;
}

// Whether a successful call on an id has an output that depends on the id's state.
bool HasOutput(CallKind kind) {
  return kind == CallKind::kInitQpAttr || kind == CallKind::kGetRemoteEce ||
         kind == CallKind::kGetSrcPort || kind == CallKind::kGetDstPort ||
         kind == CallKind::kQueryAddrInfo;
}

// The permitted outputs of such a call in a possibility.
std::vector<Output> OutputsOf(const ConversationFacts& facts, const Possibility& p,
                              const Call& call) {
  const IdRef id = IdOf(call);
  const IdState& own = p.ids[p.Find(id)];
  if (const auto* attrs = std::get_if<call::InitQpAttr>(&call)) {
    const uint32_t mask = facts.over_iwarp()
                              ? MaskOverIwarp(own, attrs->state)
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
  return {PortOutput{source ? shown.source.port : shown.destination.port}};
}

bool SameOutput(const Output& expected, const Output& seen) {
  const auto* port = std::get_if<PortOutput>(&expected);
  const auto* other = std::get_if<PortOutput>(&seen);
  if (port != nullptr && other != nullptr) return SamePort(port->port, other->port);
  return expected == seen;
}

}  // namespace

Verdict IdCalls::Create(Lane lane, const call::CreateId& call, const Reply& reply) {
  Verdict verdict{.saw = ToString(reply)};
  const Guard guard = SpaceKnown(call.space) ? Guard::kFine : Guard::kSpaceUnknown;
  const bool fits = JudgeReply(RowsOn(CallKind::kCreateId), reply, &verdict,
                               [guard](const CallRule& rule) { return rule.when.Has(guard); });
  if (fits && (reply.succeeded() || Unseen(reply)))
    learning_.NewId(lane, call.id, call.channel, call.space);
  return verdict;
}

Verdict IdCalls::Called(const Window& window, const Call& call, const seen::Answered& answered) {
  const IdRef id = IdOf(call);
  const bool has_output = answered.reply.succeeded() && HasOutput(KindOf(call));
  Verdict verdict{.saw = ToString(answered.reply)};
  const CallRows rows(context_, call, window, ClashFor(id, call, window, context_));
  // What has come to the port is refused before the id listens there.
  const bool listens = std::holds_alternative<call::Listen>(call);
  const Aim aim = listens ? Aim{} : search_.AimAt(id);
  if (!search_.Close(components_.NumberOf(id), window, &verdict, aim)) return verdict;
  if (has_output && answered.output)
    verdict.saw += " " + ToString(*answered.output, facts_.topology());
  Verdict outputs;  // those that are permitted
  const auto has_it = [&](const Possibility& p) {
    if (!has_output) return true;
    const std::vector<Output> expected = OutputsOf(facts_, p, call);
    const bool same = answered.output && std::ranges::any_of(expected, [&](const Output& one) {
                        return SameOutput(one, *answered.output);
                      });
    for (const Output& one : expected)
      if (!same)
        Permit(&outputs, "0 " + ToString(one, facts_.topology()),
               "what was asked for, in this state");
    return same;
  };
  std::vector<const CallRule*> fitting;
  const bool kept =
      search_.Keep(id, &verdict, [&](const Possibility& p, uint8_t at, JudgedStep& judged) {
        rows.ForEach(p, at, [&](const CallRule& rule, Guard guard) {
          judged.Permit(rule, Text(rule.outcome));
          if (!MayFit(rule.outcome, answered.reply)) return;
          if (std::ranges::find(fitting, &rule) == fitting.end()) fitting.push_back(&rule);
          judged.By(rule);
          learning_.FromQpNumber(rule, call, p.ids[at]);
          rows.ForEachAfter(p, at, rule, guard, [&](Possibility after) {
            if (has_it(after)) judged.Add(std::move(after));
          });
        });
      });
  verdict.sharp = IsSharp(verdict.permitted);
  if (!kept && !outputs.permitted.empty()) verdict.permitted = std::move(outputs.permitted);
  if (!kept) return verdict;
  for (const CallRule* rule : fitting) learning_.FromRow(id, call, *rule, window.span());
  components_.Split(components_.NumberOf(id));
  return verdict;
}

}  // namespace cm::model
