// The waist between the suite and whoever is asked: an implementation, seen only through its API,
// and the environment that it stands in.
#ifndef CONFORMANCE_DRIVER_DRIVER_H_
#define CONFORMANCE_DRIVER_DRIVER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/duration.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/tester.h"

namespace cm {

struct Submission {
  Lane lane;
  Call call;
};

// One conversation's worth of applications. Names stand for nothing until a call makes them.
class Driver {
 public:
  virtual ~Driver() = default;

  // Makes the call on the lane. A call that nothing can answer within the profile's longest timer
  // is blocked: it stays pending and the lane takes no further call.
  virtual seen::Answered Submit(Lane lane, const Call& call) = 0;
  // Makes all of them at once, each on its lane; the answers in the same order. Blocked are those
  // that still are when all were made. Without threads of its own: one after the other.
  virtual std::vector<seen::Answered> SubmitTogether(const std::vector<Submission>& all);
  // A pending call that has returned meanwhile; asked between two lines, waits for nothing.
  virtual std::optional<seen::Released> Released(Lane lane) = 0;
  // Whether the channel's descriptor is or becomes readable; never fetches.
  virtual bool Readable(Lane lane, ChannelRef channel, Duration within) = 0;
  virtual Instant Now() = 0;
};

// What surrounds the applications. Each answer says whether it was done.
class Environment {
 public:
  virtual ~Environment() = default;

  virtual seen::Done Pass(Duration span) = 0;
  virtual seen::Done Settle() = 0;
  virtual seen::Done Inject(const Fault& fault) = 0;
  virtual seen::Done Heal() = 0;
  // The tester on that side sends a message. Most environments have none, and do not say that they
  // can do it.
  virtual seen::Done Send(uint8_t side, const TesterMad& mad);
};

// A driver and its environment, from the first line of a conversation to the last.
class Session {
 public:
  virtual ~Session() = default;
  virtual Driver& driver() = 0;
  virtual Environment& environment() = 0;
  // What was visible on the wire since it was last asked, if this session can look.
  virtual std::vector<WireRecord> TakeWire() { return {}; }
  // What is still in use after the last line, in words; empty when everything was returned.
  virtual std::string Leaks() { return {}; }
  // Why the conversation cannot be carried out here, asked before its first line; empty if it can.
  virtual std::string Unsupported() const { return {}; }
  // A real clock ran out somewhere: what was seen proves nothing.
  virtual bool Inconclusive() const { return false; }
};

// Somebody who can be asked: makes sessions. Sessions of one implementation do not overlap unless
// it says that they may.
class Implementation {
 public:
  virtual ~Implementation() = default;
  // As the results call it: "sim", "librdmacm 44.0, Linux 6.1.0-42-amd64".
  virtual std::string name() const = 0;
  virtual const Profile& profile() const = 0;
  // What the environment can do on this topology.
  virtual Capabilities capabilities() const = 0;
  virtual bool concurrent() const { return false; }
  virtual std::unique_ptr<Session> Start(const Conversation& conversation) = 0;
  // Why sessions from now on would not start from the same place; empty as long as they do.
  virtual std::string Spoiled() const { return {}; }
};

}  // namespace cm

#endif  // CONFORMANCE_DRIVER_DRIVER_H_
