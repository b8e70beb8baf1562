// A session of a conversation that cannot be carried out.
#ifndef CONFORMANCE_DRIVER_REFUSED_SESSION_H_
#define CONFORMANCE_DRIVER_REFUSED_SESSION_H_

#include <memory>
#include <string>

#include "conformance/driver/driver.h"

namespace cm {

// Refuses everything; `why` is its Unsupported().
std::unique_ptr<Session> RefuseSession(std::string why);

}  // namespace cm

#endif  // CONFORMANCE_DRIVER_REFUSED_SESSION_H_
