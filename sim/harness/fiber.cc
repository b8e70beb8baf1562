#include "sim/harness/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "model/base/check.h"

namespace cm::sim {
namespace {

constexpr size_t kStack = size_t{256} * 1024;  // a library and the simulator under it

thread_local Fiber* current = nullptr;

// Stacks are used again: mapping one costs as much as a call on it.
std::vector<void*>& FreeStacks() {
  thread_local std::vector<void*> stacks;
  return stacks;
}

// With a page below it that nobody may touch.
void* MapStack() {
  const auto guard = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const low = mmap(nullptr, kStack + guard, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  CM_CHECK(low != MAP_FAILED) << "no memory for a stack";
  CM_CHECK(mprotect(low, guard, PROT_NONE) == 0);
  return static_cast<char*>(low) + guard;
}

void* TakeStack() {
  std::vector<void*>& free = FreeStacks();
  if (free.empty()) return MapStack();
  void* const stack = free.back();
  free.pop_back();
  return stack;
}

}  // namespace

Fiber::Fiber(std::function<void()> work) : work_(std::move(work)), stack_(TakeStack()) {
  CM_CHECK(getcontext(&here_) == 0);
  here_.uc_stack.ss_sp = stack_;
  here_.uc_stack.ss_size = kStack;
  here_.uc_link = nullptr;
  makecontext(&here_, &Fiber::Enter, 0);
}

Fiber::~Fiber() { FreeStacks().push_back(stack_); }

Fiber* Fiber::Current() { return current; }

void Fiber::Enter() {
  Fiber* const self = current;
  self->work_();
  self->ended_ = true;
  Yield();
}

bool Fiber::Resume() {
  CM_CHECK(!ended_);
  outer_ = std::exchange(current, this);
  CM_CHECK(swapcontext(&back_, &here_) == 0);
  current = outer_;
  return ended_;
}

void Fiber::Yield() {
  Fiber* const self = current;
  CM_CHECK(self != nullptr) << "nothing but a fiber can be left";
  CM_CHECK(swapcontext(&self->here_, &self->back_) == 0);
}

}  // namespace cm::sim
