// The host that a program is on.
#ifndef SIM_FAKE_LIBIBVERBS_IDENTITY_H_
#define SIM_FAKE_LIBIBVERBS_IDENTITY_H_

#include <cstdint>
#include <optional>
#include <string>

namespace cm::sim::fake_libibverbs {

// Whether an IP address, as inet_ntop has it, is one of the host or of its loopback. True where the
// host is not known.
bool IsOwnAddress(const std::string& address);

// The largest packet of an interface of the host, as its sysfs has it. Empty for others. That of
// the system's interface is larger, so that a message is one packet.
std::optional<uint32_t> MtuOf(const std::string& interface);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_IDENTITY_H_
