// Virtual time for what the program computes: the instructions that each of its threads retires
// outside of this object, where the machine counts them.
//
// 1. A thread has a counter from its first connection to the machine on, and a forked child one of
//    its own. Without a counter nothing counts.
// 2. The functions of the object that send requests, or do more than a few instructions, are in a
//    scope of InObject, which pauses the count.
// 3. A thread spends the time with its next request or reading of a clock, and before it waits or
//    lets another one go on: see SpendComputation in requests.h.
#ifndef SIM_FAKE_LIBIBVERBS_COMPUTATION_H_
#define SIM_FAKE_LIBIBVERBS_COMPUTATION_H_

#include <atomic>
#include <cstdint>

namespace cm::sim::fake_libibverbs {

// Instructions a second; 0: computation costs nothing. Set before the program has threads.
inline std::atomic<uint64_t> instruction_rate{0};

inline bool CountsComputation() { return instruction_rate.load(std::memory_order_relaxed) != 0; }

// Opens the counter of the calling thread, unless it has one. Ends the program where there is none
// to be had: the machine has made sure before it has started the program.
void OpenCounter();
// The thread ends.
void CloseCounter();

// In a scope of InObject: the nanoseconds that the calling thread has computed and not yet spent.
int64_t TakeComputed();

// The calling thread forks: functions that run in the child before it has noticed must not spend
// time, as they have the connection of their parent.
inline constinit thread_local bool forks = false;

// The calling thread runs code of this object meanwhile. May be nested.
class InObject {
 public:
  InObject() : counts_(CountsComputation()) {
    if (counts_) Enter(this);
  }
  ~InObject() {
    if (counts_) Leave();
  }
  InObject(const InObject&) = delete;
  InObject& operator=(const InObject&) = delete;

 private:
  static void Enter(const InObject* scope);
  static void Leave();

  bool counts_;
};

// A jump of the calling thread to that place of its stack leaves its scopes of InObject.
void LeaveObject(uintptr_t target);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_COMPUTATION_H_
