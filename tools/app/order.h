// The order in which threads, programs and events of one instant go on.
//
// 1. Each decision has a usual outcome, 0: the first of those that could go on, and no thread
//    gives way after a call. Seed 0 takes it always; any other seed draws.
// 2. A run can be given its deviations instead: then all other decisions are the usual ones.
#ifndef TOOLS_APP_ORDER_H_
#define TOOLS_APP_ORDER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/choice.h"

namespace cm::app {

// A decision with an unusual outcome.
struct Deviation {
  std::string what;  // the name of the decision: mostly whose it is
  uint64_t at = 0;   // its number among those of that name, from 0
  uint64_t taken = 0;
  friend bool operator==(const Deviation&, const Deviation&) = default;
};
using Deviations = std::vector<Deviation>;

// "0.1@12:1,0.2@40:2"; "usual" for none.
std::string ToString(const Deviations& deviations);
std::optional<Deviations> ParseDeviations(std::string_view text);

class Order : public Choice {
 public:
  Order(uint64_t seed, const std::optional<Deviations>& given);

  // Where there is but one outcome, nothing is decided. Decisions are counted, and drawn, by their
  // names: those of one thread stay what they are when those of others change or come first.
  uint64_t Below(uint64_t bound, std::string_view what) override;
  // The same where the decision has a number of its own, which may come again: with one outcome.
  uint64_t BelowAt(uint64_t bound, std::string_view what, uint64_t at);
  // One of these outcomes, each as likely as it is often there; 0 is the usual one.
  uint64_t OneOf(std::span<const uint8_t> outcomes, std::string_view what);
  const Deviations& taken() const { return taken_; }
  // False where each decision has its usual outcome.
  bool Decides() const { return draws_ || !given_.empty(); }

 private:
  StreamState CoinsOf(std::string_view name, uint64_t at) const;
  // What was given, or the usual outcome.
  uint64_t Given(uint64_t bound, const std::string& name, uint64_t at) const;
  uint64_t Take(const std::string& name, uint64_t at, uint64_t taken);

  bool draws_;
  uint64_t seed_;
  std::map<std::pair<std::string, uint64_t>, uint64_t> given_;
  std::map<std::string, uint64_t> decided_;          // how often
  std::set<std::pair<std::string, uint64_t>> told_;  // those in taken_
  Deviations taken_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_ORDER_H_
