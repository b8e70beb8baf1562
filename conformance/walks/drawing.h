// What walks draw from: choices, the environment, and numbers, ports and addresses of a sequence.
#ifndef CONFORMANCE_WALKS_DRAWING_H_
#define CONFORMANCE_WALKS_DRAWING_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "conformance/walks/draw_options.h"
#include "model/base/choice.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/fault.h"

namespace cm {

constexpr uint8_t OtherSide(uint8_t side) { return static_cast<uint8_t>(1 - side); }

constexpr Address Wildcard(uint16_t port, bool v6 = false) {
  return {.kind = AddressKind::kAny, .v6 = v6, .port = port};
}

// The place of the element that is drawn; each has its weight's share of the sum of all weights.
template <typename Range, typename Weight>
size_t DrawByWeight(Choice& choice, const Range& range, Weight weight, std::string_view what) {
  const auto of = [&](const auto& e) { return static_cast<uint64_t>(std::invoke(weight, e)); };
  uint64_t total = 0;
  for (const auto& element : range) total += of(element);
  uint64_t drawn = choice.Below(total, what);
  size_t at = 0;
  for (auto element = std::begin(range); drawn >= of(*element); ++element, ++at)
    drawn -= of(*element);
  return at;
}

// A step of the walk W, and its share among the others.
template <typename W, typename... Args>
struct Weighted {
  uint64_t weight;
  void (W::*act)(Args...);
};

// The options must outlive it.
class Drawing {
 public:
  Drawing(const DrawOptions& options, Choice* choice) : options_(options), choice_(choice) {}

  Choice& choice() { return *choice_; }
  uint64_t Below(uint64_t bound, std::string_view what) { return choice_->Below(bound, what); }
  bool OneIn(uint64_t of, std::string_view what) { return choice_->OneIn(of, what); }
  // One of the values, each as often as it is listed.
  template <typename T>
  T OneOf(std::initializer_list<T> values, std::string_view what) {
    return values.begin()[Below(values.size(), what)];
  }
  // Executes one of the steps, with a probability of its weight over the sum of all weights.
  template <typename W, typename... Args>
  void DoOneOf(W* walk, std::string_view what, std::initializer_list<Weighted<W, Args...>> steps,
               Args... args) {
    const size_t at = DrawByWeight(*choice_, steps, &Weighted<W, Args...>::weight, what);
    (walk->*steps.begin()[at].act)(args...);
  }
  uint8_t AnySide() { return static_cast<uint8_t>(Below(2, "which side")); }

  const Topology& topology() const { return *options_.topology; }
  const Profile& profile() const { return options_.profile; }
  bool Can(Capability c) const { return options_.capabilities.Has(c); }
  bool Can(const Fault& fault) const;
  int calls_wanted() const { return options_.calls; }

  // One of eight ports of this sequence's own.
  uint16_t Port(int n) const {
    return static_cast<uint16_t>(20000 + 8 * (options_.index % 1500) + n % 8);
  }
  // A QP number that no other id of this sequence, or of one near it, gets.
  uint32_t FreshQpNumber();
  Address AddressOf(uint8_t side, uint16_t port, bool v6 = false) const {
    return {.kind = AddressKind::kSide, .side = side, .v6 = v6, .port = port};
  }
  // The same fault; in an environment that can, a packet fault may be one of the rarer kinds.
  Fault PerhapsRarer(Fault fault);

 private:
  const DrawOptions& options_;
  Choice* choice_;
  uint32_t qp_numbers_ = 0;
};

}  // namespace cm

#endif  // CONFORMANCE_WALKS_DRAWING_H_
