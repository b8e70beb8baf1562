// The application that a passive peer is taken for: it listens, accepts each request at once, and
// disconnects when its peer does.
#ifndef CONFORMANCE_ADAPTERS_WIRE_LISTENER_H_
#define CONFORMANCE_ADAPTERS_WIRE_LISTENER_H_

#include <string>

#include "conformance/driver/driver.h"
#include "model/conversation/conversation.h"

namespace cm::live {

// The names that a listener uses, on that topology.
Conversation ListenerNames(TopologyRef topology, const std::string& profile);

class Listener {
 public:
  // Both must outlive this object; `names` is of ListenerNames, and the driver's conversation.
  Listener(Driver* driver, const Conversation& names);

  // Listens. The first refusal, as text; empty when there is none.
  std::string Begin(uint16_t port);
  // Fetches and answers the events that there are. None is waited for.
  void Poll();

 private:
  void Hear(const CmEvent& event, IdRef request);
  seen::Answered Do(const Call& call);

  Driver* driver_;
  const Conversation& names_;
  uint16_t requests_ = 0;
  uint16_t events_ = 0;
};

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_LISTENER_H_
