// Result of a call that the C API may refuse: a value, or the errno that would have been set.
#ifndef MODEL_BASE_RESULT_H_
#define MODEL_BASE_RESULT_H_

#include <utility>
#include <variant>

#include "model/base/check.h"
#include "model/base/errno.h"

namespace cm {

struct Unit {
  friend constexpr bool operator==(Unit, Unit) = default;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: by design
  Result(Errno error) : content_(std::in_place_index<1>, error) {          // NOLINT: by design
    CM_CHECK(error != Errno::kNone);
  }

  bool ok() const { return content_.index() == 0; }
  Errno error() const { return ok() ? Errno::kNone : *std::get_if<1>(&content_); }
  const T& value() const {
    CM_CHECK(ok()) << "no value: " << ToString(error());
    return *std::get_if<0>(&content_);
  }
  T& value() {
    CM_CHECK(ok()) << "no value: " << ToString(error());
    return *std::get_if<0>(&content_);
  }

 private:
  std::variant<T, Errno> content_;
};

}  // namespace cm

#endif  // MODEL_BASE_RESULT_H_
