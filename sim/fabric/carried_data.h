// Private data in a message, cheap to copy.
#ifndef SIM_FABRIC_CARRIED_DATA_H_
#define SIM_FABRIC_CARRIED_DATA_H_

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "model/vocabulary/private_data.h"

namespace cm::sim {

// Most messages have few bytes or none: a copy takes only those in use. A block takes few
// instructions and no call.
class CarriedData : public PrivateData {
 public:
  CarriedData() = default;
  CarriedData(const PrivateData& data) { CopySaid(data); }  // the value is the same
  // NOLINTNEXTLINE(bugprone-copy-constructor-init): the base would copy all.
  CarriedData(const CarriedData& other) : PrivateData() { CopySaid(other); }
  CarriedData& operator=(const CarriedData& other) {
    CopySaid(other);
    return *this;
  }
  CarriedData& operator=(const PrivateData& other) {
    CopySaid(other);
    return *this;
  }

 private:
  static constexpr size_t kBlock = 32;
  static_assert(std::is_trivially_copyable_v<PrivateData> && sizeof(PrivateData) > kBlock);

  void CopySaid(const PrivateData& other) {
    auto* const to = reinterpret_cast<unsigned char*>(static_cast<PrivateData*>(this));
    const auto* const from = reinterpret_cast<const unsigned char*>(&other);
    const size_t said = sizeof(PrivateData) - kRoom + other.size();
    if (said <= kBlock)
      std::memmove(to, from, kBlock);
    else
      std::memmove(to, from, said);
  }

  static constexpr size_t kRoom = 255;  // maximum length of private data; the length precedes it
};

}  // namespace cm::sim

#endif  // SIM_FABRIC_CARRIED_DATA_H_
