// The ports of all kernels and the ids that own them. source: linux 6.1 cma.c struct rdma_bind_list
#ifndef SIM_RDMA_CM_PORT_TABLE_H_
#define SIM_RDMA_CM_PORT_TABLE_H_

#include <cstdint>

#include "model/base/errno.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/topology.h"
#include "sim/core/slot_table.h"
#include "sim/rdma_cm/cm_id.h"

namespace cm::sim {

// The table holds indices alone; ports and addresses are those of the ids, which each function is
// given. An id keeps its kernel, port space and port while it owns the port.
class PortTable {
 public:
  // Makes the id the owner of the port of its source address; port 0 stands for any free one.
  // EADDRINUSE for a port that another id owns with this address, EADDRNOTAVAIL if one of the two
  // addresses is a wildcard or no port is free. The newest of several owners decides. source:
  // linux 6.1 cma.c cma_get_port, cma_use_port, cma_alloc_any_port
  Errno Take(CmIds* ids, CmIdIndex id);
  // The error of Take, without taking. `shares`: ids that share their ports do not conflict.
  // source: linux 6.1 cma.c cma_check_port
  Errno Check(const CmIds& ids, CmIdIndex id, bool shares) const;
  // An id of another port space listens on the port of this one, at an address of its own or a
  // wildcard: TCP, which knows no port spaces, has the port once.
  bool ListensInAnotherSpace(const CmIds& ids, CmIdIndex id) const;
  // The id must own its port. source: linux 6.1 cma.c cma_release_port
  void Leave(CmIds* ids, CmIdIndex id);

  // The listener that gets a request to `destination` and its port, which arrives on the port
  // `device`; none if the newest owner whose address and device fit does not listen. `by_socket`:
  // what listens on IPv4 hears no IPv6. source: linux 6.1 cma.c cma_find_listener, siw_cm.c
  // siw_create_listen
  CmIdIndex ListenerFor(const CmIds& ids, const Topology& topology, uint8_t device, PortSpace space,
                        const Address& destination, bool by_socket = false) const;
  // An id listens for the service on any port of the device. source: linux 6.1 cm.c cm_find_listen
  bool Listens(const CmIds& ids, const Topology& topology, uint8_t device, PortSpace space,
               uint16_t port) const;

  // The ids say who owns a port.
  friend bool operator==(const PortTable&, const PortTable&) { return true; }

 private:
  template <typename Visitor>
  void VisitOwners(const CmIds& ids, uint8_t kernel, PortSpace space, uint16_t port,
                   Visitor visitor) const;
  bool FindEphemeralPort(CmIds* ids, CmIdIndex id);

  SlotTable<CmIdIndex> owners_;  // by kernel, space and port
  uint32_t taken_ = 0;
  uint16_t last_ephemeral_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_PORT_TABLE_H_
