// Queue pair numbers: what applications named and were shown, held against what the frames carry.
#ifndef CONFORMANCE_RUNNER_SHOWN_NUMBERS_H_
#define CONFORMANCE_RUNNER_SHOWN_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/capture/captured_message.h"
#include "model/conversation/history.h"

namespace cm {

// Takes the frames of one history in their order, and then compares.
class ShownNumbers {
 public:
  explicit ShownNumbers(const History& history) : history_(history) {}

  // Frame `message` of the history.
  void Hear(size_t message, const wire::CapturedMessage& heard);

  // What a call names and the message that it sends does not carry, and what an event shows and no
  // message that has arrived carries. The number of a violation is that of a frame before it.
  // A tap does not see what a device sends to itself: where messages are tapped, an event may show
  // the number of a call with which none was seen.
  std::vector<wire::Violation> Differences();

 private:
  // The number in a REQ, REP or SIDR_REP.
  struct Carried {
    size_t message = 0;
    MadKind kind = MadKind::kReq;
    uint32_t number = 0;
    bool again = false;  // a repetition
  };

  // A call with which no message was tapped.
  struct Untapped {
    bool asks = false;
    std::optional<uint32_t> number;  // empty: its provider's
  };

  void NoteUntapped(const line::Calls& line, bool has_qp);
  const WireRecord& SentAs(const Carried& carried) const { return history_.wire[carried.message]; }
  // Whether messages that ask, or answer, were sent in the record by its side.
  bool SendsIn(uint32_t record, uint8_t side, bool asks) const;
  std::optional<wire::Violation> CallDiffers(uint32_t record, const line::Calls& line) const;
  std::optional<wire::Violation> EventDiffers(uint32_t record, const CmEvent& event,
                                              bool answers) const;

  const History& history_;
  std::vector<Carried> carried_;
  std::vector<Untapped> untapped_;
  std::set<std::pair<MadKind, uint64_t>> sent_;  // with their TIDs
};

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_SHOWN_NUMBERS_H_
