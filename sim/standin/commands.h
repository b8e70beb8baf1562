// Commands that the program writes to an rdma_cm device file. Layouts are those of
// <rdma/rdma_user_cm.h>.
#ifndef SIM_STANDIN_COMMANDS_H_
#define SIM_STANDIN_COMMANDS_H_

#include <sys/types.h>

#include <cstddef>

#include "sim/standin/descriptors.h"

namespace cm::sim::standin {

// Like write(2) on `fd`, which is the descriptor of a file.
ssize_t WriteCommand(const Descriptor& descriptor, int fd, const void* bytes, size_t count);

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_COMMANDS_H_
