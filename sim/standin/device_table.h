// The devices of the program's processes. A device keeps its address for as long as the stand-in is
// loaded, in all worlds: libraries store it.
#ifndef SIM_STANDIN_DEVICE_TABLE_H_
#define SIM_STANDIN_DEVICE_TABLE_H_

#include <cstdint>
#include <vector>

#include "sim/standin/objects.h"

namespace cm::sim::standin {

// The devices that the kernel of the calling thread's process lists at present, in its order. On
// failure `error` is a negative errno.
std::vector<Device*> ListDevices(int64_t* error);

// Index of a device in the kernel's list, or a negative errno.
int64_t PlaceOf(Device* device);

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_DEVICE_TABLE_H_
