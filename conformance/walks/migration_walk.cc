// Ids move from channel to channel, with unread and unacknowledged events.
#include <array>
#include <vector>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

class MigrationWalk {
 public:
  explicit MigrationWalk(ConversationBuilder& builder) : builder_(builder), port_(builder.Port(0)) {
    for (const uint8_t side : {kActiveSide, kPassiveSide}) {
      for (ChannelRef& channel : channels_[side]) channel = builder.NewChannel(side, true);
    }
  }

  void Run() {
    builder_.DoOneOf(this, "who moves",
                     {{1, &MigrationWalk::Alone},
                      {1, &MigrationWalk::Unread},
                      {2, &MigrationWalk::Listener},
                      {1, &MigrationWalk::Modes},
                      {1, &MigrationWalk::SynchronousListener},
                      {2, &MigrationWalk::Connection}});
    if (builder_.Can(Capability::kTime)) builder_.Pass(Duration::Seconds(2));
    for (const IdRef id : made_) builder_.Call(Thread::kSpare, call::DestroyId{id});
  }

 private:
  ChannelRef Here(uint8_t side) const { return channels_[side][0]; }
  ChannelRef There(uint8_t side) const { return channels_[side][1]; }

  // Unbound, bound, listening; and without its device.
  void Alone() {
    const IdRef id = listener_ = New(kPassiveSide, Here(kPassiveSide));
    Moves(id);
    CallsAndMoves(call::BindAddr{id, builder_.AddressOf(kPassiveSide, port_)});
    CallsAndMoves(call::Listen{id, 4});
    if (!builder_.OneIn(2, "its device goes")) return;
    if (!builder_.Inject(FaultKind::kRemoveDevice, kPassiveSide)) return;
    if (builder_.OneIn(2, "when it is gone")) builder_.Settle();
    Moves(id);
    Looks(kPassiveSide);
    Moves(id);
    Moves(id);
  }

  // Events that were unread, or unacknowledged, when the id moved.
  void Unread() {
    const IdRef id = active_ = New(kActiveSide, Here(kActiveSide));
    builder_.ResolvesPeer(id, port_);
    if (builder_.OneIn(2, "when it is there")) builder_.Settle();
    const bool held = builder_.OneIn(2, "one in hand");
    if (held) builder_.Fetch(LaneOf(kActiveSide), Here(kActiveSide), false);
    const EventRef event = builder_.names().LastEvent();
    builder_.Call(Thread::kWaiting, call::MigrateId{id, There(kActiveSide)});
    if (held && builder_.OneIn(3, "not moved again"))
      builder_.Call(Thread::kSpare, call::MigrateId{id, Here(kActiveSide)});
    builder_.Settle();
    if (held && !builder_.OneIn(5, "never acknowledged")) builder_.Call(call::AckCmEvent{event});
    builder_.Settle();
    builder_.Call(call::ResolveRoute{id, 2000});
    SettlesAndLooks(kActiveSide);
    Moves(id);
    Looks(kActiveSide);
  }

  // A listener leaves unread requests behind.
  void Listener() {
    Listens(Here(kPassiveSide));
    Asks();
    builder_.Settle();
    if (builder_.OneIn(4, "one is read")) {
      passive_ = builder_.Fetch(LaneOf(kPassiveSide), Here(kPassiveSide),
                                !builder_.OneIn(3, "not acknowledged"));
      Asks();
      builder_.Settle();
    }
    builder_.Call(Thread::kWaiting, call::MigrateId{listener_, There(kPassiveSide)});
    const bool back = builder_.OneIn(3, "and back");
    if (back) builder_.Call(Thread::kWaiting, call::MigrateId{listener_, Here(kPassiveSide)});
    if (builder_.OneIn(3, "one more asks")) Asks();
    SettlesAndLooks(kPassiveSide);
    const uint64_t what = builder_.Below(4, "what goes");
    if (what == 0) builder_.Call(Thread::kSpare, call::DestroyId{listener_});
    if (what > 1 && !back)
      builder_.Call(Thread::kSpare, call::DestroyEventChannel{Here(kPassiveSide)});
    SettlesAndLooks(kActiveSide);
    Fetches(kPassiveSide, There(kPassiveSide));
  }

  // To a channel of its own and back to one of the application's.
  void Modes() {
    const bool first = builder_.OneIn(2, "synchronous at first");
    const IdRef id = active_ = New(kActiveSide, first ? ChannelRef{} : Here(kActiveSide));
    Listens(Here(kPassiveSide));
    builder_.Call(Thread::kWaiting,
                  call::ResolveAddr{id, builder_.AddressOf(kActiveSide, 0),
                                    builder_.AddressOf(kPassiveSide, port_), 2000});
    if (builder_.OneIn(2, "when it is there")) builder_.Settle();
    if (!first && builder_.OneIn(2, "it is read")) Fetches(kActiveSide, Here(kActiveSide));
    To(id, first ? Here(kActiveSide) : ChannelRef{});
    if (builder_.OneIn(2, "once more")) To(id, {});
    builder_.Call(call::ShowEvent{id});
    if (builder_.OneIn(3, "and back"))
      To(id, builder_.OneIn(2, "there") ? There(kActiveSide) : ChannelRef{});
    builder_.Call(Thread::kWaiting, call::ResolveRoute{id, 2000});
    SettlesAndLooks(kActiveSide);
    builder_.Call(call::ShowEvent{id});
    To(id, builder_.OneIn(2, "there") ? There(kActiveSide) : ChannelRef{});
    SettlesAndLooks(kActiveSide);
  }

  void SynchronousListener() {
    Listens({});
    Asks();
    builder_.Settle();
    const bool read = builder_.OneIn(2, "one is read");
    if (read) passive_ = builder_.GetsRequest(LaneOf(kPassiveSide, Thread::kWaiting), listener_);
    if (builder_.OneIn(2, "one more asks")) Asks();
    builder_.Settle();
    // While the request is held, its listener waits for that.
    builder_.Call(Thread::kSpare, call::MigrateId{listener_, There(kPassiveSide)});
    builder_.Settle();
    if (read && !builder_.OneIn(4, "kept for ever"))
      builder_.Call(call::MigrateId{passive_, Here(kPassiveSide)});
    SettlesAndLooks(kPassiveSide);
    Looks(kActiveSide);
    if (read) builder_.Call(call::Reject{passive_, PrivateData::Counting(3)});
    SettlesAndLooks(kActiveSide);
    if (read) builder_.Call(call::DestroyId{passive_});
  }

  // Both ends move during the connection.
  void Connection() {
    Listens(Here(kPassiveSide));
    const ChannelRef from = Here(kActiveSide);
    active_ = New(kActiveSide, from);
    builder_.ResolvesPeer(active_, port_);
    Moves(active_);
    SettlesAndLooks(kActiveSide);
    CallsAndMoves(call::ResolveRoute{active_, 2000});
    SettlesAndLooks(kActiveSide);
    builder_.Call(call::CreateQp{active_});
    ConnParam param;
    param.private_data = builder_.FreshData();
    CallsAndMoves(call::Connect{active_, param});
    builder_.Settle();
    passive_ = Fetches(kPassiveSide, Here(kPassiveSide));
    Moves(passive_);
    builder_.Call(call::CreateQp{passive_});
    const bool refused = builder_.OneIn(5, "refused");
    CallsAndMoves(refused ? Call(call::Reject{passive_, PrivateData::Counting(3)})
                          : call::Accept{passive_, ConnParam{}});
    builder_.Settle();
    Moves(active_);
    Looks(kActiveSide);
    builder_.Settle();
    Moves(passive_);
    Looks(kPassiveSide);
    builder_.Call(call::Disconnect{active_});
    builder_.Settle();
    Moves(passive_);
    Looks(kPassiveSide);
    builder_.Call(call::Disconnect{passive_});
    Moves(active_);
    builder_.Settle();
    if (builder_.Can(Capability::kTime)) builder_.Pass(Duration::Seconds(4));
    Moves(active_);
    for (int i = 0; i < 4; ++i) Looks(i % 2 == 0 ? kActiveSide : kPassiveSide);
    builder_.Call(call::DestroyId{passive_});
  }

  IdRef New(uint8_t side, ChannelRef channel) {
    made_.push_back(builder_.NewId(side, channel));
    return made_.back();
  }

  void Listens(ChannelRef channel) {
    listener_ = New(kPassiveSide, channel);
    builder_.Calls({call::BindAddr{listener_, builder_.AddressOf(kPassiveSide, port_)},
                    call::Listen{listener_, 4}});
  }

  void Asks() { made_.push_back(builder_.Connects(kActiveSide, port_)); }

  void To(IdRef id, ChannelRef channel) {
    builder_.Call(Thread::kWaiting, call::MigrateId{id, channel});
  }

  void CallsAndMoves(const Call& call) {
    builder_.Call(call);
    Moves(IdOf(call));
  }

  // Moves either id, or none.
  void Moves(IdRef id) {
    if (!id.valid() || builder_.OneIn(2, "it stays")) return;
    const ChannelRef where = channels_[builder_.names().SideOf(id)][builder_.Below(2, "where to")];
    builder_.Call(Thread::kSpare, call::MigrateId{id, where});
  }

  void SettlesAndLooks(uint8_t side) {
    builder_.Settle();
    Looks(side);
  }

  // Fetches all events that may be there.
  void Looks(uint8_t side) {
    for (const ChannelRef channel : channels_[side]) Fetches(side, channel);
    if (side == kActiveSide) builder_.FetchesAll(1);
  }

  IdRef Fetches(uint8_t side, ChannelRef channel) { return builder_.Fetch(LaneOf(side), channel); }

  ConversationBuilder& builder_;
  const uint16_t port_;
  std::array<std::array<ChannelRef, 2>, 2> channels_;
  IdRef listener_;
  IdRef active_;
  IdRef passive_;
  std::vector<IdRef> made_;
};

}  // namespace

void IdsMove(ConversationBuilder& builder) { MigrationWalk(builder).Run(); }

}  // namespace cm
