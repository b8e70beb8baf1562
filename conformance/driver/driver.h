// The interface between the suite and an implementation under test: its API, and the environment
// around it.
//
// No function here fails: what a C function refuses is a reply with its errno, what the environment
// cannot do is a result with the reason. A library that dies is a crashed reply, to this call and
// to all later ones of the process. Time is that of Driver::Now, a Duration counts nanoseconds.
// Called from one thread. source: contract of the suite; each call has its own in
// model/vocabulary/call.h.
#ifndef CONFORMANCE_DRIVER_DRIVER_H_
#define CONFORMANCE_DRIVER_DRIVER_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/choice.h"
#include "model/base/duration.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/vocabulary/tester.h"

namespace cm {

struct Submission {
  Lane lane;
  Call call;
};

// The applications of one conversation. A name denotes an object from the call that creates it on.
class Driver {
 public:
  virtual ~Driver() = default;

  // Makes the call on the lane. Returns the reply, or "blocked" for a call that nothing can answer
  // within the profile's longest timer: it stays pending, and the lane must not be used until
  // Released. A refused call is a reply with the errno that the C function sets; the driver itself
  // does not fail.
  virtual seen::Answered Submit(Lane lane, const Call& call) = 0;
  // Makes all calls concurrently, each on its lane; returns the replies in the same order. A call
  // is blocked if it still is when all were made. A driver without threads makes them one after the
  // other.
  virtual std::vector<seen::Answered> SubmitTogether(const std::vector<Submission>& all);
  // The reply of the lane's pending call if it has returned by now; empty otherwise. Never waits.
  // Called between two lines.
  virtual std::optional<seen::Released> Released(Lane lane) = 0;
  // True when the channel's descriptor is readable, or becomes readable `within` that time, as
  // poll(2) would report. Never fetches an event.
  virtual bool Readable(Lane lane, ChannelRef channel, Duration within) = 0;
  // Virtual time of the simulator, from 0; the monotonic clock of a real implementation.
  virtual Instant Now() = 0;
};

// The network and the hosts around the applications. Each result says whether the change was made,
// and the reason if not.
class Environment {
 public:
  virtual ~Environment() = default;

  // Lets `span` pass; applications fetch nothing.
  virtual seen::Done Pass(Duration span) = 0;
  // Lets time pass until nothing has happened for the profile's quiet bound.
  virtual seen::Done Settle() = 0;
  // Injects the fault; not done when the environment lacks the capability, or a tool fails.
  virtual seen::Done Inject(const Fault& fault) = 0;
  // Ends all packet faults, restores links, neighbours and SMs; removed devices stay removed.
  virtual seen::Done Heal() = 0;
  // The tester on that side sends a message. The default refuses: most environments have no tester,
  // and lack that capability.
  virtual seen::Done Send(uint8_t side, const TesterMad& mad);
};

class BranchingSession;

// Why a session proves nothing that has waited for less than the profile's longest timer, or in
// which this machine's clock has ended a wait.
inline constexpr std::string_view kStillBlocked = "a call was still blocked after the patience";
inline constexpr std::string_view kClockRanOut = "a clock ran out";

// A driver and its environment, from the first line of a conversation to the last.
class Session {
 public:
  virtual ~Session() = default;
  virtual Driver& driver() = 0;
  virtual Environment& environment() = 0;
  // Messages on the wire since the last call; empty for a session that cannot see them.
  virtual std::vector<WireRecord> TakeWire() { return {}; }
  // Objects still in use after the last line, as text; empty when all were released.
  virtual std::string Leaks() { return {}; }
  // The reason why the conversation cannot be carried out here; empty if it can. Called before its
  // first line.
  virtual std::string Unsupported() const { return {}; }
  // The reason why the history proves nothing, as that a limit of time ran out; empty if it proves
  // something. Called after its last line.
  virtual std::string Inconclusive() const { return {}; }
  // The same session where it can be copied; null where it cannot.
  virtual BranchingSession* branching() { return nullptr; }
};

// A session in a simulated world, for a search of everything that may come next.
class BranchingSession : public Session {
 public:
  BranchingSession* branching() override { return this; }
  // Goes on by itself from the same state; of the same conversation, which must outlive it. What is
  // on the wire is not recorded in it.
  virtual std::unique_ptr<BranchingSession> Copy() const = 0;
  // Becomes a copy of another one of the same implementation and conversation, in its own memory.
  virtual void Become(const BranchingSession& other) = 0;
  // Equal for worlds that go on alike, but for what belongs together in them.
  virtual uint64_t Fingerprint() const = 0;
  // Of an id with all that belongs to it; 0 while the name denotes none.
  virtual uint64_t FingerprintOf(IdRef id) const = 0;
  // The time of the next event; empty in a world that is quiet for ever.
  virtual std::optional<Instant> NextAt() const = 0;
  // Whether the channel has an event now; no time passes, as it may in Readable.
  virtual bool HasEvent(uint8_t side, ChannelRef channel) = 0;
  // What decides which event of one instant is first, from now on; null: as scheduled. It must
  // outlive the session, or be replaced.
  virtual void OrderBy(Choice* order) = 0;
};

}  // namespace cm

#endif  // CONFORMANCE_DRIVER_DRIVER_H_
