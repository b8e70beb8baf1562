// The host that a program is on.
#ifndef SIM_FAKE_LIBIBVERBS_IDENTITY_H_
#define SIM_FAKE_LIBIBVERBS_IDENTITY_H_

#include <string>

namespace cm::sim::fake_libibverbs {

// Whether an IP address, as inet_ntop has it, is one of the host or of its loopback. True where the
// host is not known.
bool IsOwnAddress(const std::string& address);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_IDENTITY_H_
