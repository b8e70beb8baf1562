// What each host knows of the hardware addresses of others, and whom it has asked for one.
#ifndef MODEL_ORACLE_BELIEF_NEIGHBOURS_H_
#define MODEL_ORACLE_BELIEF_NEIGHBOURS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/oracle/belief/certainty.h"
#include "model/oracle/belief/state.h"
#include "model/vocabulary/neighbours.h"

namespace cm::model {

// How a host learns the hardware address of a destination that it resolves.
struct Asking {
  // False: at once. True: it may have to ask, and the end may take the whole time-out, also where
  // it is answered. source: linux 6.1 addr.c process_one_req
  bool asks = false;
  Certainty answered = Certainty::kYes;
  friend bool operator==(const Asking&, const Asking&) = default;
};
inline constexpr Asking kUnanswered{.asks = true, .answered = Certainty::kNo};

// A neighbour that was asked for and does not answer, and when its entry fails.
struct AskedNeighbour {
  uint8_t device = 0;
  uint8_t peer = 0;
  Span fails;
};

class Neighbours {
 public:
  explicit Neighbours(size_t devices) : tables_(devices), before_(devices) {}

  NeighbourTable& of(uint8_t device) { return tables_[device]; }
  const NeighbourTable& of(uint8_t device) const { return tables_[device]; }
  // False without a device: an id need not have an interface.
  bool Wrong(uint8_t device, uint8_t peer) const {
    return device != kNoDevice && tables_[device][peer] == Neighbour::kWrong;
  }
  // The same, before the last fault.
  bool WasWrong(uint8_t device, uint8_t peer) const {
    return device != kNoDevice && before_[device][peer] == Neighbour::kWrong;
  }
  // A fault begins.
  void Keep() { before_ = tables_; }
  // Every host has the entries again that were absent.
  void Learn() {
    for (NeighbourTable& table : tables_) table.Learn();
    asked_.clear();
  }

  // A host asks for a neighbour; nothing new if it does so already, or has an entry.
  void Ask(const AskedNeighbour& asked) {
    const bool again = std::ranges::any_of(asked_, [&](const AskedNeighbour& one) {
      return one.device == asked.device && one.peer == asked.peer;
    });
    if (!again && of(asked.device)[asked.peer] == Neighbour::kAbsent) asked_.push_back(asked);
  }
  // The next one that may fail until then; each once.
  std::optional<AskedNeighbour> TakeFailure(int64_t until) {
    if (asked_.empty() || asked_.front().fails.earliest > until) return std::nullopt;
    const AskedNeighbour failure = asked_.front();
    asked_.erase(asked_.begin());
    return failure;
  }

 private:
  std::vector<NeighbourTable> tables_;  // by device
  std::vector<NeighbourTable> before_;
  std::vector<AskedNeighbour> asked_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_NEIGHBOURS_H_
