// What the tables do not cover. An id that is used like that, and all that it can influence, is
// judged no more.
#ifndef MODEL_ORACLE_JUDGE_SCOPE_H_
#define MODEL_ORACLE_JUDGE_SCOPE_H_

#include "model/oracle/judge/judge_context.h"

namespace cm::model {

class Scope : JudgeBase {
 public:
  explicit Scope(JudgeContext& context) : JudgeBase(context) {}

  // The tables have rows for such a call on the id, whether or not the id still exists.
  bool HasRowsFor(const Call& call) const;
  // In the states that the id may be in, they say what comes of the call. Closes over what may have
  // happened before where that matters.
  bool CanFollow(const Call& call, const Window& window);

 private:
  bool MayFindDeviceOfOther(const Call& call) const;
  bool CanFollowOverIwarp(const Call& call, const Window& window);
  bool ParametersAreCovered(const Call& call);
  // `covered`: all else about it is. If it is not, the listeners that it would have reached are not
  // judged any more either.
  bool ConnectionIsCovered(const call::Connect& call, bool covered);
  bool IsOfAnotherLink(IdRef id) const;
};

// With a queue pair, and a route: rdma_connect asks the iWARP provider.
bool MayConnectOverIwarp(IdRef id, const ConversationFacts& facts, Components& components);

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_SCOPE_H_
