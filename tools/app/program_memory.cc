#include "tools/app/program_memory.h"

#include <sys/types.h>
#include <sys/uio.h>

namespace cm::app {

bool ProgramMemory::Read(uint32_t process, uint64_t address, std::span<uint8_t> bytes) {
  const iovec ours = {.iov_base = bytes.data(), .iov_len = bytes.size()};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a program's pointer, as verbs have it
  const iovec theirs = {.iov_base = reinterpret_cast<void*>(address), .iov_len = bytes.size()};
  const pid_t pid = processes_->all()[process]->pid;
  return process_vm_readv(pid, &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(bytes.size());
}

bool ProgramMemory::Write(uint32_t process, uint64_t address, std::span<const uint8_t> bytes) {
  const iovec ours = {.iov_base = const_cast<uint8_t*>(bytes.data()), .iov_len = bytes.size()};
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const iovec theirs = {.iov_base = reinterpret_cast<void*>(address), .iov_len = bytes.size()};
  const pid_t pid = processes_->all()[process]->pid;
  return process_vm_writev(pid, &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(bytes.size());
}

}  // namespace cm::app
