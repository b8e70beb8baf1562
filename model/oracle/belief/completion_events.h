// The completion events of one queue, as far as calls on it show: how many are on its channel,
// whether its next completion brings another, and how many are not acknowledged.
#ifndef MODEL_ORACLE_BELIEF_COMPLETION_EVENTS_H_
#define MODEL_ORACLE_BELIEF_COMPLETION_EVENTS_H_

#include <cstddef>
#include <cstdint>

#include "model/oracle/belief/certainty.h"
#include "model/oracle/belief/state.h"

namespace cm::model {

class CompletionEvents {
 public:
  // What was known of the queue when it was armed.
  struct Arming {
    bool solicited_only = false;
    bool empty = false;    // it had no completion, for certain
    bool settled = false;  // every completion that was due was there
    size_t done = 0;       // completions that calls had returned
    size_t posted = 0;     // requests posted at its end, and at its peer's
    QpPhases own;
    QpPhases peers;
  };

  Certainty armed() const { return armed_; }
  const Arming& arming() const { return arming_; }  // the last one
  // Whether the channel has no event.
  Certainty Missing() const {
    if (least_ > 0) return Certainty::kNo;
    const uint32_t still_to_come = armed_ == Certainty::kYes ? 1 : 0;
    return most_ > still_to_come ? Certainty::kMaybe : Certainty::kYes;
  }
  bool Unacknowledged() const { return unacknowledged_ != 0; }

  // A queue that is armed for any completion stays so. source: linux 6.1 rxe_verbs.c
  // rxe_req_notify_cq
  void Arm(Arming arming) {
    const bool for_any = armed_ != Certainty::kNo && !arming_.solicited_only;
    const bool unknown = armed_ == Certainty::kMaybe && for_any && arming.solicited_only;
    if (for_any) arming.solicited_only = false;
    if (armed_ != Certainty::kYes) ++most_;
    armed_ = unknown ? Certainty::kMaybe : Certainty::kYes;
    arming_ = arming;
  }
  // Whether the queue has got a completion that it was armed for.
  void Complete(Certainty completed) {
    if (armed_ == Certainty::kNo || completed == Certainty::kNo) return;
    const bool reports = armed_ == Certainty::kYes && completed == Certainty::kYes;
    if (reports) ++least_;
    armed_ = reports ? Certainty::kNo : Certainty::kMaybe;
  }
  void Read() {
    ++unacknowledged_;
    if (most_ > 0) --most_;
    if (least_ > 0) --least_;
    if (most_ == 0) armed_ = Certainty::kNo;
  }
  void Acknowledge(uint32_t events) { unacknowledged_ -= events; }
  // A call has waited for a completion: it has read the events and acknowledged them.
  void Waited() {
    armed_ = Certainty::kNo;
    least_ = most_ = 0;
  }
  // A call may have waited, or may have armed the queue without waiting.
  void MayHaveWaited() {
    if (armed_ != Certainty::kYes) ++most_;
    armed_ = Certainty::kMaybe;
    least_ = 0;
  }

 private:
  Arming arming_;
  Certainty armed_ = Certainty::kNo;
  uint32_t least_ = 0;          // events on the channel
  uint32_t most_ = 0;           // with the one that arming may still bring
  int64_t unacknowledged_ = 0;  // of those that were read
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_COMPLETION_EVENTS_H_
