// Memory regions of processes.
#ifndef SIM_UAPI_REGIONS_H_
#define SIM_UAPI_REGIONS_H_

#include <cstdint>

#include "sim/uapi/device_file.h"
#include "sim/uapi/request.h"
#include "sim/verbs/regions.h"

namespace cm::sim::uapi {

// A protection domain of a process, which numbers its own.
inline uint64_t DomainOf(uint32_t process, uint32_t number) {
  return (uint64_t{process} + 1) << 32 | number;
}

// Answers with the key.
Outcome Register(Regions* regions, uint32_t process, uint8_t device, const RegionRecord& asked);
// EINVAL while a memory window is bound to the region.
Outcome Deregister(Regions* regions, uint32_t process, uint32_t key);
// The same error; none changes the region. One that moves gets another key, as from a device that
// cannot change translations in place; posted requests and peers that use the old one then fail.
// source: linux 6.1 uverbs_cmd.c ib_uverbs_rereg_mr, mlx5 mr.c mlx5_ib_rereg_user_mr
Outcome Reregister(Regions* regions, uint32_t process, const Request& request);
// What is left of a process.
void DeregisterAll(Regions* regions, uint32_t process);

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_REGIONS_H_
