// Enhanced connection establishment: options negotiated between devices of one vendor.
#ifndef MODEL_VOCABULARY_ECE_H_
#define MODEL_VOCABULARY_ECE_H_

#include <cstdint>

namespace cm {

// source: <infiniband/verbs.h> struct ibv_ece
struct EceOptions {
  uint32_t vendor_id = 0;
  uint32_t options = 0;
  uint32_t comp_mask = 0;
  friend constexpr bool operator==(const EceOptions&, const EceOptions&) = default;
};

}  // namespace cm

#endif  // MODEL_VOCABULARY_ECE_H_
