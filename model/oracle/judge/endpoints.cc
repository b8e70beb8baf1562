#include "model/oracle/judge/endpoints.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/synchronous_calls.h"

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

Verdict Late(const std::string& saw) {
  return Refused(saw + ", late", "an earlier return: nothing holds it up any more",
                 "man rdma_create_ep(3)");
}

// One call, as it was seen at one time.
class Creation : JudgeBase {
 public:
  Creation(JudgeContext& context, const call::CreateEp& ep, const Reply& reply, Verdict* verdict)
      : JudgeBase(context), ep_(ep), reply_(reply), verdict_(verdict) {}

  // Takes one step in all possibilities; those in which it is refused end there. False when none is
  // left in which it is not.
  bool TakeStep(EpStep at, const Call& step, const Window& window) {
    Beginning beginning = Begin(context_, step, reply_, window, verdict_);
    for (Possibility& p : beginning.refused.mutable_items())
      End(std::move(p), at, EpEnd::kRefused, reply_);
    Exchange(std::move(beginning.begun));
    for (const CallRule* rule : beginning.starting)
      learning_.FromRow(ep_.id, step, *rule, window.span());
    return !Possibilities().empty();
  }

  // It has lasted: what is refused at once does not.
  void ForgetRefusals() { fitting_.clear(); }

  // All that are left have taken the last step.
  void EndAll(EpStep last) {
    for (const Possibility& p : Possibilities()) End(p, last, EpEnd::kDone, Reply::Returned());
  }

  // The steps of an active endpoint, from the search for its address on.
  void Follow(const Window& window) {
    PossibilitySet found;  // address and route
    while (!Possibilities().empty()) {
      if (!search_.Close(ep_.id, window, verdict_)) {
        if (verdict_->kind == VerdictKind::kInconclusive) return;
        verdict_->kind = VerdictKind::kPermitted;  // others may fit
        break;
      }
      PossibilitySet addressed;
      for (const Possibility& p : Possibilities()) FollowOne(p, &addressed, &found);
      Exchange(std::move(addressed));
      if (Possibilities().empty()) break;
      LearnFromEvent();
      TakeStep(EpStep::kRoute, call::ResolveRoute{ep_.id, kTimeoutMs}, window);
    }
    Exchange(std::move(found));
    if (Possibilities().empty()) return;
    LearnFromEvent();
    if (ep_.with_qp)
      TakeStep(EpStep::kQueuePair, call::CreateQp{.id = ep_.id, .type = ep_.type}, window);
    EndAll(ep_.with_qp ? EpStep::kQueuePair : EpStep::kRoute);
  }

  // What fits is what may be so from now on.
  void Conclude() {
    if (verdict_->kind == VerdictKind::kInconclusive) return;
    verdict_->sharp = verdict_->permitted.size() < 3;
    Exchange(std::move(fitting_));
    if (Possibilities().empty()) {
      verdict_->kind = VerdictKind::kRefused;
      return;
    }
    search_.Confirm(components_.NumberOf(ep_.id), verdict_);
    if (reply_.kind != ReplyKind::kReturned || reply_.succeeded()) return;
    facts_.id(ep_.id).exists = false;
    facts_.ReleasePortsOf(ep_.id);
  }

 private:
  const std::vector<Possibility>& Possibilities() { return components_.PossibilitiesOf(ep_.id); }
  void Exchange(PossibilitySet set) {
    components_.Put(components_.NumberOf(ep_.id), std::move(set));
  }

  // Keeps a possibility in which the call ends in this way, if it is the way that was seen.
  void End(Possibility p, EpStep at, EpEnd end, const Reply& expected) {
    const EndpointRule& rule = RuleFor(at, end);
    Permit(verdict_, rule, ToString(expected));
    if (expected != reply_) return;
    p.used.set(NumberOf(&rule));
    verdict_->by.set(NumberOf(&rule));
    if (rule.destroyed) machine_.Destroy(&p, p.Find(ep_.id), {});
    fitting_.Add(std::move(p));
  }

  // The event of a step is there, or is not.
  void FollowOne(const Possibility& p, PossibilitySet* addressed, PossibilitySet* found) {
    const uint8_t at = p.Find(ep_.id);
    if (at == kNoId) return;
    const IdState& own = p.ids[at];
    const EpStep step = StepOf(own);
    if (own.awaits != Awaits::kNothing) {
      if (own.queue.empty()) End(p, step, EpEnd::kWaits, Reply::Blocked());
    } else if (own.retained->status != 0) {
      const auto error = static_cast<Errno>(std::abs(own.retained->status));
      End(p, step, EpEnd::kFailed, Reply::Refused(error));
    } else {
      (step == EpStep::kRoute ? found : addressed)->Add(p);
    }
  }

  void LearnFromEvent() {
    const Possibility& p = Possibilities().front();
    learning_.FromEvent({.type = p.ids[p.Find(ep_.id)].retained->type, .id = ep_.id}, p, {});
  }

  const call::CreateEp& ep_;
  const Reply& reply_;
  Verdict* verdict_;
  PossibilitySet fitting_;
};

}  // namespace

Verdict Endpoints::Create(const Record& record, Lane lane, const call::CreateEp& ep,
                          const Reply& reply) {
  const Window window = WindowOf(record);
  const std::optional<Window> waited = context_.WaitedIn(record);
  learning_.NewId(lane, ep.id, {}, ep.space);
  const bool unknown =
      ep.type == QpType::kUc || (ep.space == PortSpace::kIpoib && !machine_.over_infiniband());
  if (unknown || Unseen(reply)) return LeaveScope(ep.id);
  if (waited && ep.passive && reply.kind == ReplyKind::kReturned) return Late(ToString(reply));
  Verdict verdict{.saw = ToString(reply)};
  Creation creation(context_, ep, reply, &verdict);
  if (ep.passive) {
    facts_.id(ep.id).gives_qps = ep.with_qp;
    facts_.id(ep.id).qps_type = ep.type;
    creation.TakeStep(EpStep::kBind, call::BindAddr{ep.id, ep.source}, window.AtBegin());
    creation.EndAll(EpStep::kBind);
  } else {
    const call::ResolveAddr resolve{ep.id, ep.source, ep.destination, kTimeoutMs};
    const bool begun = creation.TakeStep(EpStep::kAddress, resolve, window.AtBegin());
    if (waited) creation.ForgetRefusals();
    if (waited && begun && !(MayLast(*waited) && MayWait(ep, *waited)))
      return Late(ToString(reply));
    if (begun) creation.Follow(window);
  }
  creation.Conclude();
  if (verdict.IsPermitted() && reply.kind == ReplyKind::kBlocked && !ep.passive)
    NoteWaiting(record, {.what = WaitingCall::For::kEventOfId, .id = ep.id});
  return verdict;
}

// The two that wait have a time-out.
bool Endpoints::MayLast(const Window& window) const {
  const Timing& timing = profile_.timing;
  const Duration timeout = Duration::Milliseconds(kTimeoutMs);
  const Duration longest = timing.Latest(timeout) +
                           timing.LatestOf(Timing::AskInterval(timeout), Timing::AskTimes(timeout));
  return window.end - window.begin <= longest.nanoseconds();
}

// In a copy: what comes of the steps is judged when it returns.
bool Endpoints::MayWait(const call::CreateEp& ep, const Window& window) {
  JudgeContext trial(context_);
  const Reply waits = Reply::Blocked();
  Verdict verdict;
  Creation creation(trial, ep, waits, &verdict);
  creation.Follow(window);
  creation.Conclude();
  return verdict.kind != VerdictKind::kRefused;
}

Verdict Endpoints::Returned(const Record& record, const call::CreateEp& ep, const Reply& reply) {
  Verdict verdict{.saw = "returned " + ToString(reply)};
  Creation creation(context_, ep, reply, &verdict);
  creation.Follow(WindowOf(record));
  creation.Conclude();
  return verdict;
}

}  // namespace cm::model
