// Errors as values.
//
// 1. A Problem's line is one line, fit to be shown to a user: what failed, on what, and how to fix
//    it.
// 2. An Outcome is a value or a Problem; reading the wrong one of the two is a broken invariant and
//    ends the program.
#ifndef HW_TESTS_LAB_PROBLEM_H_
#define HW_TESTS_LAB_PROBLEM_H_

#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace lab {

enum class ProblemKind {
  kUnusable,   // the machine lacks something, or an argument makes no sense
  kTimedOut,   // a wall-clock limit ran out
  kCancelled,  // the caller asked to stop
  kLost,       // the guest died or no longer answers; restore it
  kKernel,     // its kernel has failed, and the guest is lost
};

struct Problem {
  std::string line;
  ProblemKind kind = ProblemKind::kUnusable;
};

inline bool Lost(const Problem& problem) {
  return problem.kind == ProblemKind::kLost || problem.kind == ProblemKind::kKernel;
}

template <typename T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : holds_(std::move(value)) {}            // NOLINT: meant to convert
  Outcome(Problem problem) : holds_(std::move(problem)) {}  // NOLINT: meant to convert

  bool ok() const { return std::holds_alternative<T>(holds_); }

  T& value() { return Get<T>(); }
  const T& value() const { return Get<T>(); }
  const Problem& problem() const { return Get<Problem>(); }

 private:
  template <typename U>
  U& Get() {
    if (!std::holds_alternative<U>(holds_)) std::abort();
    return *std::get_if<U>(&holds_);
  }
  template <typename U>
  const U& Get() const {
    if (!std::holds_alternative<U>(holds_)) std::abort();
    return *std::get_if<U>(&holds_);
  }

  std::variant<T, Problem> holds_;
};

}  // namespace lab

#endif  // HW_TESTS_LAB_PROBLEM_H_
