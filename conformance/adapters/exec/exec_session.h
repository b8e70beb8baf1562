// One conversation with a driver.
#ifndef CONFORMANCE_ADAPTERS_EXEC_EXEC_SESSION_H_
#define CONFORMANCE_ADAPTERS_EXEC_EXEC_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "conformance/adapters/exec/peer.h"
#include "conformance/driver/driver.h"
#include "model/base/duration.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"

namespace cm {

struct ExecSessionSetup {
  const Profile* profile;
  Duration patience;
  std::function<void(const std::string& what)> lost;  // as in ExecOptions
  // Takes the driver back when the conversation is over; `wrong`: how it broke the protocol, or
  // empty. A driver that has ended is not given back.
  std::function<void(std::unique_ptr<Peer>, const std::string& wrong)> give_back;
};

// Why a conversation has not begun.
struct NotBegun {
  enum class Kind : uint8_t {
    kUnsupported,  // the driver says so
    kEnded,        // the driver has ended
    kWrong,        // it broke the protocol
  };
  Kind kind = Kind::kUnsupported;
  std::string why;
  std::unique_ptr<Peer> peer;
};

// The driver must be between conversations; everything must outlive the session. A driver that ends
// during it has crashed, or was lost; one that breaks the protocol makes it inconclusive.
std::variant<std::unique_ptr<Session>, NotBegun> StartExecSession(const ExecSessionSetup& setup,
                                                                  const Conversation& conversation,
                                                                  std::unique_ptr<Peer> peer);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_EXEC_SESSION_H_
