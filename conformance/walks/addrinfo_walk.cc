// Address lookups of ids in every state, in order and out of it, and written events.
#include <array>
#include <limits>

#include "conformance/walks/arguments.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

constexpr int kUnreadAtMost = 4;  // events written by the walk

class AddrInfoWalk {
 public:
  explicit AddrInfoWalk(ConversationBuilder& builder) : builder_(builder), port_(builder.Port(0)) {
    removed_at_ = builder.StopThatLosesADevice();
  }

  void Run() {
    builder_.DoOneOf(this, "which ids",
                     {{1, &AddrInfoWalk::Alone},
                      {1, &AddrInfoWalk::Waiting},
                      {1, &AddrInfoWalk::Moving},
                      {3, &AddrInfoWalk::Together}});
  }

 private:
  // Unbound, bound, listening.
  void Alone() {
    const uint8_t side = builder_.AnySide();
    const IdRef id = builder_.NewId(side, builder_.ChannelOf(side));
    Stop(id, side);
    builder_.Call(call::BindAddr{id, builder_.AddressOf(side, port_)});
    Stop(id, side);
    builder_.Call(call::Listen{id, 8});
    Stop(id, side);
    if (builder_.OneIn(2, "it goes with what is unread")) builder_.Call(call::DestroyId{id});
  }

  // Two ids from the first call to the end of their connection.
  void Together() {
    const IdRef listener = builder_.Listens(kPassiveSide, port_);
    Stop(listener, kPassiveSide);
    Empties(kPassiveSide);
    const IdRef active = builder_.NewId(kActiveSide, builder_.ChannelOf(kActiveSide));
    Stop(active, kActiveSide);
    builder_.Call(call::ResolveAddr{active, {}, builder_.AddressOf(kPassiveSide, port_), 2000});
    if (Stop(active, kActiveSide)) return;
    Empties(kActiveSide);
    builder_.Call(call::ResolveRoute{active, 2000});
    if (Stop(active, kActiveSide)) return;
    Empties(kActiveSide);
    builder_.Call(call::Connect{active, builder_.Numbered()});
    if (Stop(active, kActiveSide)) return;
    builder_.Settle();
    const IdRef passive = builder_.Fetch(kPassiveSide);
    if (Stop(passive, kPassiveSide)) return;
    builder_.Call(call::Accept{passive, builder_.Numbered()});
    if (Stop(passive, kPassiveSide)) return;
    Empties(kActiveSide);
    builder_.Call(call::Establish{active});
    builder_.Settle();
    if (Stop(active, kActiveSide) || Stop(passive, kPassiveSide)) return;
    builder_.Disconnects(active);
    if (Stop(active, kActiveSide)) return;
    builder_.SettlesAndFetches(2);
    if (builder_.OneIn(2, "it goes with what is unread")) builder_.Destroys(active);
  }

  // A synchronous id: written events arrive before those that its calls wait for.
  void Waiting() {
    const uint8_t side = builder_.AnySide();
    synchronous_ = true;
    const IdRef id = builder_.NewId(side, {});
    for (int i = 0; i < 2; ++i) {
      Stop(id, side);
      builder_.Call(call::ShowEvent{id});
    }
    const uint8_t other = OtherSide(side);
    if (builder_.OneIn(2, "it looks for the other side"))
      builder_.Call(Thread::kWaiting,
                    call::ResolveAddr{id, {}, builder_.AddressOf(other, port_), 2000});
    else
      builder_.Call(call::BindAddr{id, builder_.AddressOf(side, port_)});
    builder_.Settle();
    builder_.Call(call::ShowEvent{id});
    for (int i = 0; i < 2; ++i) Stop(id, side);
    builder_.Call(call::ShowEvent{id});
  }

  // Unread events move with their id to another channel.
  void Moving() {
    const uint8_t side = builder_.AnySide();
    const IdRef id = builder_.NewId(side, builder_.ChannelOf(side));
    Stop(id, side);
    Writes(id, side);
    const ChannelRef other = builder_.NewChannel(side, true);
    builder_.Call(Thread::kWaiting, call::MigrateId{id, other});
    LooksUp(id, side);
    Writes(id, side);
    for (int i = 0; i < 4; ++i) builder_.Fetch(LaneOf(side), other);
    Queries(id, side);
    unread_ = 0;
    if (builder_.OneIn(3, "and waits from now on")) {
      builder_.Call(Thread::kWaiting, call::MigrateId{id, {}});
      synchronous_ = true;
    }
    Stop(id, side);
  }

  // Some of the calls, in any order. True when the side's device is removed here; then nothing
  // follows.
  bool Stop(IdRef id, uint8_t side) {
    for (uint64_t left = builder_.Below(5, "how many calls"); left > 0; --left) Step(id, side);
    if (stops_++ != removed_at_) return false;
    if (!builder_.Inject(FaultKind::kRemoveDevice, side)) return false;
    for (int i = 0; i < 2; ++i) Step(id, side);
    builder_.Settle();
    for (int i = 0; i < 5; ++i) Step(id, side);
    return true;
  }

  void Step(IdRef id, uint8_t side) {
    builder_.DoOneOf(this, "which of them",
                     {{3, &AddrInfoWalk::LooksUp},
                      {2, &AddrInfoWalk::Queries},
                      {1, &AddrInfoWalk::ReadsOne},
                      {2, &AddrInfoWalk::Writes}},
                     id, side);
  }

  void ReadsOne(IdRef /*id*/, uint8_t side) { builder_.Fetch(side); }

  void LooksUp(IdRef id, uint8_t side) {
    MakesRoom(side);
    call::ResolveAddrInfo resolve{.id = id, .node = SomeNode(builder_)};
    if (!builder_.OneIn(4, "without a service")) resolve.service = builder_.Port(0);
    if (!builder_.OneIn(3, "without hints")) {
      resolve.hints = SomeHints(builder_);
      if (builder_.OneIn(8, "records of services")) resolve.hints->flags |= kServiceRecordsHint;
      if (builder_.OneIn(8, "by the resolver")) resolve.hints->flags |= kResolverHint;
    }
    builder_.Call(synchronous_ ? LaneOf(side, Thread::kWaiting) : LaneOf(side), resolve);
  }

  void Queries(IdRef id, uint8_t side) {
    const HeldRef info = builder_.names().NewHeld(side);
    builder_.Calls({call::QueryAddrInfo{id, info}, call::FreeAddrInfo{info}});
  }

  void Writes(IdRef id, uint8_t side) {
    if (synchronous_ && ++written_ > kUnreadAtMost) return;  // no call fetches them
    MakesRoom(side);
    // A call that gets one of the first on a synchronous id returns that errno.
    constexpr std::array<int32_t, 8> kStatuses = {0,
                                                  0,
                                                  -5,
                                                  -110,
                                                  7,
                                                  61,
                                                  std::numeric_limits<int32_t>::max(),
                                                  std::numeric_limits<int32_t>::min()};
    call::WriteCmEvent write{.id = id};
    if (builder_.OneIn(8, "another type"))
      write.type = builder_.OneOf<uint8_t>({0, 9, 16, 17, 19, 255}, "which type");
    write.status = kStatuses[builder_.Below(synchronous_ ? 6 : kStatuses.size(), "which status")];
    write.argument = builder_.OneOf<uint64_t>(
        {0, 1, 0xffffffff, uint64_t{1} << 32, 0x0123456789abcdef, ~uint64_t{0}}, "which argument");
    builder_.Call(write);
  }

  // The oracle follows a few unread events of an id, and no more.
  void MakesRoom(uint8_t side) {
    if (++unread_ <= kUnreadAtMost) return;
    Reads(side, kUnreadAtMost);
    unread_ = 1;
  }

  void Empties(uint8_t side) {
    builder_.Settle();
    Reads(side, kUnreadAtMost + 2);
    unread_ = 0;
  }

  void Reads(uint8_t side, int times) {
    while (times-- > 0) builder_.Fetch(side);
  }

  ConversationBuilder& builder_;
  const uint16_t port_;
  uint64_t removed_at_ = 0;
  uint64_t stops_ = 0;
  int unread_ = 0;
  int written_ = 0;
  bool synchronous_ = false;
};

}  // namespace

void AddressesForIds(ConversationBuilder& builder) { AddrInfoWalk(builder).Run(); }

}  // namespace cm
