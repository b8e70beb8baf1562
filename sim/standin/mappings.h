// The memory that the program has.
#ifndef SIM_STANDIN_MAPPINGS_H_
#define SIM_STANDIN_MAPPINGS_H_

#include <cstdint>
#include <string_view>

namespace cm::sim::standin {

// Whether a kernel could pin all of it for a device, which may read it, or write it as well.
// Changes nothing there. True where nobody can say. source: linux 6.1 umem.c ib_umem_get
bool CanBePinned(uint64_t address, uint64_t length, bool writes);

// The same from the text of /proc/self/maps. Lines that are none are passed over.
bool Covers(std::string_view maps, uint64_t address, uint64_t length, bool writes);

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_MAPPINGS_H_
