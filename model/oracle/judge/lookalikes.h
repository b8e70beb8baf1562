// Ids that look alike: the same calls, replies and events were seen of them, at the same time.
#ifndef MODEL_ORACLE_JUDGE_LOOKALIKES_H_
#define MODEL_ORACLE_JUDGE_LOOKALIKES_H_

#include <cstdint>
#include <vector>

#include "model/conversation/history.h"
#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/judge/components.h"

namespace cm::model {

// What may be so of one of them may as well be so of another: a possibility stands for all that
// come of it by exchanging them (belief/alike.h). An observation of one id tells it from the
// others, until the same is seen of another.
class Lookalikes {
 public:
  // The references outlive it.
  Lookalikes(ConversationFacts& facts, Components& components)
      : facts_(facts), components_(components) {}

  // The record is judged next: it is about the ids that it names alone.
  void TellApart(const Record& record, const Line& line);
  // It is about one that is judged apart, and looks like another of which something else may be so:
  // that may be so of this one, and is not followed.
  bool IsGuess(const Record& record, const Line& line) const;
  // It was, and is permitted. `waiting`: ids with calls that have not returned.
  void Note(const Record& record, const Line& line, const std::vector<IdRef>& waiting);
  // All ids of the component.
  void TellAllApart(Components::Number number);
  void TellApart(IdRef id);

  // The same was seen of both.
  bool LookAlike(IdRef a, IdRef b) const;
  // They do, in components of their own, and the same may be so of these.
  bool StandAlike(IdRef a, IdRef b) const;
  // One of each kind that looks like the id, and of which other things may be so.
  std::vector<IdRef> OthersLike(IdRef id) const;
  bool StandsAlikeWith(const std::vector<IdRef>& ids, IdRef id) const;

 private:
  // Those that the record is about.
  std::vector<IdRef> IdsIn(const Record& record, const Line& line) const;
  // What may be so is the same where the two are exchanged.
  bool MayBeExchanged(IdRef a, IdRef b) const;
  void MarkAlike(const std::vector<IdRef>& ids, uint16_t alike);
  void FindLookalikes(IdRef id);

  ConversationFacts& facts_;
  Components& components_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_LOOKALIKES_H_
