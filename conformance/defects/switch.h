// The switch of defects. Only the woven copy of the simulator reads it.
#ifndef CONFORMANCE_DEFECTS_SWITCH_H_
#define CONFORMANCE_DEFECTS_SWITCH_H_

#include <bitset>
#include <cstddef>
#include <utility>

namespace cm::defects {

// Defects by their numbers in Defects(), from 1.
using Numbers = std::bitset<256>;

// The defects of this thread.
inline thread_local constinit Numbers switched_on;

inline bool On(size_t number) { return switched_on[number]; }

// Switches these defects on in this thread, and all others off, for the lifetime of the object.
class SwitchedOn {
 public:
  explicit SwitchedOn(const Numbers& numbers) : before_(std::exchange(switched_on, numbers)) {}
  ~SwitchedOn() { switched_on = before_; }
  SwitchedOn(const SwitchedOn&) = delete;
  SwitchedOn& operator=(const SwitchedOn&) = delete;

 private:
  Numbers before_;
};

}  // namespace cm::defects

#endif  // CONFORMANCE_DEFECTS_SWITCH_H_
