// Fibers: functions that can yield and be resumed, all on one thread.
#ifndef SIM_HARNESS_FIBER_H_
#define SIM_HARNESS_FIBER_H_

#include <ucontext.h>

#include <functional>
#include <memory>
#include <vector>

namespace cm::sim {

// A function on a stack of its own. A fiber that is destroyed before its function returns is
// abandoned: no destructor of an object on its stack runs.
class Fiber {
 public:
  explicit Fiber(std::function<void()> work);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  // Runs until the function returns or yields. Returns true when it has returned. Not for an ended
  // fiber.
  bool Resume();
  bool ended() const { return ended_; }

  // The calling fiber; null on the thread's own stack.
  static Fiber* Current();
  // Leaves the calling fiber until it is resumed. Only on a fiber.
  static void Yield();

 private:
  // A stack, and the context that was left. When its function has returned, the next fiber reuses
  // it.
  struct Stack {
    void* memory = nullptr;
    ucontext_t left_at{};
  };
  static std::vector<std::unique_ptr<Stack>>& FreeStacks();
  static std::unique_ptr<Stack> MapStack();
  static void Prepare(Stack* stack);
  static void Enter();

  std::function<void()> work_;
  std::unique_ptr<Stack> stack_;
  ucontext_t back_{};
  Fiber* outer_ = nullptr;
  bool ended_ = false;
};

}  // namespace cm::sim

#endif  // SIM_HARNESS_FIBER_H_
