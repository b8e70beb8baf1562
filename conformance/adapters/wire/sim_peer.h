// The simulator as the peer behind a door, in virtual time: frames go in and out.
#ifndef CONFORMANCE_ADAPTERS_WIRE_SIM_PEER_H_
#define CONFORMANCE_ADAPTERS_WIRE_SIM_PEER_H_

#include <memory>

#include "conformance/adapters/wire/door.h"
#include "conformance/adapters/wire/tester_end.h"
#include "model/conversation/conversation.h"
#include "model/mad/packet.h"
#include "model/vocabulary/profile.h"

namespace cm::live {

// The hardware address of the peer there.
mad::Mac SimulatedMac(const Ends& ends);

// The tester has no GUID of its own there. `profile` must outlive the door. Without a conversation,
// whose lines it carries out, its application is a Listener.
std::unique_ptr<Door> MakeSimPeer(const Profile* profile, const Ends& ends,
                                  const Conversation* by_lines = nullptr);

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_SIM_PEER_H_
