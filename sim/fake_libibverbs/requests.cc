#include "sim/fake_libibverbs/requests.h"

#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/stacks.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr int64_t kErrnoMax = 4095;  // source: linux 6.1 err.h MAX_ERRNO

std::atomic<Backend*> told{nullptr};
std::atomic<uint32_t> world{0};
std::atomic<uint32_t> generation{0};
thread_local int depth = 0;
thread_local const void* outermost = nullptr;  // its place on the stack, where the depth is not 0
thread_local void (*awaits_the_end)() = nullptr;

// Handles and counts have 32 bits.
bool IsTooLarge(uapi::Op op, int64_t value) { return op != uapi::Op::kNow && value > UINT32_MAX; }

void CallWhatAwaitsTheEnd() {
  void (*const function)() = std::exchange(awaits_the_end, nullptr);
  if (function == nullptr) return;
  const int before = errno;
  function();
  errno = before;
}

// Stack unwinding calls this as well: a thread may be cancelled while it waits.
class Stay {
 public:
  Stay() {
    if (depth++ == 0) outermost = this;
  }
  ~Stay() {
    if (--depth == 0) CallWhatAwaitsTheEnd();
  }
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;
};

// Keeps errno. Does nothing without a backend.
template <typename Do>
void With(Do act) {
  Backend* const backend = TheBackend();
  if (backend == nullptr) return;
  const int before = errno;
  const Stay stay;
  act(*backend);
  errno = before;
}

// Before all others of this object, which look at the count.
__attribute__((constructor(101))) void CountForks() {
  pthread_atfork(nullptr, nullptr, [] { ++generation; });
}

}  // namespace

Backend* TheBackend() {
  if (Backend* backend = told) return backend;
  const Stay stay;  // created by the first request
  return BackendOfEnvironment();
}

void SetBackend(Backend* backend) { told = backend; }

bool Inside() { return depth > 0; }
int ExchangeDepth(int other) { return std::exchange(depth, other); }

void CallOutside(void (*function)()) {
  awaits_the_end = function;
  if (!Inside()) CallWhatAwaitsTheEnd();
}

void LeaveRequest(uintptr_t target) {
  if (depth == 0 || !IsLeft(outermost, target)) return;
  if (Backend* backend = TheBackend()) backend->LeaveRequest();
  depth = 0;
  CallWhatAwaitsTheEnd();
}

uapi::Answer Ask(const uapi::Request& request) {
  Backend* backend = TheBackend();
  if (backend == nullptr) return {.value = -ENODEV};
  const Stay stay;
  uapi::Answer answer = backend->Ask(request);
  if (answer.waits || answer.value < -kErrnoMax || IsTooLarge(request.op, answer.value))
    answer.value = -EIO;
  if (answer.value < 0) answer.bytes.clear();
  return answer;
}

void Yield() {
  Backend* backend = TheBackend();
  if (backend == nullptr) return;
  const Stay stay;
  backend->Yield();
}

int YieldUntil(int64_t instant, uapi::Look look) {
  Backend* backend = TheBackend();
  if (backend == nullptr) return 0;
  const Stay stay;
  return backend->YieldUntil(instant, look);
}

bool SpendLook() {
  Backend* backend = TheBackend();
  if (backend == nullptr) return false;
  const Stay stay;
  return backend->SpendLook();
}

void SpendSending(uint64_t bytes) {
  if (!Inside() && !forks) With([=](Backend& to) { to.SpendSending(bytes); });
}

void SpendComputation() {
  if (CountsComputation() && !Inside() && !forks) With([](Backend& to) { to.SpendComputation(); });
}

void BeginComputation() {
  With([](Backend& to) { to.BeginComputation(); });
}

uint32_t Process() {
  Backend* backend = TheBackend();
  return backend == nullptr ? 0 : backend->Process();
}

uint32_t World() { return world; }
void NextWorld() { ++world; }
uint32_t Generation() { return generation; }

uapi::Answer AskAbout(uapi::Op op, Handle handle, uint64_t more, std::vector<uint8_t> bytes) {
  if (!handle.Lives()) return {};
  return Ask({.op = op, .on = handle.number, .more = more, .bytes = std::move(bytes)});
}

}  // namespace cm::sim::fake_libibverbs
