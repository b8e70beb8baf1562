// The switch of defects. Only the woven copy of the simulator reads it.
#ifndef CONFORMANCE_DEFECTS_SWITCH_H_
#define CONFORMANCE_DEFECTS_SWITCH_H_

#include <cstddef>
#include <utility>

namespace cm::defects {

// The defect of this thread: its number in Defects(), from 1; 0 is none.
inline thread_local constinit size_t switched_on = 0;

inline bool On(size_t number) { return switched_on == number; }

// Switches the defect on in this thread for the lifetime of the object.
class SwitchedOn {
 public:
  explicit SwitchedOn(size_t number) : before_(std::exchange(switched_on, number)) {}
  ~SwitchedOn() { switched_on = before_; }
  SwitchedOn(const SwitchedOn&) = delete;
  SwitchedOn& operator=(const SwitchedOn&) = delete;

 private:
  size_t before_;
};

}  // namespace cm::defects

#endif  // CONFORMANCE_DEFECTS_SWITCH_H_
