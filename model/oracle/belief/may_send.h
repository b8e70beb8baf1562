// What may have been sent, as far as the calls tell: an upper bound for faults that count messages.
#ifndef MODEL_ORACLE_BELIEF_MAY_SEND_H_
#define MODEL_ORACLE_BELIEF_MAY_SEND_H_

#include <cstdint>
#include <vector>

#include "model/oracle/belief/carriers.h"
#include "model/oracle/belief/state.h"
#include "model/vocabulary/mad_kind.h"

namespace cm::model {

// One message, of one of these kinds, and what is sent for it again.
struct MaySend {
  MadKinds kinds;
  Span when;             // the first time, in ns; latest kStill: it may still come
  int64_t interval = 0;  // at least so long between two transmissions; 0: it is sent once
  bool first = true;     // false: the first is counted elsewhere
  IdRef attempt;         // ends with the attempt of this id
  int64_t until = kStill;
  uint8_t from = kNoDevice;  // the device of its sender; kNoDevice: it may be any
};

class MaySends {
 public:
  void Add(const MaySend& may) { all_.push_back(may); }
  // Of concurrent calls all are noted with the first that is judged; false: they are already.
  bool NoteGroup(uint32_t first_line);
  // The id has sent a message of the kind by then, in a record that begins at `begin`; false: it is
  // noted already, with a record of the same instant.
  bool NoteSent(IdRef id, MadKind kind, int64_t at, int64_t begin);
  // The attempt of the id has succeeded or failed: nothing of it is sent again.
  void End(IdRef id, int64_t now);
  // A REJ is noted that may still answer its request.
  bool MayBeRejected(IdRef id) const;
  // The DREQ of the id that was to be sent then was not, nor what answers it.
  void TakeBack(IdRef id, int64_t then);
  // Messages of the kinds may have been sent that no call tells of: there is no bound any more.
  void Lose(MadKinds kinds) { lost_ = lost_ | kinds; }
  // Messages of the kinds may have come more often than they were sent, and were answered.
  void LoseAnswersTo(MadKinds kinds);

  // How many messages of the kinds the device may have sent until `until`, besides those that were
  // before `from` for certain; 0: it is not known. kNoDevice: those of all devices.
  uint32_t Most(MadKinds kinds, uint8_t device, int64_t from, int64_t until) const;

 private:
  struct Sent {
    IdRef id;
    MadKind kind = MadKind::kOther;
    int64_t at = 0;
  };

  std::vector<MaySend> all_;
  std::vector<Sent> sent_;  // since the last record began
  int64_t group_ = -1;      // the first line of the last group
  MadKinds lost_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_MAY_SEND_H_
