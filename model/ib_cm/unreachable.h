// Rows of the protocol's tables that nothing reaches, and why: a row of the tables is reached, or
// stands here.
#ifndef MODEL_IB_CM_UNREACHABLE_H_
#define MODEL_IB_CM_UNREACHABLE_H_

#include <array>
#include <string_view>

namespace cm::model {

struct UnreachableRow {
  std::string_view row;
  std::string_view reason;
};

inline constexpr auto kUnreachableRows = std::to_array<UnreachableRow>({
    {"N2a", "the rdma_cm arms the MRA before it releases its lock: no duplicate meets REQ_RCVD"},
    {"N2c",
     "an id in timewait is not in the table of remote ids: only a race between two processors "
     "finds it there"},
    {"R14", "the rdma_cm arms the MRA before it releases its lock: no duplicate meets REP_RCVD"},
    {"R33", "the rdma_cm answers no LAP, not even with an MRA"},
    {"L5b", "the rdma_cm sends no MRA at once"},
});

}  // namespace cm::model

#endif  // MODEL_IB_CM_UNREACHABLE_H_
