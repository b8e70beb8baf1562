// A door with the peer's application beside it: a driver on the peer carries out its calls.
#ifndef CONFORMANCE_ADAPTERS_WIRE_LISTENING_DOOR_H_
#define CONFORMANCE_ADAPTERS_WIRE_LISTENING_DOOR_H_

#include <memory>
#include <string>
#include <variant>

#include "conformance/adapters/wire/door.h"
#include "conformance/adapters/wire/tester_end.h"
#include "conformance/driver/implementation.h"
#include "model/conversation/conversation.h"

namespace cm::live {

// The door, once the driver listens at the peer's address, or the reason why it does not. The
// driver's conversation ends with the door.
std::variant<std::unique_ptr<Door>, std::string> WithListener(std::unique_ptr<Door> door,
                                                              Implementation& driver,
                                                              const Ends& ends, uint16_t service);

// The same, and the driver carries out the conversation's lines, of the side that the peer is.
std::variant<std::unique_ptr<Door>, std::string> WithApplication(std::unique_ptr<Door> door,
                                                                 Implementation& driver,
                                                                 const Ends& ends,
                                                                 const Conversation& conversation);

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_LISTENING_DOOR_H_
