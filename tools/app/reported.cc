// A test program that does what programs of users were refused.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <sched.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <string>

namespace {

void Check(int error, const char* what) {
  if (error == 0) return;
  std::perror(what);
  std::exit(9);
}

void ShowTimeout(rdma_cm_id* id) {
  ibv_qp_attr attributes{};
  ibv_qp_init_attr made{};
  Check(ibv_query_qp(id->qp, &attributes, IBV_QP_TIMEOUT, &made), "ibv_query_qp");
  std::printf("timeout %d\n", attributes.timeout);
}

void Transfer(rdma_cm_id* id, ibv_wr_opcode opcode, const char* name) {
  ibv_send_wr work{};
  ibv_send_wr* bad = nullptr;
  work.opcode = opcode;
  work.send_flags = IBV_SEND_SIGNALED;
  Check(ibv_post_send(id->qp, &work, &bad), name);
  ibv_wc completion{};
  while (rdma_get_send_comp(id, &completion) == 0) continue;
  std::printf("%s of no bytes: %s\n", name, ibv_wc_status_str(completion.status));
}

// Moves no bytes, with key 0.
void MoveNothing(const std::string& host, bool passive) {
  rdma_addrinfo hints{};
  rdma_addrinfo* found = nullptr;
  hints.ai_port_space = RDMA_PS_TCP;
  if (passive) hints.ai_flags = RAI_PASSIVE;
  Check(rdma_getaddrinfo(host.c_str(), "7471", &hints, &found), "rdma_getaddrinfo");
  ibv_qp_init_attr attributes{};
  attributes.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1};
  attributes.qp_type = IBV_QPT_RC;
  rdma_conn_param depths{};
  depths.responder_resources = depths.initiator_depth = 1;
  rdma_cm_id* id = nullptr;
  if (passive) {
    rdma_cm_id* listener = nullptr;
    Check(rdma_create_ep(&listener, found, nullptr, &attributes), "rdma_create_ep");
    Check(rdma_listen(listener, 1), "rdma_listen");
    Check(rdma_get_request(listener, &id), "rdma_get_request");
    Check(rdma_accept(id, &depths), "rdma_accept");
    ShowTimeout(id);
    sleep(1);
    rdma_destroy_ep(listener);
  } else {
    Check(rdma_create_ep(&id, found, nullptr, &attributes), "rdma_create_ep");
    Check(rdma_connect(id, &depths), "rdma_connect");
    ShowTimeout(id);
    Transfer(id, IBV_WR_RDMA_WRITE, "write");
    Transfer(id, IBV_WR_RDMA_READ, "read");
  }
  rdma_disconnect(id);
  rdma_destroy_ep(id);
  rdma_freeaddrinfo(found);
}

// An errno.
int Bind(bool leave) {
  rdma_event_channel* const channel = rdma_create_event_channel();
  rdma_cm_id* id = nullptr;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(7500);
  Check(rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP), "rdma_create_id");
  const int error = rdma_bind_addr(id, reinterpret_cast<sockaddr*>(&address)) == 0 ? 0 : errno;
  if (leave) _exit(error);
  rdma_destroy_id(id);
  rdma_destroy_event_channel(channel);
  return error;
}

// The port is free once the child that had it has ended.
void BindAfterAChild() {
  const pid_t child = fork();
  if (child == 0) Bind(true);
  int status = 0;
  waitpid(child, &status, 0);
  const int error = Bind(false);
  std::printf("the child: %s, its parent: %s\n", std::strerror(WEXITSTATUS(status)),
              std::strerror(error));
}

// An errno.
int Resolve(const char* host) {
  rdma_event_channel* const channel = rdma_create_event_channel();
  if (channel == nullptr) return errno;
  rdma_cm_id* id = nullptr;
  Check(rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP), "rdma_create_id");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(7471);
  inet_pton(AF_INET, host, &address.sin_addr);
  Check(rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr*>(&address), 2000),
        "rdma_resolve_addr");
  rdma_cm_event* event = nullptr;
  Check(rdma_get_cm_event(channel, &event), "rdma_get_cm_event");
  const bool resolved = event->event == RDMA_CM_EVENT_ADDR_RESOLVED;
  rdma_ack_cm_event(event);
  rdma_destroy_id(id);
  rdma_destroy_event_channel(channel);
  return resolved ? 0 : EHOSTUNREACH;
}

// As daemons do.
void CloseAll(const char* host) {
  Check(Resolve(host), "before");
  Check(close_range(3, ~0U, 0), "close_range");
  std::printf("after all descriptors are closed: %s\n", std::strerror(Resolve(host)));
}

// In an environment that is empty, and in one that is given.
void StartWithoutEnvironment(char* host) {
  std::string program = "/proc/self/exe";
  std::string what = "resolve";
  char* const words[] = {program.data(), what.data(), host, nullptr};
  char* const nothing[] = {nullptr};
  for (const bool given : {true, false}) {
    const pid_t child = fork();
    if (child == 0) {
      if (given) execve(words[0], words, nothing);
      clearenv();
      execl(words[0], words[0], words[1], words[2], nullptr);
      _exit(9);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("the child: %s\n", std::strerror(WEXITSTATUS(status)));
  }
}

// In each way that the C library has; each may read the processor's counter when it begins.
void StartOthers() {
  std::printf("system %d\n", std::system("true"));
  std::FILE* const pipe = popen("echo popen", "r");
  std::array<char, 32> line{};
  if (pipe != nullptr && std::fgets(line.data(), line.size(), pipe) != nullptr)
    std::printf("%s", line.data());
  if (pipe != nullptr) pclose(pipe);
  const auto start = [](const char* how, auto begins) {
    const pid_t child = fork();
    if (child == 0) begins();
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("%s %d\n", how, status);
  };
  std::string name = "true";
  char* const words[] = {name.data(), nullptr};
  start("execv", [&] { execv("/bin/true", words); });
  start("fexecve", [&] { fexecve(open("/bin/true", O_RDONLY), words, environ); });
  pid_t spawned = 0;
  int status = posix_spawnp(&spawned, "true", nullptr, nullptr, words, environ);
  if (status == 0) waitpid(spawned, &status, 0);
  std::printf("posix_spawnp %d\n", status);
}

// Each process that is started says so late, and the one that starts it at once.
void StartInTurns() {
  const pid_t child = fork();
  if (child == 0) {
    for (volatile int i = 0; i < 20'000'000;) i = i + 1;
    std::printf("the child\n");
    std::fflush(stdout);
    _exit(0);
  }
  std::printf("its parent\n");
  waitpid(child, nullptr, 0);
  std::string program = "/proc/self/exe";
  std::string what = "begins";
  char* const words[] = {program.data(), what.data(), nullptr};
  pid_t spawned = 0;
  Check(posix_spawn(&spawned, words[0], nullptr, nullptr, words, environ), "posix_spawn");
  std::printf("its parent\n");
  waitpid(spawned, nullptr, 0);
}

std::array<ibv_cq*, 2> queues{};

void PollBoth() {
  ibv_wc completion{};
  for (ibv_cq* const queue : queues)
    if (ibv_poll_cq(queue, 1, &completion) != 0) _exit(8);
}

// What a handler of atexit asks for, when the thread's own memory of the library is gone.
void PollAtExit() {
  std::atexit([] {
    PollBoth();
    std::array<void*, 64> pieces{};
    for (size_t i = 0; i < pieces.size(); ++i) {
      const size_t size = 16 * (1 + i % 16);
      pieces[i] = std::malloc(size);
      if (pieces[i] != nullptr) std::memset(pieces[i], 0xff, size);
    }
    PollBoth();
    for (void* const piece : pieces) std::free(piece);
    std::printf("polled at exit\n");
  });
  ibv_context** const devices = rdma_get_devices(nullptr);
  if (devices == nullptr || devices[0] == nullptr) std::exit(7);
  for (ibv_cq*& queue : queues) queue = ibv_create_cq(devices[0], 4, nullptr, nullptr, 0);
  PollBoth();
}

void ShowTheHost() {
  std::array<char, 64> name{};
  gethostname(name.data(), name.size());
  utsname system{};
  uname(&system);
  std::printf("%s %s\n", name.data(), system.nodename);
  ifaddrs* all = nullptr;
  Check(getifaddrs(&all), "getifaddrs");
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_in in{};
    std::memcpy(&in, at->ifa_addr, sizeof in);
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &in.sin_addr, text.data(), text.size());
    std::printf("%s %s\n", at->ifa_name, text.data());
  }
  freeifaddrs(all);
}

std::string FirstLineOf(const char* file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

// Which addresses the names of both hosts have, and what names this one.
void ShowNames() {
  for (const char* const name : {"passive", "active"}) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    std::string text = name;
    static_cast<void>(getaddrinfo(name, nullptr, &wanted, &found));
    for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
      std::array<char, NI_MAXHOST> address{};
      getnameinfo(at->ai_addr, at->ai_addrlen, address.data(), address.size(), nullptr, 0,
                  NI_NUMERICHOST);
      text += std::string(" ") + address.data();
    }
    if (found != nullptr) freeaddrinfo(found);
    std::printf("%s\n", text.c_str());
  }
  std::printf("%s %s\n", FirstLineOf("/etc/hostname").c_str(),
              FirstLineOf("/proc/sys/kernel/hostname").c_str());
  std::printf("%s %lx\n", FirstLineOf("/proc/sys/kernel/random/boot_id").c_str(), gethostid());
}

// A server that gives up root for another user, and then begins to use its devices.
void BecomeAnother() {
  constexpr uid_t kOther = 65534;
  Check(setgid(kOther), "setgid");
  Check(setuid(kOther), "setuid");
  rdma_cm_id* id = nullptr;
  rdma_event_channel* const channel = rdma_create_event_channel();
  Check(rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP), "rdma_create_id");
  sockaddr_in any{};
  any.sin_family = AF_INET;
  Check(rdma_bind_addr(id, reinterpret_cast<sockaddr*>(&any)), "rdma_bind_addr");
  Check(rdma_listen(id, 1), "rdma_listen");
  Check(rdma_destroy_id(id), "rdma_destroy_id");
  rdma_destroy_event_channel(channel);
  std::printf("user %u has listened\n", getuid());
}

// Times by files and functions that read no clock, in whole seconds since the world began.
void ShowTimes() {
  sleep(2);
  timespec utc{};
  timespec_get(&utc, TIME_UTC);
  struct sysinfo system {};
  sysinfo(&system);
  timex clock{};
  adjtimex(&clock);
  ntptimeval other{};
  ntp_gettimex(&other);
  constexpr long kBegin = 1'000'000'000;
  std::printf("%ld %ld %ld %ld %s\n", utc.tv_sec - kBegin, system.uptime - 1000,
              clock.time.tv_sec - kBegin, other.time.tv_sec - kBegin,
              FirstLineOf("/proc/uptime").substr(0, 7).c_str());
}

// The state of a process by its folder of /proc; '?' without one.
char StateOf(const std::string& process) {
  std::FILE* const file = std::fopen(("/proc/" + process + "/stat").c_str(), "r");
  char state = '?';
  int number = 0;
  if (file != nullptr && std::fscanf(file, "%d (reported) %c", &number, &state) != 2) state = '?';
  if (file != nullptr) std::fclose(file);
  return state;
}

// Its own id, its parent's, that of a child, and what /proc says of its own.
void ShowProcesses() {
  const pid_t child = fork();
  if (child == 0) _exit(getppid() == 1 ? 1 : 0);
  int status = 0;
  waitpid(child, &status, 0);
  std::array<char, 32> self{};
  if (readlink("/proc/self", self.data(), self.size() - 1) < 0) std::exit(8);
  std::printf("%d of %d, child %d: %d, self %s %c\n", getpid(), getppid(), child, status,
              self.data(), StateOf(std::to_string(getpid())));
}

// What the kernel says of addresses over netlink, and the interfaces of sysfs.
void ShowTheNetwork() {
  const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  struct {
    nlmsghdr head;
    ifaddrmsg body;
  } request{};
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = RTM_GETADDR;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  if (send(fd, &request, sizeof request, 0) < 0) std::exit(8);
  alignas(nlmsghdr) std::array<char, 1U << 16U> answers{};
  for (bool more = true; more;) {
    ssize_t left = recv(fd, answers.data(), answers.size(), 0);
    if (left <= 0) std::exit(7);
    const auto* at = reinterpret_cast<const nlmsghdr*>(answers.data());
    for (; NLMSG_OK(at, left); at = NLMSG_NEXT(at, left)) {
      more = more && at->nlmsg_type != NLMSG_DONE;
      if (at->nlmsg_type != RTM_NEWADDR) continue;
      const auto* const address = static_cast<const ifaddrmsg*>(NLMSG_DATA(at));
      const auto* const first = IFA_RTA(address);
      std::array<char, INET6_ADDRSTRLEN> text{};
      inet_ntop(address->ifa_family, RTA_DATA(first), text.data(), text.size());
      std::printf("%s\n", text.data());
    }
  }
  close(fd);
  DIR* const interfaces = opendir("/sys/class/net");
  while (const dirent* const entry = readdir(interfaces))
    if (entry->d_name[0] == 'v') std::printf("%s\n", entry->d_name);
  closedir(interfaces);
}

// From each place where programs get them.
void ShowRandom() {
  unsigned value = 0;
  if (getrandom(&value, sizeof value, 0) == sizeof value) std::printf("%u", value);
  const int fd = open("/dev/urandom", O_RDONLY);
  if (read(fd, &value, sizeof value) == sizeof value) std::printf(" %u", value);
  close(fd);
  std::FILE* const file = std::fopen("/dev/random", "r");
  if (file != nullptr && std::fread(&value, sizeof value, 1, file) == 1) std::printf(" %u", value);
  if (file != nullptr) std::fclose(file);
  std::printf(" %u %u", arc4random(), arc4random_uniform(1000));
  std::printf(" %u %s\n", std::random_device()(),
              FirstLineOf("/proc/sys/kernel/random/uuid").c_str());
}

int Count(const cpu_set_t& processors) { return CPU_COUNT(&processors); }

// What it asks for is what it sees from then on; the status file says what is so.
void ShowProcessors() {
  cpu_set_t seen{};
  sched_getaffinity(0, sizeof seen, &seen);
  cpu_set_t own{};
  pthread_getaffinity_np(pthread_self(), sizeof own, &own);
  const bool same = CPU_EQUAL(&seen, &own);
  cpu_set_t first{};
  for (int i = 0; Count(first) == 0; ++i)
    if (CPU_ISSET(i, &seen)) CPU_SET(i, &first);
  const int none = sched_setaffinity(0, sizeof own, &(own = {}));
  const int error = errno;
  const int set = sched_setaffinity(getpid(), sizeof first, &first);
  pthread_getaffinity_np(pthread_self(), sizeof own, &own);
  std::printf("%d: %d, none: %d %s, one: %d %d\n", Count(seen), same, none, std::strerror(error),
              set, CPU_EQUAL(&own, &first));
}

// Of a lock and a pipe that threads share.
struct Guarded {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  std::array<int, 2> pipe{};
  void Read() const {
    char byte = 0;
    if (read(pipe[0], &byte, 1) != 1) std::exit(7);
  }
  void Write() const {
    if (write(pipe[1], "", 1) != 1) std::exit(7);
  }
};

// Gives the lock back without another request, and sleeps in the system.
void* UnlockAndSleep(void* shared) {
  auto* const guarded = static_cast<Guarded*>(shared);
  pthread_mutex_lock(&guarded->lock);
  guarded->Read();
  pthread_mutex_unlock(&guarded->lock);
  guarded->Read();
  return nullptr;
}

void* LockAndWake(void* shared) {
  auto* const guarded = static_cast<Guarded*>(shared);
  pthread_mutex_lock(&guarded->lock);
  pthread_mutex_unlock(&guarded->lock);
  guarded->Write();
  return nullptr;
}

void* WakeAndSleep(void* shared) {
  static_cast<Guarded*>(shared)->Write();
  for (;;) pause();
}

void WaitForALock() {
  Guarded guarded;
  Check(pipe(guarded.pipe.data()), "pipe");
  std::array<pthread_t, 3> threads{};
  const std::array<void* (*)(void*), 3> all = {UnlockAndSleep, LockAndWake, WakeAndSleep};
  for (size_t i = 0; i < all.size(); ++i) pthread_create(&threads[i], nullptr, all[i], &guarded);
  for (size_t i = 0; i < 2; ++i) pthread_join(threads[i], nullptr);
  std::printf("joined\n");
  std::fflush(stdout);
  _exit(0);  // the third sleeps
}

// Starts threads one after the other, and shows how many descriptors are left.
void CountDescriptors() {
  for (int i = 0; i < 60; ++i) {
    pthread_t thread{};
    pthread_create(
        &thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
    pthread_join(thread, nullptr);
  }
  int open = 0;
  for (int fd = 0; fd < 1024; ++fd) open += syscall(SYS_fcntl, fd, F_GETFD) >= 0 ? 1 : 0;
  std::printf(open < 16 ? "a few\n" : "%d\n", open);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "serve") MoveNothing(arguments[2], true);
  if (what == "move-nothing") MoveNothing(arguments[2], false);
  if (what == "host") ShowTheHost();
  if (what == "network") ShowTheNetwork();
  if (what == "names") ShowNames();
  if (what == "times") ShowTimes();
  if (what == "another") BecomeAnother();
  if (what == "processes") ShowProcesses();
  if (what == "processors") ShowProcessors();
  if (what == "random") ShowRandom();
  if (what == "wait-for-a-lock") WaitForALock();
  if (what == "count-descriptors") CountDescriptors();
  if (what == "start-others") StartOthers();
  if (what == "start-in-turns") StartInTurns();
  if (what == "begins") std::printf("the child\n");
  if (what == "bind") BindAfterAChild();
  if (what == "poll-at-exit") PollAtExit();
  if (what == "resolve") return Resolve(arguments[2]);
  if (what == "close-all") CloseAll(arguments[2]);
  if (what == "without-environment") StartWithoutEnvironment(arguments[2]);
  return 0;
}
