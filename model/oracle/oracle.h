// Judges a run from outside.
//
// The application observes replies and events, never states. So the oracle stores, for each group
// of ids that can influence one another (a component), every possibility that the tables permit,
// and refuses a record when none is left. README.md maps its three rooms.
//
//   1. Observe each record of a history in turn. A refusal ends the judgement of the component that
//      the record is about; the others are judged on. One that is about no component ends the
//      judgement of all ids of its channel.
//   2. Loss, delay, removal and address change are permitted only where an environment line of the
//      conversation permits them.
//   3. The sets are closed over hidden steps (a message arrives, a timer expires) before an
//      observation that depends on them, and not earlier.
#ifndef MODEL_ORACLE_ORACLE_H_
#define MODEL_ORACLE_ORACLE_H_

#include <memory>

#include "model/catalogue/catalogue.h"
#include "model/conversation/history.h"
#include "model/oracle/judge/verdict.h"
#include "model/vocabulary/profile.h"

namespace cm::model {

class Oracle {
 public:
  // `conversation` and `profile` must outlive the oracle.
  Oracle(const Conversation& conversation, const Profile& profile);
  ~Oracle();
  // Goes on from the same state by itself; of the same conversation and profile.
  Oracle(const Oracle& other);
  Oracle& operator=(const Oracle& other);

  // Judges the next record of the history, in order. Inconclusive when what is not followed could
  // explain it: the oracle must not be used any more. Ends the program where more than 254 ids can
  // influence one another.
  Verdict Observe(const Record& record);
  // Follows hidden steps until then, as the next observation would: copies need not do it again.
  void Follow(Instant until);
  // Equal for oracles to which the same may be so, but for the times of it.
  uint64_t Fingerprint() const;
  // The tables do not cover a call on the id: it, and all ids that it can influence, are not judged
  // any more.
  void MarkOutOfScope(IdRef id);
  // The history's show-event has only type and status, as in recordings. Before the first record.
  void ShowsOnlyTypeAndStatus();
  // All that ask one listener are judged together with it, however many: slow, and nothing is
  // guessed of those that look alike. Before the first record.
  void FollowsTogether();
  // Queue pair numbers in calls are those of existing queue pairs, as in recordings. Before the
  // first record.
  void NumbersNameQps();

  // Rows of some explanation of the history so far, and rows of every explanation.
  const RuleBits& reached() const;
  const RuleBits& confirmed() const;
  // Not all possibilities were followed: nothing is refused for certain any more.
  bool FollowsInPart() const;
  // The largest number of possibilities of a component so far.
  size_t largest_set() const;

 private:
  class Judges;

  std::unique_ptr<Judges> judges_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_ORACLE_H_
