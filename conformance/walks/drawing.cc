#include "conformance/walks/drawing.h"

#include "model/conversation/fault_check.h"

namespace cm {

bool Drawing::Can(const Fault& fault) const {
  return IsPossible(fault, options_.capabilities, topology());
}

uint32_t Drawing::FreshQpNumber() {
  constexpr uint32_t kFirst = 0x100000;
  return kFirst + ((static_cast<uint32_t>(options_.index % 0x8000) << 5) + qp_numbers_++ % 32);
}

Fault Drawing::PerhapsRarer(Fault fault) {
  if (fault.kind == FaultKind::kDrop && Can(Capability::kCorrupt) && choice_->OneIn(3, "corrupt"))
    fault.kind = FaultKind::kCorrupt;
  if (fault.kind == FaultKind::kDelay && Can(Capability::kDelayRange) &&
      choice_->OneIn(2, "a range")) {
    fault.at_most = fault.by * 2;
    fault.by = Duration::Microseconds(5);
    if (choice_->OneIn(2, "with a tail")) fault.shape = DelayShape::kTail;
  }
  if (Can(Capability::kDirection)) {
    const uint64_t which = Below(4, "which direction");
    if (which == 0) fault.to = OtherSide(fault.side);
    if (which == 1) fault.side = kAnySide;
  }
  if (Can(Capability::kLateStart) && choice_->OneIn(4, "from later on"))
    fault.after = Duration::Seconds(5);
  return fault;
}

}  // namespace cm
