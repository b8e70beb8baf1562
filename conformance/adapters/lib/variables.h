// What a loaded library knows, but for memory that it has allocated.
#ifndef CONFORMANCE_ADAPTERS_LIB_VARIABLES_H_
#define CONFORMANCE_ADAPTERS_LIB_VARIABLES_H_

#include <cstdint>
#include <span>
#include <vector>

namespace cm {

class Variables {
 public:
  // As they are now, of the library that has the function.
  explicit Variables(const void* function);

  // As they were then. What they lead to is never given back; nobody may be inside the library.
  void Restore() const;

 private:
  std::span<uint8_t> memory_;
  std::vector<uint8_t> then_;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_LIB_VARIABLES_H_
