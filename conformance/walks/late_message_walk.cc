// Late messages for ids that have moved on, or are gone.

#include "conformance/walks/walks.h"

namespace cm {
namespace {

constexpr Duration kLate = Duration::Seconds(15);     // later than all changes of the receiver
constexpr Duration kUntilMra = Duration::Seconds(7);  // a request was retransmitted by then

class LateMessages {
 public:
  explicit LateMessages(ConversationBuilder& builder) : builder_(builder), port_(builder.Port(0)) {}

  // A message is delayed for so long that its receiver is gone when it arrives.
  void ReachNobody() {
    const MadKind kind =
        builder_.OneOf({MadKind::kMra, MadKind::kRtu, MadKind::kRep, MadKind::kRej, MadKind::kDrep},
                       "which message is late");
    builder_.Listens(kPassiveSide, port_);
    Delay(kind, 1);
    const IdRef active = builder_.Connects(kActiveSide, port_);
    if (kind == MadKind::kMra) {
      builder_.Pass(kUntilMra);
      builder_.Destroys(active);
    }
    const IdRef passive = builder_.Accepts(kPassiveSide);
    builder_.SettlesAndFetches(1);
    if (builder_.OneIn(2, "the active side disconnects")) builder_.Disconnects(active);
    builder_.Destroys(builder_.OneIn(2, "who goes") ? active : passive);
    End();
  }

  // A retransmission finds its receiver in another state.
  void FindAnotherState() {
    builder_.Listens(kPassiveSide, port_);
    const uint64_t what = builder_.Below(3, "what is late");
    if (what == 0) Delay(MadKind::kReq, 2);
    if (what == 1) Delay(MadKind::kMra, 1);
    if (what == 2) Lose(MadKind::kRtu);
    const IdRef active = builder_.Connects(kActiveSide, port_);
    if (what < 2) builder_.Pass(kUntilMra);
    const IdRef passive = builder_.Accepts(kPassiveSide);
    builder_.SettlesAndFetches(1);
    if (what == 2) Lose(MadKind::kDreq);
    if (what == 2 || builder_.OneIn(2, "it ends")) builder_.Disconnects(active);
    if (builder_.OneIn(2, "the peer ends it")) builder_.Disconnects(passive);
    builder_.PassesAndFetches(kLate, 1);
    End();
  }

  // A request is rejected because its queue pair is in use, when its sender has given it up.
  void RefuseWhatIsGone() {
    builder_.Listens(kPassiveSide, port_);
    ConnParam param = builder_.Numbered();
    Asks(param);
    builder_.Accepts(kPassiveSide);
    builder_.SettlesAndFetches(1);
    Delay(MadKind::kRej, 1);
    const IdRef again = Asks(param);
    builder_.Settle();
    if (builder_.OneIn(2, "how it gives up"))
      builder_.Destroys(again);
    else
      builder_.Call(call::Reject{again, {}});
    builder_.PassesAndFetches(kLate, 1);
    End();
  }

  // A reply is rejected because its queue pair is in use, when its sender awaits the RTU and when
  // COMM_EST has established the connection.
  void RefuseReplies() {
    builder_.Listens(kPassiveSide, port_);
    ConnParam reply = builder_.Numbered();
    const IdRef first = Asks(builder_.Numbered());
    Answers(reply);
    builder_.SettlesAndFetches(1);
    if (builder_.OneIn(2, "the first connection stands")) builder_.Call(call::Establish{first});
    builder_.SettlesAndFetches(1);
    const bool late = builder_.OneIn(2, "the refusal is late");
    if (late) Delay(MadKind::kRej, 1);
    Asks(builder_.Numbered());
    const IdRef refused = Answers(reply);
    if (late) builder_.Call(call::Notify{refused});
    builder_.SettlesAndFetches(2);
    if (late && builder_.OneIn(2, "who replied ends it")) {
      Lose(MadKind::kDrep);
      builder_.Disconnects(refused);
    }
    builder_.PassesAndFetches(kLate, 1);
    End();
  }

 private:
  IdRef Answers(const ConnParam& param) {
    const Lane lane = LaneOf(kPassiveSide);
    builder_.Wait(lane, builder_.ChannelOf(kPassiveSide), Duration::Seconds(1));
    const IdRef passive = builder_.Fetch(lane, builder_.ChannelOf(kPassiveSide));
    builder_.Call(call::Accept{passive, param});
    return passive;
  }

  IdRef Asks(const ConnParam& param) {
    const IdRef active = builder_.Resolves(kActiveSide, port_);
    builder_.Call(call::Connect{active, param});
    return active;
  }

  void Delay(MadKind kind, uint32_t first) {
    for (const uint8_t side : {kActiveSide, kPassiveSide}) {
      builder_.Inject({.kind = FaultKind::kDelay,
                       .side = side,
                       .messages = MadKinds(kind),
                       .first = builder_.Can(Capability::kDropNth) ? first : 1,
                       .by = kLate});
    }
  }

  void Lose(MadKind kind) { builder_.Drop(MadKinds(kind), kActiveSide); }

  void End() {
    builder_.Heal();
    builder_.PassesAndFetches(kLate * 2, 2);
  }

  ConversationBuilder& builder_;
  uint16_t port_;
};

}  // namespace

void MessagesArriveLate(ConversationBuilder& builder) {
  LateMessages late(builder);
  builder.DoOneOf(&late, "what arrives too late",
                  {{1, &LateMessages::ReachNobody},
                   {1, &LateMessages::FindAnotherState},
                   {1, &LateMessages::RefuseWhatIsGone},
                   {1, &LateMessages::RefuseReplies}});
}

}  // namespace cm
