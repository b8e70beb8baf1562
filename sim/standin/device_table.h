// The devices of the program's processes. A device has one address for as long as the stand-in is
// loaded, in whatever world it appears: libraries keep it.
#ifndef SIM_STANDIN_DEVICE_TABLE_H_
#define SIM_STANDIN_DEVICE_TABLE_H_

#include <cstdint>
#include <vector>

#include "sim/standin/objects.h"

namespace cm::sim::standin {

// Those that the kernel of the calling thread's process lists at present, in its order. Minus an
// errno in `error` when it does not answer.
std::vector<Device*> ListDevices(int64_t* error);

// The place of a device in the kernel's list, or minus an errno.
int64_t PlaceOf(Device* device);

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_DEVICE_TABLE_H_
