#include "model/oracle/judge/memberships.h"

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"

namespace cm::model {

Verdict Memberships::Leave(const Record& record, Lane lane, const Call& call,
                           const seen::Answered& answered) {
  const auto& leave = std::get<call::LeaveMulticast>(call);
  const uint16_t left = facts_.id(leave.id).JoinedAs(leave.address);
  Verdict verdict = calls_.Called(record, call, answered);
  const bool waits = answered.reply.kind == ReplyKind::kBlocked;
  if (left != 0 && waits && verdict.IsPermitted())
    context_.waiting.push_back({.what = WaitingCall::For::kLeaving,
                                .line = record.line,
                                .lane = lane,
                                .id = leave.id,
                                .count = left});
  return verdict;
}

// The last event of the membership has been acknowledged, by another thread.
Verdict Memberships::Left(const WaitingCall& was, const Reply& reply) const {
  if (!facts_.id(was.id).in_scope) return OutOfScope();
  const Membership& left = facts_.id(was.id).memberships[static_cast<size_t>(was.count) - 1];
  const bool unacked = left.unacked > 0 && !left.blurred;
  const std::string saw = "returned " + ToString(reply);
  if (!unacked && (reply.succeeded() || Unseen(reply))) return {.saw = saw};
  return Refused(saw, unacked ? "blocked: an event of the membership is not acknowledged" : "0",
                 "man rdma_leave_multicast(3)");
}

}  // namespace cm::model
