// Conversion of addresses between sockaddr and the topology's numbers. A conversation names only a
// few multicast groups; other groups of programs get numbers after these.
#ifndef SIM_UAPI_GROUPS_H_
#define SIM_UAPI_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/vocabulary/address.h"
#include "model/vocabulary/topology.h"
#include "sim/fabric/names.h"

struct sockaddr;

namespace cm::sim::uapi {

class Groups {
 public:
  // The number is that of the first use; kForeign when there are too many.
  Address AddressOf(const sockaddr* address, const Topology& topology);

  Gid GidOf(const Address& address, const Topology& topology) const;
  // Writes a sockaddr, as much of it as fits. Returns its length.
  uint16_t Put(const Address& address, const Topology& topology, void* field, size_t room) const;

 private:
  const Gid* Find(const Address& address) const;

  std::vector<Gid> own_;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_GROUPS_H_
