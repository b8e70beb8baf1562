// The lanes of a conversation in virtual time, all of them on one thread.
#ifndef CONFORMANCE_ADAPTERS_DL_VIRTUAL_LANES_H_
#define CONFORMANCE_ADAPTERS_DL_VIRTUAL_LANES_H_

#include <map>

#include "conformance/adapters/dl/caller.h"
#include "conformance/adapters/dl/messages.h"
#include "conformance/adapters/dl/virtual_backend.h"
#include "conformance/driver/synchronous_ids.h"

namespace cm {

// Builds blocking calls and waits from the steps of the backend.
class VirtualLanes {
 public:
  // All of them must outlive this object.
  VirtualLanes(VirtualBackend* backend, const Conversation* conversation, const Profile* profile)
      : backend_(*backend), profile_(*profile), caller_(&backend->api(), conversation) {}

  // Any request but kStart.
  Answer Do(const Request& request);

 private:
  // A call that has not returned, and its outputs.
  struct Unreturned {
    Call call;
    Products products;
  };

  bool HappensUntil(Instant limit) const;
  seen::Answered Begin(Lane lane, const Call& call);
  seen::Answered Finish(Lane lane);
  seen::Answered Continue(Lane lane);
  seen::Answered Returned(Lane lane);
  bool Readable(ChannelRef channel, Duration within);
  void Settle();
  bool Inject(const Fault& fault);

  VirtualBackend& backend_;
  const Profile& profile_;
  Caller caller_;
  std::map<Lane, Unreturned> unreturned_;
  SynchronousIds synchronous_;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_VIRTUAL_LANES_H_
