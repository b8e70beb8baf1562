// Functions that programs link to and that no simulated device supports.
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstddef>

#include "sim/fake_libibverbs/objects.h"

using cm::sim::fake_libibverbs::Refuse;  // what follows is C

extern "C" {

ibv_context* ibv_import_device(int /*fd*/) { return Refuse(EOPNOTSUPP); }
ibv_pd* ibv_import_pd(ibv_context* /*context*/, uint32_t /*handle*/) { return Refuse(EOPNOTSUPP); }
ibv_mr* ibv_import_mr(ibv_pd* /*pd*/, uint32_t /*handle*/) { return Refuse(EOPNOTSUPP); }
ibv_dm* ibv_import_dm(ibv_context* /*context*/, uint32_t /*handle*/) { return Refuse(EOPNOTSUPP); }
void ibv_unimport_pd(ibv_pd* /*pd*/) {}
void ibv_unimport_mr(ibv_mr* /*region*/) {}
void ibv_unimport_dm(ibv_dm* /*memory*/) {}

ibv_mr* ibv_reg_dmabuf_mr(ibv_pd* /*pd*/, uint64_t /*offset*/, size_t /*length*/,
                          uint64_t /*address*/, int /*fd*/, int /*access*/) {
  return Refuse(EOPNOTSUPP);
}

int ibv_resolve_eth_l2_from_gid(ibv_context* /*context*/, ibv_ah_attr* /*to*/, uint8_t* /*address*/,
                                uint16_t* /*vlan*/) {
  return EOPNOTSUPP;
}
}
