// The program's memory.
#ifndef SIM_FAKE_LIBIBVERBS_MAPPINGS_H_
#define SIM_FAKE_LIBIBVERBS_MAPPINGS_H_

#include <cstdint>
#include <string_view>

namespace cm::sim::fake_libibverbs {

// True when a kernel could pin all of it for a device that reads it, or writes it as well. Does not
// change it. True where that cannot be found out. source: linux 6.1 umem.c ib_umem_get
bool CanBePinned(uint64_t address, uint64_t length, bool writes);

// The same from the text of /proc/self/maps. Lines that cannot be parsed are ignored.
bool Covers(std::string_view maps, uint64_t address, uint64_t length, bool writes);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_MAPPINGS_H_
