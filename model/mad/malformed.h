// Result of a parser: a value, or the offset and the reason of the first error.
#ifndef MODEL_MAD_MALFORMED_H_
#define MODEL_MAD_MALFORMED_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "model/base/check.h"

namespace cm::mad {

// Made without allocation: a reader of a capture meets many.
struct Malformed {
  std::string_view layer;     // "ipv4"
  size_t offset = 0;          // of the first byte that is wrong or missing, from the beginning
  std::string_view expected;  // "a header of 5 words"
  uint64_t found = 0;         // the value found
  // True for another protocol's frame, which is not damaged: TCP, data of a connection, ...
  bool foreign = false;

  friend bool operator==(const Malformed&, const Malformed&) = default;
};

// "ipv4 at 14: expected a header of 5 words, found 6"
std::string ToString(const Malformed& malformed);

template <typename T>
class [[nodiscard]] Decoded {
 public:
  Decoded(T value) : content_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: by design
  Decoded(Malformed why) : content_(std::in_place_index<1>, why) {}         // NOLINT: by design

  bool ok() const { return content_.index() == 0; }
  const Malformed& error() const {
    CM_CHECK(!ok());
    return *std::get_if<1>(&content_);
  }
  const T& value() const {
    CM_CHECK(ok()) << "no value: " << ToString(error());
    return *std::get_if<0>(&content_);
  }
  T& value() {
    CM_CHECK(ok()) << "no value: " << ToString(error());
    return *std::get_if<0>(&content_);
  }

 private:
  std::variant<T, Malformed> content_;
};

}  // namespace cm::mad

#endif  // MODEL_MAD_MALFORMED_H_
