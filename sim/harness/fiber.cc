#include "sim/harness/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "model/base/check.h"

namespace cm::sim {
namespace {

constexpr size_t kStack = size_t{256} * 1024;  // enough for a library and the simulator

thread_local Fiber* current = nullptr;

}  // namespace

// Stacks are reused: mapping one costs as much as a call on it.
std::vector<std::unique_ptr<Fiber::Stack>>& Fiber::FreeStacks() {
  thread_local std::vector<std::unique_ptr<Stack>> stacks;
  return stacks;
}

// With an inaccessible guard page below it.
std::unique_ptr<Fiber::Stack> Fiber::MapStack() {
  const auto guard = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const low = mmap(nullptr, kStack + guard, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  CM_CHECK(low != MAP_FAILED) << "no memory for a stack";
  CM_CHECK(mprotect(low, guard, PROT_NONE) == 0);
  auto stack = std::make_unique<Stack>();
  stack->memory = static_cast<char*>(low) + guard;
  Prepare(stack.get());
  return stack;
}

// This takes a system call, so it is not done for each fiber.
void Fiber::Prepare(Stack* stack) {
  ucontext_t& context = stack->left_at;
  CM_CHECK(getcontext(&context) == 0);
  context.uc_stack.ss_sp = stack->memory;
  context.uc_stack.ss_size = kStack;
  context.uc_link = nullptr;
  makecontext(&context, &Fiber::Enter, 0);
}

Fiber::Fiber(std::function<void()> work) : work_(std::move(work)) {
  std::vector<std::unique_ptr<Stack>>& free = FreeStacks();
  if (free.empty()) free.push_back(MapStack());
  stack_ = std::move(free.back());
  free.pop_back();
}

Fiber::~Fiber() {
  if (!ended_) Prepare(stack_.get());
  FreeStacks().push_back(std::move(stack_));
}

Fiber* Fiber::Current() { return current; }

// Runs one fiber's function after another's.
void Fiber::Enter() {
  for (;;) {
    Fiber* const self = current;
    self->work_();
    self->ended_ = true;
    Yield();
  }
}

bool Fiber::Resume() {
  CM_CHECK(!ended_);
  outer_ = std::exchange(current, this);
  CM_CHECK(swapcontext(&back_, &stack_->left_at) == 0);
  current = outer_;
  return ended_;
}

void Fiber::Yield() {
  Fiber* const self = current;
  CM_CHECK(self != nullptr) << "nothing but a fiber can be left";
  CM_CHECK(swapcontext(&self->stack_->left_at, &self->back_) == 0);
}

}  // namespace cm::sim
