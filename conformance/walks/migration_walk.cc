// Ids move from channel to channel, with what is unread and what is not acknowledged.
#include <array>
#include <vector>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

class MigrationWalk {
 public:
  explicit MigrationWalk(Stage& stage) : stage_(stage), port_(stage.Port(0)) {
    for (const uint8_t side : {kActiveSide, kPassiveSide}) {
      for (ChannelRef& channel : channels_[side]) channel = stage.NewChannel(side, true);
    }
  }

  void Run() {
    stage_.DoOneOf(this, "who moves",
                   {{1, &MigrationWalk::Alone},
                    {1, &MigrationWalk::Unread},
                    {2, &MigrationWalk::Listener},
                    {1, &MigrationWalk::Modes},
                    {1, &MigrationWalk::SynchronousListener},
                    {2, &MigrationWalk::Connection}});
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(2));
    for (const IdRef id : made_) stage_.Call(Thread::kSpare, call::DestroyId{id});
  }

 private:
  ChannelRef Here(uint8_t side) const { return channels_[side][0]; }
  ChannelRef There(uint8_t side) const { return channels_[side][1]; }

  // Unbound, bound, listening; and without its device.
  void Alone() {
    const IdRef id = listener_ = New(kPassiveSide, Here(kPassiveSide));
    Moves(id);
    CallsAndMoves(call::BindAddr{id, stage_.AddressOf(kPassiveSide, port_)});
    CallsAndMoves(call::Listen{id, 4});
    if (!stage_.OneIn(2, "its device goes")) return;
    if (!stage_.Inject(FaultKind::kRemoveDevice, kPassiveSide)) return;
    if (stage_.OneIn(2, "when it is gone")) stage_.Settle();
    Moves(id);
    Looks(kPassiveSide);
    Moves(id);
    Moves(id);
  }

  // What was unread, or not acknowledged, when the id moved.
  void Unread() {
    const IdRef id = active_ = New(kActiveSide, Here(kActiveSide));
    stage_.ResolvesPeer(id, port_);
    if (stage_.OneIn(2, "when it is there")) stage_.Settle();
    const bool held = stage_.OneIn(2, "one in hand");
    if (held) stage_.Fetch(Stage::MainLane(kActiveSide), Here(kActiveSide), false);
    const auto event = static_cast<uint16_t>(stage_.conversation().names.events.size() - 1);
    stage_.Call(Thread::kWaiting, call::MigrateId{id, There(kActiveSide)});
    if (held && stage_.OneIn(3, "not moved again"))
      stage_.Call(Thread::kSpare, call::MigrateId{id, Here(kActiveSide)});
    stage_.Settle();
    if (held && !stage_.OneIn(5, "never acknowledged"))
      stage_.Call(call::AckCmEvent{EventRef{event}});
    stage_.Settle();
    stage_.Call(call::ResolveRoute{id, 2000});
    SettlesAndLooks(kActiveSide);
    Moves(id);
    Looks(kActiveSide);
  }

  // A listener leaves requests behind that it has not read.
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
    stage_.Call(Thread::kWaiting, call::MigrateId{listener_, There(kPassiveSide)});
    const bool back = stage_.OneIn(3, "and back");
    if (back) stage_.Call(Thread::kWaiting, call::MigrateId{listener_, Here(kPassiveSide)});
    if (stage_.OneIn(3, "one more asks")) Asks();
    SettlesAndLooks(kPassiveSide);
    const uint64_t what = stage_.Below(4, "what goes");
    if (what == 0) stage_.Call(Thread::kSpare, call::DestroyId{listener_});
    if (what > 1 && !back)
      stage_.Call(Thread::kSpare, call::DestroyEventChannel{Here(kPassiveSide)});
    SettlesAndLooks(kActiveSide);
    Fetches(kPassiveSide, There(kPassiveSide));
  }

  // To a channel of its own and back to one of the application's.
  void Modes() {
    const bool first = stage_.OneIn(2, "synchronous at first");
    const IdRef id = active_ = New(kActiveSide, first ? ChannelRef{} : Here(kActiveSide));
    Listens(Here(kPassiveSide));
    stage_.Call(Thread::kWaiting, call::ResolveAddr{id, stage_.AddressOf(kActiveSide, 0),
                                                    stage_.AddressOf(kPassiveSide, port_), 2000});
    if (stage_.OneIn(2, "when it is there")) stage_.Settle();
    if (!first && stage_.OneIn(2, "it is read")) Fetches(kActiveSide, Here(kActiveSide));
    To(id, first ? Here(kActiveSide) : ChannelRef{});
    if (stage_.OneIn(2, "once more")) To(id, {});
    stage_.Call(call::ShowEvent{id});
    if (stage_.OneIn(3, "and back"))
      To(id, stage_.OneIn(2, "there") ? There(kActiveSide) : ChannelRef{});
    stage_.Call(Thread::kWaiting, call::ResolveRoute{id, 2000});
    SettlesAndLooks(kActiveSide);
    stage_.Call(call::ShowEvent{id});
    To(id, stage_.OneIn(2, "there") ? There(kActiveSide) : ChannelRef{});
    SettlesAndLooks(kActiveSide);
  }

  void SynchronousListener() {
    Listens({});
    Asks();
    stage_.Settle();
    const bool read = stage_.OneIn(2, "one is read");
    if (read) passive_ = stage_.GetsRequest(Stage::WaitingLane(kPassiveSide), listener_);
    if (stage_.OneIn(2, "one more asks")) Asks();
    stage_.Settle();
    // Where the request is kept, its listener waits for that.
    stage_.Call(Thread::kSpare, call::MigrateId{listener_, There(kPassiveSide)});
    stage_.Settle();
    if (read && !stage_.OneIn(4, "kept for ever"))
      stage_.Call(call::MigrateId{passive_, Here(kPassiveSide)});
    SettlesAndLooks(kPassiveSide);
    Looks(kActiveSide);
    if (read) stage_.Call(call::Reject{passive_, PrivateData::Counting(3)});
    SettlesAndLooks(kActiveSide);
    if (read) stage_.Call(call::DestroyId{passive_});
  }

  // Both ends move on their way.
  void Connection() {
    Listens(Here(kPassiveSide));
    const ChannelRef from = Here(kActiveSide);
    active_ = New(kActiveSide, from);
    stage_.ResolvesPeer(active_, port_);
    Moves(active_);
    SettlesAndLooks(kActiveSide);
    CallsAndMoves(call::ResolveRoute{active_, 2000});
    SettlesAndLooks(kActiveSide);
    stage_.Call(call::CreateQp{active_});
    ConnParam param;
    param.private_data = stage_.FreshData();
    CallsAndMoves(call::Connect{active_, param});
    stage_.Settle();
    passive_ = Fetches(kPassiveSide, Here(kPassiveSide));
    Moves(passive_);
    stage_.Call(call::CreateQp{passive_});
    const bool refused = stage_.OneIn(5, "refused");
    CallsAndMoves(refused ? Call(call::Reject{passive_, PrivateData::Counting(3)})
                          : call::Accept{passive_, ConnParam{}});
    stage_.Settle();
    Moves(active_);
    Looks(kActiveSide);
    stage_.Settle();
    Moves(passive_);
    Looks(kPassiveSide);
    stage_.Call(call::Disconnect{active_});
    stage_.Settle();
    Moves(passive_);
    Looks(kPassiveSide);
    stage_.Call(call::Disconnect{passive_});
    Moves(active_);
    stage_.Settle();
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(4));
    Moves(active_);
    for (int i = 0; i < 4; ++i) Looks(i % 2 == 0 ? kActiveSide : kPassiveSide);
    stage_.Call(call::DestroyId{passive_});
  }

  IdRef New(uint8_t side, ChannelRef channel) {
    made_.push_back(stage_.NewId(side, channel));
    return made_.back();
  }

  void Listens(ChannelRef channel) {
    listener_ = New(kPassiveSide, channel);
    stage_.Calls({call::BindAddr{listener_, stage_.AddressOf(kPassiveSide, port_)},
                  call::Listen{listener_, 4}});
  }

  void Asks() { made_.push_back(stage_.Connects(kActiveSide, port_)); }

  void To(IdRef id, ChannelRef channel) {
    stage_.Call(Thread::kWaiting, call::MigrateId{id, channel});
  }

  void CallsAndMoves(const Call& call) {
    stage_.Call(call);
    Moves(IdOf(call));
  }

  // Perhaps, to one or the other.
  void Moves(IdRef id) {
    if (!id.valid() || stage_.OneIn(2, "it stays")) return;
    const ChannelRef where = channels_[stage_.SideOf(id)][stage_.Below(2, "where to")];
    stage_.Call(Thread::kSpare, call::MigrateId{id, where});
  }

  void SettlesAndLooks(uint8_t side) {
    stage_.Settle();
    Looks(side);
  }

  // Everything that may be there.
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
