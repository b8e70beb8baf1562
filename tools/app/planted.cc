// A small server with epoll and threads, and its client. An argument plants one of three mistakes,
// each of which shows under few orders of the server's threads only.
//
//   planted serve [MISTAKE]    planted ask HOST
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace {

constexpr uint16_t kPort = 7471;
constexpr int kConnections = 3;
constexpr int kTimeout = 2000;  // milliseconds

void Check(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::exit(9);
}

sockaddr_in AddressOf(const char* host) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

void MakeQueuePair(rdma_cm_id* id) {
  ibv_qp_init_attr attributes{};
  attributes.cap = {.max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1};
  attributes.qp_type = IBV_QPT_RC;
  Check(rdma_create_qp(id, nullptr, &attributes) == 0, "rdma_create_qp");
}

struct Connection {
  rdma_cm_id* id = nullptr;
  bool served = false;  // a worker has it
  bool ends = false;    // a worker disconnects it
  bool ended = false;   // DISCONNECTED has come
  std::mutex lock;
  std::condition_variable changed;
};

class Server {
 public:
  explicit Server(std::string mistake) : mistake_(std::move(mistake)) {}

  void Run() {
    channel_ = rdma_create_event_channel();
    Check(channel_ != nullptr, "rdma_create_event_channel");
    fcntl(channel_->fd, F_SETFL, O_NONBLOCK);
    rdma_cm_id* listener = nullptr;
    sockaddr_in address = AddressOf("0.0.0.0");
    Check(rdma_create_id(channel_, &listener, nullptr, RDMA_PS_TCP) == 0, "rdma_create_id");
    Check(rdma_bind_addr(listener, reinterpret_cast<sockaddr*>(&address)) == 0, "rdma_bind_addr");
    Check(rdma_listen(listener, kConnections) == 0, "rdma_listen");
    std::thread first([this] { Work(); });
    std::thread second([this] { Work(); });
    Serve();
    first.join();
    second.join();
    rdma_destroy_id(listener);
    rdma_destroy_event_channel(channel_);
    std::printf("served %d\n", kConnections);
  }

 private:
  // Until a worker says that all connections have ended.
  void Serve() {
    const int set = epoll_create1(0);
    for (const int fd : {channel_->fd, over_}) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.fd = fd;
      Check(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
    }
    for (;;) {
      epoll_event ready{};
      if (epoll_wait(set, &ready, 1, -1) < 1) continue;
      if (ready.data.fd == over_) break;
      rdma_cm_event* event = nullptr;
      if (rdma_get_cm_event(channel_, &event) == 0) Handle(event);
    }
    close(set);
    close(over_);
  }

  void Handle(rdma_cm_event* event) {
    rdma_cm_id* const id = event->id;
    if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
      auto* const made = new Connection;
      made->id = id;
      id->context = made;
      MakeQueuePair(id);
      rdma_conn_param depths{};
      Check(rdma_accept(id, &depths) == 0, "rdma_accept");
      rdma_ack_cm_event(event);
      return;
    }
    auto* const connection = static_cast<Connection*>(id->context);
    const bool ends = event->event == RDMA_CM_EVENT_DISCONNECTED;
    if (ends || event->event == RDMA_CM_EVENT_ESTABLISHED) Hand(connection);
    if (!ends) {
      rdma_ack_cm_event(event);
      return;
    }
    bool peer_was_first = false;
    {
      const std::lock_guard held(connection->lock);
      connection->ended = true;
      peer_was_first = !connection->ends;
      // The mistake: this path returns without acknowledging the event.
      if (mistake_ != "unacknowledged" || !peer_was_first) rdma_ack_cm_event(event);
      connection->changed.notify_one();
    }
    // The mistake: the worker may have destroyed the id by now.
    if (mistake_ == "use-after-destroy" && peer_was_first) rdma_disconnect(id);
  }

  void Hand(Connection* connection) {
    if (std::exchange(connection->served, true)) return;
    const std::lock_guard held(lock_);
    jobs_.push_back(connection);
    more_.notify_one();
  }

  void Work() {
    for (;;) {
      Connection* job = nullptr;
      {
        std::unique_lock held(lock_);
        more_.wait(held, [this] { return !jobs_.empty() || ended_ == kConnections; });
        if (jobs_.empty()) return;
        job = jobs_.front();
        jobs_.pop_front();
      }
      End(job);
      const std::lock_guard held(lock_);
      if (++ended_ < kConnections) continue;
      more_.notify_all();
      const uint64_t one = 1;
      Check(write(over_, &one, sizeof one) == sizeof one, "write");
    }
  }

  void End(Connection* connection) {
    {
      const std::lock_guard held(connection->lock);
      connection->ends = true;
    }
    rdma_disconnect(connection->id);
    {
      std::unique_lock held(connection->lock);
      if (mistake_ == "late-wait")
        connection->changed.wait(held);  // the mistake: it may have come already
      else
        connection->changed.wait(held, [=] { return connection->ended; });
    }
    rdma_destroy_qp(connection->id);
    rdma_destroy_id(connection->id);
    delete connection;
  }

  const std::string mistake_;
  rdma_event_channel* channel_ = nullptr;
  const int over_ = eventfd(0, EFD_CLOEXEC);
  std::mutex lock_;
  std::condition_variable more_;
  std::deque<Connection*> jobs_;
  int ended_ = 0;
};

// Takes the next event, and acknowledges it.
void Await(rdma_event_channel* channel, rdma_cm_event_type type) {
  for (;;) {
    rdma_cm_event* event = nullptr;
    Check(rdma_get_cm_event(channel, &event) == 0, "rdma_get_cm_event");
    const rdma_cm_event_type came = event->event;
    rdma_ack_cm_event(event);
    if (came == type) return;
    std::printf("%s\n", rdma_event_str(came));
    if (came != RDMA_CM_EVENT_TIMEWAIT_EXIT) std::exit(8);
  }
}

void Ask(const char* host) {
  for (int i = 0; i < kConnections; ++i) {
    rdma_event_channel* const channel = rdma_create_event_channel();
    rdma_cm_id* id = nullptr;
    sockaddr_in address = AddressOf(host);
    Check(rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP) == 0, "rdma_create_id");
    Check(rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr*>(&address), kTimeout) == 0,
          "rdma_resolve_addr");
    Await(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
    Check(rdma_resolve_route(id, kTimeout) == 0, "rdma_resolve_route");
    Await(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
    MakeQueuePair(id);
    rdma_conn_param depths{};
    depths.retry_count = 7;
    Check(rdma_connect(id, &depths) == 0, "rdma_connect");
    Await(channel, RDMA_CM_EVENT_ESTABLISHED);
    // It hears of the server's disconnect, or of the answer to its own.
    const timespec limit = {.tv_sec = 0, .tv_nsec = 5'000};
    ppoll(nullptr, 0, &limit, nullptr);
    rdma_disconnect(id);
    Await(channel, RDMA_CM_EVENT_DISCONNECTED);
    rdma_destroy_qp(id);
    rdma_destroy_id(id);
    rdma_destroy_event_channel(channel);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "serve") Server(count > 2 ? arguments[2] : "").Run();
  if (what == "ask" && count > 2) Ask(arguments[2]);
  return 0;
}
