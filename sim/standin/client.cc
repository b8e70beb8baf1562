#include "sim/standin/client.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "sim/standin/asking.h"

namespace cm::sim::standin {
namespace {

using uapi::Answer;
using uapi::Connection;
using uapi::Message;
using uapi::Op;
using uapi::Request;

// All sockets of the process. A child closes its copies, because the other end takes the end of a
// connection for the end of its thread.
struct Sockets {
  std::mutex lock;
  std::vector<int> open;
};

Sockets& TheSockets() {
  static auto* const kSockets = new Sockets;
  return *kSockets;
}

__attribute__((constructor)) void CloseInChildren() {
  pthread_atfork([] { TheSockets().lock.lock(); }, [] { TheSockets().lock.unlock(); },
                 [] {
                   for (const int socket : TheSockets().open) close(socket);
                   TheSockets().open.clear();
                   TheSockets().lock.unlock();
                 });
}

// How often the calling thread has slept.
int64_t SleepsOfThread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

// Time stands while any thread runs: one that has not slept since it heard the time would hear the
// same. Some look at the clock whenever they take a lock. One that does nothing but look is heard
// now and then, because it may wait for a later time.
class LastTime {
 public:
  LastTime() = default;
  void Heard(int64_t now) { *this = LastTime(now); }

  std::optional<int64_t> Look() {
    constexpr int kLooks = 10'000;
    if (++looks_ > kLooks || generation_ != Generation()) return std::nullopt;
    if (sleeps_ != SleepsOfThread()) return std::nullopt;
    return now_;
  }

 private:
  explicit LastTime(int64_t now)
      : now_(now), sleeps_(SleepsOfThread()), generation_(Generation()) {}

  int64_t now_ = 0;
  int64_t sleeps_ = -1;
  uint32_t generation_ = 0;
  int looks_ = 0;
};

// A thread's. It ends with the thread.
class Line {
 public:
  Line() = default;
  ~Line() { Drop(); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Connection* Get() {
    if (connection_ && generation_ != Generation()) {
      connection_->Abandon();
      connection_.reset();
    }
    return connection_.get();
  }

  void Set(int socket) {
    generation_ = Generation();
    connection_ = std::make_unique<Connection>(socket);
    const std::lock_guard held(TheSockets().lock);
    TheSockets().open.push_back(socket);
  }

  void Drop() {
    if (Get() == nullptr) return;
    const std::lock_guard held(TheSockets().lock);
    std::vector<int>& open = TheSockets().open;
    open.erase(std::remove(open.begin(), open.end(), connection_->socket()), open.end());
    connection_.reset();
  }

 private:
  std::unique_ptr<Connection> connection_;
  uint32_t generation_ = 0;
};

thread_local Line line;
thread_local LastTime last_time;

// A request whose answer was not heard leaves the connection out of step. Unwinding is one way to
// that: the thread was cancelled.
class Exchange {
 public:
  Exchange() = default;
  ~Exchange() {
    if (!complete_) line.Drop();
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  void Complete() { complete_ = true; }

 private:
  bool complete_ = false;
};

class WithoutCancellation {
 public:
  WithoutCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~WithoutCancellation() { pthread_setcancelstate(before_, nullptr); }
  WithoutCancellation(const WithoutCancellation&) = delete;
  WithoutCancellation& operator=(const WithoutCancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// The functions behind these are cancellation points; no others are.
bool MayWait(Op op) { return op == Op::kWrite || op == Op::kTakeEvent || op == Op::kSleep; }

int Connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (end < 0) return -1;
  if (connect(end, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return end;
  close(end);
  return -1;
}

uint32_t NumberAtTheEnd(const std::string& path) {
  const size_t last = path.find_last_not_of("0123456789");
  const std::string digits = last == std::string::npos ? path : path.substr(last + 1);
  return static_cast<uint32_t>(std::strtoul(digits.c_str(), nullptr, 10));
}

// Nothing when the connection is lost.
std::optional<Answer> Hear(Connection* connection) {
  bool interrupted = false;
  for (;;) {
    if (std::optional<Message> message = connection->Next()) {
      if (auto* answer = std::get_if<Answer>(&*message)) return std::move(*answer);
      return std::nullopt;
    }
    if (connection->damaged()) return std::nullopt;
    const int error = connection->Read();
    if (error == EINTR && !interrupted) {
      interrupted = true;
      if (connection->Send(uapi::Interrupt{}) != 0) return std::nullopt;
    } else if (error != 0 && error != EINTR) {
      return std::nullopt;
    }
  }
}

Answer Converse(Connection* connection, const Request& request) {
  Exchange exchange;
  if (connection->Send(request) != 0) return {.value = -EIO};
  std::optional<Answer> answer = Hear(connection);
  if (!answer) return {.value = -EIO};
  exchange.Complete();
  return std::move(*answer);
}

}  // namespace

Client::Client(std::string path) : path_(std::move(path)), process_(NumberAtTheEnd(path_)) {}

Connection* Client::Own() {
  if (Connection* connection = line.Get()) return connection;
  const WithoutCancellation whole;
  const int end = Connect(path_);
  if (end < 0) return nullptr;
  line.Set(end);
  const uapi::Hello hello = {
      .process = process_, .pid = getpid(), .tid = static_cast<int32_t>(syscall(SYS_gettid))};
  if (line.Get()->Send(hello) != 0) line.Drop();
  return line.Get();
}

Answer Client::Ask(const Request& request) {
  if (request.op == Op::kNow) {
    if (const std::optional<int64_t> now = last_time.Look()) return {.value = *now};
  }
  Connection* connection = Own();
  if (connection == nullptr) return {.value = -ENODEV};
  if (MayWait(request.op)) {
    last_time = {};
    return Converse(connection, request);
  }
  const WithoutCancellation whole;
  Answer answer = Converse(connection, request);
  if (request.op == Op::kNow && answer.value >= 0) last_time.Heard(answer.value);
  return answer;
}

void Client::Yield() { Ask({.op = Op::kSleep}); }

void Client::Tell(const Message& message, int descriptor) {
  const WithoutCancellation whole;
  Connection* connection = Own();
  if (connection != nullptr && connection->Send(message, descriptor) != 0) line.Drop();
}

void Client::Watch(uint64_t name, int write_end, const Request& readable) {
  Tell(uapi::Watch{.name = name, .has_descriptor = write_end >= 0, .readable = readable},
       write_end);
}

void Client::Unwatch(uint64_t name) { Tell(uapi::Unwatch{.name = name}, -1); }

}  // namespace cm::sim::standin
