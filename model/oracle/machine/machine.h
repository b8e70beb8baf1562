// Execution of rows: their effects on a possibility besides the reply.
#ifndef MODEL_ORACLE_MACHINE_MACHINE_H_
#define MODEL_ORACLE_MACHINE_MACHINE_H_

#include <algorithm>
#include <cstdint>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/state.h"

namespace cm::model {

// The parameters of a stimulus.
struct Details {
  uint16_t payload = kNoPayload;
  uint16_t reason = static_cast<uint16_t>(RejReason::kConsumerDefined);  // or a SIDR status
  uint16_t told = kNoPayload;  // over iWARP: the negotiated values reported to the id itself
};

class Machine {
 public:
  explicit Machine(const ConversationFacts& facts) : facts_(facts) {}

  // Its peer's numbers are in the tables that detect duplicates and stale connections.
  static bool KnownRemotely(const IdState& id);
  // A message of the tester arrives. tester_arrivals.cc
  void ArriveFromTester(Possibility* p, const Flight& flight, uint8_t user, Span when) const;
  // The row of an IB CM identifier; null where the table has none.
  static const IbRule* Find(IbState state, IbStimulus on);
  // Executes that row on the id: state, messages, events. `when` is its time.
  const IbRule* Stimulate(Possibility* p, uint8_t id, IbStimulus on, const Details& details,
                          Span when) const;
  // The same for one of the iWARP CM, and what its provider does.
  static const IwRule* FindIw(IwState state, IwStimulus on);
  const IwRule* StimulateIw(Possibility* p, uint8_t id, IwStimulus on, const Details& details,
                            Span when) const;
  // A frame, or the end, arrives on a TCP connection.
  void ArriveOverTcp(Possibility* p, const Flight& flight, Span when) const;
  // A request finds the queue of its listener full.
  void MeetFullQueue(Possibility* p, const Flight& flight, Span when) const;
  // The listener for a TCP connection from the id to its destination.
  RequestGuard AcceptorOf(const Possibility& p, uint8_t id) const;
  bool over_iwarp() const { return facts_.over_iwarp(); }
  bool over_infiniband() const { return facts_.over_infiniband(); }
  // An event from below for the id; false when the table has no row for it.
  bool FromBelow(Possibility* p, uint8_t id, Below on, Span when) const;
  // Reports one of the pending memberships.
  void ReportMembership(Possibility* p, uint8_t id, size_t which, Below on, Span when) const;
  // A request arrives at a device.
  // `user`: the id that its queue pair is connected to, or kNoId.
  void ArriveRequest(Possibility* p, const Flight& flight, uint8_t user, Span when) const;
  // The id that is connected to the queue pair in a request or reply; kNoId: none is. `least`: that
  // it may be, or that it certainly is.
  uint8_t UserOf(const Possibility& p, const Flight& flight, Certainty least) const;
  // A reply arrives at an id that awaits one, from the queue pair of another connection.
  void RefuseReply(Possibility* p, uint8_t id, const Flight& reply, uint8_t user, Span when) const;
  // The listener that a request reaches, or kNoId where an id knows of the request already or
  // there is none.
  uint8_t ListenerFor(const Possibility& p, const Flight& request) const;
  // Whether an id has been made for the request, which hears of it again.
  bool IsKnown(const Possibility& p, const Flight& request) const {
    return FindChild(p, request) != kNoId;
  }
  // The request that the id would repeat now.
  Flight RequestOf(const IdState& id) const;
  // How many ids have a request under way, or repeat one, that reaches the listener.
  int CountAsking(const Possibility& p, uint8_t listener) const;
  // Whether the listener's queue may have been full at some time of `when`, though it has room.
  bool MayBeFull(const IdState& listener, int asking, Span when) const;
  // The same, of one that is judged apart from those that ask it.
  bool MayBeFullFor(IdRef listener, Span when) const;
  // Something is taken out of the queue of the listener, which may have been full until then.
  void NoteFull(Possibility* p, uint8_t listener, Span when) const;
  // Whether it may reach a listener of another component: the two have to be joined first.
  bool AsksElsewhere(const Possibility& p, const Flight& request) const;
  // The same of one of a crowd that is judged apart: what its request has met there is left open.
  bool IsApart(const Possibility& p, const Flight& request) const {
    return request.sender.valid() && facts_.id(request.sender).apart_from.valid() &&
           AsksElsewhere(p, request);
  }
  // Of the requests of such a one the last stands for all.
  void JoinApart(Possibility* p, uint8_t id) const;
  // Whether a reply's communication id is that of another connection.
  bool Known(const Possibility& p, const Flight& reply) const;
  // The kernel's part of destroying an id: its peer is notified, its abandoned messages are
  // retransmitted.
  void DestroyInKernel(Possibility* p, uint8_t id, Span when) const;
  // The application's part: drops unfetched events and requests, and then the id.
  void Destroy(Possibility* p, uint8_t id, Span when) const;
  // Destroys the requests that listeners have left on one of the channels: `among(channel)`.
  template <typename Among>
  void DestroyLeftOn(Possibility* p, Among among, Span when) const {
    for (uint8_t i = 0; i < p->ids.size();) {
      const IdState& id = p->ids[i];
      if (id.gone || !id.left_on.valid() || !among(id.left_on)) {
        ++i;
        continue;
      }
      Destroy(p, i, when);
      i = 0;  // what was behind it may be before it now
    }
  }
  // False when the transition is not permitted; then nothing changes.
  static bool MoveQp(Possibility* p, uint8_t id, QpStimulus on);

 private:
  // The request is for the service that the owner of the port may offer.
  bool IsFor(const Flight& request, const PortOwner& owner) const;
  void Report(Possibility* p, uint8_t id, Report report, const Details& details) const;
  // `own` unless it is an answer, which is derived from the message that it answers.
  void Send(Possibility* p, uint8_t id, Sends kind, bool own, const Details& details,
            Span when) const;
  RequestGuard OddityOf(const TesterMad& mad) const;
  uint8_t FindForTester(const Possibility& p, const Flight& flight) const;
  IbStimulus StimulusOfTester(const Possibility& p, uint8_t id, const Flight& flight,
                              uint8_t user) const;
  // The listener of a request, without the check for staleness.
  RequestGuard GuardOf(const Possibility& p, const Flight& flight, uint8_t* listener) const;
  void ArriveSidrRequest(Possibility* p, const Flight& flight, Span when) const;
  void Deliver(Possibility* p, const Flight& flight, uint8_t listener, Span when) const;
  // Uses the row of a table of requests.
  template <typename Rules>
  static const auto& Use(Possibility* p, const Rules& rules, RequestGuard guard) {
    const auto& rule =
        *std::ranges::find_if(rules, [guard](const auto& one) { return one.when == guard; });
    p->used.set(NumberOf(&rule));
    return rule;
  }
  // Answers a request that no id knows.
  static void Refuse(Possibility* p, const Flight& request, Sends kind, uint16_t reason, Span when);
  void SendOverTcp(Possibility* p, uint8_t id, Sends kind, const Details& details, Span when) const;
  static void Enter(IdState* id, IwState state, Span when);
  void EndStale(Possibility* p, uint8_t user, Span when) const;
  uint8_t FindChild(const Possibility& p, const Flight& request) const;
  void DropRequests(Possibility* p, uint8_t listener, Span when) const;

  const ConversationFacts& facts_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_MACHINE_H_
