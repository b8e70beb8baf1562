// The memory of the processes of programs, which is read and written in place.
#ifndef TOOLS_APP_PROGRAM_MEMORY_H_
#define TOOLS_APP_PROGRAM_MEMORY_H_

#include <cstdint>
#include <span>

#include "sim/uapi/machine.h"
#include "tools/app/process_table.h"

namespace cm::app {

class ProgramMemory : public sim::uapi::Memory {
 public:
  // `processes` must outlive this object.
  explicit ProgramMemory(const ProcessTable* processes) : processes_(processes) {}

  bool Read(uint32_t process, uint64_t address, std::span<uint8_t> bytes) override;
  bool Write(uint32_t process, uint64_t address, std::span<const uint8_t> bytes) override;

 private:
  const ProcessTable* processes_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_PROGRAM_MEMORY_H_
