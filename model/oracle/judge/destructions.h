// The ends of ids and channels: rdma_destroy_id, rdma_destroy_ep, rdma_destroy_event_channel.
//
// Destroying an id has two parts: the kernel's, which a message that was given up can hold up, and
// the library's, which waits for acknowledgements.
#ifndef MODEL_ORACLE_JUDGE_DESTRUCTIONS_H_
#define MODEL_ORACLE_JUDGE_DESTRUCTIONS_H_

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class Destructions : JudgeBase {
 public:
  explicit Destructions(JudgeContext& context) : JudgeBase(context) {}

  Verdict Id(const Record& record, Lane lane, const Call& call, const Reply& reply);
  Verdict Channel(const Record& record, Lane lane, const call::DestroyEventChannel& call,
                  const Reply& reply);
  // One of both returns after it has waited.
  Verdict Returned(const Record& record, const WaitingCall& was, const Reply& reply);

 private:
  bool DestroyAllOn(ChannelRef channel, Components::Number number, const Window& window,
                    bool blocked, bool* may_be_held_up, Verdict* verdict);
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_DESTRUCTIONS_H_
