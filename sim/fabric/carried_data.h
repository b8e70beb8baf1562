// Private data in a message that is copied from place to place.
#ifndef SIM_FABRIC_CARRIED_DATA_H_
#define SIM_FABRIC_CARRIED_DATA_H_

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "model/vocabulary/private_data.h"

namespace cm::sim {

// Most messages have few bytes or none: a copy takes those that are said, and not all that there is
// room for. A block is few instructions and no call.
class CarriedData : public PrivateData {
 public:
  CarriedData() = default;
  CarriedData(const PrivateData& data) { CopySaid(data); }  // it is the same to everybody else
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

  static constexpr size_t kRoom = 255;  // what private data can be long; its length is before them
};

}  // namespace cm::sim

#endif  // SIM_FABRIC_CARRIED_DATA_H_
