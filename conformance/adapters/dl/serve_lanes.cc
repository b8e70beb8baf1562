#include <poll.h>
#include <sys/epoll.h>

#include <array>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "conformance/adapters/dl/caller.h"
#include "conformance/adapters/dl/messages.h"
#include "conformance/adapters/dl/serve.h"
#include "conformance/adapters/dl/worker.h"

namespace cm {
namespace {

// Detects activity on the channels, also on those that are readable already.
class ChannelWatch {
 public:
  ChannelWatch() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

  // A descriptor that cannot be watched is left out; a closed one is removed by the kernel.
  void Add(int descriptor) const {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  }

  // True when nothing happened for `span`; returns false as soon as something did. On a busy host
  // the time passes while those who are about to do something get no turn; so it is slept through
  // in naps, of which each gives them one.
  bool Quiet(Duration span) const {
    for (int nap = 0; nap < kNaps; ++nap)
      if (Happens(Deadline(span / kNaps))) return false;
    return true;
  }

 private:
  static constexpr int kNaps = 10;

  bool Happens(const Deadline& deadline) const {
    std::array<epoll_event, 64> events{};
    for (;;) {
      const int happened = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                                      deadline.milliseconds_left());
      if (happened > 0) return true;
      if (deadline.milliseconds_left() == 0) return false;
    }
  }

  int epoll_;
};

// An application thread.
class LaneThread {
 public:
  LaneThread(int connection, Caller* caller, const ChannelWatch* watch)
      : connection_(connection), caller_(caller), watch_(watch), thread_([this] { Run(); }) {
    thread_.detach();  // its call may never return; it ends with the process
  }

  void Take(const Request& request) {
    const std::lock_guard lock(mutex_);
    next_ = request;
    wake_.notify_one();
  }

 private:
  [[noreturn]] void Run() {
    for (;;) Carry(Wait());
  }

  Request Wait() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return next_.has_value(); });
    return *std::exchange(next_, std::nullopt);
  }

  void Carry(const Request& request) {
    Products products;
    caller_->Make(request.call, &products);
    Answer answer{.number = request.number, .lane = request.lane};
    answer.answered = caller_->Conclude(request.call, products);
    if (products.channel != nullptr) watch_->Add(products.channel->fd);
    static_cast<void>(Send(connection_, answer));
  }

  int connection_;
  Caller* caller_;
  const ChannelWatch* watch_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Request> next_;
  std::thread thread_;
};

bool Readable(const rdma_event_channel* channel, Duration within) {
  if (channel == nullptr) return false;
  const Deadline deadline(within);
  pollfd polled{.fd = channel->fd, .events = POLLIN, .revents = 0};
  for (;;) {
    if (poll(&polled, 1, deadline.milliseconds_left()) > 0) {
      if ((polled.revents & POLLIN) != 0) return true;
      polled.fd = -1;  // an error alone is nothing to read, for all that time
    }
    if (deadline.milliseconds_left() == 0) return false;
  }
}

}  // namespace

void ServeLanes(int connection, const RdmaCmApi& api, const Conversation& conversation) {
  // Lanes that hang in a call still use this after serving ends: it is never freed.
  auto* const caller = new Caller(&api, &conversation);
  auto* const watch = new ChannelWatch;
  auto* const lanes = new std::map<Lane, std::unique_ptr<LaneThread>>;
  while (const std::optional<Request> request = ReceiveRequest(connection)) {
    if (request->asked == Asked::kCall) {
      std::unique_ptr<LaneThread>& lane = (*lanes)[request->lane];
      if (!lane) lane = std::make_unique<LaneThread>(connection, caller, watch);
      lane->Take(*request);
      continue;
    }
    Answer answer{.number = request->number, .lane = request->lane};
    if (request->asked == Asked::kReadable)
      answer.yes = Readable(caller->ChannelOf(request->channel), request->span);
    else if (request->asked == Asked::kQuiet)
      answer.yes = watch->Quiet(request->span);
    if (!Send(connection, answer)) return;
  }
}

}  // namespace cm
