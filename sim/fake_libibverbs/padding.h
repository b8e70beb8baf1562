// Instructions between functions that no program reaches.
#ifndef SIM_FAKE_LIBIBVERBS_PADDING_H_
#define SIM_FAKE_LIBIBVERBS_PADDING_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace cm::sim::fake_libibverbs {

// True when the code begins with at least `size` bytes that do nothing: nop, also those of several
// bytes, and int3. source: Intel 64 Software Developer's Manual, volume 2, NOP
bool IsPadding(std::span<const uint8_t> code, size_t size);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_PADDING_H_
