// Offsets in what is written to the rdma_cm device file, for the carrier between a program and the
// machine: some parts of a command are pointers and descriptors of the program.
//
// source: <rdma/rdma_user_cm.h>; linux 7.2 rdma_user_cm.h for what is newer
#ifndef SIM_UAPI_LAYOUT_H_
#define SIM_UAPI_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sim/uapi/request.h"

namespace cm::sim::uapi {

inline constexpr uint16_t kInfinibandFamily = 27;  // AF_IB

// Commands of kernels newer than the header.
inline constexpr uint32_t kResolveIbServiceCommand = 23;
inline constexpr uint32_t kWriteCmEventCommand = 24;
inline constexpr uint32_t kQueryIbServiceOption = 3;

// A command without its header. It points into the request.
struct Command {
  uint32_t number = 0;  // RDMA_USER_CM_CMD_...
  std::span<const uint8_t> body;
};
// Empty for a request that writes nothing, or too little for a header.
std::optional<Command> CommandIn(const Request& request);

// The program's address for the answer of the command, which begins with its header; empty for a
// command without an answer, or one that is too short to contain it.
std::optional<uint64_t> ResponseAddress(std::span<const uint8_t> command);

// The value of an option, in the program's memory. It is appended to the command for the machine;
// unreadable bytes are left out.
struct OptionValue {
  uint64_t address = 0;
  uint32_t length = 0;
};
inline constexpr uint32_t kLongestOption = 4u << 20;  // KMALLOC_MAX_SIZE
// Empty for any other command than SET_OPTION, and for more bytes than a kernel copies.
std::optional<OptionValue> FindOptionValue(std::span<const uint8_t> command);

// Offset of the descriptor in a MIGRATE_ID, 4 bytes. The machine's file replaces it, or one of the
// two numbers below.
std::optional<size_t> FindDescriptor(std::span<const uint8_t> command);
inline constexpr uint32_t kNoFile = 0xffffffff;     // the descriptor is not open
inline constexpr uint32_t kOtherFile = 0xfffffffe;  // it is one of something else

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_LAYOUT_H_
