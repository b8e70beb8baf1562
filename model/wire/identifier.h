// One communication identifier as a capture shows it: every state of the ib_cm table that it may
// be in, after what it said and what may have reached it.
//
// 1. A message that was seen may have arrived, at once, later or never: Heard makes a row possible,
//    it carries none out. Local calls and timers nobody sees; they are possible whenever their row
//    sends nothing.
// 2. What it says narrows the set: only states stay that a row leads to which sends that message.
// 3. Nothing was sent that is not in the capture, unless messages may be missing.
#ifndef MODEL_WIRE_IDENTIFIER_H_
#define MODEL_WIRE_IDENTIFIER_H_

#include <array>
#include <bitset>
#include <cstddef>
#include <vector>

#include "model/ib_cm/rules.h"

namespace cm::wire {

// A message as the table knows it.
struct Saying {
  model::Sends what = model::Sends::kNothing;
  bool again = false;  // its sender said the same before
  bool fresh = true;   // and this may be the first time that it does
  bool stale = false;  // a REJ of reason 10
};

class Identifier {
 public:
  static Identifier Active();     // it exists, and has sent nothing yet
  static Identifier Asked();      // a REQ was delivered to it
  static Identifier AskedSidr();  // a SIDR_REQ
  static Identifier Unknown();    // it was there before the capture began

  // From now on that may happen to it, in these of its states.
  void MayHear(model::IbStimulus what, model::IbStates in = kEveryState);
  // It may have said something that is not to be seen, now or at any time.
  void MaySayUnseen() { Settle(Unseen::kPermitted); }
  // The same at any time, and so may whoever speaks to it.
  void MayLackMessages();

  // Whether one of its states permits that; if none does, nothing changes.
  bool Says(const Saying& saying);

  bool MayBe(model::IbStates states);
  // The rows by which it may speak now, in the order of the table.
  std::vector<const model::IbRule*> MaySay();

  static constexpr model::IbStates kEveryState = model::IbStates::All(model::kIbStateCount);

 private:
  enum class Unseen : uint8_t { kNothing, kPermitted };
  // What of its own an identifier left to run out when it moved on.
  enum Left : uint8_t { kNone, kReq, kRep, kLeftCount };
  struct Possibility {
    model::IbState state;
    Left left;
  };
  static constexpr size_t kPossibilities = size_t{model::kIbStateCount} * kLeftCount;
  using Set = std::bitset<kPossibilities>;

  static size_t Index(Possibility p) { return static_cast<size_t>(p.state) * kLeftCount + p.left; }
  static Possibility At(size_t index) {
    return {static_cast<model::IbState>(index / kLeftCount), static_cast<Left>(index % kLeftCount)};
  }
  static Possibility After(const model::IbRule& rule, Possibility before);
  static bool Shows(const model::IbRule& rule, Possibility at, const Saying& saying);

  explicit Identifier(model::IbState state);
  bool Can(const model::IbRule& rule, Possibility at) const;
  void Settle(Unseen unseen);

  Set set_;
  std::array<model::IbStates, model::kIbStimulusCount> in_{};  // where each stimulus can act
  Unseen unseen_ = Unseen::kNothing;
};

// The message that a row puts on the wire; kNothing if none. kAgain is that of the state.
model::Sends SentBy(const model::IbRule& rule);

}  // namespace cm::wire

#endif  // MODEL_WIRE_IDENTIFIER_H_
