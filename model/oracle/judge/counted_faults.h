// Faults that hit a number of messages: which messages they hit.
#ifndef MODEL_ORACLE_JUDGE_COUNTED_FAULTS_H_
#define MODEL_ORACLE_JUDGE_COUNTED_FAULTS_H_

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"

namespace cm::model {

// A fault counts messages in the order in which they are sent. Before each record `Expect` notes
// every message that it may cause: the last place that a message can have among them. After it
// `Learn` counts what it has sent for certain: the first place.
class CountedFaults : JudgeBase {
 public:
  explicit CountedFaults(JudgeContext& context);

  // Before the record is judged, of what was made.
  void Expect(const Record& record, const Line& line);
  // From a permitted record: what has just been sent is hit or spared.
  void Learn(const Record& record, const Line& line);

 private:
  // The devices at both ends of an id; kNoDevice: it is not known.
  struct Route {
    uint8_t own = kNoDevice;
    uint8_t peer = kNoDevice;
    friend bool operator==(const Route&, const Route&) = default;
  };

  void ExpectGroup(const Record& record);
  void Calls(const Call& call, const Reply& reply, Span when);
  void Fetched(const CmEvent& event, const Record& record);
  Route RouteOf(IdRef id, Span when) const;
  void Asks(IdRef id, Span when);
  void AsksForService(IdRef id, Span when);
  void Replies(IdRef id, Span when);
  // What an id may send that is disconnected, rejected, or destroyed, also by its kernel.
  void Disconnects(IdRef id, Span when);
  void Rejects(IdRef id, Span when);
  void Ends(IdRef id, Span when);
  template <typename IsSo>
  void EndsAll(Span when, IsSo is_so);
  // One message, of that device.
  void Once(MadKind kind, Span when, uint8_t from = kNoDevice) {
    fault_model_.may_sends().Add({.kinds = MadKinds(kind), .when = when, .from = from});
  }
  static Span TimeOf(const Record& record);
  void LoseStale(const Call& call);
  void LearnOf(IdRef id, MadKind kind, const Record& record);

  bool counts_ = false;  // a fault of the conversation does
  int64_t interval_;     // between two transmissions, at least
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_COUNTED_FAULTS_H_
