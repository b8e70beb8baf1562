// Ids that are judged no more, and what they may do to those that are.
#ifndef MODEL_ORACLE_JUDGE_UNJUDGED_H_
#define MODEL_ORACLE_JUDGE_UNJUDGED_H_

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"

namespace cm::model {

// 1. The judgement of an id ends together with that of all ids that it can influence.
// 2. An id that could be influenced later is judged no more from then on: the owner of the port
//    that an unjudged id asks for, one that asks for the port of an unjudged id, and one whose
//    queue pair may have the number of an unjudged one.
// 3. What cannot do harm is only permitted: the port of an unjudged id may be in use, and its
//    channel may become readable.
class Unjudged : JudgeBase {
 public:
  explicit Unjudged(JudgeContext& context) : JudgeBase(context) {}

  // The record is refused: the judgement of the component that it is about ends. If it is about
  // none, the judgement of all ids of its channel ends.
  void EndAfter(const Record& record, const Line& line);
  // Ends the judgement of components of which nothing may be so any more. False when there is none.
  bool EndContradicted();
  // The record is refused or out of scope: what its line may have done.
  void Learn(const Record& record, const Line& line);
  // Whether the call on a judged id may meet an unjudged one.
  bool MayMeet(const Call& call) const;

 private:
  void EndAllOn(ChannelRef channel);
  // The request that the call on a listener may have returned.
  void NewRequest(IdRef listener, IdRef request);
  void TakesPort(IdRef id, const Address& address);
  static void Resolves(IdInfo* info, const Address& destination, bool refused);
  void Connects(IdRef id, const Call& call);
  bool Asks(const IdInfo& asker, IdRef listener) const;
  bool MaySharePort(IdRef listener) const;
  bool MayShareNumber(IdRef id, const ConnParam& param) const;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_UNJUDGED_H_
