// The messages to queue pair 1, as those of the CM, that the guest's RDMA devices send.
//
// 1. A frame is seen where it leaves the interface under its device: before the filters of
//    cm_filter.h, which act where it arrives. What is lost, late or doubled there left once.
// 2. A driver may send after the call that asks for it has returned.
#ifndef HW_TESTS_LAB_FRAME_TAP_H_
#define HW_TESTS_LAB_FRAME_TAP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw_tests/lab/problem.h"
#include "model/base/duration.h"
#include "model/conversation/history.h"
#include "model/vocabulary/topology.h"

namespace lab {

struct TappedFrame {
  std::string interface;  // its name
  cm::Instant at;         // of cm::RealNow
  std::vector<uint8_t> bytes;
};

class FrameTap {
 public:
  virtual ~FrameTap() = default;
  // What has left any interface since the last call, in its order.
  virtual std::vector<TappedFrame> Take() = 0;
  // Frames that left since the last call of this, and for which there was no room.
  virtual uint32_t Missed() = 0;
};

Outcome<std::unique_ptr<FrameTap>> OpenFrameTap();

// Without the number of its record. Empty for what no device of the topology has sent. What cannot
// be read is a message of another kind, with its frame.
std::optional<cm::WireRecord> RecordOf(TappedFrame frame, const cm::Topology& topology);

}  // namespace lab

#endif  // HW_TESTS_LAB_FRAME_TAP_H_
