// Global variables of a loaded library, without memory that it has allocated.
#ifndef CONFORMANCE_ADAPTERS_LIB_VARIABLES_H_
#define CONFORMANCE_ADAPTERS_LIB_VARIABLES_H_

#include <cstdint>
#include <span>
#include <vector>

namespace cm {

class Variables {
 public:
  // A copy of the current values, for the library that contains the function.
  explicit Variables(const void* function);

  // Restores the copy. Memory that the variables point to leaks; no thread may be inside the
  // library.
  void Restore() const;

 private:
  std::span<uint8_t> memory_;
  std::vector<uint8_t> then_;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_LIB_VARIABLES_H_
