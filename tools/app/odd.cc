// A test program that connects in the way its argument says: among threads, children, signals and
// other descriptors.
#include <arpa/inet.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr uint16_t kPort = 7471;
constexpr int kTimeout = 2000;  // milliseconds

const char* peer = nullptr;
volatile sig_atomic_t signals = 0;

void Check(int error, const char* what) {
  if (error == 0) return;
  std::perror(what);
  std::exit(9);
}

sockaddr_in AddressOf(const char* host) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  if (host != nullptr) inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

rdma_event_channel* Channel() {
  rdma_event_channel* const channel = rdma_create_event_channel();
  Check(channel == nullptr ? 1 : 0, "rdma_create_event_channel");
  return channel;
}

rdma_cm_id* Id(rdma_event_channel* channel) {
  rdma_cm_id* id = nullptr;
  Check(rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP), "rdma_create_id");
  return id;
}

void Resolve(rdma_cm_id* id, const char* host) {
  sockaddr_in address = AddressOf(host);
  Check(rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr*>(&address), kTimeout),
        "rdma_resolve_addr");
}

// Its type, or an errno below 0.
int Event(rdma_event_channel* channel, rdma_cm_id** id = nullptr) {
  rdma_cm_event* event = nullptr;
  if (rdma_get_cm_event(channel, &event) != 0) return -errno;
  const int type = event->event;
  if (id != nullptr) *id = event->id;
  rdma_ack_cm_event(event);
  return type;
}

void Await(rdma_event_channel* channel, int type) {
  const int event = Event(channel);
  if (event == type) return;
  std::printf("event %d in place of %d\n", event, type);
  std::exit(7);
}

// Servers with thousands of connections have a completion queue for all.
bool one_queue = false;

void MakeQueuePair(rdma_cm_id* id) {
  static ibv_cq* const kQueue =
      one_queue ? ibv_create_cq(id->verbs, 64, nullptr, nullptr, 0) : nullptr;
  ibv_qp_init_attr attributes{};
  attributes.send_cq = attributes.recv_cq = kQueue;
  attributes.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1};
  attributes.qp_type = IBV_QPT_RC;
  Check(rdma_create_qp(id, nullptr, &attributes), "rdma_create_qp");
}

void Connect(rdma_cm_id* id) {
  MakeQueuePair(id);
  rdma_conn_param parameters{};
  parameters.retry_count = 7;
  Check(rdma_connect(id, &parameters), "rdma_connect");
}

rdma_cm_id* Connected(rdma_event_channel* channel) {
  rdma_cm_id* const id = Id(channel);
  Resolve(id, peer);
  Await(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
  Check(rdma_resolve_route(id, kTimeout), "rdma_resolve_route");
  Await(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
  Connect(id);
  Await(channel, RDMA_CM_EVENT_ESTABLISHED);
  return id;
}

void Release(rdma_cm_id* id) {
  rdma_destroy_qp(id);
  rdma_destroy_id(id);
}

void Disconnect(rdma_event_channel* channel, rdma_cm_id* id) {
  rdma_disconnect(id);
  Await(channel, RDMA_CM_EVENT_DISCONNECTED);
  Release(id);
}

void ConnectOn(rdma_event_channel* channel) { Disconnect(channel, Connected(channel)); }

void ConnectOnce() {
  rdma_event_channel* const channel = Channel();
  ConnectOn(channel);
  rdma_destroy_event_channel(channel);
}

// Until so many connections have come and gone.
void Serve(int connections) {
  rdma_event_channel* const channel = Channel();
  rdma_cm_id* const listener = Id(channel);
  sockaddr_in any = AddressOf(nullptr);
  Check(rdma_bind_addr(listener, reinterpret_cast<sockaddr*>(&any)), "rdma_bind_addr");
  Check(rdma_listen(listener, 128), "rdma_listen");
  while (connections > 0) {
    rdma_cm_id* id = nullptr;
    const int type = Event(channel, &id);
    rdma_conn_param parameters{};
    if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
      MakeQueuePair(id);
      Check(rdma_accept(id, &parameters), "rdma_accept");
    } else if (type == RDMA_CM_EVENT_DISCONNECTED) {
      rdma_disconnect(id);
      Release(id);
      --connections;
    }
  }
  rdma_destroy_id(listener);
  rdma_destroy_event_channel(channel);
}

// Of two that end in one tick. source: linux 6.1 timer.c enqueue_timer
void AwaitTheEndOfTwo() {
  rdma_event_channel* const channel = Channel();
  std::array<rdma_cm_id*, 2> ids = {Connected(channel), Connected(channel)};
  for (rdma_cm_id* const id : ids) {
    rdma_disconnect(id);
    Await(channel, RDMA_CM_EVENT_DISCONNECTED);
  }
  rdma_cm_id* first = nullptr;
  const int type = Event(channel, &first);
  std::printf("event %d of the %s\n", type, first == ids[1] ? "last" : "first");
  Await(channel, RDMA_CM_EVENT_TIMEWAIT_EXIT);
  for (rdma_cm_id* const id : ids) Release(id);
  rdma_destroy_event_channel(channel);
}

void Hold(size_t count) {
  rdma_event_channel* const channel = Channel();
  std::vector<rdma_cm_id*> ids(count);
  for (rdma_cm_id*& id : ids) id = Connected(channel);
  for (rdma_cm_id* const id : ids) Disconnect(channel, id);
  rdma_destroy_event_channel(channel);
  std::printf("held %zu\n", count);
}

void ConnectInThreads(size_t count) {
  std::vector<pthread_t> threads(count);
  const auto connect = [](void* /*argument*/) -> void* {
    ConnectOnce();
    return nullptr;
  };
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, connect, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  std::printf("%zu threads\n", count);
}

int StatusOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

void ConnectInBoth() {
  const pid_t child = fork();
  ConnectOnce();
  if (child == 0) _exit(0);
  std::printf("the child ends with %d\n", StatusOf(child));
}

void ConnectInADaemon() {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  ConnectOnce();
  std::printf("the daemon has connected\n");
}

// source: linux 6.1 ucma.c ucma_write, ib.h ib_safe_file_access: another process's file is refused
void UseInAChild() {
  rdma_event_channel* const channel = Channel();
  const pid_t child = fork();
  if (child == 0) {
    rdma_cm_id* id = nullptr;
    const int result = rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP);
    std::printf("the child: %d, %s\n", result, std::strerror(errno));
    std::fflush(stdout);
    _exit(0);
  }
  StatusOf(child);
  ConnectOn(channel);
  rdma_destroy_event_channel(channel);
}

// The channel's descriptor goes to another process, which sees that it is readable.
void PassOn() {
  std::array<int, 2> ends{};
  Check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), "socketpair");
  char byte = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec piece = {.iov_base = &byte, .iov_len = 1};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const pid_t child = fork();
  if (child == 0) {
    if (recvmsg(ends[1], &message, 0) != 1) _exit(3);
    pollfd passed = {.fd = -1, .events = POLLIN, .revents = 0};
    std::memcpy(&passed.fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof passed.fd);
    std::printf("the child: readable %d\n", poll(&passed, 1, 3000));
    std::fflush(stdout);
    _exit(0);
  }
  rdma_event_channel* const channel = Channel();
  rdma_cm_id* const id = Id(channel);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &channel->fd, sizeof channel->fd);
  if (sendmsg(ends[0], &message, 0) != 1) std::exit(5);
  Resolve(id, peer);
  StatusOf(child);
  Await(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
  rdma_destroy_id(id);
  ConnectOn(channel);
  rdma_destroy_event_channel(channel);
}

void HearSignals(int signal) {
  struct sigaction counts {};
  counts.sa_handler = [](int) { signals = signals + 1; };
  sigaction(signal, &counts, nullptr);
}

// An alarm each millisecond, while an address without a host is resolved.
void BeInterrupted() {
  HearSignals(SIGALRM);
  rdma_event_channel* const channel = Channel();
  rdma_cm_id* const id = Id(channel);
  itimerval each = {.it_interval = {.tv_sec = 0, .tv_usec = 1000},
                    .it_value = {.tv_sec = 0, .tv_usec = 1000}};
  setitimer(ITIMER_REAL, &each, nullptr);
  sockaddr_in nowhere = AddressOf("10.0.1.99");
  Check(rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr*>(&nowhere), 50),
        "rdma_resolve_addr");
  int interrupted = 0;
  int event = 0;
  while ((event = Event(channel)) == -EINTR) ++interrupted;
  each = {};
  setitimer(ITIMER_REAL, &each, nullptr);
  std::printf("event %d, interrupted %d, signals %d\n", event, static_cast<int>(interrupted > 40),
              static_cast<int>(signals >= interrupted));
  rdma_destroy_id(id);
  ConnectOn(channel);
  rdma_destroy_event_channel(channel);
}

void BeKilled() {
  HearSignals(SIGUSR1);
  rdma_event_channel* const channel = Channel();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    sleep(1);
    kill(parent, SIGUSR1);
    _exit(0);
  }
  std::printf("interrupted %d\n", static_cast<int>(Event(channel) == -EINTR));
  StatusOf(child);
  ConnectOn(channel);
  rdma_destroy_event_channel(channel);
}

void AddTo(int set, int fd, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  Check(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

// Who is first of a channel, a timer of 5 ms and a counter.
void WaitForMany() {
  rdma_event_channel* const channel = Channel();
  rdma_cm_id* const id = Id(channel);
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const int counter = eventfd(0, 0);
  itimerspec time{};
  time.it_value.tv_nsec = 5'000'000;
  timerfd_settime(timer, 0, &time, nullptr);
  const int set = epoll_create1(0);
  for (const int fd : {channel->fd, timer, counter}) AddTo(set, fd, EPOLLIN);
  Resolve(id, peer);
  std::array<epoll_event, 4> found{};
  for (const int fd : {channel->fd, timer}) {
    const int count = epoll_wait(set, found.data(), found.size(), 1000);
    std::printf("epoll %d %d\n", count, static_cast<int>(found[0].data.fd == fd));
    if (fd == channel->fd) Await(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
  }
  Check(rdma_resolve_route(id, kTimeout), "rdma_resolve_route");
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(channel->fd, &reads);
  timeval limit = {.tv_sec = 1, .tv_usec = 0};
  const int selected = select(channel->fd + 1, &reads, nullptr, nullptr, &limit);
  std::printf("select %d\n", selected);
  Await(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
  eventfd_write(counter, 1);
  std::array<pollfd, 2> both = {pollfd{.fd = channel->fd, .events = POLLIN, .revents = 0},
                                pollfd{.fd = counter, .events = POLLIN, .revents = 0}};
  const int polled = poll(both.data(), both.size(), 1000);
  std::printf("poll %d %d\n", polled, both[1].revents);
  const int edges = epoll_create1(0);
  AddTo(edges, channel->fd, EPOLLIN | EPOLLET);
  Connect(id);
  std::printf("an edge %d", epoll_wait(edges, found.data(), found.size(), 5000));
  std::printf(", and again %d\n", epoll_wait(edges, found.data(), found.size(), 100));
  Await(channel, RDMA_CM_EVENT_ESTABLISHED);
  Disconnect(channel, id);
  rdma_destroy_event_channel(channel);
}

void PollWithoutWaiting() {
  rdma_event_channel* const channel = Channel();
  fcntl(channel->fd, F_SETFL, O_NONBLOCK);
  std::printf("empty %d\n", static_cast<int>(Event(channel) == -EAGAIN));
  rdma_cm_id* const id = Id(channel);
  Resolve(id, peer);
  int event = 0;
  while ((event = Event(channel)) == -EAGAIN) continue;
  std::printf("event %d\n", event);
  rdma_destroy_id(id);
  fcntl(channel->fd, F_SETFL, 0);
  ConnectOn(channel);
  rdma_destroy_event_channel(channel);
}

// The channel has another descriptor each time.
void Duplicate() {
  rdma_event_channel* const channel = Channel();
  const auto replace = [channel](int fd) {
    close(channel->fd);
    channel->fd = fd;
    ConnectOn(channel);
  };
  replace(dup(channel->fd));
  replace(fcntl(channel->fd, F_DUPFD_CLOEXEC, 100));
  replace(dup2(channel->fd, 50));
  std::printf("descriptor %d\n", channel->fd);
  rdma_destroy_event_channel(channel);
}

void CloseEach() {
  ConnectOnce();
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  ConnectOnce();
  std::printf("connected again\n");
}

// To another channel, and to one of its own, as synchronous ids have it.
void Migrate() {
  rdma_event_channel* const channel = Channel();
  rdma_event_channel* const other = Channel();
  rdma_cm_id* id = Connected(channel);
  Check(rdma_migrate_id(id, other), "rdma_migrate_id");
  Disconnect(other, id);
  id = Connected(channel);
  Check(rdma_migrate_id(id, nullptr), "rdma_migrate_id");
  std::printf("disconnected %d\n", rdma_disconnect(id));
  Release(id);
  rdma_destroy_event_channel(channel);
  rdma_destroy_event_channel(other);
}

// Of memory that is not there yet, and more than the machine has.
void RegisterMuch() {
  rdma_event_channel* const channel = Channel();
  rdma_cm_id* const id = Connected(channel);
  for (const size_t size : {size_t{16} << 30U, size_t{64} << 30U}) {
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ibv_mr* const region =
        memory == MAP_FAILED ? nullptr : ibv_reg_mr(id->pd, memory, size, IBV_ACCESS_LOCAL_WRITE);
    std::printf("%zu GiB: %s\n", size >> 30U, region == nullptr ? std::strerror(errno) : "ok");
    if (region != nullptr) ibv_dereg_mr(region);
    if (memory != MAP_FAILED) munmap(memory, size);
  }
  Disconnect(channel, id);
  rdma_destroy_event_channel(channel);
}

void OpenMany(size_t count) {
  std::vector<rdma_event_channel*> channels(count);
  for (rdma_event_channel*& channel : channels) channel = Channel();
  for (rdma_event_channel* const channel : channels) rdma_destroy_event_channel(channel);
  std::printf("%zu channels\n", count);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string how = count > 1 ? arguments[1] : "";
  if (count > 2) peer = arguments[2];
  one_queue = std::string_view(arguments[count - 1]) == "one-queue";
  if (how == "serve") Serve(std::atoi(peer));
  if (how == "connect") ConnectOnce();
  if (how == "hold") Hold(count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 10);
  if (how == "timewait") AwaitTheEndOfTwo();
  if (how == "threads") ConnectInThreads(4);
  if (how == "fork") ConnectInBoth();
  if (how == "daemon") ConnectInADaemon();
  if (how == "inherited") UseInAChild();
  if (how == "passed") PassOn();
  if (how == "exec") execl("/proc/self/exe", arguments[0], "connect", peer, nullptr);
  if (how == "alarms") BeInterrupted();
  if (how == "kill") BeKilled();
  if (how == "many") WaitForMany();
  if (how == "non-blocking") PollWithoutWaiting();
  if (how == "duplicates") Duplicate();
  if (how == "close-each") CloseEach();
  if (how == "migrate") Migrate();
  if (how == "regions") RegisterMuch();
  if (how == "channels") OpenMany(300);
  return 0;
}
