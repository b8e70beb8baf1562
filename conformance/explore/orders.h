// The decisions of one step as a number.
#ifndef CONFORMANCE_EXPLORE_ORDERS_H_
#define CONFORMANCE_EXPLORE_ORDERS_H_

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/base/check.h"
#include "model/base/choice.h"

namespace cm::explore {

// Numbers the decisions of another choice.
class NumberingChoice : public Choice {
 public:
  explicit NumberingChoice(Choice* inner) : inner_(inner) {}
  uint64_t Below(uint64_t bound, std::string_view what) override {
    const uint64_t taken = inner_->Below(bound, what);
    if (taken != 0) {
      number_ += taken * scale_;
      CM_CHECK(number_ < uint64_t{1} << 32) << "too many orders of one step";
    }
    scale_ = std::min(scale_ * bound, uint64_t{1} << 32);
    return taken;
  }
  uint32_t number() const { return static_cast<uint32_t>(number_); }

 private:
  Choice* inner_;
  uint64_t number_ = 0;
  uint64_t scale_ = 1;
};

// Repeats the decisions of that number, and adds them to `taken`.
class NumberedChoice : public Choice {
 public:
  NumberedChoice(uint32_t number, std::vector<uint64_t>* taken) : left_(number), taken_(taken) {}
  uint64_t Below(uint64_t bound, std::string_view /*what*/) override {
    const uint64_t one = left_ % bound;
    left_ /= bound;
    if (taken_ != nullptr) taken_->push_back(one);
    return one;
  }

 private:
  uint64_t left_;
  std::vector<uint64_t>* taken_;
};

}  // namespace cm::explore

#endif  // CONFORMANCE_EXPLORE_ORDERS_H_
