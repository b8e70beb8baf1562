// The devices of the program's processes. A device keeps its address for as long as the fake
// libibverbs is loaded, in all worlds: libraries store it.
#ifndef SIM_FAKE_LIBIBVERBS_DEVICE_TABLE_H_
#define SIM_FAKE_LIBIBVERBS_DEVICE_TABLE_H_

#include <cstdint>
#include <vector>

#include "sim/fake_libibverbs/objects.h"

namespace cm::sim::fake_libibverbs {

// The devices that the kernel of the calling thread's process lists at present, in its order. On
// failure `error` is a negative errno.
std::vector<Device*> ListDevices(int64_t* error);

// Index of a device in the kernel's list, or a negative errno.
int64_t PlaceOf(Device* device);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_DEVICE_TABLE_H_
