// For tests: a librdmacm-shaped object that crashes, hangs or blocks, depending on the arguments.
//
// rdma_listen with backlog 1 crashes, with 2 never returns, with 3 exits; with any other it puts an
// event for the id on the id's channel, with 4 after the host was held up. rdma_bind_addr to an
// IPv6 address keeps the caller busy for ever. rdma_event_str has no words. rdma_migrate_id of a
// datagram id returns after a host that was held up goes on.
#include <infiniband/verbs.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace {

struct Channel {
  rdma_event_channel c{};
  int write_end = -1;
};

// Volatile, so that no compiler knows how long a loop will run.
bool Hangs(int backlog) {
  static volatile int hanging = 2;
  return backlog == hanging;
}

// The clock goes on while neither the parent nor the caller gets a turn. When they do, the caller
// has some milliseconds of work left.
void HoldTheHostUp(int milliseconds) {
  const pid_t parent = getppid();
  kill(parent, SIGSTOP);
  poll(nullptr, 0, milliseconds);
  kill(parent, SIGCONT);
  volatile int done = 0;
  while (done < 5'000'000) done = done + 1;
}

}  // namespace

extern "C" {

rdma_event_channel* rdma_create_event_channel(void) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return nullptr;
  auto* const channel = new Channel;
  channel->c.fd = ends[0];
  channel->write_end = ends[1];
  return &channel->c;
}

void rdma_destroy_event_channel(rdma_event_channel* channel) {
  close(channel->fd);
  close(reinterpret_cast<Channel*>(channel)->write_end);
  delete reinterpret_cast<Channel*>(channel);
}

int rdma_create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context,
                   rdma_port_space ps) {
  *id = new rdma_cm_id{};
  (*id)->channel = channel;
  (*id)->context = context;
  (*id)->ps = ps;
  return 0;
}

int rdma_destroy_id(rdma_cm_id* id) {
  delete id;
  return 0;
}

int rdma_listen(rdma_cm_id* id, int backlog) {
  if (backlog == 1) return std::raise(SIGSEGV);
  while (Hangs(backlog)) pause();
  if (backlog == 3) syscall(SYS_exit_group, 0);  // immediately, without any exit handler
  const int write_end = reinterpret_cast<Channel*>(id->channel)->write_end;
  const auto number = reinterpret_cast<uintptr_t>(id);
  const auto put = [write_end, number] {
    return write(write_end, &number, sizeof(number)) == sizeof(number) ? 0 : -1;
  };
  if (backlog != 4) return put();
  const pid_t other = fork();
  if (other != 0) return other > 0 ? 0 : -1;
  poll(nullptr, 0, 50);  // meanwhile the caller begins to wait
  HoldTheHostUp(300);
  _exit(put() == 0 ? 0 : 1);
}

int rdma_get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  uintptr_t number = 0;
  if (read(channel->fd, &number, sizeof(number)) != sizeof(number)) return -1;
  *event = new rdma_cm_event{};
  (*event)->id = reinterpret_cast<rdma_cm_id*>(number);  // NOLINT(performance-no-int-to-ptr)
  (*event)->event = RDMA_CM_EVENT_ADDR_RESOLVED;
  return 0;
}

int rdma_ack_cm_event(rdma_cm_event* event) {
  delete event;
  return 0;
}

int rdma_bind_addr(rdma_cm_id* /*id*/, sockaddr* addr) {
  while (Hangs(addr->sa_family == AF_INET6 ? 2 : 0)) continue;
  return 0;
}

int rdma_resolve_addr(rdma_cm_id* /*id*/, sockaddr* /*src_addr*/, sockaddr* /*dst_addr*/,
                      int /*timeout_ms*/) {
  return 0;
}
int rdma_resolve_route(rdma_cm_id* /*id*/, int /*timeout_ms*/) { return 0; }
int rdma_create_qp(rdma_cm_id* /*id*/, ibv_pd* /*pd*/, ibv_qp_init_attr* /*attr*/) { return 0; }
void rdma_destroy_qp(rdma_cm_id* /*id*/) {}
int rdma_connect(rdma_cm_id* /*id*/, rdma_conn_param* /*param*/) { return 0; }
int rdma_accept(rdma_cm_id* /*id*/, rdma_conn_param* /*param*/) { return 0; }
int rdma_reject(rdma_cm_id* /*id*/, const void* /*data*/, uint8_t /*length*/) { return 0; }
int rdma_establish(rdma_cm_id* /*id*/) { return 0; }
int rdma_disconnect(rdma_cm_id* /*id*/) {
  errno = EINVAL;
  return -1;
}
int rdma_notify(rdma_cm_id* /*id*/, ibv_event_type /*event*/) { return 0; }
int rdma_init_qp_attr(rdma_cm_id* /*id*/, ibv_qp_attr* /*attr*/, int* /*mask*/) { return 0; }
int rdma_set_local_ece(rdma_cm_id* /*id*/, ibv_ece* /*ece*/) { return 0; }
int rdma_get_remote_ece(rdma_cm_id* /*id*/, ibv_ece* /*ece*/) { return 0; }
int rdma_reject_ece(rdma_cm_id* /*id*/, const void* /*data*/, uint8_t /*length*/) { return 0; }
__be16 rdma_get_src_port(rdma_cm_id* /*id*/) { return 0; }
__be16 rdma_get_dst_port(rdma_cm_id* /*id*/) { return 0; }
const char* rdma_event_str(rdma_cm_event_type /*event*/) { return nullptr; }
int rdma_set_option(rdma_cm_id* /*id*/, int /*level*/, int /*name*/, void* /*value*/,
                    size_t /*length*/) {
  return 0;
}
int rdma_migrate_id(rdma_cm_id* id, rdma_event_channel* channel) {
  if (id->ps == RDMA_PS_UDP) HoldTheHostUp(300);
  id->channel = channel;
  return 0;
}
int rdma_get_request(rdma_cm_id* /*listen*/, rdma_cm_id** /*id*/) {
  errno = EINVAL;
  return -1;
}
int rdma_create_ep(rdma_cm_id** /*id*/, rdma_addrinfo* /*res*/, ibv_pd* /*pd*/,
                   ibv_qp_init_attr* /*attr*/) {
  errno = EINVAL;
  return -1;
}
void rdma_destroy_ep(rdma_cm_id* id) { delete id; }
int rdma_join_multicast(rdma_cm_id* /*id*/, sockaddr* /*addr*/, void* /*context*/) { return 0; }
int rdma_join_multicast_ex(rdma_cm_id* /*id*/, rdma_cm_join_mc_attr_ex* /*attr*/,
                           void* /*context*/) {
  return 0;
}
int rdma_leave_multicast(rdma_cm_id* /*id*/, sockaddr* /*addr*/) { return 0; }
int ibv_query_qp(ibv_qp* /*qp*/, ibv_qp_attr* /*attr*/, int /*mask*/, ibv_qp_init_attr* /*init*/) {
  return EINVAL;
}
const char* ibv_get_device_name(ibv_device* device) { return device->name; }

}  // extern "C"
