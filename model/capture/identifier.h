// One communication id as a capture shows it: every state of the ib_cm table that it may be in,
// after the messages that it sent and those that it may have received.
//
// 1. A captured message may have arrived: immediately, later or never. MayHear makes a row
//    possible, it executes none. Local calls and timers are invisible; they are possible whenever
//    their row sends nothing.
// 2. A message of the id narrows the set to states that are reached by a row that sends it.
// 3. All sent messages are in the capture, unless messages may be missing.
#ifndef MODEL_CAPTURE_IDENTIFIER_H_
#define MODEL_CAPTURE_IDENTIFIER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/ib_cm/rules.h"

namespace cm::wire {

// A message in the terms of the table.
struct Saying {
  model::Sends what = model::Sends::kNothing;
  bool again = false;  // its sender has sent the same before
  bool fresh = true;   // and this may be the first transmission
  bool stale = false;  // a REJ of reason 10
};

class Identifier {
 public:
  static Identifier Active();     // it exists, and has sent nothing yet
  static Identifier Asked();      // a REQ was delivered to it
  static Identifier AskedSidr();  // a SIDR_REQ
  static Identifier Unknown();    // it was there before the capture began

  // Makes that stimulus possible from now on, in these of its states.
  void MayHear(model::IbStimulus what, model::IbStates in = kEveryState);
  // The id may have sent a message that was not captured, now or at any time.
  void MaySayUnseen() { Settle(Unseen::kPermitted); }
  // The same at any time, and for its peer as well.
  void MayLackMessages();
  // Its calls may end before their message is sent: its side may have lost an address, a link or
  // the device.
  void MayFailToSend() { may_fail_ = true; }
  // A REP that an MRA has delayed is repeated after a DREQ as well. source: linux 5.10 cm.c
  // cm_dreq_handler
  void MayKeepReply() { keeps_reply_ = true; }

  // Narrows the set; if no state permits the message, returns false and changes nothing.
  bool Says(const Saying& saying);

  bool MayBe(model::IbStates states);
  // The rows by which it may send now, in the order of the table.
  std::vector<const model::IbRule*> MaySay();

  static constexpr model::IbStates kEveryState = model::IbStates::All(model::kIbStateCount);

 private:
  enum class Unseen : uint8_t { kNothing, kPermitted };
  // The timer of its own that an id left running when it moved on.
  enum Left : uint8_t { kNone, kReq, kRep, kLeftCount };
  struct Possibility {
    model::IbState state;
    Left left;
  };
  static constexpr size_t kPossibilities = size_t{model::kIbStateCount} * kLeftCount;
  using Set = uint64_t;  // a bit for each possibility, by its index
  static_assert(kPossibilities < 64);

  static constexpr Set Bit(size_t index) { return Set{1} << index; }
  static size_t Index(Possibility p) { return static_cast<size_t>(p.state) * kLeftCount + p.left; }
  static Possibility At(size_t index) {
    return {static_cast<model::IbState>(index / kLeftCount), static_cast<Left>(index % kLeftCount)};
  }
  Possibility After(const model::IbRule& rule, Possibility before) const;
  static bool Shows(const model::IbRule& rule, Possibility at, const Saying& saying);

  explicit Identifier(model::IbState state);
  bool Can(const model::IbRule& rule, Possibility at) const;
  void Settle(Unseen unseen);

  Set set_ = 0;
  std::array<model::IbStates, model::kIbStimulusCount> in_{};  // where each stimulus can act
  Unseen unseen_ = Unseen::kNothing;
  bool may_fail_ = false;
  bool keeps_reply_ = false;
};

// The message that a row sends; kNothing if none. For kAgain, that of the state.
model::Sends SentBy(const model::IbRule& rule);

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_IDENTIFIER_H_
