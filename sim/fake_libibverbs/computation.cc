#include "sim/fake_libibverbs/computation.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "sim/fake_libibverbs/instruction_account.h"
#include "sim/fake_libibverbs/instruction_counter.h"
#include "sim/fake_libibverbs/own_descriptors.h"
#include "sim/fake_libibverbs/stacks.h"

namespace cm::sim::fake_libibverbs {
namespace {

// Of one thread. Has no destructor: a thread may be the first to run this inside an allocator.
struct Counter {
  int descriptor = -1;
  int depth = 0;  // of scopes
  const InObject* outermost = nullptr;
  InstructionAccount account;
};

constinit thread_local Counter counter;

bool IsOpen() { return counter.descriptor >= 0; }

// Before the child closes its copy, which counts its parent.
__attribute__((constructor(101))) void ForgetInChildren() {
  pthread_atfork(nullptr, nullptr, [] { counter.descriptor = -1; });
}

[[noreturn]] void EndProgram(const char* what, int error) {
  std::array<char, 256> text{};
  const int size = std::snprintf(text.data(), text.size(),
                                 "cmcheck: --instructions: %s the counter of thread %ld: %s\n",
                                 what, syscall(SYS_gettid), std::strerror(error));
  syscall(SYS_write, STDERR_FILENO, text.data(), size);
  std::abort();
}

uint64_t Reading() {
  const int before = errno;
  const std::optional<uint64_t> reading = ReadInstructionCounter(counter.descriptor);
  if (!reading) EndProgram("cannot read", errno != 0 ? errno : EIO);
  errno = before;
  return *reading;
}

}  // namespace

void OpenCounter() {
  if (!CountsComputation() || IsOpen()) return;
  const int opened = OpenInstructionCounter();
  if (opened < 0) EndProgram("cannot open", -opened);
  counter.descriptor = MovedUp(opened);
  KeepDescriptor(counter.descriptor);
  counter.account = {};
  if (counter.depth == 0) counter.account.Resume(Reading());
}

void CloseCounter() {
  if (IsOpen()) CloseOwnDescriptor(std::exchange(counter.descriptor, -1));
}

int64_t TakeComputed() { return CountsComputation() ? counter.account.Take(instruction_rate) : 0; }

// A handler of a signal that comes in between finds itself in the object.
void InObject::Enter(const InObject* scope) {
  if (counter.depth++ > 0) return;
  counter.outermost = scope;
  if (IsOpen()) counter.account.Pause(Reading());
}

void InObject::Leave() {
  if (counter.depth == 1 && IsOpen()) counter.account.Resume(Reading());
  --counter.depth;
}

void LeaveObject(uintptr_t target) {
  if (counter.depth == 0 || !IsLeft(counter.outermost, target)) return;
  if (IsOpen()) counter.account.Resume(Reading());
  counter.depth = 0;
}

}  // namespace cm::sim::fake_libibverbs
