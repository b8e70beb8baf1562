// States of an rdma_cm_id.
#ifndef MODEL_CM_ID_STATE_H_
#define MODEL_CM_ID_STATE_H_

#include <cstdint>
#include <string_view>

#include "model/rules/rule.h"

namespace cm::model {

// source: linux 6.1 cma_priv.h enum rdma_cm_state. There is no state "established": everything
// after rdma_connect is kConnect, and the IB CM tells the rest.
enum class State : uint8_t {
  kIdle,
  kAddrBound,
  kAddrQuery,
  kAddrResolved,
  kRouteQuery,
  kRouteResolved,
  kConnect,
  kDisconnect,
  kListen,
  kDeviceRemoval,  // its device goes; the kernel's id is about to be destroyed
  kSame,           // as a row's `to`: unchanged
};
inline constexpr int kStateCount = static_cast<int>(State::kSame);
using States = Set<State>;

std::string_view ToString(State state);

}  // namespace cm::model

#endif  // MODEL_CM_ID_STATE_H_
