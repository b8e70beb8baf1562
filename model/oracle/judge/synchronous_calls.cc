#include "model/oracle/judge/synchronous_calls.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/call_rows.h"

namespace cm::model {
namespace {

constexpr std::string_view kCompletes = "rdma-core 44 cma.c ucma_complete";

bool FitsRefusal(const Outcome& outcome, const Reply& reply) {
  if (outcome.kind == OutcomeKind::kCrashes) return reply.kind == ReplyKind::kCrashed;
  return outcome.kind == OutcomeKind::kReturns && outcome != Returns() &&
         reply == Reply::Refused(outcome.error);
}

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

// rdma_get_request turns the sign of a status, whatever it is, or sets errno to it as it is.
Reply ReplyBy(const CompletionRule& rule, int64_t status, const Dialect& dialect) {
  if (rule.outcome == kBlocks) return Reply::Blocked();
  const bool turns = rule.on.Has(CallKind::kGetRequest);
  if (turns && status != 0 && dialect.get_request_sets_status)
    return Reply::Refused(static_cast<Errno>(status));
  if (rule.errno_of_status)
    return Reply::Refused(static_cast<Errno>(turns ? -status : std::abs(status)));
  return rule.outcome == Returns() ? Reply::Returned() : Reply::Refused(rule.outcome.error);
}

// What the call of a thread has come to in one possibility; null while its event is on the way
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
  own.queue.erase(own.queue.begin());
  own.awaits = Awaits::kNothing;
  IdState& child = p.ids[request.child];
  child.name = std::get<call::GetRequest>(call).request;
  child.retained = Pending{.type = EventType::kConnectRequest, .payload = request.payload};
  return p;
}

}  // namespace

Beginning Begin(JudgeContext& context, const Call& call, const Reply& reply, const Window& window,
                Verdict* verdict) {
  const IdRef id = IdOf(call);
  const bool request = std::holds_alternative<call::GetRequest>(call);
  const bool waits = request || rules::kCompleting.Has(KindOf(call));
  const CallRows rows(context, call, window, ClashFor(id, call, window, context));
  Beginning beginning;
  const auto visit = [&](const Possibility& p, uint8_t at, const CallRule& rule, Guard guard) {
    const bool starts = rule.outcome == Returns();
    if (!starts) Permit(verdict, rule, "-1 " + cm::ToString(rule.outcome.error));
    if (!starts && !FitsRefusal(rule.outcome, reply) && !Unseen(reply)) return;
    verdict->by.set(NumberOf(&rule));
    context.learning.FromQpNumber(rule, call, p.ids[at]);
    std::vector<const CallRule*>& fitting = starts ? beginning.starting : beginning.refusing;
    if (std::ranges::find(fitting, &rule) == fitting.end()) fitting.push_back(&rule);
    if (!starts) {
      beginning.refused.Add(rows.After(p, at, rule, guard));
      return;
    }
    rows.ForEachAfter(p, at, rule, guard, [&](Possibility after) {
      if (waits) {
        after.ids[at].awaits = request ? Awaits::kRequest : Awaits::kEvent;
        after.ids[at].awaited = window.span();
        after.ids[at].retained.reset();
      }
      beginning.begun.Add(std::move(after));
    });
  };
  for (const Possibility& p : context.components.PossibilitiesOf(id)) {
    const uint8_t at = p.Find(id);
    if (at != kNoId)
      rows.ForEach(p, at, [&](const CallRule& rule, Guard guard) { visit(p, at, rule, guard); });
  }
  return beginning;
}

bool SynchronousCalls::Waits(const Call& call) const {
  if (std::holds_alternative<call::GetRequest>(call)) return true;
  const IdRef id = IdOf(call);
  const bool answers = std::holds_alternative<call::Accept>(call);
  if (answers && IsDatagram(facts_.id(id).space)) return false;  // nothing comes of it
  return rules::kCompleting.Has(KindOf(call)) && id.valid() && facts_.id(id).synchronous();
}

Verdict SynchronousCalls::Called(const Record& record, const Call& call, const Reply& reply) {
  const Window window = WindowOf(record);
  const Window start = window.AtBegin();
  const IdRef id = IdOf(call);
  Verdict verdict{.saw = ToString(reply)};
  if (!search_.Close(id, start, &verdict)) return verdict;
  Beginning beginning = Begin(context_, call, reply, start, &verdict);
  // A result that may be the kernel's immediate refusal is taken for that, unless it may also be
  // the event's: then the remaining events of the id are unknown.
  if (context_.WaitedIn(record)) {
    beginning.refused.clear();
    beginning.refusing.clear();
  }
  const bool was_refused = !beginning.refused.empty();
  const bool one_errno = std::holds_alternative<call::ResolveAddrInfo>(call);
  if (one_errno && was_refused && !beginning.begun.empty()) return LeaveScope(id);
  if (was_refused || beginning.begun.empty()) {
    components_.Put(components_.NumberOf(id), std::move(beginning.refused));
    if (was_refused)
      search_.Confirm(components_.NumberOf(id), &verdict);
    else
      verdict.kind = VerdictKind::kRefused;
    for (const CallRule* rule : beginning.refusing)
      learning_.FromRow(id, call, *rule, start.span());
    return verdict;
  }
  components_.Put(components_.NumberOf(id), std::move(beginning.begun));
  for (const CallRule* rule : beginning.starting) learning_.FromRow(id, call, *rule, start.span());
  facts_.ReleaseRequestOf(id);
  Complete(record, call, reply, &verdict);
  if (verdict.IsPermitted() && reply.kind == ReplyKind::kBlocked)
    NoteWaiting(record, {.what = WaitingCall::For::kEventOfId, .id = id});
  return verdict;
}

Verdict SynchronousCalls::Returned(const Record& record, const Call& call, const Reply& reply) {
  Verdict verdict{.saw = "returned " + ToString(reply)};
  Complete(record, call, reply, &verdict);
  return verdict;
}

void SynchronousCalls::Complete(const Record& record, const Call& call, const Reply& reply,
                                Verdict* verdict) {
  const Window window = WindowOf(record);
  const IdRef id = IdOf(call);
  const std::optional<Window> waited = context_.WaitedIn(record);
  const auto waits = [&](const Possibility& p) {
    const uint8_t at = p.Find(id);
    const CompletionRule* rule = at == kNoId ? nullptr : RuleAt(KindOf(call), p.ids[at]);
    return at == kNoId || (rule != nullptr && rule->outcome == kBlocks);
  };
  if (waited && !search_.Last(components_.NumberOf(id), *waited, verdict, waits)) {
    verdict->saw += ", late";
    Permit(verdict, "an earlier return: the event was there", kCompletes);
    return;
  }
  if (!search_.Close(id, window, verdict)) return;
  const auto step = [&](Possibility& p, uint8_t at, JudgedStep& judged) {
    const IdState& own = p.ids[at];
    const CompletionRule* rule = RuleAt(KindOf(call), own);
    if (rule == nullptr) return;
    const bool served = own.awaits == Awaits::kServed;
    if (served && facts_.id(id).gives_qps && !Unseen(reply)) {
      GiveQp(std::get<call::GetRequest>(call), window, reply, Served(std::move(p), at, call),
             judged);
      return;
    }
    const Reply expected =
        ReplyBy(*rule, own.retained ? own.retained->status : 0, context_.profile.dialect);
    judged.Permit(*rule, ToString(expected));
    if (expected != reply && !Unseen(reply)) return;
    Possibility after = served ? Served(std::move(p), at, call) : std::move(p);
    if (rule->on == Calls(CallKind::kResolveAddrInfo)) after.ids[at].looks_up = false;
    after.used.set(NumberOf(rule));
    judged.By(*rule);
    judged.Add(std::move(after));
  };
  const bool kept = search_.Keep(id, verdict, step);
  verdict->sharp = verdict->permitted.size() < 3;
  if (!kept) return;
  if (reply.kind == ReplyKind::kReturned) Learn(call);
  components_.Split(components_.NumberOf(id));
}

// rdma_get_request creates the queue pair before it returns the request; where it cannot, the
// listener keeps the event, and the new id is not returned. Only the oracle uses its name then.
void SynchronousCalls::GiveQp(const call::GetRequest& get, const Window& window, const Reply& reply,
                              const Possibility& served, JudgedStep& judged) {
  const Call create = call::CreateQp{.id = get.request, .type = facts_.id(get.id).qps_type};
  learning_.FromEvent({.type = EventType::kConnectRequest, .id = get.request, .listen_id = get.id},
                      served, get.request);
  const uint8_t child = served.Find(get.request);
  const CallRows rows(context_, create, window);
  rows.ForEach(served, child, [&](const CallRule& rule, Guard guard) {
    const bool made = rule.outcome == Returns();
    const CompletionRule& ends =
        RuleFor(CallKind::kGetRequest, made ? Found::kRequest : Found::kRequestWithoutQp);
    judged.Permit(ends, Text(rule.outcome));
    if (!Fits(rule.outcome, reply)) return;
    Possibility after = rows.After(served, child, rule, guard);
    after.used.set(NumberOf(&ends));
    if (!made) {
      after.ids[after.Find(get.id)].retained = after.ids[child].retained;
      after.ids[child].retained.reset();
    }
    judged.Add(std::move(after));
  });
}

bool SynchronousCalls::MayWait(const WaitingCall& call, const Window& window, Verdict* verdict) {
  return search_.Last(components_.NumberOf(call.id), window, verdict, [&](const Possibility& p) {
    const uint8_t at = p.Find(call.id);
    if (at == kNoId) return false;
    const IdState& id = p.ids[at];
    const bool waits = id.awaits == Awaits::kEvent || id.awaits == Awaits::kRequest;
    return waits && id.queue.empty();
  });
}

// What the library has filled in meanwhile, as far as it is certain.
void SynchronousCalls::Learn(const Call& call) {
  const IdRef id = IdOf(call);
  const Possibility& p = components_.PossibilitiesOf(id).front();
  const std::optional<Pending>& retained = p.ids[p.Find(id)].retained;
  const auto* get = std::get_if<call::GetRequest>(&call);
  const uint8_t request = get == nullptr ? kNoId : p.Find(get->request);
  if (request == kNoId) {
    // The new id of a request is not returned. rdma_get_request may have met another event.
    if (retained && retained->type != EventType::kConnectRequest)
      learning_.FromEvent({.type = retained->type, .id = id}, p, {});
    return;
  }
  learning_.FromEvent({.type = EventType::kConnectRequest, .id = get->request, .listen_id = id}, p,
                      get->request);
  components_.AddRequest(id, get->request);
  if (!p.ids[request].retained) return;  // it has no queue pair, and the listener has its event
  facts_.id(get->request).holds = id;
  ++facts_.id(id).unacked;
}

}  // namespace cm::model
