// Judges a run from outside.
//
// The application observes replies and events, never states. So the oracle stores, for each group
// of ids that can influence one another (a component), every possibility that the tables permit,
// and refuses a record when none is left. It reads the tables and nothing else.
//
//   1. Observe each record of a history in turn; the first that is refused ends the judgement.
//   2. Loss, delay, removal and address change are permitted only where an environment line of the
//      conversation permits them.
//   3. The sets are closed over hidden steps (a message arrives, a timer expires) before an
//      observation that depends on them, and not earlier.
#ifndef MODEL_ORACLE_ORACLE_H_
#define MODEL_ORACLE_ORACLE_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/conversation/history.h"
#include "model/oracle/conversation_facts.h"
#include "model/oracle/fault_model.h"
#include "model/oracle/guards.h"
#include "model/oracle/machine.h"
#include "model/oracle/steps.h"

namespace cm::model {

// A permitted observation, by a row, or a missing one that is overdue.
struct Permitted {
  std::string what;
  std::string rule;  // id of the row; empty for an overdue observation
  std::string source;
};

enum class Verdict : uint8_t {
  kPermitted,
  kRefused,
  kInconclusive,  // too many possibilities
  kOutOfScope,    // about an id that the tables do not cover
};

struct Judgement {
  Verdict verdict = Verdict::kPermitted;
  std::string saw;
  std::vector<Permitted> permitted;
  RuleBits by;        // the rows of some explanation
  RuleBits certain;   // of them and of earlier rows, those in every explanation
  bool sharp = true;  // another errno, event or status would have been refused
};

class Oracle {
 public:
  // `conversation` and `profile` must outlive the oracle.
  Oracle(const Conversation& conversation, const Profile& profile);

  // Judges the next record of the history, in order. After a refusal the oracle must not be used
  // any more. Inconclusive when a component has too many possibilities. Never fails.
  Judgement Observe(const Record& record);
  // The tables do not cover a call on the id: it, and all ids that it can influence, are not judged
  // any more.
  void MarkOutOfScope(IdRef id);
  // The history's show-event has only type and status, as in recordings. Before the first record.
  void ShowsOnlyTypeAndStatus() { partial_events_ = true; }
  // Queue pair numbers in calls are those of existing queue pairs, as in recordings. Before the
  // first record.
  void NumbersNameQps() { facts_.numbers_name_qps = true; }

  // Rows of some explanation of the history so far, and rows of every explanation.
  const RuleBits& reached() const { return reached_; }
  const RuleBits& confirmed() const { return confirmed_; }
  // The largest number of possibilities of a component so far.
  size_t largest_set() const { return largest_; }

 private:
  struct Component {
    PossibilitySet set;
    std::vector<IdRef> ids;  // the named ones
  };
  // A blocked call.
  struct Blocked {
    uint32_t line = 0;
    Lane lane;
    IdRef id;                // of rdma_destroy_id
    ChannelRef channel;      // of rdma_get_cm_event and rdma_destroy_event_channel
    bool completes = false;  // a call on a synchronous id, or rdma_get_request
    bool migrates = false;   // rdma_migrate_id
    bool closes = false;     // rdma_disconnect over iWARP
    int acks = 0;            // number of acknowledgements of its id that it waits for
    uint16_t leaves = 0;     // of rdma_leave_multicast: the membership
    bool work = false;       // rdma_get_send_comp, rdma_get_recv_comp
  };
  using ComponentNumber = uint32_t;

  // misuse.cc
  Judgement ObserveMisuse(Misuse misuse, const Reply& reply);

  // observe.cc
  Judgement ObserveCall(const Record& record, Lane lane, const Call& call,
                        const seen::Answered& answered);
  Judgement ObserveOnId(const Record& record, const Call& call, const seen::Answered& answered);
  Judgement ObserveDestroy(const Record& record, const Call& call, const Reply& reply);
  void MakeId(Lane lane, IdRef id, ChannelRef channel, PortSpace space);
  Judgement ObserveCreateId(Lane lane, const call::CreateId& call, const Reply& reply);
  Judgement ObserveChannelCall(const Record& record, Lane lane, const Call& call,
                               const seen::Answered& answered);
  Judgement ObserveDestroyChannel(const Record& record, const call::DestroyEventChannel& call,
                                  const Reply& reply);
  Judgement ObserveReleased(const Record& record, Lane lane, const seen::Released& released);
  Judgement ObserveShow(const Record& record, const call::Show& call, const Shown& shown);
  bool OfAnotherLink(IdRef id) const;
  bool LeadsNobodyKnowsWhere(IdRef id) const;

  // handed_out.cc
  Judgement ObserveEventStr(const call::EventStr& call, const seen::Answered& answered);
  // Drops the possibilities with another output; adds their outputs to the judgement.
  void JudgeHandedOut(const Call& call, const seen::Answered& answered, PossibilitySet* set,
                      Judgement* judgement) const;
  std::vector<HandedOut> ExpectedOf(const Possibility& p, const Call& call) const;
  // multicast.cc
  Judgement ObserveMulticast(const Record& record, Lane lane, const Call& call,
                             const seen::Answered& answered);
  Judgement ObserveLeft(const Record& record, const Blocked& was, const Reply& reply);
  // Its JOIN is due; `found`: the group can be found.
  void Join(Possibility* p, uint8_t id, const Call& call, bool found, Span when);
  void LearnJoined(IdRef id, const Call& call);
  void LearnMembershipOf(EventRef event, IdInfo& owner, const std::vector<uint16_t>& memberships);
  // Drops queued and pending events of the membership.
  void DropEvents(Possibility* p, uint8_t id, uint16_t membership) const;
  Payload MembershipPayload(IdRef id, const Call& call, bool found) const;
  // Whether a fetched JOIN makes the id's queue pair a member, if it has one.
  bool CanAttach(const IdState& id, const Pending& head) const;

  // held.cc
  Judgement ObserveHeld(const Record& record, Lane lane, const Call& call,
                        const seen::Answered& answered);
  std::vector<HandedOut> HandedBy(const Call& call, uint8_t side, const Window& window,
                                  const std::optional<HandedOut>& seen) const;
  std::pair<uint32_t, uint32_t> DevicesOf(uint8_t side, const Window& window) const;

  // addrinfo.cc
  // An id has more events unread than can be followed.
  bool TooManyUnread(IdRef id);
  // work.cc
  struct DueCompletion {
    Completion completion;
    const WorkRule* rule = nullptr;
    size_t at = 0;  // the request, among all of its queue
  };
  // What a request or a reply says of the id's queue pair.
  uint8_t SharesReceives(IdRef id) const { return facts_.ledger.of(id).shares ? 1 : 0; }
  QpPhases PhasesOf(IdRef id);
  void MeetPeer(IdRef id);
  Ends EndsOf(IdRef id);
  void QueuePairFailed(IdRef id);
  std::vector<DueCompletion> DueOfSends(IdRef id, const Ends& ends) const;
  std::vector<DueCompletion> DueOfReceives(IdRef id, const Ends& ends) const;
  bool AllMayBeSilent(IdRef id, const Ends& ends) const;
  Certainty NothingCompleted(IdRef id, bool receives, const Ends& ends) const;
  Judgement ObserveCompletion(const Record& record, Lane lane, const Call& call, const Reply& reply,
                              const std::optional<HandedOut>& handed);
  bool JudgeWork(IdRef id, bool receives, const Ends& ends, const std::optional<HandedOut>& handed,
                 Judgement* judgement);
  Judgement ObserveDereg(const call::DeregMr& dereg, const seen::Answered& answered);
  void LearnWork(const Record& record, const Line& line);

  // endpoints.cc
  Judgement ObserveCreateEp(const Record& record, Lane lane, const call::CreateEp& ep,
                            const Reply& reply);
  Judgement JudgeEp(const Window& window, const call::CreateEp& ep, const Reply& reply,
                    PossibilitySet fitting, Judgement judgement);
  Judgement ConcludeEp(const call::CreateEp& ep, const Reply& reply, PossibilitySet fitting,
                       Judgement judgement);
  void EndEp(const call::CreateEp& ep, Possibility p, EpStep at, EpEnd end, const Reply& expected,
             const Reply& reply, PossibilitySet* fitting, Judgement* judgement);
  bool TakeEpStep(const call::CreateEp& ep, EpStep at, const Call& step, const Reply& reply,
                  const Window& window, PossibilitySet* fitting, Judgement* judgement);
  void LearnFromEpEvent(IdRef id);
  void GiveQp(const call::GetRequest& get, const Window& window, const Reply& reply,
              const Possibility& served, PossibilitySet* next, Judgement* judgement);

  // synchronous.cc
  bool Completes(const Call& call) const;
  Judgement ObserveSynchronous(const Record& record, Lane lane, const Call& call,
                               const Reply& reply);
  // Splits into possibilities in which the call was refused, and others in which it has begun.
  void Begin(const Call& call, const Reply& reply, const Window& window, Judgement* judgement,
             PossibilitySet* refused, PossibilitySet* begun,
             std::vector<const CallRule*>* starting);
  Judgement JudgeCompletion(const Window& window, const Call& call, const Reply& reply,
                            Judgement judgement);
  void TakeAwaited(Possibility* p, uint8_t id, Span when);
  void LearnFromCompletion(const Call& call, const Possibility& p);
  void LetGo(IdRef id);
  // After a settling: refused when a call that still waits has had its event for certain.
  bool MayStillWait(const Record& record, Judgement* judgement);
  Judgement ObserveShowEvent(const Record& record, IdRef id, const seen::Answered& answered);

  // iwarp.cc
  // Judges what is different over iWARP; empty where nothing is.
  std::optional<Judgement> ObserveOverIwarp(const Record& record, Lane lane, const Call& call,
                                            const Reply& reply);
  // What the tables do not speak of: the ids are judged no more. True when the id is among them.
  bool BeyondIwarp(const Window& window, const Call& call);
  bool BeyondParameters(const Call& call);
  // `beyond`: something else of it is. Whom it would have reached is judged no more either.
  bool BeyondConnecting(const call::Connect& call, bool beyond);
  bool MayConnect(IdRef id);
  Judgement ObserveClosing(const Record& record, Lane lane, const Call& call, const Reply& reply);
  Judgement ObserveClosed(const Record& record, const Blocked& was, const Reply& reply);
  bool MayBe(IdRef id, const std::function<bool(const IdState&)>& is);
  Payload IwRequestPayload(const call::Connect& call) const;
  Details AgreedOn(const call::Accept& call, const IdState& id);

  // migration.cc
  Judgement ObserveMigrate(const Record& record, Lane lane, const call::MigrateId& call,
                           const Reply& reply);
  Judgement ObserveMigrated(const Blocked& was, const Reply& reply) const;
  // The id and its events go to the channel; what becomes of the requests among them.
  void MoveTo(ChannelRef channel, Possibility* p, uint8_t id, Span when);
  // Requests that were left on a channel go with it.
  void DestroyLeftOn(Possibility* p, Span when, const std::function<bool(ChannelRef)>& goes) const;
  void Acknowledged(IdRef id) {
    --facts_.id(id).unacked;
    ++facts_.id(id).acked;
  }
  static bool HasLeftOn(const Component& component, ChannelRef channel);

  // events.cc
  Judgement ObserveFetched(const Record& record, const call::GetCmEvent& call,
                           const CmEvent& event);
  Judgement ObserveNothing(const Record& record, ChannelRef channel, const Reply& reply);
  // An id that is not judged any more may have sent a request to any listener.
  void LearnUnjudged(const Line& line);
  bool SomebodyAsksUnjudged() const;
  bool MayHearOfUnjudged(ChannelRef channel);
  Judgement ObserveWait(const Record& record, ChannelRef channel, bool readable);
  Judgement ObserveUnseenFetch(const Record& record, const call::GetCmEvent& call);
  // The row for the first event of an id, if the application gets to see it; else null.
  const FetchRule* HeadRule(const Possibility& p, uint8_t id) const;
  Payload PayloadOf(IdRef id, EventType type, uint16_t number) const;
  bool HeadIs(const Possibility& p, uint8_t id, const FetchRule& rule, const CmEvent& event) const;
  void TakeHead(Possibility* p, uint8_t id, const FetchRule& rule, IdRef request, Span when);
  void PermitHead(const Possibility& p, uint8_t id, const FetchRule& rule,
                  std::vector<Permitted>* permitted) const;
  bool CanSend(const IdState& id) const;
  FetchGuard GuardOfFetch(const Possibility& p, uint8_t id, const Pending& head) const;
  bool Swallow(Possibility* p, uint8_t id, Span when);
  bool Drained(Possibility* p, ChannelRef channel, bool swallow, Span when);
  void LearnFromEvent(const CmEvent& event, const Possibility& p, IdRef request);

  // effects.cc
  struct Carrying;
  struct Learning;
  struct Actions;  // the rows of all effects
  void Apply(Possibility* p, uint8_t id, const CallRule& rule, const Call& call, Span when);
  void Carry(Possibility* p, uint8_t id, Effect effect, const Call& call, Span when);
  void Learn(IdRef id, const Call& call, const CallRule& rule);
  InlineVector<uint8_t, 2> DevicesAfter(const IdState& before, const CallRule& rule,
                                        const Call& call, const Window& window) const;
  void LearnQpKey(const CallRule& rule, const Call& call, const IdState& id);
  bool NobodyAnswers(const IdInfo& info, const Address& destination) const;
  void LearnBinding(IdRef id, const Address& address);
  void LearnDestination(IdInfo* info, const Call& call);
  void LearnRoute(IdInfo* info, const Call& call);

  // payloads.cc
  Payload DatagramPayload(const std::optional<ConnParam>& param, uint8_t length) const;
  Payload ServicePayload(const Call& call, const IdState& id) const;
  Payload RequestPayload(const call::Connect& call, bool has_qp) const;
  Payload ReplyPayload(const call::Accept& call, const IdState& id) const;
  void LearnDepths(const Call& call);

  // environment.cc
  Judgement ObserveEnvironment(const Record& record, const Line& line);
  bool MessagesUnderWay(int64_t now) const;
  void CloseAll(const Window& window);
  // Events that a fault of the side brings about at once.
  void Told(FaultTells tells, uint8_t side, const Window& window);
  void DeviceRemoved(uint8_t device, const Window& window);
  void MeetNeighbour(IdState* id, uint8_t device, const Window& window);
  void FailedOver(uint8_t device, const Window& window);
  void NeighboursChanged(const Window& window);
  void Exited(uint8_t side, const Window& window);
  void Crashed(uint8_t kernel);
  void Forget(uint8_t side);
  void LetLinksTurn(int64_t until);

  // tester.cc
  Judgement TesterSends(uint32_t line, Span when);
  std::vector<IdRef> ConcernedBy(const TesterMessage& message) const;
  uint16_t PayloadOfTester(const TesterMad& mad);

  // components.cc
  Component& ComponentOf(IdRef id) { return components_[facts_.id(id).component]; }
  bool Close(Component* component, const Window& window, Judgement* judgement);
  void Merge(IdRef a, IdRef b);
  void MergeForService(IdRef id, uint16_t port);
  void MergeForRequest(IdRef id);
  void MergeForQp(IdRef id);
  void TrySplit(ComponentNumber number);
  std::vector<ComponentNumber> ComponentsOn(ChannelRef channel) const;
  void CountClash(const PortOwner& owner, const Address& wanted, const Window& window,
                  PortClash* clash);
  PortClash ClashFor(IdRef id, const Call& call, const Window& window);
  static bool Unseen(const Record& record);
  void Confirm(Component* component, Judgement* judgement);
  // What is left of the component after an observation; refused, and false, where nothing is.
  bool Keep(Component* component, PossibilitySet next, Judgement* judgement);
  Window WindowOf(const Record& record) const;
  void Note(const Component& component);

  const Conversation& conversation_;
  const Profile& profile_;
  ConversationFacts facts_;
  FaultModel fault_model_;
  Machine machine_;
  Steps steps_;
  std::map<ComponentNumber, Component> components_;
  ComponentNumber next_component_ = 0;
  std::vector<Blocked> blocked_;
  std::vector<uint32_t> datagram_lengths_;  // of all that were sent
  int64_t settled_ = -1;
  bool partial_events_ = false;
  bool just_settled_ = false;
  Span joining_since_;      // when the join that is observed was asked for
  bool undefined_ = false;  // memory may be damaged: nothing can be said about what comes after
  RuleBits reached_;
  RuleBits confirmed_;
  size_t largest_ = 0;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_ORACLE_H_
