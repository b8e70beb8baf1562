// A command that librdmacm writes to the device file, apart from its header.
//
// source: <rdma/rdma_user_cm.h>
#ifndef SIM_HARNESS_COMMAND_H_
#define SIM_HARNESS_COMMAND_H_

#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "sim/uapi/request.h"

namespace cm::sim {

// What is missing is zeros.
template <typename T>
T RecordIn(std::span<const uint8_t> bytes) {
  T record;
  std::memset(static_cast<void*>(&record), 0, sizeof record);
  const size_t size = std::min(bytes.size(), sizeof record);
  if (size > 0) std::memcpy(static_cast<void*>(&record), bytes.data(), size);
  return record;
}

struct Command {
  uint32_t number = 0;  // RDMA_USER_CM_CMD_...
  std::span<const uint8_t> body;

  // Nothing for a request that is none, or too short for one. It points into the request.
  static std::optional<Command> In(const uapi::Request& request) {
    if (request.op != uapi::Op::kWrite || request.bytes.size() < sizeof(rdma_ucm_cmd_hdr))
      return std::nullopt;
    const std::span<const uint8_t> all(request.bytes);
    return Command{.number = RecordIn<rdma_ucm_cmd_hdr>(all).cmd,
                   .body = all.subspan(sizeof(rdma_ucm_cmd_hdr))};
  }
};

}  // namespace cm::sim

#endif  // SIM_HARNESS_COMMAND_H_
