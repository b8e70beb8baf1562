// What an observation depends on, and which hidden steps can make a difference to it.
//
// In a small component every hidden step is followed before every observation. In a crowd, such as
// many requests at one listener, and where more may be so than is followed, that would be every
// order of everything. There, steps that make no difference to an observation are left for later,
// when something depends on them: whether they came before or after it is the same.
#ifndef MODEL_ORACLE_MACHINE_AIM_H_
#define MODEL_ORACLE_MACHINE_AIM_H_

#include <bitset>
#include <cstdint>
#include <optional>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/state.h"
#include "model/oracle/machine/machine.h"
#include "model/vocabulary/reply.h"

namespace cm::model {

// Neither an id nor a channel: everything.
struct Aim {
  IdRef id;                          // what is so of the id
  const CmEvent* request = nullptr;  // and this request is shown, of a listener
  int64_t before = INT64_MAX;  // in ns: it came no later, as others came then that are not shown
  IdRef only;                  // sent by this one, if that is known
  bool guesses = false;        // not all of those that look like it are followed any more
  ChannelRef quiet;            // nothing is on the channel: steps are done that have to be
  bool Everything() const { return !id.valid() && !quiet.valid(); }
};

// What is left of a crowd is one as long as it has so many ids.
inline constexpr size_t kRestOfCrowd = 4;

// So many senders of requests that look like the one that is shown are followed; where there are
// more, from each possibility the oldest ones alone.
inline constexpr size_t kMostGuesses = 16;
inline constexpr size_t kOldest = 2;

// Whether the queue pairs of two ids have the same number, which the application has chosen.
bool ShareQpNumbers(const ConversationFacts& facts, const Possibility& p);
// Whether so much may be so that steps are followed only where something needs them.
bool IsLazy(const ConversationFacts& facts, const Possibility& p);
// Whether that is so, or the possibility is one of a crowd, and nothing comes from below that
// concerns all of it.
bool IsCrowd(const ConversationFacts& facts, const Possibility& p);

// The ids that a set of ids can make a difference to soon, with the messages between them: peers.
// Requests at one listener make none to one another: where its queue may have been full, each may
// have been dropped.
class Reach {
 public:
  // The references outlive it.
  Reach(const ConversationFacts& facts, const Machine& machine, const Possibility& p)
      : facts_(facts), machine_(machine), p_(p) {}

  // Of the aim, which looks no further than `until`, in ns.
  void Add(const Aim& aim, int64_t until);
  // Of one id; kNoId: none.
  void Add(uint8_t id);
  // Of the sender of a message and of whom it reaches.
  void Add(const Flight& flight);
  bool Has(uint8_t id) const { return id != kNoId && ids_.test(id); }
  bool Has(const Flight& flight) const;

 private:
  bool Waits(uint8_t id, int64_t until) const;
  // Any of its ids may be asked by others.
  bool HasPort() const;
  void Set(uint8_t id) {
    ids_.set(id);
    has_port_.reset();
  }

  const ConversationFacts& facts_;
  const Machine& machine_;
  const Possibility& p_;
  std::bitset<256> ids_;
  mutable std::optional<bool> has_port_;  // once it is asked for
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_AIM_H_
