#include "sim/fake_libibverbs/client.h"

#include <pthread.h>
#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sim/fake_libibverbs/cancellation.h"
#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/own_descriptors.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::Answer;
using uapi::Connection;
using uapi::Message;
using uapi::Op;
using uapi::Request;

// The first request of a thread allocates memory, and allocators read the clock. For a thread that
// has sent none the clock stands when others have not come as far, until it has read it this often,
// or sent bytes to its own host.
constexpr int kReadings = 10'000;

// One that has read the clock so often since its last request waits for a time, and a reading
// costs it so many times as much: the wait takes less of the machine's.
constexpr int kUntilItWaits = 1'001;
constexpr int64_t kWaiting = 10;

// Of the process. A child has none, because the broker takes the end of a connection for the end of
// its thread.
std::atomic<size_t> connections{0};

thread_local int reads_on = 0;  // readings of the clock since the last request

// Before a child may connect: what other handlers unlock may offer a turn.
__attribute__((constructor(101))) void ForgetInChildren() {
  pthread_atfork(nullptr, nullptr, [] { connections = reads_on = 0; });
}

// The connection of one thread; it ends with the thread.
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
    KeepDescriptor(socket);
    ++connections;
  }

  void Drop() {
    if (Get() == nullptr) return;
    const int socket = connection_->socket();
    connection_->Abandon();
    connection_.reset();
    CloseOwnDescriptor(socket);
    --connections;
  }

 private:
  std::unique_ptr<Connection> connection_;
  uint32_t generation_ = 0;
};

thread_local int readings = 0;   // of the clock, without a connection
thread_local int64_t front = 0;  // the thread's time; before the machine's, it is the machine's

// Polls without result since something has happened.
struct Vain {
  uint64_t happened = 0;
  std::vector<Request> requests;
};

constexpr size_t kVainMost = 8;

// What came with the last answer; see framing.h.
struct Foresight {
  uint32_t generation = 0;
  size_t used = 0;
  std::vector<uapi::Foreseen> all;
};

// Of one thread.
struct State {
  Line line;
  Vain vain;
  Foresight foresight;
};

thread_local State* state = nullptr;

// What runs when the thread has ended, as handlers of atexit, has another one, which stays.
struct End {
  bool is_awaited = false;
  ~End() {
    SpendComputation();
    // Its locks offer no turn: the thread would connect again.
    const int before = ExchangeDepth(1);
    CloseCounter();
    delete std::exchange(state, nullptr);
    ExchangeDepth(before);
  }
};

thread_local End end_of_thread;

State& OwnState() {
  if (state == nullptr) {
    state = new State;
    end_of_thread.is_awaited = true;
  }
  return *state;
}

// Allocates nothing.
bool HasConnection() { return state != nullptr && state->line.Get() != nullptr; }

// The same, wherever the program wants the answer of a command.
bool IsTheSame(const Request& one, const Request& other) {
  constexpr size_t kPlace = sizeof(rdma_ucm_cmd_hdr);  // of the address
  constexpr size_t kAfter = kPlace + sizeof(uint64_t);
  if (one.op != Op::kWrite || one.bytes.size() < kAfter) return one == other;
  return one.op == other.op && one.on == other.on && one.more == other.more &&
         one.bytes.size() == other.bytes.size() &&
         std::memcmp(one.bytes.data(), other.bytes.data(), kPlace) == 0 &&
         std::memcmp(one.bytes.data() + kAfter, other.bytes.data() + kAfter,
                     one.bytes.size() - kAfter) == 0;
}

bool IsVain(const Request& request, const Answer& answer) {
  if (request.op == Op::kPoll) return answer.value == 0 && answer.bytes.empty();
  return answer.value == -EAGAIN;
}

// A request whose answer was not read leaves the connection out of step. Unwinding causes that: the
// thread was cancelled.
class Exchange {
 public:
  Exchange() { is_open_ = true; }
  ~Exchange() {
    is_open_ = false;
    if (complete_) return;
    OwnState().line.Drop();
    OwnState().foresight = {};
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  void Complete() { complete_ = true; }

  // Whether the calling thread is in one. After a jump out of it that has to be taken back.
  static bool IsOpen() { return is_open_; }
  static void Leave() { is_open_ = false; }

 private:
  static thread_local bool is_open_;

  bool complete_ = false;
};

thread_local bool Exchange::is_open_ = false;

// The functions behind these are cancellation points. Others are none, although those of sockets
// are some in the C library.
bool MayWait(Op op) {
  return op == Op::kWrite || op == Op::kTakeEvent || op == Op::kTakeEventOfDevice ||
         op == Op::kSleep;
}

// A name that is too long for a socket address is cut off, and no process listens there.
sockaddr_un AddressOf(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path, strnlen(path, sizeof address.sun_path - 1));
  return address;
}

// Not by the object's own socket(2), whose locks may offer a turn.
int Connect(const sockaddr_un& address) {
  const int end =
      static_cast<int>(SystemCall(SYS_socket, {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0}));
  if (end < 0) return -1;
  if (connect(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return end;
  close(end);
  return -1;
}

uint32_t NumberAtTheEnd(std::string_view path) {
  uint32_t number = 0;
  const size_t last = path.find_last_not_of("0123456789");
  for (const char digit : path.substr(last + 1)) number = 10 * number + (digit - '0');
  return number;
}

// The path of a file beside the socket.
std::array<char, 2 * sizeof(sockaddr_un)> Beside(std::string_view socket, std::string_view name) {
  std::array<char, 2 * sizeof(sockaddr_un)> path{};
  const std::string_view folder = socket.substr(0, socket.rfind('/') + 1);
  const size_t length = folder.copy(path.data(), folder.size());
  name.copy(path.data() + length, name.size());
  return path;
}

// Requests the answer at once. False when the connection is lost.
bool Interrupt(Connection* connection, uapi::SharedLines* lines) {
  if (connection->Send(uapi::Interrupt{}) != 0) return false;
  lines->RingBell();
  return true;
}

// Empty when the connection is lost.
std::optional<Answer> Hear(Connection* connection, uapi::SharedLines* lines, bool interrupted) {
  if (interrupted && !Interrupt(connection, lines)) return std::nullopt;
  for (;;) {
    if (std::optional<Message> message = connection->Next()) {
      if (auto* answer = std::get_if<Answer>(&*message)) return std::move(*answer);
      auto* const foreseen = std::get_if<uapi::Foreseen>(&*message);
      if (foreseen == nullptr) return std::nullopt;
      OwnState().foresight.all.push_back(std::move(*foreseen));
      continue;
    }
    if (connection->damaged()) return std::nullopt;
    const int error = connection->Read();
    if (error == EINTR && !interrupted) {
      interrupted = true;
      if (!Interrupt(connection, lines)) return std::nullopt;
    } else if (error != 0 && error != EINTR) {
      return std::nullopt;
    }
  }
}

Answer Converse(Connection* connection, uapi::SharedLines* lines, const Request& request) {
  Exchange exchange;
  if (connection->Send(request) != 0) return {.value = -EIO};
  lines->RingBell();
  if (connection->is_shared()) lines->AwaitInTurn(*connection->incoming());
  std::optional<Answer> answer = Hear(connection, lines, false);
  if (!answer) return {.value = -EIO};
  exchange.Complete();
  return std::move(*answer);
}

bool HasOtherConnections() { return connections > 1; }

// The calling thread sends a message that is no request. The functions of the C library that do so
// are those of this object, and must send none of their own in between.
thread_local bool tells = false;

class Telling {
 public:
  Telling() : before_(std::exchange(tells, true)) {}
  ~Telling() { tells = before_; }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

 private:
  bool before_;
};

}  // namespace

Client::Client(const char* path)
    : address_(AddressOf(path)),
      process_(NumberAtTheEnd(address_.sun_path)),
      time_(uapi::SeeTime(Beside(address_.sun_path, uapi::SharedTime::kName).data())),
      lines_(uapi::SharedLines::See(Beside(address_.sun_path, uapi::SharedLines::kName).data())) {
  instruction_rate = time_ == nullptr ? 0 : time_->costs.instructions;
}

Connection* Client::Own() {
  Line& line = OwnState().line;
  if (Connection* connection = line.Get()) return connection;
  const WithoutCancellation whole;
  const int end = Connect(address_);
  if (end < 0) return nullptr;
  // With counters each program has a connection from its start on.
  line.Set(CountsComputation() ? MovedUp(end) : end);
  const uapi::Hello hello = {.process = process_,
                             .pid = getpid(),
                             .tid = static_cast<int32_t>(syscall(SYS_gettid)),
                             .line = lines_.Take()};
  if (line.Get()->Send(hello) != 0) line.Drop();
  Connection* const connection = line.Get();
  uapi::SharedLine* const shared = lines_.Get(hello.line);
  if (connection != nullptr && shared != nullptr) connection->ShareAsProgram(shared);
  lines_.RingBell();
  if (connection != nullptr) OpenCounter();
  return connection;
}

// Of an empty completion queue, and of a descriptor without an event.
Answer Nothing(const Request& request) { return {.value = request.op == Op::kPoll ? 0 : -EAGAIN}; }

// True when the request has had no result since something has happened.
bool WouldBeVain(const uapi::TimeRecord& time, const Request& request) {
  Vain& vain = OwnState().vain;
  const uint64_t happened = time.happened;
  if (vain.happened != happened) {
    vain.happened = happened;
    vain.requests.clear();
  }
  return std::find(vain.requests.begin(), vain.requests.end(), request) != vain.requests.end();
}

void NoteVain(const Request& request) {
  std::vector<Request>& requests = OwnState().vain.requests;
  if (requests.size() < kVainMost) requests.push_back(request);
}

// The answer that was foreseen, unless something has happened since.
std::optional<Answer> TakeForeseen(const uapi::TimeRecord& time, const Request& request) {
  Foresight& own = OwnState().foresight;
  if (own.used == own.all.size()) return std::nullopt;
  uapi::Foreseen& next = own.all[own.used++];
  if (own.generation == Generation() && next.happened == time.happened &&
      IsTheSame(next.request, request))
    return std::move(next.answer);
  own.used = own.all.size();
  return std::nullopt;
}

Answer Client::Send(const Request& request) {
  Connection* connection = Own();
  if (connection == nullptr) return {.value = -ENODEV};
  OwnState().foresight.all.clear();
  OwnState().foresight.used = 0;
  OwnState().foresight.generation = Generation();
  if (MayWait(request.op)) return Converse(connection, &lines_, request);
  const WithoutCancellation whole;
  return Converse(connection, &lines_, request);
}

void Client::AwaitOthers() {
  const WithoutCancellation whole;
  Send({.op = Op::kSleep,
        .on = static_cast<uint32_t>(uapi::SleepKind::kSpends),
        .more = static_cast<uint64_t>(front)});
}

void Client::Spend(int64_t cost) {
  if (time_ == nullptr) return;
  front = std::max<int64_t>(front, time_->now) + TakeComputed() + cost;
  if (front >= time_->until) AwaitOthers();
}

void Client::SpendIfConnected(int64_t cost) {
  if (HasConnection() || ++readings > kReadings) return Spend(cost);
  const int64_t now = time_->now;
  front = std::max(now, std::min(std::max(front, now) + cost, time_->until.load()));
}

void Client::SpendComputation() {
  const InObject here;
  // Without a connection an allocator may hold its lock, as in ReadClock.
  if (!CountsComputation() || tells || !HasConnection()) return;
  if (const int64_t computed = TakeComputed(); computed > 0) Spend(computed);
}

void Client::BeginComputation() {
  const InObject here;
  if (CountsComputation()) Own();
}

Answer Client::ReadClock() {
  if (time_ == nullptr) return {.value = -ENODEV};
  reads_on = std::min(reads_on + 1, kUntilItWaits);
  SpendIfConnected(time_->costs.reading * (reads_on == kUntilItWaits ? kWaiting : 1));
  // The clock of a process never goes back.
  int64_t shown = shown_;
  const int64_t own = std::max<int64_t>(front, time_->now);
  while (shown < own && !shown_.compare_exchange_weak(shown, own)) continue;
  return {.value = std::max(shown, own)};
}

int64_t Client::Shown() const {
  if (time_ == nullptr) return -1;
  return std::max<int64_t>({shown_, front, time_->now});
}

Answer Client::Ask(const Request& request) {
  const InObject here;
  if (request.op == Op::kNow) return ReadClock();
  reads_on = 0;
  if (request.op == Op::kHold || request.op == Op::kAcknowledge) {
    Spend(time_ == nullptr ? 0 : time_->costs.request);
    Tell(request, -1);
    return {};
  }
  // What a program does with its own sockets costs no time but that of its links, and that of
  // SpendSending.
  const bool costs = request.op != Op::kSleep && request.op != Op::kCarry;
  // Others may still run beside a thread that asks for its turn: it spends when it has that.
  const bool waits_for_turn =
      request.op == Op::kSleep && uapi::KindOfSleep(request.on) == uapi::SleepKind::kTurn;
  if (!costs && !waits_for_turn) SpendComputation();
  if (time_ == nullptr || !costs) return Send(request);
  if (WouldBeVain(*time_, request)) {
    Spend(time_->costs.look);
    if (WouldBeVain(*time_, request)) return Nothing(request);
  } else {
    Spend(time_->costs.request);
  }
  if (std::optional<Answer> foreseen = TakeForeseen(*time_, request)) {
    OwnState().vain.requests.clear();  // something will have happened
    Tell(uapi::Foretold{request}, -1);
    return std::move(*foreseen);
  }
  Answer answer = Send(request);
  if (IsVain(request, answer)) NoteVain(request);
  return answer;
}

void Client::Yield() { Ask({.op = Op::kSleep}); }

int Client::YieldUntil(int64_t instant, uapi::Look look) {
  const Answer answer = Ask({.op = Op::kSleep,
                             .on = SleepOf(uapi::SleepKind::kLooks, uapi::LooksFor::kOthers, look),
                             .more = static_cast<uint64_t>(instant)});
  return answer.value == -EINTR ? EINTR : 0;
}

bool Client::SpendLook() {
  const InObject here;
  if (time_ == nullptr) return false;
  Spend(time_->costs.look);
  return true;
}

void Client::SpendSending(uint64_t bytes) {
  const InObject here;
  if (time_ == nullptr || tells) return;
  const uapi::Costs& costs = time_->costs;
  const auto size = static_cast<int64_t>(bytes);
  SpendIfConnected(costs.sending + size / 1024 * costs.kibibyte +
                   size % 1024 * costs.kibibyte / 1024);
}

void Client::Tell(const Message& message, int descriptor) {
  const InObject here;
  const Telling telling;
  const WithoutCancellation whole;
  Connection* connection = Own();
  if (connection == nullptr) return;
  if (connection->Send(message, descriptor) != 0) return OwnState().line.Drop();
  // The machine reads it before the process's next request. That may be another thread's.
  const bool soon = std::holds_alternative<uapi::Interrupt>(message);
  if (soon || connection->IsHalfFull() || HasOtherConnections()) lines_.RingBell();
}

void Client::Watch(uint64_t name, int write_end, const Request& readable) {
  Tell(uapi::Watch{.name = name, .has_descriptor = write_end >= 0, .readable = readable},
       write_end);
}

bool IsConnected() { return connections > 0; }

void Client::LeaveRequest() {
  WithoutCancellation::Leave();
  if (!Exchange::IsOpen()) return;
  Exchange::Leave();
  const WithoutCancellation whole;
  Connection* const connection = OwnState().line.Get();
  if (connection != nullptr && !Hear(connection, &lines_, true)) OwnState().line.Drop();
  OwnState().foresight = {};
}

void Client::NoteSignal() { Tell(uapi::Interrupt{}, -1); }
void Client::Unwatch(uint64_t name) { Tell(uapi::Unwatch{.name = name}, -1); }

}  // namespace cm::sim::fake_libibverbs
