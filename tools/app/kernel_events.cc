// An object to preload in a guest: appends the events that the kernel of rdma_cm gives a program to
// the file that $CM_EVENTS names, a line each.
#include <dlfcn.h>
#include <fcntl.h>
#include <rdma/rdma_user_cm.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// source: linux 6.1 rdma_cm.h rdma_cm_event_type
constexpr std::array<const char*, 16> kNames = {
    "ADDR_RESOLVED",   "ADDR_ERROR",       "ROUTE_RESOLVED", "ROUTE_ERROR",
    "CONNECT_REQUEST", "CONNECT_RESPONSE", "CONNECT_ERROR",  "UNREACHABLE",
    "REJECTED",        "ESTABLISHED",      "DISCONNECTED",   "DEVICE_REMOVAL",
    "MULTICAST_JOIN",  "MULTICAST_ERROR",  "ADDR_CHANGE",    "TIMEWAIT_EXIT"};

struct Command {
  rdma_ucm_cmd_hdr header;
  rdma_ucm_get_event what;
};

using Write = ssize_t (*)(int, const void*, size_t);

Write RealWrite() {
  static const auto kReal = reinterpret_cast<Write>(dlsym(RTLD_NEXT, "write"));
  return kReal;
}

void Note(const char* file, const rdma_ucm_event_resp& event) {
  std::array<char, 64> line{};
  const char* const name = event.event < kNames.size() ? kNames[event.event] : "UNKNOWN";
  const auto status = static_cast<int>(event.status);
  const int size = status == 0 ? std::snprintf(line.data(), line.size(), "%s\n", name)
                               : std::snprintf(line.data(), line.size(), "%s %d\n", name, status);
  const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return;
  static_cast<void>(!RealWrite()(fd, line.data(), static_cast<size_t>(size)));
  close(fd);
}

// With $CM_LINES, what a program has printed is there when it is killed, as on simulated hosts. It
// changes when other programs go on.
__attribute__((constructor)) void Prepare() {
  if (std::getenv("CM_LINES") != nullptr) std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

}  // namespace

extern "C" ssize_t write(int fd, const void* bytes, size_t size) {
  const ssize_t written = RealWrite()(fd, bytes, size);
  const char* const file = std::getenv("CM_EVENTS");
  Command command{};
  if (file == nullptr || written != ssize_t{sizeof command} || size != sizeof command)
    return written;
  std::memcpy(&command, bytes, sizeof command);
  if (command.header.cmd != RDMA_USER_CM_CMD_GET_EVENT || command.header.in != sizeof command.what)
    return written;
  rdma_ucm_event_resp event{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel takes a pointer as a number
  std::memcpy(&event, reinterpret_cast<const void*>(command.what.response),
              offsetof(rdma_ucm_event_resp, param));
  Note(file, event);
  return written;
}
