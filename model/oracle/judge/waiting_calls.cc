#include "model/oracle/judge/waiting_calls.h"

#include <algorithm>
#include <string>

#include "model/conversation/print.h"
#include "model/oracle/judge/channels.h"
#include "model/oracle/judge/data_path.h"
#include "model/oracle/judge/endpoints.h"
#include "model/oracle/judge/lasting_calls.h"
#include "model/oracle/judge/synchronous_calls.h"

namespace cm::model {

using For = WaitingCall::For;

const Call& WaitingCalls::CallOf(const WaitingCall& call) const {
  return std::get<line::Calls>(conversation_.lines[call.line]).call;
}

Verdict WaitingCalls::Returned(const Record& record, Lane lane, const Call& call,
                               const seen::Released& released) {
  std::vector<WaitingCall>& waiting = context_.waiting;
  const auto found = std::ranges::find(waiting, lane, &WaitingCall::lane);
  const auto was = found == waiting.end() ? std::nullopt : std::optional(*found);
  if (was) waiting.erase(found);
  const IdRef id = IdOf(call);
  if (id.valid() && !facts_.id(id).in_scope) return OutOfScope();
  const Reply& reply = released.reply;
  if (!was) return Refused(ToString(reply), "nothing: no call waits");
  const Call& made = CallOf(*was);
  switch (was->what) {
    case For::kEvent:
      return Channels(context_).Returned(record, std::get<call::GetCmEvent>(made), released);
    case For::kEndOfId:
      return Destructions(context_).Returned(record, *was, reply);
    case For::kEventOfId:
      if (const auto* ep = std::get_if<call::CreateEp>(&made))
        return Endpoints(context_).Returned(record, *ep, reply);
      return SynchronousCalls(context_).Returned(record, made, reply);
    case For::kMigration:
      return Migrations(context_).Returned(*was, reply);
    case For::kDisconnection:
      return Disconnections(context_).Returned(record, *was, reply);
    case For::kLeaving:
      return Memberships(context_).Left(*was, reply);
    case For::kNothingJudged:
      return OutOfScope();
    case For::kCq:
      break;
  }
  return DataPath(context_).OnCq(record, made, reply, released.output);
}

bool WaitingCalls::IsJudged(const WaitingCall& call) const {
  if (call.what == For::kNothingJudged) return false;
  const IdRef id = IdOf(CallOf(call));
  if (id.valid() && !facts_.id(id).in_scope) return false;
  if (!call.channel.valid()) return true;
  const ChannelInfo& channel = facts_.channel(call.channel);
  return !channel.unjudged && (channel.exists || call.what != For::kEvent);
}

bool WaitingCalls::IsAlone(const WaitingCall& call, uint32_t until) const {
  const auto takes = [&](const Call& other) {
    const auto* get = std::get_if<call::GetCmEvent>(&other);
    if (call.what == For::kEvent) return get != nullptr && get->channel == call.channel;
    return call.what == For::kCq && TraitsOf(KindOf(other)).on_cq &&
           IdOf(other) == IdOf(CallOf(call));
  };
  const bool another = std::ranges::any_of(context_.waiting, [&](const WaitingCall& other) {
    return other.line != call.line && takes(CallOf(other));
  });
  if (another) return false;
  // One reader of a completion queue can take the event that another waits for.
  for (uint32_t line = call.what == For::kCq ? call.line + 1 : until; line <= until; ++line) {
    const auto* calls = std::get_if<line::Calls>(&conversation_.lines[line]);
    if (calls != nullptr && line != call.line && takes(calls->call)) return false;
  }
  return true;
}

bool WaitingCalls::MayWait(const WaitingCall& call, const Window& window, Verdict* verdict) {
  switch (call.what) {
    case For::kEvent:
      return Channels(context_).StaysQuiet(call.channel, Channels::Watcher::kReader, window,
                                           verdict);
    case For::kEndOfId:
      return Destructions(context_).MayWait(call, window, verdict);
    case For::kEventOfId:
      if (const auto* ep = std::get_if<call::CreateEp>(&CallOf(call)))
        return Endpoints(context_).MayWait(*ep, window);
      return SynchronousCalls(context_).MayWait(call, window, verdict);
    case For::kMigration:
      return Migrations(context_).MayWait(call);
    case For::kDisconnection:
      return Disconnections(context_).MayWait(call, window, verdict);
    case For::kLeaving:
      return Memberships(context_).MayWait(call);
    case For::kCq:
      return DataPath(context_).MayWait(CallOf(call));
    case For::kNothingJudged:
      break;
  }
  return true;
}

void WaitingCalls::Pass(const Record& record) {
  if (context_.waiting.empty()) return;
  const std::optional<Window> waited = context_.WaitedIn(record);
  // A call that lasts has done something when it began: what others wait for may not come any more.
  const auto* calls = std::get_if<line::Calls>(&conversation_.lines[record.line]);
  const bool acts = calls != nullptr && KindOf(calls->call) != CallKind::kGetCmEvent;
  if (!waited || acts) return;
  for (WaitingCall& call : context_.waiting) {
    if (call.due || !IsJudged(call) || !IsAlone(call, record.line)) continue;
    if (call.what == For::kCq && waited->end - waited->begin < DataPath::kComesAgain) continue;
    JudgeContext trial(context_);  // what comes of its return is judged when it does
    Verdict verdict;
    call.due = !WaitingCalls(trial).MayWait(call, *waited, &verdict) &&
               verdict.kind != VerdictKind::kInconclusive;
  }
}

Verdict WaitingCalls::StillWaiting(const Record& record, bool settled) {
  const int64_t now = record.begin.nanoseconds();
  for (WaitingCall& call : context_.waiting) {
    if (call.due) return Refuse(&call);
    if (!settled || call.what == For::kCq || !IsJudged(call)) continue;
    if (!IsAlone(call, call.line)) continue;
    Verdict verdict;
    if (MayWait(call, {now, now, context_.settled}, &verdict)) continue;
    return verdict.kind == VerdictKind::kInconclusive ? verdict : Refuse(&call);
  }
  return {};
}

Verdict WaitingCalls::Refuse(WaitingCall* call) {
  const Call& made = CallOf(*call);
  call->what = For::kNothingJudged;
  call->due = false;
  const IdRef id = IdOf(made);
  if (id.valid() && facts_.id(id).in_scope) components_.MarkOutOfScope(id);
  return Refused(std::string(FunctionName(KindOf(made))) + " still waits",
                 "its return: what it waits for has happened",
                 std::string(TraitsOf(KindOf(made)).manual));
}

}  // namespace cm::model
