// Calls on synchronous ids: each starts what it starts on any id, and returns with the next event
// of the id's own channel.
#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

Found FoundIn(const Pending& event) {
  if (event.type == EventType::kRejected && event.status != 0) return Found::kRejected;
  if (event.status != 0) return Found::kFailure;
  return event.type == EventType::kConnectRequest ? Found::kRequest : Found::kSuccess;
}

const CompletionRule& RuleFor(CallKind kind, Found found) {
  return *std::ranges::find_if(rules::kCompletions, [&](const CompletionRule& rule) {
    return rule.on.Has(kind) && rule.when.Has(found);
  });
}

// rdma_get_request turns the sign of a status, whatever it is.
Reply ReplyBy(const CompletionRule& rule, int64_t status) {
  if (rule.outcome == kBlocks) return Reply::Blocked();
  const bool turns = rule.on.Has(CallKind::kGetRequest);
  if (rule.errno_of_status)
    return Reply::Refused(static_cast<Errno>(turns ? -status : std::abs(status)));
  return rule.outcome == Returns() ? Reply::Returned() : Reply::Refused(rule.outcome.error);
}

bool FitsRefusal(const Outcome& outcome, const Reply& reply) {
  if (outcome.kind == OutcomeKind::kCrashes) return reply.kind == ReplyKind::kCrashed;
  return outcome.kind == OutcomeKind::kReturns && outcome != Returns() &&
         reply == Reply::Refused(outcome.error);
}

// What the call of a thread has come to in one possibility; empty while its event is on the way
// between the channel and the thread.
const CompletionRule* RuleAt(CallKind kind, const IdState& id) {
  switch (id.awaits) {
    case Awaits::kServed:
      return &RuleFor(kind, Found::kRequest);
    case Awaits::kNothing:
      return id.retained ? &RuleFor(kind, FoundIn(*id.retained)) : nullptr;
    case Awaits::kEvent:
    case Awaits::kRequest:
      break;
  }
  return id.queue.empty() ? &RuleFor(kind, Found::kNothing) : nullptr;
}

// The request that a listener's thread was given gets its name.
Possibility Served(Possibility p, uint8_t listener, const Call& call) {
  IdState& own = p.ids[listener];
  const Pending request = own.queue.front();
  own.queue.erase_at(0);
  own.awaits = Awaits::kNothing;
  IdState& child = p.ids[request.child];
  child.name = std::get<call::GetRequest>(call).request;
  child.retained = Pending{.type = EventType::kConnectRequest, .payload = request.payload};
  return p;
}

}  // namespace

bool Oracle::Completes(const Call& call) const {
  if (std::holds_alternative<call::GetRequest>(call)) return true;
  const IdRef id = IdOf(call);
  const bool answers = std::holds_alternative<call::Accept>(call);
  if (answers && IsDatagram(facts_.id(id).space)) return false;  // nothing comes of it
  return rules::kCompleting.Has(KindOf(call)) && id.valid() && facts_.id(id).synchronous();
}

// The library takes the first event of an id that a thread waits on. A request stays where it is
// until the call is seen to return: it gets its name there.
void Oracle::TakeAwaited(Possibility* p, uint8_t id, Span when) {
  const IdRef name = p->ids[id].name;
  while (Swallow(p, id, when)) id = p->Find(name);
  const FetchRule* rule = HeadRule(*p, id);
  if (rule == nullptr) return;
  IdState& own = p->ids[id];
  const bool request = rule->delivered == EventType::kConnectRequest;
  if (request && own.awaits == Awaits::kRequest) {
    own.awaits = Awaits::kServed;
    ++own.backlog;
    return;
  }
  Pending delivered = own.queue.front();
  delivered.child = kNoId;
  delivered.type = rule->delivered;
  if (rule->status != kUnchanged) delivered.status = rule->status;
  own.awaits = Awaits::kNothing;
  own.retained = delivered;
  TakeHead(p, id, *rule, {}, when);
}

void Oracle::Begin(const Call& call, const Reply& reply, const Window& window, Judgement* judgement,
                   PossibilitySet* refused, PossibilitySet* begun,
                   std::vector<const CallRule*>* starting) {
  const IdRef id = IdOf(call);
  const PortClash clash = ClashFor(id, call, window);
  Component& component = ComponentOf(id);
  const GuardFinder guards(facts_, fault_model_, window, clash);
  const bool request = std::holds_alternative<call::GetRequest>(call);
  for (const Possibility& p : component.set.items()) {
    const uint8_t at = p.Find(id);
    if (at == kNoId) continue;
    for (const Guard guard : guards.Find(p, at, call)) {
      for (const CallRule& rule : RowsOn(KindOf(call))) {
        if (!rule.from.Has(p.ids[at].state) || !rule.when.Has(guard)) continue;
        const bool starts = rule.outcome == Returns();
        if (!starts) Permit(&judgement->permitted, rule, "-1 " + cm::ToString(rule.outcome.error));
        const bool unseen = reply.kind == ReplyKind::kUnseen;
        if (!starts && !FitsRefusal(rule.outcome, reply) && !unseen) continue;
        judgement->by.set(NumberOf(&rule));
        Possibility after = p;
        after.used |= guards.Consulted(p.ids[at], call, guard);
        LearnQpKey(rule, call, p.ids[at]);
        Apply(&after, at, rule, call, {window.begin, window.end});
        if (!starts) {
          refused->Add(std::move(after));
          continue;
        }
        if (std::ranges::find(*starting, &rule) == starting->end()) starting->push_back(&rule);
        if (request || rules::kCompleting.Has(KindOf(call))) {
          after.ids[at].awaits = request ? Awaits::kRequest : Awaits::kEvent;
          after.ids[at].awaited = {window.begin, window.end};
          after.ids[at].retained.reset();
        }
        for (const uint8_t device : DevicesAfter(p.ids[at], rule, call, window)) {
          Possibility there = after;
          if (device != kNoDevice) there.ids[at].device = device;
          begun->Add(std::move(there));
        }
      }
    }
  }
}

Judgement Oracle::ObserveSynchronous(const Record& record, Lane lane, const Call& call,
                                     const Reply& reply) {
  const Window window = WindowOf(record);
  const Window start{window.begin, window.begin, window.settled};
  const IdRef id = IdOf(call);
  Judgement judgement{.saw = ToString(reply)};
  if (!Close(&ComponentOf(id), start, &judgement)) return judgement;
  PossibilitySet refused;
  PossibilitySet begun;
  std::vector<const CallRule*> starting;
  Begin(call, reply, start, &judgement, &refused, &begun, &starting);
  // A result that may be the kernel's immediate refusal is taken for that, unless it may also be
  // the event's: then the remaining events of the id are unknown.
  const bool was_refused = !refused.empty();
  const bool one_errno = std::holds_alternative<call::ResolveAddrInfo>(call);
  if (one_errno && was_refused && !begun.empty()) {
    MarkOutOfScope(id);
    return {.verdict = Verdict::kOutOfScope};
  }
  if (was_refused || begun.empty()) {
    Keep(&ComponentOf(id), std::move(refused), &judgement);
    return judgement;
  }
  ComponentOf(id).set = std::move(begun);
  Note(ComponentOf(id));
  for (const CallRule* rule : starting) Learn(id, call, *rule);
  LetGo(id);
  judgement = JudgeCompletion(window, call, reply, std::move(judgement));
  if (judgement.verdict == Verdict::kPermitted && reply.kind == ReplyKind::kBlocked)
    blocked_.push_back({.line = record.line, .lane = lane, .id = id, .completes = true});
  return judgement;
}

Judgement Oracle::JudgeCompletion(const Window& window, const Call& call, const Reply& reply,
                                  Judgement judgement) {
  const IdRef id = IdOf(call);
  if (const auto* ep = std::get_if<call::CreateEp>(&call))
    return JudgeEp(window, *ep, reply, {}, std::move(judgement));
  if (!Close(&ComponentOf(id), window, &judgement)) return judgement;
  const bool unseen = reply.kind == ReplyKind::kUnseen;
  PossibilitySet next;
  for (const Possibility& p : ComponentOf(id).set.items()) {
    const uint8_t at = p.Find(id);
    if (at == kNoId) continue;
    const CompletionRule* rule = RuleAt(KindOf(call), p.ids[at]);
    if (rule == nullptr) continue;
    const bool gives_qp = p.ids[at].awaits == Awaits::kServed && facts_.id(id).gives_qps;
    if (gives_qp && !unseen) {
      GiveQp(std::get<call::GetRequest>(call), window, reply, Served(p, at, call), &next,
             &judgement);
      continue;
    }
    const Reply expected = ReplyBy(*rule, p.ids[at].retained ? p.ids[at].retained->status : 0);
    Permit(&judgement.permitted, *rule, ToString(expected));
    if (expected != reply && !unseen) continue;
    Possibility after = p.ids[at].awaits == Awaits::kServed ? Served(p, at, call) : p;
    if (rule->on == Calls(CallKind::kResolveAddrInfo)) after.ids[at].looks_up = false;
    after.used.set(NumberOf(rule));
    judgement.by.set(NumberOf(rule));
    next.Add(std::move(after));
  }
  judgement.sharp = judgement.permitted.size() < 3;
  Component& component = ComponentOf(id);
  if (!Keep(&component, std::move(next), &judgement)) return judgement;
  if (reply.kind == ReplyKind::kReturned) LearnFromCompletion(call, component.set.items().front());
  TrySplit(facts_.id(id).component);
  return judgement;
}

bool Oracle::MayStillWait(const Record& record, Judgement* judgement) {
  const int64_t now = record.begin.nanoseconds();
  for (const Blocked& blocked : blocked_) {
    if (!blocked.completes || !facts_.id(blocked.id).in_scope) continue;
    Component& component = ComponentOf(blocked.id);
    if (!Close(&component, {now, now, settled_}, judgement)) return false;
    PossibilitySet next;
    for (const Possibility& p : component.set.items()) {
      const uint8_t at = p.Find(blocked.id);
      if (at == kNoId) continue;
      const IdState& id = p.ids[at];
      const bool waits = id.awaits == Awaits::kEvent || id.awaits == Awaits::kRequest;
      if (waits && id.queue.empty()) next.Add(p);
    }
    if (!Keep(&component, std::move(next), judgement)) {
      judgement->saw = "a call on a synchronous id that still waits";
      judgement->permitted = {
          {.what = "its return: the event is there", .source = "rdma-core 44 cma.c ucma_complete"}};
      return false;
    }
  }
  return true;
}

// What the library has filled in meanwhile, as far as it is certain.
void Oracle::LearnFromCompletion(const Call& call, const Possibility& p) {
  const IdRef id = IdOf(call);
  const IdState& own = p.ids[p.Find(id)];
  if (const auto* get = std::get_if<call::GetRequest>(&call)) {
    const uint8_t request = p.Find(get->request);
    if (request == kNoId) return;
    LearnFromEvent({.type = EventType::kConnectRequest, .id = get->request, .listen_id = id}, p,
                   get->request);
    ComponentOf(id).ids.push_back(get->request);
    if (!p.ids[request].retained) return;  // it has no queue pair, and the listener has its event
    facts_.id(get->request).holds = id;
    ++facts_.id(id).unacked;
    return;
  }
  if (own.retained) LearnFromEvent({.type = own.retained->type, .id = id}, p, {});
}

// The request that the id has kept is acknowledged.
void Oracle::LetGo(IdRef id) {
  IdRef& holds = facts_.id(id).holds;
  if (holds.valid()) Acknowledged(holds);
  holds = {};
}

Judgement Oracle::ObserveShowEvent(const Record& record, IdRef id, const seen::Answered& answered) {
  const auto text = [&](const std::optional<CmEvent>& event) {
    return event ? ToString(*event, conversation_) : std::string("no event");
  };
  Judgement judgement{.saw = text(answered.event)};
  if (!Close(&ComponentOf(id), WindowOf(record), &judgement)) return judgement;
  PossibilitySet next;
  for (Possibility& p : ComponentOf(id).set.mutable_items()) {
    const uint8_t at = p.Find(id);
    if (at == kNoId) continue;
    std::optional<CmEvent> expected;
    if (const std::optional<Pending>& retained = p.ids[at].retained) {
      expected = CmEvent{.type = retained->type, .status = retained->status};
      if (!partial_events_) expected->id = id;
      if (!partial_events_ && retained->type == EventType::kConnectRequest)
        expected->listen_id = facts_.id(id).holds;
      // A listener that has kept one: the new id was not returned.
      if (!partial_events_ && retained->type == EventType::kConnectRequest &&
          !expected->listen_id.valid()) {
        expected->id = {};
        expected->listen_id = id;
      }
      if (!partial_events_ && retained->payload != kNoPayload) {
        const IdRef owner = expected->listen_id.valid() ? expected->listen_id : id;
        const Payload payload = PayloadOf(owner, retained->type, retained->payload);
        expected->conn = payload.conn;
        expected->private_data = payload.data;
        expected->qkey = payload.qkey;
        expected->group = payload.group;
        expected->context = payload.context;
        expected->argument = payload.argument;
      }
      if (answered.event) expected->qp_num = answered.event->qp_num;
    }
    if (std::ranges::none_of(judgement.permitted, [&](const Permitted& known) {
          return known.what == text(expected);
        })) {
      judgement.permitted.push_back(
          {.what = text(expected), .source = "rdma-core 44 cma.c ucma_complete"});
    }
    if (answered.reply.kind == ReplyKind::kUnseen || expected == answered.event)
      next.Add(std::move(p));
  }
  Keep(&ComponentOf(id), std::move(next), &judgement);
  return judgement;
}

}  // namespace cm::model
