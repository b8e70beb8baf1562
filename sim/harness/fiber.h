// Functions that can be left in the middle and gone on with, all on one thread.
#ifndef SIM_HARNESS_FIBER_H_
#define SIM_HARNESS_FIBER_H_

#include <ucontext.h>

#include <functional>
#include <memory>
#include <vector>

namespace cm::sim {

// A function on a stack of its own. One that is destroyed before its end is forgotten: nothing on
// its stack is destroyed.
class Fiber {
 public:
  explicit Fiber(std::function<void()> work);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  // Goes on until the function returns or yields; true when it has returned.
  bool Resume();
  bool ended() const { return ended_; }

  // The fiber that this runs on; null on the thread's own stack.
  static Fiber* Current();
  // Leaves the current fiber until it is resumed.
  static void Yield();

 private:
  // A stack, and where it was left. One whose function has returned takes the next fiber's.
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
