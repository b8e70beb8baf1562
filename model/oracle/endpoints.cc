// rdma_create_ep: steps on a new synchronous id, each by the rows of the call of that name; and the
// queue pairs that a passive endpoint gives its requests.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

// As rdma_create_ep asks. source: rdma-core 44 cma.c rdma_create_ep
constexpr int32_t kTimeoutMs = 2000;

const EndpointRule& RuleFor(EpStep at, EpEnd when) {
  return *std::ranges::find_if(rules::kEndpoints, [&](const EndpointRule& rule) {
    return rule.at.Has(at) && rule.when == when;
  });
}

// Which step an active one is at: the route is looked for once the address is found.
EpStep StepOf(const IdState& id) {
  const bool route = id.state == State::kRouteQuery || id.state == State::kRouteResolved ||
                     (id.retained && id.retained->type == EventType::kRouteError);
  return route ? EpStep::kRoute : EpStep::kAddress;
}

call::CreateQp QpOf(const call::CreateEp& ep) { return {.id = ep.id, .type = ep.type}; }

}  // namespace

// Keeps a possibility in which the call ends in this way, if it is the way that was seen.
void Oracle::EndEp(const call::CreateEp& ep, Possibility p, EpStep at, EpEnd end,
                   const Reply& expected, const Reply& reply, PossibilitySet* fitting,
                   Judgement* judgement) {
  const EndpointRule& rule = RuleFor(at, end);
  Permit(&judgement->permitted, rule, ToString(expected));
  if (expected != reply) return;
  p.used.set(NumberOf(&rule));
  judgement->by.set(NumberOf(&rule));
  if (rule.destroyed) machine_.Destroy(&p, p.Find(ep.id), {});
  fitting->Add(std::move(p));
}

// Takes one step in all possibilities of the component; those in which it is refused end there.
bool Oracle::TakeEpStep(const call::CreateEp& ep, EpStep at, const Call& step, const Reply& reply,
                        const Window& window, PossibilitySet* fitting, Judgement* judgement) {
  PossibilitySet refused;
  PossibilitySet begun;
  std::vector<const CallRule*> starting;
  Begin(step, reply, window, judgement, &refused, &begun, &starting);
  for (Possibility& p : refused.mutable_items())
    EndEp(ep, std::move(p), at, EpEnd::kRefused, reply, reply, fitting, judgement);
  ComponentOf(ep.id).set = std::move(begun);
  Note(ComponentOf(ep.id));
  for (const CallRule* rule : starting) Learn(ep.id, step, *rule);
  return !ComponentOf(ep.id).set.empty();
}

Judgement Oracle::ObserveCreateEp(const Record& record, Lane lane, const call::CreateEp& ep,
                                  const Reply& reply) {
  const Window window = WindowOf(record);
  const Window start{window.begin, window.begin, window.settled};
  Judgement judgement{.saw = ToString(reply)};
  MakeId(lane, ep.id, {}, ep.space);
  const bool unknown =
      ep.type == QpType::kUc || (ep.space == PortSpace::kIpoib && !machine_.over_infiniband());
  if (unknown || reply.kind == ReplyKind::kUnseen) {
    MarkOutOfScope(ep.id);
    return {.verdict = Verdict::kOutOfScope};
  }
  IdInfo& info = facts_.id(ep.id);
  PossibilitySet fitting;
  if (ep.passive) {
    info.gives_qps = ep.with_qp;
    info.qps_type = ep.type;
    TakeEpStep(ep, EpStep::kBind, call::BindAddr{ep.id, ep.source}, reply, start, &fitting,
               &judgement);
    for (const Possibility& p : ComponentOf(ep.id).set.items())
      EndEp(ep, p, EpStep::kBind, EpEnd::kDone, Reply::Returned(), reply, &fitting, &judgement);
    return ConcludeEp(ep, reply, std::move(fitting), std::move(judgement));
  }
  const call::ResolveAddr resolve{ep.id, ep.source, ep.destination, kTimeoutMs};
  if (!TakeEpStep(ep, EpStep::kAddress, resolve, reply, start, &fitting, &judgement))
    return ConcludeEp(ep, reply, std::move(fitting), std::move(judgement));
  judgement = JudgeEp(window, ep, reply, std::move(fitting), std::move(judgement));
  if (judgement.verdict == Verdict::kPermitted && reply.kind == ReplyKind::kBlocked)
    blocked_.push_back({.line = record.line, .lane = lane, .id = ep.id, .completes = true});
  return judgement;
}

// The event of a step is there, or is not.
Judgement Oracle::JudgeEp(const Window& window, const call::CreateEp& ep, const Reply& reply,
                          PossibilitySet fitting, Judgement judgement) {
  PossibilitySet found;  // address and route
  while (!ComponentOf(ep.id).set.empty()) {
    if (!Close(&ComponentOf(ep.id), window, &judgement)) {
      if (judgement.verdict == Verdict::kInconclusive) return judgement;
      judgement.verdict = Verdict::kPermitted;  // others may fit
      break;
    }
    PossibilitySet addressed;
    for (const Possibility& p : ComponentOf(ep.id).set.items()) {
      const uint8_t at = p.Find(ep.id);
      if (at == kNoId) continue;
      const IdState& own = p.ids[at];
      const EpStep step = StepOf(own);
      if (own.awaits != Awaits::kNothing) {
        if (own.queue.empty())
          EndEp(ep, p, step, EpEnd::kWaits, Reply::Blocked(), reply, &fitting, &judgement);
      } else if (own.retained->status != 0) {
        const auto error = static_cast<Errno>(std::abs(own.retained->status));
        EndEp(ep, p, step, EpEnd::kFailed, Reply::Refused(error), reply, &fitting, &judgement);
      } else {
        (step == EpStep::kRoute ? found : addressed).Add(p);
      }
    }
    ComponentOf(ep.id).set = std::move(addressed);
    if (ComponentOf(ep.id).set.empty()) break;
    LearnFromEpEvent(ep.id);
    TakeEpStep(ep, EpStep::kRoute, call::ResolveRoute{ep.id, kTimeoutMs}, reply, window, &fitting,
               &judgement);
  }
  ComponentOf(ep.id).set = std::move(found);
  if (!ComponentOf(ep.id).set.empty()) {
    LearnFromEpEvent(ep.id);
    EpStep last = EpStep::kRoute;
    if (ep.with_qp) {
      last = EpStep::kQueuePair;
      TakeEpStep(ep, last, QpOf(ep), reply, window, &fitting, &judgement);
    }
    for (const Possibility& p : ComponentOf(ep.id).set.items())
      EndEp(ep, p, last, EpEnd::kDone, Reply::Returned(), reply, &fitting, &judgement);
  }
  return ConcludeEp(ep, reply, std::move(fitting), std::move(judgement));
}

void Oracle::LearnFromEpEvent(IdRef id) {
  const Possibility& p = ComponentOf(id).set.items().front();
  LearnFromEvent({.type = p.ids[p.Find(id)].retained->type, .id = id}, p, {});
}

Judgement Oracle::ConcludeEp(const call::CreateEp& ep, const Reply& reply, PossibilitySet fitting,
                             Judgement judgement) {
  judgement.sharp = judgement.permitted.size() < 3;
  if (!Keep(&ComponentOf(ep.id), std::move(fitting), &judgement)) return judgement;
  if (reply.kind != ReplyKind::kReturned || reply.succeeded()) return judgement;
  facts_.id(ep.id).exists = false;
  std::erase_if(facts_.ports, [&](const PortOwner& owner) { return owner.id == ep.id; });
  return judgement;
}

// rdma_get_request creates the queue pair before it returns the request; where it cannot, the
// listener keeps the event, and the new id is not returned. Only the oracle uses its name then.
void Oracle::GiveQp(const call::GetRequest& get, const Window& window, const Reply& reply,
                    const Possibility& served, PossibilitySet* next, Judgement* judgement) {
  const IdInfo& listener = facts_.id(get.id);
  const Call create = call::CreateQp{.id = get.request, .type = listener.qps_type};
  LearnFromEvent({.type = EventType::kConnectRequest, .id = get.request, .listen_id = get.id},
                 served, get.request);
  const uint8_t child = served.Find(get.request);
  const GuardFinder guards(facts_, fault_model_, window, {});
  for (const Guard guard : guards.Find(served, child, create)) {
    for (const CallRule& rule : RowsOn(CallKind::kCreateQp)) {
      if (!rule.from.Has(served.ids[child].state) || !rule.when.Has(guard)) continue;
      const bool made = rule.outcome == Returns();
      const CompletionRule& ends = *std::ranges::find_if(rules::kCompletions, [&](const auto& r) {
        return r.on.Has(CallKind::kGetRequest) &&
               r.when.Has(made ? Found::kRequest : Found::kRequestWithoutQp);
      });
      Permit(&judgement->permitted, ends, Text(rule.outcome));
      if (!Fits(rule.outcome, reply)) continue;
      Possibility after = served;
      after.used |= guards.Consulted(served.ids[child], create, guard);
      after.used.set(NumberOf(&ends));
      Apply(&after, child, rule, create, {window.begin, window.end});
      if (!made) {
        after.ids[after.Find(get.id)].retained = after.ids[child].retained;
        after.ids[child].retained.reset();
      }
      next->Add(std::move(after));
    }
  }
}

}  // namespace cm::model
