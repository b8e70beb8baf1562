// One state of a search: a world, and what is known of the conversation that led there.
#ifndef CONFORMANCE_EXPLORE_BRANCH_H_
#define CONFORMANCE_EXPLORE_BRANCH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/driver/driver.h"
#include "conformance/driver/implementation.h"
#include "conformance/explore/repertoire.h"
#include "model/base/choice.h"
#include "model/base/duration.h"
#include "model/catalogue/catalogue.h"
#include "model/conversation/history.h"
#include "model/conversation/name_scope.h"
#include "model/oracle/oracle.h"

namespace cm::explore {

// The judgement of a transition: of its first record that is not permitted, or of its last.
struct Judged {
  model::VerdictKind kind = model::VerdictKind::kPermitted;
  uint32_t line = 0;  // of the alphabet
  std::string saw;
  model::RuleBits rows;   // of some explanation
  bool left_out = false;  // there was no name for a request: not judged
};

// What bounds the moves from a state.
struct Limits {
  int faults = 1;         // in all
  Duration calls_within;  // from the start; later neither calls nor faults come
  bool in_order = true;   // names of one kind are used in their order
  bool beliefs = false;   // what the oracle takes for possible is part of the state
};

// The time that passes in a quiet world until it is judged that nothing is owed: longer than the
// timewait of each named profile.
inline constexpr Duration kQuietFor = Duration::Seconds(100);

class Branch {
 public:
  enum class Keep : uint8_t { kNothing, kRecords };
  // Carries out what stands before the search. The implementation must make sessions that branch;
  // it and the repertoire must outlive the branch and its copies, which keep no records.
  Branch(const Repertoire& repertoire, Implementation& implementation, Choice* order, Keep keep);
  Branch(const Branch& other);
  // The same, into memory that it has already.
  Branch& operator=(const Branch& other);

  // Whether the action can be tried here. Names of one kind may be used in their order only: the
  // second after the first. Once the time of calls is over, events are fetched as they come.
  bool Allows(const Action& action, const Limits& limits);
  // What may be so by now is found once, for all copies that go on from here.
  void Follow() { oracle_.Follow(session_->driver().Now()); }
  // Carries the action out, with the events of one instant in an order that `order` chooses.
  Judged Do(const Action& action, Choice* order);
  // Nothing will happen by itself any more.
  bool IsQuiet() const { return !session_->NextAt(); }
  // Judges, in a quiet world, that nothing is owed: kQuietFor passes, and no event comes.
  Judged JudgeQuiet();
  // An id that is in use waits for an event, and its channel has none.
  bool AnyIdWaits();

  // Equal for branches that go on alike; where names are used in their order, also when those of
  // one kind have changed places.
  uint64_t Key(const Limits& limits);

  // Those so far, where they are kept; a line is one of the alphabet.
  const std::vector<Record>& records() const { return records_; }

 private:
  void CarryOut(uint32_t line, Judged* judged);
  void CollectReleased(Judged* judged);
  void Judge(Record record, Judged* judged);
  void NoteWaits(const Record& record);
  void NoteMade();
  uint64_t StatusOf(IdRef id) const;
  Observation Answer(const Line& line);
  bool UsedBefore(IdRef id) const { return ((used_ >> id.index) & 1) != 0; }
  bool MadeBefore(IdRef id) const { return ((made_ >> id.index) & 1) != 0; }
  bool IsLate(const Limits& limits) const;
  bool AnyEvent() const;
  bool IsNextCaller(IdRef id) const;
  bool IsNextRequest(IdRef id) const;
  bool AnyRequestLeft() const;
  bool IsWithoutName(const Record& record) const;

  const Repertoire& repertoire_;
  std::unique_ptr<BranchingSession> session_;
  Instant start_;
  NameScope scope_;
  model::Oracle oracle_;
  std::vector<uint32_t> pending_;  // lines whose calls have not returned
  uint32_t made_ = 0;              // ids that exist or did, one bit each
  uint32_t used_ = 0;              // ids on which a call was tried
  uint32_t waits_ = 0;             // ids that wait for an event
  int faults_ = 0;
  int heals_ = 0;
  bool keeps_ = false;
  std::vector<Record> records_;
};

}  // namespace cm::explore

#endif  // CONFORMANCE_EXPLORE_BRANCH_H_
