// The application that a passive peer is taken for: it listens, accepts each request at once, and
// disconnects when its peer does.
#ifndef CONFORMANCE_ADAPTERS_WIRE_LISTENER_H_
#define CONFORMANCE_ADAPTERS_WIRE_LISTENER_H_

#include <cstdint>
#include <string>

#include "conformance/driver/driver.h"
#include "model/conversation/conversation.h"

namespace cm::live {

// How long a driver waits for an event at a time.
inline constexpr Duration kListenerWaits = Duration::Milliseconds(500);

// Every line that a listener may come to, for drivers that want to know them: for each event its
// waits, and what may be done about it. What does not happen is left out.
Conversation ListenerConversation(TopologyRef topology, const std::string& profile, uint16_t port);

class Listener {
 public:
  // Both must outlive this object; the conversation is the driver's.
  Listener(Driver* driver, const Conversation& conversation);

  // Listens. The first refusal, as text; empty when there is none.
  std::string Begin();
  // Fetches and answers an event, if one comes within that time: kListenerWaits, or none at all.
  bool Serve(Duration within);

 private:
  void Hear(const CmEvent& event, IdRef request);

  Driver* driver_;
  const Conversation& conversation_;
  uint16_t event_ = 0;  // the next one
  int waits_ = 0;       // for it
};

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_LISTENER_H_
