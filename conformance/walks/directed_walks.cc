// Walks that lead somewhere: each makes one kind of trouble certain, so that nothing passes by
// never happening.
#include <array>

#include "conformance/walks/walks.h"

namespace cm {
// A whole life: connected, disconnected by either side or both, timewait to its end.
void LifeOfAConnection(Stage& stage) {
  const IdRef listener = stage.Listens(kPassiveSide);
  const auto [active, passive] = stage.Connection(kActiveSide);
  if (stage.OneIn(2, "look around")) stage.SettlesAndFetches(1);
  const uint64_t order = stage.Below(4, "who disconnects first");
  const IdRef first = order % 2 == 0 ? active : passive;
  const IdRef second = order % 2 == 0 ? passive : active;
  stage.Disconnects(first);
  if (order < 2) stage.SettlesAndFetches(1);
  stage.Disconnects(second);
  stage.SettlesAndFetches(1);
  stage.PassesAndFetches(Duration::Seconds(4), 2);
  if (stage.OneIn(2, "disconnect once more")) stage.Disconnects(first);
  stage.Destroys(active);
  stage.Destroys(passive);
  stage.Destroys(listener);
}

// One message of a kind is lost, or some, or all of them; the world heals or not.
void MessagesAreLost(Stage& stage) {
  Fault fault{.kind = FaultKind::kDrop};
  using enum MadKind;
  fault.messages =
      MadKinds(stage.OneOf({kReq, kRep, kRtu, kDreq, kDrep, kRej, kMra}, "which message is lost"));
  fault.side = stage.AnySide();
  const uint64_t how_many = stage.Below(3, "how many are lost");
  if (how_many < 2 && stage.Can(Capability::kDropNth)) {
    fault.first = 1;
    fault.last = 1 + static_cast<uint32_t>(how_many);
  }
  fault = stage.PerhapsRarer(fault);
  stage.Listens(kPassiveSide);
  stage.Inject(fault);
  const IdRef active = stage.Connects(kActiveSide);
  if (stage.OneIn(2, "time passes")) stage.Pass(Duration::Seconds(8));
  const IdRef passive = stage.Accepts(kPassiveSide);
  stage.FetchesAll(1);
  const auto span = [&] {
    return stage.OneOf({Duration::Seconds(8), Duration::Seconds(75), Duration::Seconds(120)},
                       "how long");
  };
  stage.PassesAndFetches(span(), 1);
  if (stage.OneIn(2, "heal")) stage.Heal();
  stage.Disconnects(active);
  stage.PassesAndFetches(Duration::Seconds(4), 1);
  stage.Disconnects(passive);
  stage.PassesAndFetches(span(), 2);
}

// Messages are late, doubled or out of order.
void MessagesAreDisturbed(Stage& stage) {
  using enum FaultKind;
  Fault fault{.kind = stage.OneOf({kDelay, kDuplicate, kReorder}, "what happens to messages")};
  fault.messages = MadKinds::All();
  fault.side = stage.AnySide();
  if (fault.kind == FaultKind::kDelay)
    fault.by = stage.OneIn(2, "how late") ? Duration::Seconds(5) : Duration::Milliseconds(500);
  fault = stage.PerhapsRarer(fault);
  stage.Listens(kPassiveSide);
  stage.Inject(fault);
  const IdRef active = stage.Connects(kActiveSide);
  if (fault.kind == FaultKind::kDelay) stage.Pass(Duration::Seconds(12));
  const IdRef passive = stage.Accepts(kPassiveSide);
  if (fault.kind == FaultKind::kDelay) stage.Pass(Duration::Seconds(12));
  stage.FetchesAll(1);
  stage.Disconnects(active);
  if (fault.kind == FaultKind::kDelay) stage.Pass(Duration::Seconds(12));
  stage.FetchesAll(1);
  stage.Disconnects(passive);
  stage.PassesAndFetches(Duration::Seconds(12), 2);
}

// Nobody answers, and every timer runs out: the request is lost, or read and left alone, or its
// reply is.
void NobodyAnswers(Stage& stage) {
  constexpr Duration kLongerThanAnyTimer = Duration::Seconds(1300);
  const uint64_t what = stage.Below(3, "what is not answered");
  stage.Listens(kPassiveSide);
  if (what == 0) stage.Drop(MadKinds::All(), kActiveSide);
  if (what == 1) stage.Drop(MadKinds::All(), kPassiveSide);
  const IdRef active = stage.Connects(kActiveSide);
  stage.Settle();
  const IdRef passive = stage.Fetch(kPassiveSide);
  if (what == 1) stage.Call(call::Accept{passive, ConnParam{}});
  stage.PassesAndFetches(kLongerThanAnyTimer, 2);
  stage.Disconnects(active);
  stage.Disconnects(passive);
}

// A request is refused: by nobody listening, by address, by the application, by destroying.
void Refusals(Stage& stage) {
  const uint16_t port = stage.Port(0);
  const uint64_t how = stage.Below(6, "how it is refused");
  if (how == 0) {  // nobody listens
    stage.Connects(kActiveSide, port);
    stage.FetchesAll(1);
    return;
  }
  const bool other_family = how == 1;
  const IdRef listener = stage.Listens(kPassiveSide, port, how == 2 ? 1 : 8);
  const IdRef active = stage.Connects(kActiveSide, port, true, other_family);
  if (how == 2) stage.Connects(kActiveSide, port);  // the backlog is full
  if (how == 3) {                                   // with the listener, unread
    stage.Destroys(listener);
    if (stage.OneIn(2, "another one has its port at once"))
      stage.Listens(kPassiveSide, port, 8, true);
    stage.FetchesAll(1);
    return;
  }
  stage.Settle();
  const IdRef passive = stage.Fetch(kPassiveSide);
  if (stage.Can(Capability::kTime) && stage.OneIn(4, "after a long time"))
    stage.Pass(Duration::Seconds(12));
  if (how == 4) {
    stage.Destroys(passive);
  } else if (how == 5) {
    // Abandoned by the side that asked, which then waits for its own request.
    stage.Calls({call::Reject{active, {}}, call::Accept{passive, ConnParam{}}});
  } else {
    const auto length = static_cast<uint8_t>(stage.Below(149, "length of the reason"));
    const PrivateData reason = PrivateData::Counting(length);
    if (stage.OneIn(4, "for its options"))
      stage.Call(call::RejectEce{passive, reason});
    else
      stage.Call(call::Reject{passive, reason});
  }
  if (stage.Can(Capability::kTime)) stage.Pass(Duration::Seconds(7));
  stage.FetchesAll(2);
  stage.Calls({call::Disconnect{active}, call::Reject{passive, {}}});
  if (stage.Can(Capability::kTime)) stage.Pass(Duration::Seconds(4));
  stage.FetchesAll(1);
}

// Answers at the wrong time: accept, reject and establish in every phase of a negotiation.
void AnswersOutOfPlace(Stage& stage) {
  const bool active_qp = stage.OneIn(2, "active queue pair");
  const bool passive_qp = stage.OneIn(2, "passive queue pair");
  stage.Listens(kPassiveSide);
  const IdRef active = stage.Connects(kActiveSide, stage.Port(0), active_qp);
  const auto meddle = [&stage](IdRef id) {
    const uint64_t what = stage.Below(6, "what is called out of place");
    if (what == 0) stage.Call(call::Accept{id, stage.Numbered()});
    if (what == 1) stage.Call(call::Reject{id, {}});
    if (what == 2) stage.Call(call::Establish{id});
    if (what == 3) stage.Call(call::Disconnect{id});
    if (what == 4) stage.Call(call::CreateQp{id});
  };
  const uint64_t when = stage.Below(6, "in which phase");
  if (when == 0) meddle(active);
  const bool crossing = when == 5;  // the reply leaves when nobody waits for it any more
  crossing ? stage.Pass(stage.profile().timing.mpa_reply) : stage.Settle();
  const IdRef passive = stage.Fetch(kPassiveSide);
  if (when == 1) meddle(passive);
  ConnParam param = stage.Numbered();
  if (passive_qp) stage.Call(call::CreateQp{passive});
  stage.Call(call::Accept{passive, param});
  if (when == 2) meddle(passive);
  if (crossing) stage.Call(call::Accept{active, param});
  stage.Settle();
  if (when == 3) meddle(active);
  stage.FetchesAll(1);
  if (!active_qp) stage.Call(call::Establish{active});
  stage.SettlesAndFetches(1);
  if (when == 4) meddle(passive);
  meddle(active);
  stage.PassesAndFetches(Duration::Seconds(4), 2);
}

// Destroying an id whose event is not acknowledged waits for the acknowledgement.
void DestroyWaits(Stage& stage) {
  const ChannelRef channel = stage.ChannelOf(kActiveSide);
  stage.Listens(kPassiveSide);
  const IdRef id = stage.NewId(kActiveSide, channel);
  stage.ResolvesPeer(id, stage.Port(0));
  stage.Await(kActiveSide, channel, false);
  stage.Call(Stage::WaitingLane(kActiveSide), call::DestroyId{id});
  if (stage.OneIn(2, "something else meanwhile")) stage.Listens(kPassiveSide, stage.Port(1));
  const auto held = stage.forecast().held();
  if (!held.empty()) stage.Call(call::AckCmEvent{held.back().first});
}

// Many ask one listener before it looks: requests wait side by side, the backlog fills up, the same
// QP number turns up again.
void Crowd(Stage& stage) {
  const int backlog = static_cast<int>(1 + stage.Below(3, "backlog"));
  const IdRef listener = stage.Listens(kPassiveSide, stage.Port(0), backlog);
  std::vector<IdRef> askers;
  const uint64_t crowd = 2 + stage.Below(2, "how many ask");
  const bool same_number = stage.OneIn(3, "the same QP number");
  const uint32_t number = stage.FreshQpNumber();
  for (uint64_t i = 0; i < crowd; ++i) {
    const IdRef id = stage.Resolves(kActiveSide);
    ConnParam param;
    param.qp_num = same_number ? number : stage.FreshQpNumber();
    param.private_data = PrivateData::Counting(static_cast<uint8_t>(10 + i));
    stage.Call(call::Connect{id, param});
    if (stage.OneIn(2, "one after the other")) stage.Settle();
    askers.push_back(id);
  }
  stage.Settle();
  std::vector<IdRef> requests;
  for (uint64_t i = 0; i < crowd; ++i) requests.push_back(stage.Fetch(kPassiveSide));
  for (size_t i = requests.size(); i-- > 0;)
    stage.Call(call::Accept{requests[i], stage.Numbered()});
  if (stage.OneIn(3, "the listener goes")) stage.Destroys(listener);
  stage.SettlesAndFetches(2);
  for (const IdRef id : askers) stage.Call(call::Establish{id});
  if (stage.Can(Capability::kTime)) stage.Pass(Duration::Seconds(7));
  stage.FetchesAll(3);
}

// Arguments at their limits, and one beyond.
void ArgumentLimits(Stage& stage) {
  const Limits& limits = stage.profile().limits;
  const auto beyond = [&stage](uint8_t limit) {
    return PrivateData::Counting(static_cast<uint8_t>(limit + stage.Below(2, "one beyond")));
  };
  stage.Listens(kPassiveSide, stage.Port(0), static_cast<int>(stage.Below(3, "backlog")) - 1);
  const IdRef active = stage.Resolves(kActiveSide);
  stage.Calls({call::ResolveRoute{active, 0}, call::CreateQp{active}});
  ConnParam param;
  param.initiator_depth = static_cast<uint8_t>(limits.max_depth + stage.Below(2, "one beyond"));
  param.responder_resources = stage.OneIn(2, "the maximum by name") ? 255 : 3;
  stage.Call(call::Connect{active, param});
  param.initiator_depth = 2;
  param.private_data = beyond(limits.request_data);
  stage.Call(call::Connect{active, param});
  param.private_data = PrivateData::Counting(limits.request_data);
  param.retry_count = param.rnr_retry_count = 9;
  stage.Call(call::Connect{active, param});
  stage.Settle();
  const IdRef passive = stage.Fetch(kPassiveSide);
  if (stage.OneIn(2, "reject")) {
    stage.Calls({call::Reject{passive, beyond(limits.reject_data)},
                 call::Reject{passive, PrivateData::Counting(limits.reject_data)}});
  } else {
    if (stage.OneIn(2, "with a queue pair")) stage.Call(call::CreateQp{passive});
    ConnParam reply = stage.Numbered();
    reply.responder_resources = stage.OneIn(3, "too large") ? 250 : 4;
    reply.private_data = beyond(limits.reply_data);
    stage.Call(call::Accept{passive, reply});
  }
  stage.SettlesAndFetches(2);
  stage.Calls({call::Show{active}, call::Show{passive}});
}

// From a loopback address to somebody else, on the same kernel or not.
static void FromLoopback(Stage& stage, IdRef id, bool v6) {
  const uint16_t port = stage.Port(0);
  const Address loopback{.kind = AddressKind::kLoopback, .v6 = v6, .port = port};
  const Address silent{.kind = AddressKind::kSilent, .v6 = v6, .port = port};
  if (stage.OneIn(2, "bound first")) stage.Call(call::BindAddr{id, loopback});
  const bool inside = stage.OneIn(3, "on the same kernel");
  const Address there = inside ? stage.AddressOf(kActiveSide, port, v6) : silent;
  stage.Call(call::ResolveAddr{id, loopback, there, 500});
  stage.Settle();
  stage.Fetch(kActiveSide);
  stage.Call(call::ResolveAddr{id, {}, silent, 500});
}

// Addresses that lead nowhere, or only half of the way.
void OddAddresses(Stage& stage) {
  const ChannelRef channel = stage.ChannelOf(kActiveSide);
  const uint16_t port = stage.Port(0);
  const bool v6 = stage.OneIn(3, "IPv6");
  const auto odd = [&](AddressKind kind) { return Address{.kind = kind, .v6 = v6, .port = port}; };
  const Address there = stage.AddressOf(kPassiveSide, port, v6);
  const Address here = stage.AddressOf(kActiveSide, 0, v6);
  const IdRef id = stage.NewId(kActiveSide, channel);
  if (stage.OneIn(4, "no such port space"))
    stage.Destroys(stage.NewIdIn(kActiveSide, channel, static_cast<PortSpace>(0x999)));
  switch (stage.Below(8, "what is odd")) {
    case 6:
      return FromLoopback(stage, id, v6);
    case 7:  // no route from the wildcard
      stage.Calls({call::BindAddr{id, odd(AddressKind::kAny)},
                   call::ResolveAddr{id, {}, odd(AddressKind::kUnroutable), 500}, call::Show{id}});
      return;
    case 0:  // loopback resolves, and has no route
      stage.Call(call::ResolveAddr{id, {}, odd(AddressKind::kLoopback), 2000});
      stage.Settle();
      stage.Fetch(kActiveSide);
      stage.Calls({call::Show{id}, call::ResolveRoute{id, 2000}});
      return;
    case 1: {  // the first interface sticks
      const IdRef owner = stage.NewId(kActiveSide, channel);
      stage.Calls({call::BindAddr{owner, here.WithPort(port)},
                   call::BindAddr{id, here.WithPort(port)},
                   call::BindAddr{id, odd(AddressKind::kForeign)},
                   call::ResolveAddr{id, odd(AddressKind::kForeign), there, 2000},
                   call::BindAddr{id, there.WithPort(stage.Port(1))}});
      return;
    }
    case 2: {  // families differ
      const Address other_family = stage.AddressOf(kPassiveSide, port, !v6);
      if (stage.OneIn(2, "bound first")) stage.Call(call::BindAddr{id, here});
      stage.Calls({call::ResolveAddr{id, here, other_family, 2000},
                   call::ResolveAddr{id, here, other_family, 2000},
                   call::ResolveAddr{id, here, there, 2000}});
      break;
    }
    case 3:  // nobody answers
      stage.Call(call::ResolveAddr{id, here, odd(AddressKind::kSilent),
                                   stage.OneIn(3, "no time") ? 0 : 500});
      if (stage.Can(Capability::kTime)) stage.Pass(Duration::Seconds(2));
      stage.Fetch(kActiveSide);
      stage.Fetch(kActiveSide);
      stage.Call(call::ResolveAddr{id, {}, there, 2000});
      break;
    case 4:  // no device at all
      if (!stage.Inject(FaultKind::kRemoveDevice, kActiveSide)) return;
      stage.Settle();
      if (stage.OneIn(2, "bound first")) stage.Call(call::BindAddr{id, Wildcard(0, v6)});
      stage.Calls({call::ResolveAddr{id, {}, odd(AddressKind::kLoopback), 2000},
                   call::ResolveAddr{id, here, there, 2000}});
      break;
    default:
      stage.Calls({call::ResolveAddr{id, here, odd(AddressKind::kUnroutable), 2000},
                   call::ResolveAddr{id, {}, there, 2000}});
      break;
  }
  stage.Settle();
  stage.Fetch(kActiveSide);
  stage.Call(call::Show{id});
}

// A reply that the library cannot follow: it reports CONNECT_ERROR and hides what comes later.
void ReplyCannotBeFollowed(Stage& stage) {
  stage.Listens(kPassiveSide);
  const IdRef active = stage.Connects(kActiveSide);
  stage.Disconnects(active);  // only moves the queue pair to ERR
  const IdRef passive = stage.Accepts(kPassiveSide);
  stage.SettlesAndFetches(1);
  if (stage.OneIn(3, "it is established all the same")) {
    stage.Calls({call::DestroyQp{active}, call::Establish{active}});
    stage.SettlesAndFetches(1);
  }
  if (stage.OneIn(2, "how it ends"))
    stage.Destroys(passive);
  else
    stage.Call(call::Disconnect{passive});
  stage.SettlesAndFetches(2);
  stage.Call(call::Show{active});
}

// An id abandoned in the middle of its request holds up whoever destroys it, or its channel.
void AbandonedHoldsUp(Stage& stage) {
  stage.Listens(kPassiveSide);
  if (stage.OneIn(2, "the request is lost")) stage.Drop(MadKinds(MadKind::kReq), kActiveSide);
  const IdRef active = stage.Connects(kActiveSide);
  stage.Call(call::Reject{active, {}});
  if (stage.OneIn(2, "the whole channel"))
    stage.Call(call::DestroyEventChannel{stage.ChannelOf(kActiveSide)});
  else
    stage.Destroys(active);
  stage.FetchesAll(1);
}

// Ports: taken, shared between addresses and families, freed.
void PortsMeet(Stage& stage) {
  const ChannelRef channel = stage.ChannelOf(kPassiveSide);
  const uint16_t port = stage.Port(0);
  std::vector<IdRef> ids;
  for (int i = 0; i < 5; ++i) {
    const IdRef id = stage.NewId(kPassiveSide, channel);
    Address address = stage.AddressOf(kPassiveSide, port);
    address.v6 = stage.OneIn(3, "IPv6");
    using enum AddressKind;
    address.kind = stage.OneOf({kSide, kSide, kAny, kLoopback, kForeign}, "kind of address");
    if (address.kind != kSide) address.side = 0;
    stage.Call(call::BindAddr{id, address});
    if (stage.OneIn(2, "listen")) stage.Call(call::Listen{id, 4});
    stage.Call(call::Show{id});
    ids.push_back(id);
    if (stage.OneIn(3, "destroy one")) stage.Destroys(ids[stage.Below(ids.size(), "which one")]);
  }
  const IdRef source = stage.NewId(kActiveSide, stage.ChannelOf(kActiveSide));
  stage.Call(call::ResolveAddr{source, stage.AddressOf(kActiveSide, stage.Port(1)),
                               stage.AddressOf(kPassiveSide, port), 2000});
  const IdRef clash = stage.NewId(kActiveSide, stage.ChannelOf(kActiveSide));
  Address again = stage.AddressOf(kActiveSide, stage.Port(1));
  if (stage.OneIn(2, "wildcard")) again = Wildcard(again.port);
  stage.Call(call::ResolveAddr{clash, again, stage.AddressOf(kPassiveSide, port), 2000});
  stage.FetchesAll(2);
}

}  // namespace cm
