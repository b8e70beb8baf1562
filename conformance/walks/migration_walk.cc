// Ids move from channel to channel, with unread and unacknowledged events.
#include <array>
#include <vector>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

class MigrationWalk {
 public:
  explicit MigrationWalk(Stage& stage) : stage_(stage), port_(stage.Port(0)) {
    for (const uint8_t side : {kActiveSide, kPassiveSide}) {
      channels_[side][0] = stage.NewChannel(side, true);
      channels_[side][1] = stage.NewChannel(side, true);
    }
  }

  void Run() {
    switch (stage_.Below(8, "who moves")) {
      case 0:
        Alone();
        break;
      case 1:
        Unread();
        break;
      case 2:
      case 3:
        Listener();
        break;
      case 4:
        Modes();
        break;
      case 5:
        SynchronousListener();
        break;
      default:
        Connection();
        break;
    }
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(2));
    for (const IdRef id : made_) {
      const uint8_t side = id == passive_ || id == listener_ ? kPassiveSide : kActiveSide;
      stage_.Call(Stage::SpareLane(side), call::DestroyId{id});
    }
  }

 private:
  static Lane Thread(uint8_t side) { return {.side = side, .number = 2}; }
  ChannelRef Here(uint8_t side) const { return channels_[side][0]; }
  ChannelRef There(uint8_t side) const { return channels_[side][1]; }

  // Unbound, bound, listening; and without its device.
  void Alone() {
    const IdRef id = listener_ = New(kPassiveSide, Here(kPassiveSide));
    Moves(id, kPassiveSide);
    stage_.Call(call::BindAddr{id, stage_.AddressOf(kPassiveSide, port_)});
    Moves(id, kPassiveSide);
    stage_.Call(call::Listen{id, 4});
    Moves(id, kPassiveSide);
    if (!stage_.OneIn(2, "its device goes")) return;
    if (!stage_.Inject(FaultKind::kRemoveDevice, kPassiveSide)) return;
    if (stage_.OneIn(2, "when it is gone")) stage_.Settle();
    Moves(id, kPassiveSide);
    Looks(kPassiveSide);
    Moves(id, kPassiveSide);
    Moves(id, kPassiveSide);
  }

  // Events that were unread, or unacknowledged, when the id moved.
  void Unread() {
    const IdRef id = active_ = New(kActiveSide, Here(kActiveSide));
    stage_.ResolvesPeer(id, port_);
    if (stage_.OneIn(2, "when it is there")) stage_.Settle();
    const bool held = stage_.OneIn(2, "one in hand");
    if (held) stage_.Fetch(Stage::MainLane(kActiveSide), Here(kActiveSide), false);
    const auto event = static_cast<uint16_t>(stage_.conversation().names.events.size() - 1);
    stage_.Call(Thread(kActiveSide), call::MigrateId{id, There(kActiveSide)});
    if (held && stage_.OneIn(3, "not moved again"))
      stage_.Call(Stage::SpareLane(kActiveSide), call::MigrateId{id, Here(kActiveSide)});
    stage_.Settle();
    if (held && !stage_.OneIn(5, "never acknowledged"))
      stage_.Call(call::AckCmEvent{EventRef{event}});
    stage_.Settle();
    stage_.Call(call::ResolveRoute{id, 2000});
    stage_.Settle();
    Looks(kActiveSide);
    Moves(id, kActiveSide);
    Looks(kActiveSide);
  }

  // A listener leaves unread requests behind.
  void Listener() {
    Listens(Here(kPassiveSide));
    Asks();
    stage_.Settle();
    if (stage_.OneIn(4, "one is read")) {
      passive_ = stage_.Fetch(Stage::MainLane(kPassiveSide), Here(kPassiveSide),
                              !stage_.OneIn(3, "not acknowledged"));
      Asks();
      stage_.Settle();
    }
    stage_.Call(Thread(kPassiveSide), call::MigrateId{listener_, There(kPassiveSide)});
    const bool back = stage_.OneIn(3, "and back");
    if (back) stage_.Call(Thread(kPassiveSide), call::MigrateId{listener_, Here(kPassiveSide)});
    if (stage_.OneIn(3, "one more asks")) Asks();
    stage_.Settle();
    Looks(kPassiveSide);
    switch (stage_.Below(4, "what goes")) {
      case 0:
        stage_.Call(Stage::SpareLane(kPassiveSide), call::DestroyId{listener_});
        break;
      case 1:
        break;
      default:
        if (!back)
          stage_.Call(Stage::SpareLane(kPassiveSide),
                      call::DestroyEventChannel{Here(kPassiveSide)});
        break;
    }
    stage_.Settle();
    Looks(kActiveSide);
    Fetches(kPassiveSide, There(kPassiveSide));
  }

  // To a channel of its own and back to one of the application's.
  void Modes() {
    const bool first = stage_.OneIn(2, "synchronous at first");
    const IdRef id = active_ = New(kActiveSide, first ? ChannelRef{} : Here(kActiveSide));
    Listens(Here(kPassiveSide));
    stage_.Call(Thread(kActiveSide),
                call::ResolveAddr{id, stage_.AddressOf(kActiveSide, 0),
                                  stage_.AddressOf(kPassiveSide, port_), 2000});
    if (stage_.OneIn(2, "when it is there")) stage_.Settle();
    if (!first && stage_.OneIn(2, "it is read")) Fetches(kActiveSide, Here(kActiveSide));
    To(id, first ? Here(kActiveSide) : ChannelRef{});
    if (stage_.OneIn(2, "once more")) To(id, {});
    stage_.Call(call::ShowEvent{id});
    if (stage_.OneIn(3, "and back"))
      To(id, stage_.OneIn(2, "there") ? There(kActiveSide) : ChannelRef{});
    stage_.Call(Thread(kActiveSide), call::ResolveRoute{id, 2000});
    stage_.Settle();
    Looks(kActiveSide);
    stage_.Call(call::ShowEvent{id});
    To(id, stage_.OneIn(2, "there") ? There(kActiveSide) : ChannelRef{});
    stage_.Settle();
    Looks(kActiveSide);
  }

  void SynchronousListener() {
    Listens({});
    Asks();
    stage_.Settle();
    const bool read = stage_.OneIn(2, "one is read");
    if (read) passive_ = stage_.GetsRequest(Thread(kPassiveSide), listener_);
    if (stage_.OneIn(2, "one more asks")) Asks();
    stage_.Settle();
    // While the request is held, its listener waits for that.
    stage_.Call(Stage::SpareLane(kPassiveSide), call::MigrateId{listener_, There(kPassiveSide)});
    stage_.Settle();
    if (read && !stage_.OneIn(4, "kept for ever"))
      stage_.Call(call::MigrateId{passive_, Here(kPassiveSide)});
    stage_.Settle();
    Looks(kPassiveSide);
    Looks(kActiveSide);
    if (read) stage_.Call(call::Reject{passive_, PrivateData::Counting(3)});
    stage_.Settle();
    Looks(kActiveSide);
    if (read) stage_.Call(call::DestroyId{passive_});
  }

  // Both ends move during the connection.
  void Connection() {
    Listens(Here(kPassiveSide));
    const ChannelRef from = Here(kActiveSide);
    active_ = New(kActiveSide, from);
    stage_.ResolvesPeer(active_, port_);
    Moves(active_, kActiveSide);
    stage_.Settle();
    Looks(kActiveSide);
    stage_.Call(call::ResolveRoute{active_, 2000});
    Moves(active_, kActiveSide);
    stage_.Settle();
    Looks(kActiveSide);
    stage_.Call(call::CreateQp{active_});
    ConnParam param;
    param.private_data = stage_.FreshData();
    stage_.Call(call::Connect{active_, param});
    Moves(active_, kActiveSide);
    stage_.Settle();
    passive_ = Fetches(kPassiveSide, Here(kPassiveSide));
    Moves(passive_, kPassiveSide);
    stage_.Call(call::CreateQp{passive_});
    if (stage_.OneIn(5, "refused"))
      stage_.Call(call::Reject{passive_, PrivateData::Counting(3)});
    else
      stage_.Call(call::Accept{passive_, ConnParam{}});
    Moves(passive_, kPassiveSide);
    stage_.Settle();
    Moves(active_, kActiveSide);
    Looks(kActiveSide);
    stage_.Settle();
    Moves(passive_, kPassiveSide);
    Looks(kPassiveSide);
    stage_.Call(call::Disconnect{active_});
    stage_.Settle();
    Moves(passive_, kPassiveSide);
    Looks(kPassiveSide);
    stage_.Call(call::Disconnect{passive_});
    Moves(active_, kActiveSide);
    stage_.Settle();
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(4));
    Moves(active_, kActiveSide);
    for (int i = 0; i < 2; ++i) {
      Looks(kActiveSide);
      Looks(kPassiveSide);
    }
    stage_.Call(call::DestroyId{passive_});
  }

  IdRef New(uint8_t side, ChannelRef channel) {
    made_.push_back(stage_.NewId(side, channel));
    return made_.back();
  }

  void Listens(ChannelRef channel) {
    listener_ = New(kPassiveSide, channel);
    stage_.Call(call::BindAddr{listener_, stage_.AddressOf(kPassiveSide, port_)});
    stage_.Call(call::Listen{listener_, 4});
  }

  void Asks() { made_.push_back(stage_.Connects(kActiveSide, port_)); }

  void To(IdRef id, ChannelRef channel) {
    stage_.Call(Thread(kActiveSide), call::MigrateId{id, channel});
  }

  // Moves either id, or none.
  void Moves(IdRef id, uint8_t side) {
    if (!id.valid() || stage_.OneIn(2, "it stays")) return;
    stage_.Call(Stage::SpareLane(side),
                call::MigrateId{id, channels_[side][stage_.Below(2, "where to")]});
  }

  // Fetches all events that may be there.
  void Looks(uint8_t side) {
    for (const ChannelRef channel : channels_[side]) Fetches(side, channel);
    if (side == kActiveSide) stage_.FetchesAll(1);
  }

  IdRef Fetches(uint8_t side, ChannelRef channel) {
    return stage_.Fetch(Stage::MainLane(side), channel);
  }

  Stage& stage_;
  const uint16_t port_;
  std::array<std::array<ChannelRef, 2>, 2> channels_;
  IdRef listener_;
  IdRef active_;
  IdRef passive_;
  std::vector<IdRef> made_;
};

}  // namespace

void IdsMove(Stage& stage) { MigrationWalk(stage).Run(); }

}  // namespace cm
