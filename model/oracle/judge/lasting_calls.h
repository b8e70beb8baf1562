// Calls that may wait for acknowledgements or for the peer: each begins, and returns.
#ifndef MODEL_ORACLE_JUDGE_LASTING_CALLS_H_
#define MODEL_ORACLE_JUDGE_LASTING_CALLS_H_

#include <optional>
#include <vector>

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

// The ends of ids and channels. Destroying an id has two parts: the kernel's, which a message that
// was given up can hold up, and the library's, which waits for acknowledgements.
class Destructions : JudgeBase {
 public:
  explicit Destructions(JudgeContext& context) : JudgeBase(context) {}

  Verdict Id(const Record& record, const Call& call, const Reply& reply);
  // Before Id destroys a listener: destroys a copy of it for each component that asks it, where
  // those are judged apart from it.
  Verdict EndCrowd(const Record& record, const Call& call, const Reply& reply);
  Verdict Channel(const Record& record, const call::DestroyEventChannel& call, const Reply& reply);
  // One of both returns after it has waited.
  Verdict Returned(const Record& record, const WaitingCall& was, const Reply& reply);
  // Whether it may have waited until the end of the window.
  bool MayWait(const WaitingCall& call, const Window& window, Verdict* verdict);

 private:
  // rdma_destroy_event_channel, as it was seen.
  struct Closing {
    ChannelRef channel;
    Window window;
    std::optional<Window> waited;
    bool blocked = false;
    // Whether a message may hold the call up in all of `waited`, and at its end.
    bool may_last = false;
    bool may_go_on = false;
  };
  bool DestroyAllOn(Closing* closing, Components::Number number, Verdict* verdict);
  // Whether a message of an id on the channel holds up its end.
  bool IsHeldUp(ChannelRef channel, const Possibility& p) const;
  // Whether one of the component may do so in all of `waited`. It is tried, and nothing is changed:
  // one of another component may do so as well.
  bool MayHoldUp(ChannelRef channel, Components::Number number, const Window& waited);
  // Whether a message holds up the end of the id, or of one on the channel.
  bool IsHeldUp(const WaitingCall& call, const Possibility& p) const;
  std::vector<Components::Number> ConcernedBy(const WaitingCall& call) const;
};

// rdma_disconnect over iWARP: where the MPA reply is awaited it goes on when that is there.
class Disconnections : JudgeBase {
 public:
  explicit Disconnections(JudgeContext& context) : JudgeBase(context) {}

  Verdict Called(const Record& record, const Call& call, const Reply& reply);
  Verdict Returned(const Record& record, const WaitingCall& was, const Reply& reply);
  bool MayWait(const WaitingCall& call, const Window& window, Verdict* verdict);
};

// rdma_migrate_id.
class Migrations : JudgeBase {
 public:
  explicit Migrations(JudgeContext& context) : JudgeBase(context) {}

  Verdict Called(const Record& record, const call::MigrateId& call, const seen::Answered& answered);
  Verdict Returned(const WaitingCall& was, const Reply& reply) const;
  bool MayWait(const WaitingCall& call) const;
};

// rdma_leave_multicast. Which memberships an id has is known for certain; what is reported of them
// is one of several possibilities.
class Memberships : JudgeBase {
 public:
  explicit Memberships(JudgeContext& context) : JudgeBase(context) {}

  Verdict Leave(const Record& record, const call::LeaveMulticast& leave,
                const seen::Answered& answered);
  Verdict Left(const WaitingCall& was, const Reply& reply) const;
  bool MayWait(const WaitingCall& call) const;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_LASTING_CALLS_H_
