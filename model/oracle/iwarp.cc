// What is judged differently over iWARP: connecting, closing, and what the tables do not speak of.
#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

const PrivateData* DataOf(const Call& call) {
  if (const auto* reject = std::get_if<call::Reject>(&call)) return &reject->private_data;
  if (const auto* reject = std::get_if<call::RejectEce>(&call)) return &reject->private_data;
  const std::optional<ConnParam>* param = nullptr;
  if (const auto* connect = std::get_if<call::Connect>(&call)) param = &connect->param;
  if (const auto* accept = std::get_if<call::Accept>(&call)) param = &accept->param;
  return param != nullptr && *param ? &(*param)->private_data : nullptr;
}

bool Answers(const Call& call) {
  const CallKind kind = KindOf(call);
  return kind == CallKind::kAccept || kind == CallKind::kReject || kind == CallKind::kRejectEce ||
         kind == CallKind::kEstablish;
}

bool EndsIt(const Call& call) {
  const CallKind kind = KindOf(call);
  return kind == CallKind::kDisconnect || kind == CallKind::kDestroyId ||
         kind == CallKind::kDestroyEp;
}

}  // namespace

bool Oracle::MayBe(IdRef id, const std::function<bool(const IdState&)>& is) {
  return std::ranges::any_of(ComponentOf(id).set.items(), [&](const Possibility& p) {
    const uint8_t at = p.Find(id);
    return at != kNoId && is(p.ids[at]);
  });
}

// With a queue pair, and a route: the provider is asked.
bool Oracle::MayConnect(IdRef id) {
  return MayBe(id, [this](const IdState& own) {
    return own.state == State::kRouteResolved && !own.closed &&
           (own.qp != QpPhase::kNone || facts_.numbers_name_qps);
  });
}

// A connection of unknown destination, or with a queue pair that another connection uses.
bool Oracle::BeyondConnecting(const call::Connect& call, bool beyond) {
  const IdInfo info = facts_.id(call.id);
  if (info.destination.AnyOrLoopback()) return true;
  const uint32_t number = call.param ? call.param->qp_num & 0xffffff : 0;
  const uint8_t there = facts_.DeviceOf(info.destination);
  std::vector<IdRef> others;
  for (const PortOwner& owner : facts_.ports) {
    const bool asked = there != kNoDevice && owner.kernel == facts_.KernelOf(there) &&
                       owner.address.port == info.destination.port;
    // TCP knows no port spaces.
    if (asked && (owner.space != info.space || owner.address.kind == AddressKind::kLoopback))
      beyond = true;
    if (asked && facts_.id(owner.id).in_scope) others.push_back(owner.id);
    if (asked && !facts_.id(owner.id).in_scope) beyond = true;
  }
  for (uint16_t i = 0; i < facts_.id_count(); ++i) {
    const IdInfo& other = facts_.id(IdRef{i});
    const bool shares = number != 0 && other.exists && other.qp_key == uint64_t{number} + 1;
    if (shares && IdRef{i} != call.id && facts_.numbers_name_qps) beyond = true;
  }
  if (beyond)
    for (const IdRef other : others) MarkOutOfScope(other);
  return beyond;
}

// Parameters that the tables do not cover, where they have an effect.
bool Oracle::BeyondParameters(const Call& call) {
  const IdRef id = IdOf(call);
  const bool connects = std::holds_alternative<call::Connect>(call);
  if (connects ? !MayConnect(id)
               : !MayBe(id, [](const IdState& own) { return own.iw == IwState::kConnRecv; }))
    return false;
  const PrivateData* data = DataOf(call);
  const bool deep = facts_.id(id).space != PortSpace::kTcp && DepthTooLarge(call, profile_.limits);
  const bool beyond = deep || (data != nullptr && data->size() > profile_.limits.request_data);
  return connects ? BeyondConnecting(std::get<call::Connect>(call), beyond) : beyond;
}

bool Oracle::BeyondIwarp(const Window& window, const Call& call) {
  const IdRef id = IdOf(call);
  IdInfo& info = facts_.id(id);
  // Soft-iWARP makes a queue pair of connections for an id of datagrams, where others would refuse
  // it; to what connecting with that comes the tables do not say.
  // source: rdma-core 44 cma.c rdma_create_qp_ex, linux 6.1 siw_verbs.c siw_create_qp
  const std::optional<call::CreateQp> create = QpAskedBy(call);
  if (create && create->type == QpType::kRc && IsDatagram(info.space)) return true;
  // To rdma_cm a loopback address is a wildcard, but TCP listens on that address alone, without
  // connections from outside. source: linux 6.1 cma.c cma_any_addr, siw_cm.c siw_create_listen
  if (std::holds_alternative<call::Listen>(call) && info.bound.kind == AddressKind::kLoopback)
    return true;
  const bool breaks_qp = std::holds_alternative<call::DestroyQp>(call) ||
                         std::holds_alternative<call::DestroyEp>(call);
  // The other calls look neither at parameters nor at a reply that is awaited.
  const bool parametrised = std::holds_alternative<call::Connect>(call) || Answers(call);
  if (!parametrised && !breaks_qp && !EndsIt(call)) return false;
  Judgement ignored;
  // What happens within a call that waits is not to come before it.
  const Window before{window.begin, parametrised ? window.end : window.begin, window.settled};
  if (!Close(&ComponentOf(id), before, &ignored)) return false;
  if (parametrised && BeyondParameters(call)) return true;
  if (!MayBe(id, [](const IdState& own) { return own.iw == IwState::kConnSent; })) return false;
  // The request holds its queue pair, and destroying that waits until it is released. Without
  // one rdma_destroy_ep is rdma_destroy_id. source: linux 6.1 siw_verbs.c siw_destroy_qp, iwcm.c
  // iw_cm_connect, rdma-core 44 cma.c rdma_destroy_ep
  if (breaks_qp && MayBe(id, [](const IdState& own) {
        return own.iw == IwState::kConnSent && own.qp != QpPhase::kNone;
      }))
    return true;
  // The library would wait twice: in the kernel for the reply, and then for an event, which may be
  // that of the reply. source: linux 6.1 iwcm.c iw_cm_disconnect, rdma-core 44 cma.c ucma_complete
  if (std::holds_alternative<call::Disconnect>(call) && info.synchronous()) return true;
  // An answer that is refused takes the guard away that calls wait at; what follows is a bug check.
  // source: linux 6.1 iwcm.c iw_cm_accept, iw_cm_reject, iw_cm_disconnect, destroy_cm_id
  if (EndsIt(call) && info.reply_unguarded) return true;
  if (Answers(call)) info.reply_unguarded = true;
  return false;
}

std::optional<Judgement> Oracle::ObserveOverIwarp(const Record& record, Lane lane, const Call& call,
                                                  const Reply& reply) {
  const Window window = WindowOf(record);
  if (BeyondIwarp(window, call)) {
    MarkOutOfScope(IdOf(call));
    return Judgement{.verdict = Verdict::kOutOfScope};
  }
  // The call itself looks for the listener.
  if (std::holds_alternative<call::Connect>(call) && MayConnect(IdOf(call)))
    MergeForRequest(IdOf(call));
  if (std::holds_alternative<call::Disconnect>(call) && !facts_.id(IdOf(call)).synchronous())
    return ObserveClosing(record, lane, call, reply);
  return std::nullopt;
}

// Like destroying: where the reply is awaited the call begins now, and goes on when it is there.
Judgement Oracle::ObserveClosing(const Record& record, Lane lane, const Call& call,
                                 const Reply& reply) {
  const Window window = WindowOf(record);
  const IdRef id = IdOf(call);
  Judgement judgement{.saw = ToString(reply)};
  Component* component = &ComponentOf(id);
  if (!Close(component, {window.begin, window.begin, window.settled}, &judgement)) return judgement;
  const GuardFinder guards(facts_, fault_model_, window, {});
  const bool unseen = reply.kind == ReplyKind::kUnseen;
  PossibilitySet begun;
  for (const Possibility& p : component->set.items()) {
    const uint8_t at = p.Find(id);
    for (const Guard guard : guards.Find(p, at, call)) {
      for (const CallRule& rule : RowsOn(KindOf(call))) {
        if (!rule.from.Has(p.ids[at].state) || !rule.when.Has(guard)) continue;
        Permit(&judgement.permitted, rule, Text(rule.outcome));
        const bool waits = rule.outcome.kind == OutcomeKind::kBlocks;
        const bool fits = waits ? reply.kind == ReplyKind::kBlocked || reply.succeeded()
                                : Fits(rule.outcome, reply);
        if (!unseen && !fits) continue;
        judgement.by.set(NumberOf(&rule));
        Possibility after = p;
        after.used |= guards.Consulted(p.ids[at], call, guard);
        Apply(&after, at, rule, call, {window.begin, window.begin});
        begun.Add(std::move(after));
      }
    }
  }
  component->set = std::move(begun);
  Judgement closing;
  if (!component->set.empty() && !Close(component, window, &closing)) {
    closing.saw = judgement.saw;
    return closing;
  }
  PossibilitySet next;
  for (Possibility& p : component->set.mutable_items()) {
    const uint8_t at = p.Find(id);
    const bool waits = at != kNoId && p.ids[at].ending;
    const bool answered = reply.kind == ReplyKind::kReturned;
    if (unseen || (answered ? !waits : reply.kind == ReplyKind::kBlocked && waits))
      next.Add(std::move(p));
  }
  if (!Keep(component, std::move(next), &judgement)) return judgement;
  if (reply.kind == ReplyKind::kBlocked)
    blocked_.push_back({.line = record.line, .lane = lane, .id = id, .closes = true});
  TrySplit(facts_.id(id).component);
  return judgement;
}

Judgement Oracle::ObserveClosed(const Record& record, const Blocked& was, const Reply& reply) {
  const auto rule = std::ranges::find_if(rules::kCalls, [](const CallRule& r) {
    return r.on == CallKind::kDisconnect && r.outcome == kBlocks;
  });
  Judgement judgement{.saw = "returned " + ToString(reply)};
  Permit(&judgement.permitted, *rule, "0");
  judgement.by.set(NumberOf(&*rule));
  if (!facts_.id(was.id).in_scope) return {.verdict = Verdict::kOutOfScope};
  Component* component = &ComponentOf(was.id);
  if (!Close(component, WindowOf(record), &judgement)) return judgement;
  PossibilitySet next;
  for (Possibility& p : component->set.mutable_items()) {
    const uint8_t at = p.Find(was.id);
    if (at == kNoId || !p.ids[at].ending) next.Add(std::move(p));
  }
  if (!reply.succeeded() && reply.kind != ReplyKind::kUnseen) next = {};
  Keep(component, std::move(next), &judgement);
  return judgement;
}

// Private data has its own length, and of the parameters the depths alone come along.
Payload Oracle::IwRequestPayload(const call::Connect& call) const {
  const ConnParam param = call.param.value_or(ConnParam{});
  const auto depth = [&](uint8_t given) {
    return call.param && given != kDeviceMaximum ? given : profile_.limits.max_depth;
  };
  Payload payload;
  payload.conn.responder_resources = depth(param.initiator_depth);
  payload.conn.initiator_depth = depth(param.responder_resources);
  if (call.param) payload.data = param.private_data;
  return payload;
}

// The passive side's initiator depth is at most the peer's responder resources, and its responder
// resources are at least the peer's initiator depth; each end gets its own view.
// source: linux 6.1 siw_cm.c siw_accept, siw_proc_mpareply, cma.c cma_iw_handler
Details Oracle::AgreedOn(const call::Accept& call, const IdState& id) {
  const ConnParam param = call.param.value_or(ConnParam{});
  const ConnFields asked =
      id.request_payload == kNoPayload ? ConnFields{} : facts_.payloads[id.request_payload].conn;
  const ConnFields open = facts_.id(call.id).depths.value_or(asked);
  const auto depth = [&](uint8_t given, uint8_t offered) {
    return call.param && given != kDeviceMaximum ? given
                                                 : std::min(offered, profile_.limits.max_depth);
  };
  const uint8_t reads =
      std::min(depth(param.initiator_depth, open.initiator_depth), asked.initiator_depth);
  const uint8_t answers = std::max(depth(param.responder_resources, open.responder_resources),
                                   asked.responder_resources);
  Payload reply;
  reply.conn.initiator_depth = reads;
  reply.conn.responder_resources = answers;
  if (call.param) reply.data = param.private_data;
  Payload told;
  told.conn.initiator_depth = answers;
  told.conn.responder_resources = reads;
  return {.payload = facts_.payloads.Intern(reply),
          .reason = facts_.payloads.Intern({.data = reply.data}),
          .told = facts_.payloads.Intern(told)};
}

}  // namespace cm::model
