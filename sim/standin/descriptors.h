// The descriptors that the program has of objects of the machine: read ends of pipes, so that poll,
// epoll, dup and fcntl are the system's.
//
// A descriptor is known by the pipe and not by its number, which the program may duplicate and
// reuse behind the stand-in's back.
#ifndef SIM_STANDIN_DESCRIPTORS_H_
#define SIM_STANDIN_DESCRIPTORS_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "sim/standin/asking.h"
#include "sim/uapi/request.h"

namespace cm::sim::standin {

enum class DescriptorKind : uint8_t {
  kFile,     // an open rdma_cm device file
  kChannel,  // a completion channel
  kDevice,   // events of a device
  kTimer,    // readable from an instant on
};

struct Descriptor;

// How one is read that is not read as the system does.
using Reader = ssize_t (*)(int fd, const Descriptor& descriptor, void* bytes, size_t count);

struct Descriptor {
  DescriptorKind kind = DescriptorKind::kFile;
  Handle file;              // of a kFile
  uint32_t generation = 0;  // of the process that opened it
  int write_end = -1;
  uint64_t name = 0;  // the pipe's inode
  Reader reads = nullptr;
};

// A new descriptor, or minus an errno. `flags` are O_CLOEXEC and O_NONBLOCK. `readable` is the
// request that says whether it is.
int MakeDescriptor(DescriptorKind kind, Handle file, int flags, const uapi::Request& readable,
                   Reader reads = nullptr);

std::optional<Descriptor> FindDescriptor(int fd);

bool IsNonBlocking(int fd);

// Closes as close(2) does; the machine's object with the last one of its descriptors.
int CloseDescriptor(int fd);

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_DESCRIPTORS_H_
