// Messages arrive at ids that have moved on, or are gone.
#include <array>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

constexpr Duration kLate = Duration::Seconds(15);     // later than what it finds changed
constexpr Duration kUntilMra = Duration::Seconds(7);  // by then a request was repeated

class Strays {
 public:
  explicit Strays(Stage& stage) : stage_(stage), port_(stage.Port(0)) {}

  // A message is under way for so long that its receiver is gone when it comes.
  void ReachNobody() {
    const MadKind kind =
        stage_.OneOf({MadKind::kMra, MadKind::kRtu, MadKind::kRep, MadKind::kRej, MadKind::kDrep},
                     "which message is late");
    stage_.Listens(kPassiveSide, port_);
    Delay(kind, 1);
    const IdRef active = stage_.Connects(kActiveSide, port_);
    if (kind == MadKind::kMra) {
      stage_.Pass(kUntilMra);
      stage_.Destroys(active);
    }
    const IdRef passive = stage_.Accepts(kPassiveSide);
    stage_.SettlesAndFetches(1);
    if (stage_.OneIn(2, "the active side disconnects")) stage_.Disconnects(active);
    stage_.Destroys(stage_.OneIn(2, "who goes") ? active : passive);
    End();
  }

  // A message is repeated, and its repetition finds its receiver in another state.
  void FindAnotherState() {
    stage_.Listens(kPassiveSide, port_);
    const uint64_t what = stage_.Below(3, "what is late");
    if (what == 0) Delay(MadKind::kReq, 2);
    if (what == 1) Delay(MadKind::kMra, 1);
    if (what == 2) Lose(MadKind::kRtu);
    const IdRef active = stage_.Connects(kActiveSide, port_);
    if (what < 2) stage_.Pass(kUntilMra);
    const IdRef passive = stage_.Accepts(kPassiveSide);
    stage_.SettlesAndFetches(1);
    if (what == 2) Lose(MadKind::kDreq);
    if (what == 2 || stage_.OneIn(2, "it ends")) stage_.Disconnects(active);
    if (stage_.OneIn(2, "the peer ends it")) stage_.Disconnects(passive);
    stage_.PassesAndFetches(kLate, 1);
    End();
  }

  // A request is refused because its queue pair is in use, when its sender has given it up.
  void RefuseWhatIsGone() {
    stage_.Listens(kPassiveSide, port_);
    ConnParam param = stage_.Numbered();
    Asks(param);
    stage_.Accepts(kPassiveSide);
    stage_.SettlesAndFetches(1);
    Delay(MadKind::kRej, 1);
    const IdRef again = Asks(param);
    stage_.Settle();
    if (stage_.OneIn(2, "how it gives up"))
      stage_.Destroys(again);
    else
      stage_.Call(call::Reject{again, {}});
    stage_.PassesAndFetches(kLate, 1);
    End();
  }

  // A reply is refused because its queue pair is in use, when its sender awaits it and when it has
  // seen for itself that the connection stands.
  void RefuseReplies() {
    stage_.Listens(kPassiveSide, port_);
    ConnParam reply = stage_.Numbered();
    const IdRef first = Asks(stage_.Numbered());
    Answers(reply);
    stage_.SettlesAndFetches(1);
    if (stage_.OneIn(2, "the first connection stands")) stage_.Call(call::Establish{first});
    stage_.SettlesAndFetches(1);
    const bool late = stage_.OneIn(2, "the refusal is late");
    if (late) Delay(MadKind::kRej, 1);
    Asks(stage_.Numbered());
    const IdRef refused = Answers(reply);
    if (late) stage_.Call(call::Notify{refused});
    stage_.SettlesAndFetches(2);
    if (late && stage_.OneIn(2, "who replied ends it")) {
      Lose(MadKind::kDrep);
      stage_.Disconnects(refused);
    }
    stage_.PassesAndFetches(kLate, 1);
    End();
  }

 private:
  IdRef Answers(const ConnParam& param) {
    const Lane lane = Stage::MainLane(kPassiveSide);
    stage_.Wait(lane, stage_.ChannelOf(kPassiveSide), Duration::Seconds(1));
    const IdRef passive = stage_.Fetch(lane, stage_.ChannelOf(kPassiveSide));
    stage_.Call(call::Accept{passive, param});
    return passive;
  }

  IdRef Asks(const ConnParam& param) {
    const IdRef active = stage_.Resolves(kActiveSide, port_);
    stage_.Call(call::Connect{active, param});
    return active;
  }

  void Delay(MadKind kind, uint32_t first) {
    for (const uint8_t side : {kActiveSide, kPassiveSide}) {
      stage_.Inject({.kind = FaultKind::kDelay,
                     .side = side,
                     .messages = MadKinds(kind),
                     .first = stage_.Can(Capability::kDropNth) ? first : 1,
                     .by = kLate});
    }
  }

  void Lose(MadKind kind) { stage_.Drop(MadKinds(kind), kActiveSide); }

  void End() {
    stage_.Heal();
    stage_.PassesAndFetches(kLate * 2, 2);
  }

  Stage& stage_;
  uint16_t port_;
};

}  // namespace

void StrayMessages(Stage& stage) {
  Strays strays(stage);
  stage.DoOneOf(&strays, "what arrives too late",
                {{1, &Strays::ReachNobody},
                 {1, &Strays::FindAnotherState},
                 {1, &Strays::RefuseWhatIsGone},
                 {1, &Strays::RefuseReplies}});
}

}  // namespace cm
