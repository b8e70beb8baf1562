// Commands that the program writes to an rdma_cm device file. Layouts are those of
// <rdma/rdma_user_cm.h>.
#ifndef SIM_FAKE_LIBIBVERBS_COMMANDS_H_
#define SIM_FAKE_LIBIBVERBS_COMMANDS_H_

#include <sys/types.h>

#include <cstddef>

#include "sim/fake_libibverbs/descriptors.h"

namespace cm::sim::fake_libibverbs {

// Like write(2) on `fd`, which is the descriptor of a file.
ssize_t WriteCommand(const Descriptor& descriptor, int fd, const void* bytes, size_t count);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_COMMANDS_H_
