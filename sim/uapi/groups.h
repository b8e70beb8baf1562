// Addresses as programs write them and read them back. A conversation has names for a few multicast
// groups only; those that programs make up get numbers behind these.
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
  // Its number is that of the first time; kForeign when there are too many.
  Address AddressOf(const sockaddr* address, const Topology& topology);

  Gid GidOf(const Address& address, const Topology& topology) const;
  // As a sockaddr, as much of it as there is room. -> its length
  uint16_t Put(const Address& address, const Topology& topology, void* field, size_t room) const;

 private:
  const Gid* Find(const Address& address) const;

  std::vector<Gid> own_;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_GROUPS_H_
