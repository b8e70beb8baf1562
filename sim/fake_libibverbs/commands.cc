#include "sim/fake_libibverbs/commands.h"

#include <fcntl.h>
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"
#include "sim/uapi/layout.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

// Memory below this is never mapped; other addresses are the program's risk.
constexpr uint64_t kFirstPage = 4096;

// The machine knows files, not the program's descriptors for them.
uint32_t FileOf(int fd) {
  const std::optional<Descriptor> found = FindDescriptor(fd);
  if (!found && fcntl(fd, F_GETFD) < 0) return uapi::kNoFile;
  if (!found || found->kind != DescriptorKind::kFile || !found->file.Lives())
    return uapi::kOtherFile;
  return found->file.number;
}

// Data that the machine cannot see by itself replaces the descriptor, or is appended.
void Complete(const rdma_ucm_cmd_hdr& header, int fd, uapi::Request* request) {
  std::vector<uint8_t>& bytes = request->bytes;
  if (header.cmd == RDMA_USER_CM_CMD_GET_EVENT) request->more = IsNonBlocking(fd) ? 1 : 0;
  if (const auto at = uapi::FindDescriptor(bytes)) {
    const uint32_t file = FileOf(static_cast<int>(RecordIn<uint32_t>(bytes, *at).value_or(0)));
    std::memcpy(bytes.data() + *at, &file, sizeof file);
  }
  const auto option = uapi::FindOptionValue(bytes);
  if (option && option->address >= kFirstPage) {
    // The bytes of a longer write beyond the command are ignored.
    bytes.resize(sizeof header + sizeof(rdma_ucm_set_option));
    bytes.insert(bytes.end(), At(option->address), At(option->address) + option->length);
  }
}

// Returns the number of bytes written, or a negative errno.
int64_t Perform(const Descriptor& descriptor, int fd, const void* bytes, size_t count) {
  // A child has other credentials than the process that opened the file. source: linux 6.1 ucma.c
  // ib_safe_file_access
  if (descriptor.generation != Generation()) return -EACCES;
  if (!descriptor.file.Lives()) return -EIO;
  const auto* first = static_cast<const uint8_t*>(bytes);
  if (count != 0 && std::bit_cast<uint64_t>(first) < kFirstPage) return -EFAULT;
  uapi::Request request = {.op = uapi::Op::kWrite,
                           .on = descriptor.file.number,
                           .bytes = std::vector<uint8_t>(first, first + count)};
  const auto header = RecordIn<rdma_ucm_cmd_hdr>(request.bytes);
  if (header) Complete(*header, fd, &request);
  const uapi::Answer answer = AskUntilAnswered(request);
  if (answer.value < 0) return answer.value;
  const std::optional<uint64_t> place = uapi::ResponseAddress(request.bytes);
  if (header && place && !answer.bytes.empty()) {
    if (*place < kFirstPage) return -EFAULT;
    std::memcpy(At(*place), answer.bytes.data(),
                std::min<size_t>(answer.bytes.size(), header->out));
  }
  // The appended bytes are not counted.
  const auto written = static_cast<uint64_t>(answer.value);
  if (written > request.bytes.size()) return -EIO;
  return static_cast<int64_t>(written == request.bytes.size() ? count : std::min(written, count));
}

}  // namespace

ssize_t WriteCommand(const Descriptor& descriptor, int fd, const void* bytes, size_t count) {
  const InObject here;
  const int64_t result = Perform(descriptor, fd, bytes, count);
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace cm::sim::fake_libibverbs
