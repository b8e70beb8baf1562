// Data transfer over a connection: messages, reads and writes, some of them invalid; then the
// connection ends, with work requests posted.
#include <algorithm>
#include <array>
#include <utility>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

constexpr uint32_t kSlot = 64;  // part of a region that one request reads or writes
constexpr uint32_t kSlots = 8;

// One end of the connection, and its outstanding completions.
struct End {
  uint8_t side = 0;
  IdRef id;
  bool shares = false;  // it uses a shared receive queue
  uint8_t rnr_retries = 7;
  MrRef source;  // source of its sends: never written to
  MrRef target;  // target of its receives and reads
  MrRef readable;
  MrRef writable;
  int sent = 0;        // signaled send requests whose completions were not polled
  int unsignaled = 0;  // requests that complete only in error
  int posted_receives = 0;
  int received = 0;  // receives that a message has consumed
  bool failed = false;
  std::array<uint32_t, 2> unacked{};  // completion events, of sends and of receives
};

class Traffic {
 public:
  explicit Traffic(ConversationBuilder& builder)
      : builder_(builder),
        datagrams_(builder.OneIn(6, "datagrams")),
        ends_{{{.side = kActiveSide}, {.side = kPassiveSide}}} {}

  void Meet() {
    const PortSpace space = datagrams_ ? PortSpace::kUdp : PortSpace::kTcp;
    const IdRef listener = builder_.NewId(kPassiveSide, builder_.ChannelOf(kPassiveSide), space);
    const Address at = builder_.AddressOf(kPassiveSide, builder_.Port(0));
    builder_.Calls({call::BindAddr{listener, at}, call::Listen{listener, 4}});
    ends_[0].id = builder_.NewId(kActiveSide, builder_.ChannelOf(kActiveSide), space);
    builder_.Call(call::ResolveAddr{ends_[0].id, builder_.AddressOf(kActiveSide, 0), at, 2000});
    builder_.Await(kActiveSide);
    builder_.Call(call::ResolveRoute{ends_[0].id, 2000});
    builder_.Await(kActiveSide);
    Equip(&ends_[0]);
    ConnParam param;
    param.private_data = builder_.FreshData();
    param.rnr_retry_count = ends_[0].rnr_retries;
    builder_.Call(call::Connect{ends_[0].id, param});
    ends_[1].id = builder_.Await(kPassiveSide);
    Equip(&ends_[1]);
    param.rnr_retry_count = ends_[1].rnr_retries;
    if (builder_.OneIn(16, "a refusal")) {
      builder_.Call(call::Reject{ends_[1].id, PrivateData()});
      builder_.Await(kActiveSide);
      for (End& end : ends_) end.failed = true;
      return;
    }
    builder_.Call(call::Accept{ends_[1].id, param});
    const bool early = !datagrams_ && builder_.OneIn(8, "the passive side hurries");
    if (early) Message(ends_[1], ends_[0], false);
    builder_.Await(kActiveSide);
    if (!datagrams_) builder_.Await(kPassiveSide);
    if (early) Collect();
  }

  void Work() {
    const auto steps = static_cast<int>(3 + builder_.Below(6, "how much is done"));
    for (int i = 0; i < steps; ++i) {
      const size_t from = datagrams_ ? 0 : builder_.Below(2, "who acts");
      End& own = ends_[from];
      Step(own, ends_[1 - from]);
    }
  }

  void Part() {
    for (End& end : ends_)
      if (builder_.OneIn(2, "a receive is left"))
        Receive(end, static_cast<uint32_t>(kSlot - builder_.Below(8, "how much less")));
    const size_t first = builder_.Below(2, "who parts first");
    const uint64_t how = builder_.Below(8, "how they part");
    if (how == 0) RemovedDevice(ends_[first]);
    if (how == 1 && !ends_[first].shares) builder_.Call(call::DestroyQp{ends_[first].id});
    if (how > 1)
      for (const size_t which : {first, 1 - first}) Disconnect(&ends_[which]);
    Release();
  }

 private:
  bool OneIn(uint64_t n, std::string_view what) { return builder_.OneIn(n, what); }

  template <typename Registers>
  MrRef Register(const End& end) {
    const MrRef mr = builder_.names().NewRegion(end.side);
    builder_.Call(Registers{mr, end.id, kSlot * kSlots});
    return mr;
  }

  // Queues, regions, and perhaps the first receives.
  void Equip(End* end) {
    end->shares = OneIn(6, "a shared receive queue");
    if (end->shares && OneIn(2, "extended"))
      builder_.Call(call::CreateSrqEx{end->id, !OneIn(4, "without a type")});
    if (end->shares) builder_.Call(call::CreateSrq{end->id});
    if (OneIn(3, "extended"))
      builder_.Call(call::CreateQpEx{end->id, {}});
    else
      builder_.Call(call::CreateQp{end->id, {}});
    if (OneIn(3, "little patience"))
      end->rnr_retries = static_cast<uint8_t>(builder_.Below(3, "how many retries"));
    end->source = Register<call::RegMsgs>(*end);
    end->target = Register<call::RegMsgs>(*end);
    end->readable = Register<call::RegRead>(*end);
    end->writable = Register<call::RegWrite>(*end);
    const uint64_t receives = OneIn(12, "as many as there is room for, and more")
                                  ? QueueLimits::kWork + 2
                                  : builder_.Below(3, "how many receives");
    for (uint64_t i = 0; i < receives; ++i) Receive(*end, kSlot);
    if (!datagrams_ && OneIn(30, "before the peer can receive it")) PostTooEarly(end);
  }

  // Work requests that are refused, because the queue pair is not ready to send.
  void PostTooEarly(End* end) {
    call::Work work{.id = end->id, .context = NextContext(), .sges = {}, .flags = kSignaled};
    work.sges.push_back({end->target, 0, 8});
    work.remote.mr = end->readable;
    const bool list = OneIn(2, "a list");
    if (OneIn(2, "a read"))
      Post(true, list, work);
    else
      Send(*end, 8, kSignaled);
    end->sent = 0;
  }

  uint32_t NextSlot() { return kSlot * (slots_++ % kSlots); }
  uint16_t NextContext() { return ++contexts_; }

  // One element, or two of half the length each.
  Sges Pieces(MrRef mr, uint32_t length, bool* list) {
    const uint32_t offset = NextSlot();
    *list = OneIn(3, "a list");
    Sges sges;
    if (!*list || length < 2) {
      sges.push_back({mr, offset, length});
    } else {
      sges.push_back({mr, offset, length / 2});
      sges.push_back({mr, offset + length / 2, length - length / 2});
    }
    if (*list && OneIn(20, "a piece too many"))
      while (sges.size() <= QueueLimits::kSges) sges.push_back({mr, offset, 1});
    return sges;
  }

  void Receive(End& end, uint32_t length) {
    bool list = false;
    const Sges sges = Pieces(end.target, length, &list);
    const bool taken =
        sges.size() <= QueueLimits::kSges && end.posted_receives < static_cast<int>(kMost);
    const call::Work work{.id = end.id, .context = NextContext(), .sges = sges};
    builder_.Call(list ? Call(call::PostRecvv{work}) : Call(call::PostRecv{work}));
    if (taken && !end.failed) ++end.posted_receives;
  }

  uint8_t Flags(uint32_t length) {
    uint8_t flags = OneIn(4, "unsignaled") ? 0 : kSignaled;
    if (length <= QueueLimits::kInline && OneIn(4, "inline")) flags |= kInline;
    if (OneIn(8, "solicited")) flags |= kSolicited;
    return flags;
  }

  void Count(End& end, uint8_t flags) { ++((flags & kSignaled) != 0 ? end.sent : end.unsignaled); }

  void Send(End& end, uint32_t length, uint8_t flags) {
    bool list = false;
    Sges sges = Pieces(end.source, length, &list);
    call::Work work{.id = end.id, .context = NextContext(), .sges = sges, .flags = flags};
    if (datagrams_ && sges.size() == 1)
      builder_.Call(call::PostUdSend{work});
    else if (!datagrams_)
      builder_.Call(list ? Call(call::PostSendv{work}) : Call(call::PostSend{work}));
    if (sges.size() <= QueueLimits::kSges && (!datagrams_ || sges.size() == 1)) Count(end, flags);
  }

  // A message, and a receive for it unless one is posted or it must be sent without.
  void Message(End& own, End& other, bool collected) {
    const auto length = static_cast<uint32_t>(1 + builder_.Below(datagrams_ ? 24 : 40, "how long"));
    const uint32_t room =
        datagrams_ ? kSlot : length + static_cast<uint32_t>(builder_.Below(8, "room"));
    if (other.posted_receives <= other.received) {
      if (!OneIn(8, "no receive")) Receive(other, std::min(room, kSlot));
    }
    const bool met = other.posted_receives > other.received;
    if (!met && own.rnr_retries == 7 && other.rnr_retries == 7) return;  // it would wait for ever
    Send(own, length, Flags(length));
    if (!met) return Failed(own, nullptr);
    if (!own.failed && !other.failed) ++other.received;
    if (collected) Collect();
  }

  void ReadOrWrite(End& own, End& other, bool reads) {
    const auto length = static_cast<uint32_t>(1 + builder_.Below(kSlot, "how long"));
    bool list = false;
    const Sges sges = Pieces(reads ? own.target : own.source, length, &list);
    const uint8_t flags = reads ? kSignaled : Flags(length);
    call::Work work{.id = own.id, .context = NextContext(), .sges = sges, .flags = flags};
    work.remote.mr = reads ? other.readable : other.writable;
    work.remote.offset = NextSlot();
    Post(reads, list, work);
    if (sges.size() <= QueueLimits::kSges) Count(own, flags);
    Collect();
  }

  void Post(bool reads, bool list, const call::Work& work) {
    if (reads)
      builder_.Call(list ? Call(call::PostReadv{work}) : Call(call::PostRead{work}));
    else
      builder_.Call(list ? Call(call::PostWritev{work}) : Call(call::PostWrite{work}));
  }

  // Requests that a queue refuses: more inline bytes than requested, or more outstanding requests
  // than its depth.
  void TooMuch(End& own, End& other) {
    const bool bytes = OneIn(2, "too many inline bytes");
    const uint32_t length = bytes ? QueueLimits::kInline + 8 : 8;
    const uint64_t how = builder_.Below(6, "by which function");
    const bool list = how % 2 == 1;
    const MrRef from = how == 2 || how == 3 ? own.target : own.source;
    call::Work work{.id = own.id, .sges = {}, .flags = kSignaled};
    if (bytes) work.flags |= kInline;
    work.sges.push_back({from, 0, length});
    if (how >= 2 && !datagrams_) work.remote.mr = how < 4 ? other.readable : other.writable;
    const uint32_t times = bytes ? 1 : kMost + 2;
    for (uint32_t i = 0; i < times; ++i) {
      work.context = NextContext();
      if (datagrams_)
        builder_.Call(call::PostUdSend{work});
      else if (how < 2)
        builder_.Call(list ? Call(call::PostSendv{work}) : Call(call::PostSend{work}));
      else
        Post(how < 4, list, work);
      if (!bytes) Count(own, kSignaled);
    }
    if (!bytes && how < 2) return Failed(own, nullptr);
    Collect();
  }

  // Requests with a remote or a local access violation.
  void Violate(End& own, End& other) {
    const bool reads = OneIn(2, "a read");
    const uint32_t offset = NextSlot();
    Sges sges;
    sges.push_back({reads ? own.target : own.source, offset, 16});
    call::Work work{.id = own.id, .context = NextContext(), .sges = sges};
    work.remote.mr = reads ? other.readable : other.writable;
    work.remote.offset = offset;
    bool there = true;
    switch (builder_.Below(4, "what is wrong")) {
      case 0:
        work.remote.mr = reads ? other.writable : other.readable;
        break;
      case 1:
        work.remote.mr = other.source;
        break;
      case 2:
        work.remote.offset = kSlot * kSlots - 8;
        break;
      default:
        work.sges[0].offset = kSlot * kSlots - 8;
        there = false;
        break;
    }
    Post(reads, true, work);
    Count(own, kSignaled);
    Failed(own, there ? &other : nullptr);
  }

  void TooLong(End& own, End& other) {
    if (other.posted_receives > other.received) return;
    const bool outside = OneIn(3, "a receive outside its region");
    if (outside) {
      call::Work work{.id = other.id, .context = NextContext(), .sges = {}};
      work.sges.push_back({other.target, kSlot * kSlots - 8, 24});
      builder_.Call(call::PostRecvv{work});  // the other has an assertion
      if (!other.failed) ++other.posted_receives;
    } else {
      Receive(other, 16);
    }
    Send(own, 24, kSignaled);
    Failed(own, &other);
  }

  // All posted requests complete now, in error if not before.
  void Failed(End& own, End* other) {
    own.failed = true;
    if (other != nullptr) other->failed = true;
    Collect();
  }

  // Polls for outstanding completions, and now and then for more.
  void Collect() {
    for (End& end : ends_) {
      const int sends = end.sent + (end.failed ? end.unsignaled : 0);
      for (int i = 0; i < sends; ++i) builder_.Call(call::GetSendComp{end.id});
      end.sent = 0;
      end.unsignaled = 0;
      const bool flushed = end.failed && !end.shares;
      const int receives = flushed ? end.posted_receives : end.received;
      for (int i = 0; i < receives; ++i) builder_.Call(call::GetRecvComp{end.id});
      end.posted_receives -= receives;
      end.received = 0;
    }
  }

  // A message or two that a queue is armed for, and the thread that waits for the event.
  void Notice(End& own, End& other) {
    const bool receives = OneIn(3, "of receives");
    End& end = receives ? other : own;
    for (uint64_t left = OneIn(6, "twice") ? 2 : 1; left > 0; --left)
      builder_.Call(call::ReqNotifyCq{end.id, receives, OneIn(4, "solicited ones only")});
    Message(own, other, OneIn(8, "polled before"));
    const bool more = OneIn(2, "two messages");
    if (more) Message(own, other, false);
    builder_.Call(call::GetCqEvent{end.id, receives});
    ++end.unacked[receives ? 1 : 0];
    if (more && builder_.Can(Capability::kLanes))
      builder_.Call(Thread::kWaiting, call::GetCqEvent{end.id, receives});
    Collect();
    if (!OneIn(3, "acknowledged later")) Acknowledge(end);
  }

  // All events of completions that may have been read.
  void Acknowledge(End& end) {
    for (const bool receives : {false, true}) {
      const uint32_t events = std::exchange(end.unacked[receives ? 1 : 0], 0);
      if (events > 0) builder_.Call(call::AckCqEvents{end.id, receives, events});
    }
  }

  void Step(End& own, End& other) {
    if (OneIn(20, "too much")) return TooMuch(own, other);
    const uint64_t what = builder_.Below(datagrams_ ? 5 : 15, "what is done");
    if (what == (datagrams_ ? 4 : 14)) return Notice(own, other);
    if (what >= 4 && what <= 9) return ReadOrWrite(own, other, what <= 6);
    if (what == 10) return Violate(own, other);
    if (what == 11) return TooLong(own, other);
    if (what == 12) return builder_.Call(call::Show{own.id});
    if (what == 13 && builder_.Can(Capability::kLanes) && OneIn(3, "a thread waits already"))
      builder_.Call(Thread::kWaiting, call::GetRecvComp{other.id});
    for (int i = 0; what == 3 && i < 2; ++i) Message(own, other, false);
    Message(own, other, true);
  }

  void Disconnect(End* end) {
    builder_.Call(call::Disconnect{end->id});
    end->failed |= !datagrams_;
    if (OneIn(3, "more is posted")) {
      Receive(*end, kSlot);
      if (!datagrams_) Send(*end, 8, kSignaled);
    }
    if (!OneIn(4, "not polled")) Collect();
    if (OneIn(3, "it is shown")) builder_.Call(call::Show{end->id});
  }

  void RemovedDevice(End& end) {
    builder_.Inject({.kind = FaultKind::kRemoveDevice, .side = end.side});
    builder_.Await(end.side);
    Disconnect(&end);
  }

  void Release() {
    for (End& end : ends_) {
      if (!OneIn(8, "not acknowledged")) Acknowledge(end);
      if (end.shares) {
        builder_.Calls({call::DestroyQp{end.id}, call::DestroySrq{end.id}});
      }
      for (const MrRef mr : {end.source, end.target, end.readable, end.writable})
        if (mr.valid()) builder_.Call(call::DeregMr{mr});
    }
  }

  static constexpr uint32_t kMost = QueueLimits::kWork;

  ConversationBuilder& builder_;
  bool datagrams_;
  std::array<End, 2> ends_;
  uint32_t slots_ = 0;
  uint16_t contexts_ = 0;
};

}  // namespace

void DataMoves(ConversationBuilder& builder) {
  Traffic traffic(builder);
  traffic.Meet();
  traffic.Work();
  traffic.Part();
}

}  // namespace cm
