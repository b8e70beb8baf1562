// Invariants of our own code: on in every build, never about an implementation under test.
#ifndef MODEL_BASE_CHECK_H_
#define MODEL_BASE_CHECK_H_

#include <concepts>
#include <string>
#include <string_view>

namespace cm {

// The work in progress, printed by a failing check; set per thread, empty unless set.
void SetCheckContext(std::string context);

namespace internal {

// Prints everything streamed into it, then aborts.
class CheckFailure {
 public:
  CheckFailure(const char* condition, const char* file, int line);
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure();

  CheckFailure& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  CheckFailure& operator<<(std::integral auto number) { return *this << std::to_string(number); }

 private:
  std::string text_;
};

}  // namespace internal

// CM_CHECK(condition) << "what else to know"; aborts with the context when the condition is false.
#define CM_CHECK(condition) \
  if (condition)            \
    [[likely]];             \
  else                      \
    ::cm::internal::CheckFailure(#condition, __FILE__, __LINE__)

}  // namespace cm

#endif  // MODEL_BASE_CHECK_H_
