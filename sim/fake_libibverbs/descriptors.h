// Descriptors of the program for objects of the machine: read ends of pipes, so that poll, epoll,
// dup and fcntl are the system's.
//
// A descriptor is identified by its pipe and not by its number, which the program may duplicate and
// reuse without a call to the fake libibverbs.
#ifndef SIM_FAKE_LIBIBVERBS_DESCRIPTORS_H_
#define SIM_FAKE_LIBIBVERBS_DESCRIPTORS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/fake_libibverbs/requests.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {

enum class DescriptorKind : uint8_t {
  kFile,     // an open rdma_cm device file
  kChannel,  // a completion channel
  kDevice,   // events of a device
  kTimer,    // readable from an instant on
};

struct Descriptor;

// The reading of a descriptor that read(2) of the system cannot read.
using Reader = ssize_t (*)(int fd, const Descriptor& descriptor, void* bytes, size_t count);

struct Descriptor {
  DescriptorKind kind = DescriptorKind::kFile;
  Handle file;              // of a kFile
  uint32_t generation = 0;  // of the process that opened it
  int write_end = -1;
  uint64_t name = 0;  // the pipe's inode
  Reader reads = nullptr;
  bool is_watched = false;  // the machine keeps it readable
};

// Creates a descriptor; returns a negative errno on failure. `flags` are O_CLOEXEC and O_NONBLOCK.
// `readable` is the request that answers whether the object is readable.
int MakeDescriptor(DescriptorKind kind, Handle file, int flags, const uapi::Request& readable,
                   Reader reads = nullptr);
// The same, and it is not readable before WatchDescriptor: the machine does not hear of it.
int MakeUnwatchedDescriptor(DescriptorKind kind, Handle file, int flags, Reader reads = nullptr);

// From now on the pipe of this name is readable while the answer is 1.
void WatchDescriptor(uint64_t name, const uapi::Request& readable);

std::optional<Descriptor> FindDescriptor(int fd);

// The same for the descriptor to which these bytes are to be written. Where they are a command of
// rdma_cm, the number is that of MakeDescriptor until the program closes it, and the system is not
// asked: were it closed by a system call of the program's own, no other file would get a command.
std::optional<Descriptor> FindWritten(int fd, const void* bytes, size_t count);
// The program closes or replaces the descriptors of these numbers.
void ForgetNumbers(unsigned first, unsigned last);

// MovedUp of own_descriptors.h, for one that the program does not get.
int MoveDescriptorUp(int fd);

bool IsNonBlocking(int fd);

// True for the other end of one of these descriptors, which the program does not know.
bool IsWriteEnd(int fd);

// Like close(2); closes the machine's object with the last of its descriptors.
int CloseDescriptor(int fd);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_DESCRIPTORS_H_
