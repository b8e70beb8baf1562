// Directed walks: each makes one situation, or one kind of fault, happen for certain, so that no
// property holds vacuously.

#include "conformance/walks/walks.h"

namespace cm {

// A whole life: connected, disconnected by either side or both, timewait to its end.
void LifeOfAConnection(ConversationBuilder& builder) {
  const IdRef listener = builder.Listens(kPassiveSide);
  const auto [active, passive] = builder.Connection(kActiveSide);
  if (builder.OneIn(2, "look around")) builder.SettlesAndFetches(1);
  const uint64_t order = builder.Below(4, "who disconnects first");
  const IdRef first = order % 2 == 0 ? active : passive;
  const IdRef second = order % 2 == 0 ? passive : active;
  builder.Disconnects(first);
  if (order < 2) builder.SettlesAndFetches(1);
  builder.Disconnects(second);
  builder.SettlesAndFetches(1);
  builder.PassesAndFetches(Duration::Seconds(4), 2);
  if (builder.OneIn(2, "disconnect once more")) builder.Disconnects(first);
  builder.Destroys(active);
  builder.Destroys(passive);
  builder.Destroys(listener);
}

// One message of a kind is lost, or some, or all of them; the world heals or not.
void MessagesAreLost(ConversationBuilder& builder) {
  Fault fault{.kind = FaultKind::kDrop};
  using enum MadKind;
  fault.messages = MadKinds(
      builder.OneOf({kReq, kRep, kRtu, kDreq, kDrep, kRej, kMra}, "which message is lost"));
  fault.side = builder.AnySide();
  const uint64_t how_many = builder.Below(3, "how many are lost");
  if (how_many < 2 && builder.Can(Capability::kDropNth)) {
    fault.first = 1;
    fault.last = 1 + static_cast<uint32_t>(how_many);
  }
  fault = builder.PerhapsRarer(fault);
  builder.Listens(kPassiveSide);
  builder.Inject(fault);
  const IdRef active = builder.Connects(kActiveSide);
  if (builder.OneIn(2, "time passes")) builder.Pass(Duration::Seconds(8));
  const IdRef passive = builder.Accepts(kPassiveSide);
  builder.FetchesAll(1);
  const auto span = [&] {
    return builder.OneOf({Duration::Seconds(8), Duration::Seconds(75), Duration::Seconds(120)},
                         "how long");
  };
  builder.PassesAndFetches(span(), 1);
  if (builder.OneIn(2, "heal")) builder.Heal();
  builder.Disconnects(active);
  builder.PassesAndFetches(Duration::Seconds(4), 1);
  builder.Disconnects(passive);
  builder.PassesAndFetches(span(), 2);
}

// Messages are delayed, duplicated or reordered.
void MessagesAreDisturbed(ConversationBuilder& builder) {
  using enum FaultKind;
  Fault fault{.kind = builder.OneOf({kDelay, kDuplicate, kReorder}, "what happens to messages")};
  fault.messages = MadKinds::All();
  fault.side = builder.AnySide();
  if (fault.kind == FaultKind::kDelay)
    fault.by = builder.OneIn(2, "how late") ? Duration::Seconds(5) : Duration::Milliseconds(500);
  fault = builder.PerhapsRarer(fault);
  builder.Listens(kPassiveSide);
  builder.Inject(fault);
  const IdRef active = builder.Connects(kActiveSide);
  if (fault.kind == FaultKind::kDelay) builder.Pass(Duration::Seconds(12));
  const IdRef passive = builder.Accepts(kPassiveSide);
  if (fault.kind == FaultKind::kDelay) builder.Pass(Duration::Seconds(12));
  builder.FetchesAll(1);
  builder.Disconnects(active);
  if (fault.kind == FaultKind::kDelay) builder.Pass(Duration::Seconds(12));
  builder.FetchesAll(1);
  builder.Disconnects(passive);
  builder.PassesAndFetches(Duration::Seconds(12), 2);
}

// The peer does not answer, and every timer expires: the request is lost, or read and left
// unanswered, or its reply is lost.
void NobodyAnswers(ConversationBuilder& builder) {
  constexpr Duration kLongerThanAnyTimer = Duration::Seconds(1300);
  const uint64_t what = builder.Below(3, "what is not answered");
  builder.Listens(kPassiveSide);
  if (what == 0) builder.Drop(MadKinds::All(), kActiveSide);
  if (what == 1) builder.Drop(MadKinds::All(), kPassiveSide);
  const IdRef active = builder.Connects(kActiveSide);
  builder.Settle();
  const IdRef passive = builder.Fetch(kPassiveSide);
  if (what == 1) builder.Call(call::Accept{passive, ConnParam{}});
  builder.PassesAndFetches(kLongerThanAnyTimer, 2);
  builder.Disconnects(active);
  builder.Disconnects(passive);
}

// A request is rejected: without a listener, by address, by the application, by destroying.
void Refusals(ConversationBuilder& builder) {
  const uint16_t port = builder.Port(0);
  const uint64_t how = builder.Below(6, "how it is refused");
  if (how == 0) {  // no listener
    builder.Connects(kActiveSide, port);
    builder.FetchesAll(1);
    return;
  }
  const bool other_family = how == 1;
  const IdRef listener = builder.Listens(kPassiveSide, port, how == 2 ? 1 : 8);
  const IdRef active = builder.Connects(kActiveSide, port, true, other_family);
  if (how == 2) builder.Connects(kActiveSide, port);  // the backlog is full
  if (how == 3) {                                     // with the listener, unread
    builder.Destroys(listener);
    if (builder.OneIn(2, "another one has its port at once"))
      builder.Listens(kPassiveSide, port, 8, true);
    builder.FetchesAll(1);
    return;
  }
  builder.Settle();
  const IdRef passive = builder.Fetch(kPassiveSide);
  if (builder.Can(Capability::kTime) && builder.OneIn(4, "after a long time"))
    builder.Pass(Duration::Seconds(12));
  if (how == 4) {
    builder.Destroys(passive);
  } else if (how == 5) {
    // Abandoned by the active side, which then waits for its own request.
    builder.Calls({call::Reject{active, {}}, call::Accept{passive, ConnParam{}}});
  } else {
    const auto length = static_cast<uint8_t>(builder.Below(149, "length of the reason"));
    const PrivateData reason = PrivateData::Counting(length);
    if (builder.OneIn(4, "for its options"))
      builder.Call(call::RejectEce{passive, reason});
    else
      builder.Call(call::Reject{passive, reason});
  }
  if (builder.Can(Capability::kTime)) builder.Pass(Duration::Seconds(7));
  builder.FetchesAll(2);
  builder.Calls({call::Disconnect{active}, call::Reject{passive, {}}});
  if (builder.Can(Capability::kTime)) builder.Pass(Duration::Seconds(4));
  builder.FetchesAll(1);
}

// Answers at the wrong time: accept, reject and establish in every phase of a negotiation.
void AnswersOutOfPlace(ConversationBuilder& builder) {
  const bool active_qp = builder.OneIn(2, "active queue pair");
  const bool passive_qp = builder.OneIn(2, "passive queue pair");
  builder.Listens(kPassiveSide);
  const IdRef active = builder.Connects(kActiveSide, builder.Port(0), active_qp);
  const auto meddle = [&builder](IdRef id) {
    const uint64_t what = builder.Below(6, "what is called out of place");
    if (what == 0) builder.Call(call::Accept{id, builder.Numbered()});
    if (what == 1) builder.Call(call::Reject{id, {}});
    if (what == 2) builder.Call(call::Establish{id});
    if (what == 3) builder.Call(call::Disconnect{id});
    if (what == 4) builder.Call(call::CreateQp{id});
  };
  const uint64_t when = builder.Below(6, "in which phase");
  if (when == 0) meddle(active);
  const bool crossing = when == 5;  // the reply is sent when it is not awaited any more
  crossing ? builder.Pass(builder.profile().timing.mpa_reply) : builder.Settle();
  const IdRef passive = builder.Fetch(kPassiveSide);
  if (when == 1) meddle(passive);
  ConnParam param = builder.Numbered();
  if (passive_qp) builder.Call(call::CreateQp{passive});
  builder.Call(call::Accept{passive, param});
  if (when == 2) meddle(passive);
  if (crossing) builder.Call(call::Accept{active, param});
  builder.Settle();
  if (when == 3) meddle(active);
  builder.FetchesAll(1);
  if (!active_qp) builder.Call(call::Establish{active});
  builder.SettlesAndFetches(1);
  if (when == 4) meddle(passive);
  meddle(active);
  builder.PassesAndFetches(Duration::Seconds(4), 2);
}

// Destroying an id whose event is not acknowledged waits for the acknowledgement.
void DestroyWaits(ConversationBuilder& builder) {
  const ChannelRef channel = builder.ChannelOf(kActiveSide);
  builder.Listens(kPassiveSide);
  const IdRef id = builder.NewId(kActiveSide, channel);
  builder.ResolvesPeer(id, builder.Port(0));
  builder.Await(kActiveSide, channel, false);
  builder.Call(LaneOf(kActiveSide, Thread::kWaiting), call::DestroyId{id});
  if (builder.OneIn(2, "something else meanwhile")) builder.Listens(kPassiveSide, builder.Port(1));
  const auto held = builder.model().held();
  if (!held.empty()) builder.Call(call::AckCmEvent{held.back().first});
}

// Many ids connect to one listener before it fetches: requests are outstanding concurrently, the
// backlog fills up, a QP number occurs again.
void Crowd(ConversationBuilder& builder) {
  const int backlog = static_cast<int>(1 + builder.Below(3, "backlog"));
  const IdRef listener = builder.Listens(kPassiveSide, builder.Port(0), backlog);
  std::vector<IdRef> askers;
  const uint64_t crowd = 2 + builder.Below(2, "how many ask");
  const bool same_number = builder.OneIn(3, "the same QP number");
  const uint32_t number = builder.FreshQpNumber();
  for (uint64_t i = 0; i < crowd; ++i) {
    const IdRef id = builder.Resolves(kActiveSide);
    ConnParam param;
    param.qp_num = same_number ? number : builder.FreshQpNumber();
    param.private_data = PrivateData::Counting(static_cast<uint8_t>(10 + i));
    builder.Call(call::Connect{id, param});
    if (builder.OneIn(2, "one after the other")) builder.Settle();
    askers.push_back(id);
  }
  builder.Settle();
  std::vector<IdRef> requests;
  for (uint64_t i = 0; i < crowd; ++i) requests.push_back(builder.Fetch(kPassiveSide));
  for (size_t i = requests.size(); i-- > 0;)
    builder.Call(call::Accept{requests[i], builder.Numbered()});
  if (builder.OneIn(3, "the listener goes")) builder.Destroys(listener);
  builder.SettlesAndFetches(2);
  for (const IdRef id : askers) builder.Call(call::Establish{id});
  if (builder.Can(Capability::kTime)) builder.Pass(Duration::Seconds(7));
  builder.FetchesAll(3);
}

// Arguments at their limits, and one beyond.
void ArgumentLimits(ConversationBuilder& builder) {
  const Limits& limits = builder.profile().limits;
  const auto beyond = [&builder](uint8_t limit) {
    return PrivateData::Counting(static_cast<uint8_t>(limit + builder.Below(2, "one beyond")));
  };
  builder.Listens(kPassiveSide, builder.Port(0), static_cast<int>(builder.Below(3, "backlog")) - 1);
  const IdRef active = builder.Resolves(kActiveSide);
  builder.Calls({call::ResolveRoute{active, 0}, call::CreateQp{active}});
  ConnParam param;
  param.initiator_depth = static_cast<uint8_t>(limits.max_depth + builder.Below(2, "one beyond"));
  param.responder_resources = builder.OneIn(2, "the maximum by name") ? 255 : 3;
  builder.Call(call::Connect{active, param});
  param.initiator_depth = 2;
  param.private_data = beyond(limits.request_data);
  builder.Call(call::Connect{active, param});
  param.private_data = PrivateData::Counting(limits.request_data);
  param.retry_count = param.rnr_retry_count = 9;
  builder.Call(call::Connect{active, param});
  builder.Settle();
  const IdRef passive = builder.Fetch(kPassiveSide);
  if (builder.OneIn(2, "reject")) {
    builder.Calls({call::Reject{passive, beyond(limits.reject_data)},
                   call::Reject{passive, PrivateData::Counting(limits.reject_data)}});
  } else {
    if (builder.OneIn(2, "with a queue pair")) builder.Call(call::CreateQp{passive});
    ConnParam reply = builder.Numbered();
    reply.responder_resources = builder.OneIn(3, "too large") ? 250 : 4;
    reply.private_data = beyond(limits.reply_data);
    builder.Call(call::Accept{passive, reply});
  }
  builder.SettlesAndFetches(2);
  builder.Calls({call::Show{active}, call::Show{passive}});
}

// From a loopback address to another address, on the same kernel or not.
static void FromLoopback(ConversationBuilder& builder, IdRef id, bool v6) {
  const uint16_t port = builder.Port(0);
  const Address loopback{.kind = AddressKind::kLoopback, .v6 = v6, .port = port};
  const Address silent{.kind = AddressKind::kSilent, .v6 = v6, .port = port};
  if (builder.OneIn(2, "bound first")) builder.Call(call::BindAddr{id, loopback});
  const bool inside = builder.OneIn(3, "on the same kernel");
  const Address there = inside ? builder.AddressOf(kActiveSide, port, v6) : silent;
  builder.Call(call::ResolveAddr{id, loopback, there, 500});
  builder.Settle();
  builder.Fetch(kActiveSide);
  builder.Call(call::ResolveAddr{id, {}, silent, 500});
}

// Addresses that cannot be resolved, or have no route.
void OddAddresses(ConversationBuilder& builder) {
  const ChannelRef channel = builder.ChannelOf(kActiveSide);
  const uint16_t port = builder.Port(0);
  const bool v6 = builder.OneIn(3, "IPv6");
  const auto odd = [&](AddressKind kind) { return Address{.kind = kind, .v6 = v6, .port = port}; };
  const Address there = builder.AddressOf(kPassiveSide, port, v6);
  const Address here = builder.AddressOf(kActiveSide, 0, v6);
  const IdRef id = builder.NewId(kActiveSide, channel);
  if (builder.OneIn(4, "no such port space"))
    builder.Destroys(builder.NewId(kActiveSide, channel, static_cast<PortSpace>(0x999)));
  switch (builder.Below(8, "what is odd")) {
    case 6:
      return FromLoopback(builder, id, v6);
    case 7:  // no route from the wildcard
      builder.Calls({call::BindAddr{id, odd(AddressKind::kAny)},
                     call::ResolveAddr{id, {}, odd(AddressKind::kUnroutable), 500},
                     call::Show{id}});
      return;
    case 0:  // loopback resolves, and has no route
      builder.Call(call::ResolveAddr{id, {}, odd(AddressKind::kLoopback), 2000});
      builder.Settle();
      builder.Fetch(kActiveSide);
      builder.Calls({call::Show{id}, call::ResolveRoute{id, 2000}});
      return;
    case 1: {  // the first interface sticks
      const IdRef owner = builder.NewId(kActiveSide, channel);
      builder.Calls({call::BindAddr{owner, here.WithPort(port)},
                     call::BindAddr{id, here.WithPort(port)},
                     call::BindAddr{id, odd(AddressKind::kForeign)},
                     call::ResolveAddr{id, odd(AddressKind::kForeign), there, 2000},
                     call::BindAddr{id, there.WithPort(builder.Port(1))}});
      return;
    }
    case 2: {  // families differ
      const Address other_family = builder.AddressOf(kPassiveSide, port, !v6);
      if (builder.OneIn(2, "bound first")) builder.Call(call::BindAddr{id, here});
      builder.Calls({call::ResolveAddr{id, here, other_family, 2000},
                     call::ResolveAddr{id, here, other_family, 2000},
                     call::ResolveAddr{id, here, there, 2000}});
      break;
    }
    case 3:  // no host answers
      builder.Call(call::ResolveAddr{id, here, odd(AddressKind::kSilent),
                                     builder.OneIn(3, "no time") ? 0 : 500});
      if (builder.Can(Capability::kTime)) builder.Pass(Duration::Seconds(2));
      builder.Fetch(kActiveSide);
      builder.Fetch(kActiveSide);
      builder.Call(call::ResolveAddr{id, {}, there, 2000});
      break;
    case 4:  // no device at all
      if (!builder.Inject(FaultKind::kRemoveDevice, kActiveSide)) return;
      builder.Settle();
      if (builder.OneIn(2, "bound first")) builder.Call(call::BindAddr{id, Wildcard(0, v6)});
      builder.Calls({call::ResolveAddr{id, {}, odd(AddressKind::kLoopback), 2000},
                     call::ResolveAddr{id, here, there, 2000}});
      break;
    default:
      builder.Calls({call::ResolveAddr{id, here, odd(AddressKind::kUnroutable), 2000},
                     call::ResolveAddr{id, {}, there, 2000}});
      break;
  }
  builder.Settle();
  builder.Fetch(kActiveSide);
  builder.Call(call::Show{id});
}

// A reply that the library cannot process: it reports CONNECT_ERROR and hides later events.
void ReplyCannotBeFollowed(ConversationBuilder& builder) {
  builder.Listens(kPassiveSide);
  const IdRef active = builder.Connects(kActiveSide);
  builder.Disconnects(active);  // only moves the queue pair to ERR
  const IdRef passive = builder.Accepts(kPassiveSide);
  builder.SettlesAndFetches(1);
  if (builder.OneIn(3, "it is established all the same")) {
    builder.Calls({call::DestroyQp{active}, call::Establish{active}});
    builder.SettlesAndFetches(1);
  }
  if (builder.OneIn(2, "how it ends"))
    builder.Destroys(passive);
  else
    builder.Call(call::Disconnect{passive});
  builder.SettlesAndFetches(2);
  builder.Call(call::Show{active});
}

// An id abandoned with an outstanding request delays rdma_destroy_id, or
// rdma_destroy_event_channel.
void AbandonedHoldsUp(ConversationBuilder& builder) {
  builder.Listens(kPassiveSide);
  if (builder.OneIn(2, "the request is lost")) builder.Drop(MadKinds(MadKind::kReq), kActiveSide);
  const IdRef active = builder.Connects(kActiveSide);
  builder.Call(call::Reject{active, {}});
  if (builder.OneIn(2, "the whole channel"))
    builder.Call(call::DestroyEventChannel{builder.ChannelOf(kActiveSide)});
  else
    builder.Destroys(active);
  builder.FetchesAll(1);
}

// Ports: taken, shared between addresses and families, freed.
void PortsMeet(ConversationBuilder& builder) {
  const ChannelRef channel = builder.ChannelOf(kPassiveSide);
  const uint16_t port = builder.Port(0);
  std::vector<IdRef> ids;
  for (int i = 0; i < 5; ++i) {
    const IdRef id = builder.NewId(kPassiveSide, channel);
    Address address = builder.AddressOf(kPassiveSide, port);
    address.v6 = builder.OneIn(3, "IPv6");
    using enum AddressKind;
    address.kind = builder.OneOf({kSide, kSide, kAny, kLoopback, kForeign}, "kind of address");
    if (address.kind != kSide) address.side = 0;
    builder.Call(call::BindAddr{id, address});
    if (builder.OneIn(2, "listen")) builder.Call(call::Listen{id, 4});
    builder.Call(call::Show{id});
    ids.push_back(id);
    if (builder.OneIn(3, "destroy one"))
      builder.Destroys(ids[builder.Below(ids.size(), "which one")]);
  }
  const IdRef source = builder.NewId(kActiveSide, builder.ChannelOf(kActiveSide));
  builder.Call(call::ResolveAddr{source, builder.AddressOf(kActiveSide, builder.Port(1)),
                                 builder.AddressOf(kPassiveSide, port), 2000});
  const IdRef clash = builder.NewId(kActiveSide, builder.ChannelOf(kActiveSide));
  Address again = builder.AddressOf(kActiveSide, builder.Port(1));
  if (builder.OneIn(2, "wildcard")) again = Wildcard(again.port);
  builder.Call(call::ResolveAddr{clash, again, builder.AddressOf(kPassiveSide, port), 2000});
  builder.FetchesAll(2);
}

}  // namespace cm
