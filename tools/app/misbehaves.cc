// A program for tests that does, on purpose, what its argument says.
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>

namespace {

constexpr int kTimeout = 2000;  // milliseconds

// Asks for the address of a host, and hears of it.
rdma_cm_event* Resolve(rdma_event_channel* channel, rdma_cm_id* id, const char* host) {
  rdma_addrinfo* found = nullptr;
  if (rdma_getaddrinfo(host, "7471", nullptr, &found) != 0) return nullptr;
  const int refused = rdma_resolve_addr(id, nullptr, found->ai_dst_addr, kTimeout);
  rdma_freeaddrinfo(found);
  rdma_cm_event* event = nullptr;
  return refused == 0 && rdma_get_cm_event(channel, &event) == 0 ? event : nullptr;
}

// A command to an id that there is not. The header of the commands has names in common with that of
// the library. source: rdma_user_cm.h rdma_ucm_cmd_hdr, rdma_ucm_disconnect
void UseAGoneId(rdma_event_channel* channel) {
  constexpr uint32_t kDisconnect = 10;
  constexpr uint32_t kLengthOfBody = 4;
  const std::array<uint32_t, 3> command = {kDisconnect, kLengthOfBody, 77};
  if (write(channel->fd, command.data(), sizeof command) < 0) std::perror("write");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  rdma_event_channel* channel = rdma_create_event_channel();
  rdma_cm_id* id = nullptr;
  if (channel == nullptr || rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP) != 0) return 1;
  rdma_cm_event* event = nullptr;
  if (what == "leaks") return 0;
  if (what == "crashes") return *static_cast<volatile int*>(nullptr);
  if (what == "waits") {
    std::printf("waiting\n");
    return rdma_get_cm_event(channel, &event);
  }
  if (what == "uses-a-gone-id") UseAGoneId(channel);
  if (what == "polls") {
    pollfd readable = {.fd = channel->fd, .events = POLLIN, .revents = 0};
    std::printf("poll %d\n", poll(&readable, 1, 50));
  }
  if (what == "spins") {
    const time_t before = time(nullptr);
    while (time(nullptr) < before + 3) continue;
    std::printf("spun\n");
  }
  if (what == "keeps-an-event") event = Resolve(channel, id, arguments[2]);
  rdma_destroy_id(id);
  rdma_destroy_event_channel(channel);
  return 0;
}
