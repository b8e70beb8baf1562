// The memory of processes outside of the world, which their work requests read and write.
#ifndef SIM_VERBS_MEMORY_H_
#define SIM_VERBS_MEMORY_H_

#include <cstdint>
#include <span>

namespace cm::sim {

class Memory {
 public:
  virtual ~Memory() = default;
  // Return false when the memory does not exist.
  virtual bool Read(uint32_t process, uint64_t address, std::span<uint8_t> bytes) = 0;
  virtual bool Write(uint32_t process, uint64_t address, std::span<const uint8_t> bytes) = 0;
};

}  // namespace cm::sim

#endif  // SIM_VERBS_MEMORY_H_
