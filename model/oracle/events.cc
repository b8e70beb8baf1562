// Fetching, judged: which event, or none, can be what an application gets to see.
#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

const ChannelRule& kFetched =
    RowOf(ChannelState::kPending, CallKind::kGetCmEvent, ChannelGuard::kFine);
const ChannelRule& kNothingNow =
    RowOf(ChannelState::kEmpty, CallKind::kGetCmEvent, ChannelGuard::kNonblocking);
const ChannelRule& kWaitsForOne =
    RowOf(ChannelState::kEmpty, CallKind::kGetCmEvent, ChannelGuard::kFine);

const FetchRule* FindFetch(EventType queued, FetchGuard guard) {
  for (const FetchRule& rule : rules::kFetches)
    if (rule.queued == queued && rule.when.Has(guard)) return &rule;
  return nullptr;
}

int32_t StatusOf(const FetchRule& rule, const Pending& pending) {
  return rule.status == kUnchanged ? pending.status : rule.status;
}

std::string EventText(EventType type, int32_t status) {
  std::string text(ToString(type));
  if (status != 0) text += " status=" + std::to_string(status);
  return text;
}

}  // namespace

// Its queue pair can find the way to its peer: the GID is there, and the interface is up.
bool Oracle::CanSend(const IdState& id) const {
  if (machine_.over_infiniband()) return true;
  return fault_model_.LinkUp(id.device) && facts_.SourceOf(id) == fault_model_.FailOvers(id.device);
}

FetchGuard Oracle::GuardOfFetch(const Possibility& p, uint8_t id, const Pending& head) const {
  const IdState& own = p.ids[id];
  switch (head.type) {
    case EventType::kRouteResolved:
      // Over iWARP the library asks nothing about a route.
      if (machine_.over_iwarp()) return FetchGuard::kFine;
      [[fallthrough]];
    case EventType::kAddrResolved:
      return own.closed ? FetchGuard::kIdGone : FetchGuard::kFine;
    case EventType::kConnectRequest:
      if (head.child == kNoId || p.ids[head.child].left_on.valid()) return FetchGuard::kLeftBehind;
      return p.ids[head.child].closed ? FetchGuard::kIdGone : FetchGuard::kFine;
    case EventType::kConnectResponse: {
      if (own.qp == QpPhase::kNone) return FetchGuard::kQpAbsent;
      if (own.closed) return FetchGuard::kIdGone;
      const IbRule* ready = Machine::Find(own.ib, IbStimulus::kQpReady);
      const IbRule* rtu = Machine::Find(own.ib, IbStimulus::kSendRtu);
      const QpRule* up = FindQpRule(own.qp, QpStimulus::kBringUp);
      const bool follows = up != nullptr && up->possible && ready->answer == IbAnswer::kDone &&
                           rtu->answer == IbAnswer::kDone && own.state == State::kConnect &&
                           CanSend(own);
      return follows ? FetchGuard::kFine : FetchGuard::kQpCannotComeUp;
    }
    case EventType::kRejected:
    case EventType::kDisconnected:
      return own.connect_error ? FetchGuard::kErrorReported : FetchGuard::kFine;
    case EventType::kInternal:
      if (own.has_info) return FetchGuard::kFine;
      return own.closed ? FetchGuard::kInfoTakenIdGone : FetchGuard::kInfoTaken;
    case EventType::kMulticastJoin:
      return CanAttach(own, head) ? FetchGuard::kFine : FetchGuard::kQpCannotAttach;
    case EventType::kAddrError:
    case EventType::kRouteError:
    case EventType::kConnectError:
    case EventType::kUnreachable:
    case EventType::kEstablished:
    case EventType::kDeviceRemoval:
    case EventType::kMulticastError:
    case EventType::kAddrChange:
    case EventType::kTimewaitExit:
    case EventType::kAddrInfoResolved:
    case EventType::kAddrInfoError:
    case EventType::kUser:
      break;
  }
  return FetchGuard::kFine;
}

// Takes the first event of an id if it is one that the library keeps from the application.
bool Oracle::Swallow(Possibility* p, uint8_t id, Span when) {
  if (p->ids[id].queue.empty()) return false;
  const Pending head = p->ids[id].queue.front();
  const FetchRule* rule = FindFetch(head.type, GuardOfFetch(*p, id, head));
  if (rule == nullptr || !rule->swallowed) return false;
  p->used.set(NumberOf(rule));
  p->ids[id].queue.erase_at(0);
  if (head.type != EventType::kConnectRequest) return true;
  ++p->ids[id].backlog;
  if (rule->effects.front() == Effect::kDestroys) machine_.Destroy(p, head.child, when);
  return true;
}

// True when no event of the channel's ids is left; with `swallow`, after the library has kept back
// what it keeps back.
bool Oracle::Drained(Possibility* p, ChannelRef channel, bool swallow, Span when) {
  for (uint8_t i = 0; i < p->ids.size(); ++i) {
    const IdRef name = p->ids[i].name;
    if (!name.valid() || p->ids[i].gone || facts_.id(name).channel != channel) continue;
    while (swallow && Swallow(p, p->Find(name), when)) {
    }
    const uint8_t now = p->Find(name);
    if (now != kNoId && !p->ids[now].queue.empty()) return false;
  }
  return true;
}

const FetchRule* Oracle::HeadRule(const Possibility& p, uint8_t id) const {
  if (p.ids[id].queue.empty()) return nullptr;
  const Pending& head = p.ids[id].queue.front();
  const FetchRule* rule = FindFetch(head.type, GuardOfFetch(p, id, head));
  return rule == nullptr || rule->swallowed ? nullptr : rule;
}

// A listener that was made for datagrams reads its requests as those of datagrams, whatever its
// port space. source: rdma-core 44 cma.c ucma_process_conn_req; observed lab 6.1-rxe
Payload Oracle::PayloadOf(IdRef id, EventType type, uint16_t number) const {
  if (number == kNoPayload) return {};
  Payload payload = facts_.payloads[number];
  if (type != EventType::kConnectRequest) return payload;
  const IdInfo& listener = facts_.id(id);
  if (listener.qps_type == QpType::kUd && !IsDatagram(listener.space)) {
    payload.conn = {};
    payload.data = {};
  }
  return payload;
}

bool Oracle::HeadIs(const Possibility& p, uint8_t id, const FetchRule& rule,
                    const CmEvent& event) const {
  const Pending& head = p.ids[id].queue.front();
  const Payload expected = PayloadOf(p.ids[id].name, head.type, head.payload);
  return rule.delivered == event.type && StatusOf(rule, head) == event.status &&
         event.conn == expected.conn && event.qkey == expected.qkey &&
         (!expected.qp_num || *expected.qp_num == event.qp_num) && event.group == expected.group &&
         event.context == expected.context && event.argument == expected.argument &&
         event.private_data == expected.data;
}

void Oracle::PermitHead(const Possibility& p, uint8_t id, const FetchRule& rule,
                        std::vector<Permitted>* permitted) const {
  const Pending& head = p.ids[id].queue.front();
  CmEvent event{.type = rule.delivered, .status = StatusOf(rule, head)};
  const bool is_request = head.type == EventType::kConnectRequest;
  if (!is_request) event.id = p.ids[id].name;
  if (is_request) event.listen_id = p.ids[id].name;
  const Payload payload = PayloadOf(p.ids[id].name, head.type, head.payload);
  event.conn = payload.conn;
  event.qkey = payload.qkey;
  event.qp_num = payload.qp_num.value_or(0);
  event.group = payload.group;
  event.context = payload.context;
  event.argument = payload.argument;
  event.private_data = payload.data;
  Permit(permitted, rule, ToString(event, conversation_));
}

// The event goes to the application, and the library does what it does meanwhile.
void Oracle::TakeHead(Possibility* p, uint8_t id, const FetchRule& rule, IdRef request, Span when) {
  const Pending head = p->ids[id].queue.front();
  p->used.set(NumberOf(&rule));
  p->used.set(NumberOf(&kFetched));
  p->ids[id].queue.erase_at(0);
  if (head.type == EventType::kConnectRequest) {
    ++p->ids[id].backlog;
    p->ids[head.child].name = request;
  }
  const bool by_library = head.type != EventType::kConnectError;
  if (rule.delivered == EventType::kConnectError && by_library) p->ids[id].connect_error = true;
  if (rule.delivered == EventType::kConnectResponse) p->ids[id].reply_payload = head.payload;
  for (const Effect effect : rule.effects) Carry(p, id, effect, call::GetCmEvent{}, when);
}

Judgement Oracle::ObserveFetched(const Record& record, const call::GetCmEvent& call,
                                 const CmEvent& event) {
  const Window window = WindowOf(record);
  Judgement judgement{.saw = ToString(event, conversation_)};
  const auto refuse = [&](std::string what) {
    judgement.verdict = Verdict::kRefused;
    Permit(&judgement.permitted, kFetched, std::move(what));
    return judgement;
  };
  const bool is_request = event.type == EventType::kConnectRequest;
  if (is_request && event.id != call.request) return refuse("a new id");
  if (!is_request && event.listen_id.valid()) return refuse("no listen_id in such an event");
  const IdRef owner = is_request ? event.listen_id : event.id;
  if (!owner.valid()) return refuse("an event of an id that exists");
  if (!facts_.id(owner).in_scope) {
    if (is_request) facts_.id(call.request) = facts_.id(owner);
    return {.verdict = Verdict::kOutOfScope};
  }
  if (!facts_.id(owner).exists) return refuse("an event of an id that exists");
  if (facts_.id(owner).channel != call.channel) return refuse("an event of this channel's ids");
  Component* component = &ComponentOf(owner);
  if (!Close(component, window, &judgement)) return judgement;
  PossibilitySet next;
  std::vector<uint16_t> memberships;  // one of which the event is of
  for (const Possibility& p : component->set.items()) {
    Possibility after = p;
    uint8_t at = after.Find(owner);
    if (at == kNoId) continue;
    while (Swallow(&after, at, {window.begin, window.end})) at = after.Find(owner);
    const FetchRule* rule = HeadRule(after, at);
    if (rule == nullptr) continue;
    PermitHead(after, at, *rule, &judgement.permitted);
    if (!HeadIs(after, at, *rule, event)) continue;
    const uint16_t payload = after.ids[at].queue.front().payload;
    const uint16_t of = payload == kNoPayload ? 0 : facts_.payloads[payload].membership;
    if (of != 0 && std::ranges::find(memberships, of) == memberships.end())
      memberships.push_back(of);
    TakeHead(&after, at, *rule, call.request, {window.begin, window.end});
    judgement.by |= after.used;
    next.Add(std::move(after));
  }
  if (next.empty() && is_request && SomebodyAsksUnjudged()) {  // it may be of one of those
    facts_.id(call.request) = facts_.id(owner);
    facts_.id(call.request).in_scope = false;
    MarkOutOfScope(owner);
    return {.verdict = Verdict::kOutOfScope};
  }
  if (next.empty() && judgement.permitted.empty())
    Permit(&judgement.permitted, kNothingNow, "no event of this id now");
  if (!Keep(component, std::move(next), &judgement)) return judgement;
  LearnFromEvent(event, component->set.items().front(), call.request);
  if (is_request) component->ids.push_back(call.request);
  std::optional<int64_t>& fetched = facts_.channel(call.channel).fetched;
  if (!fetched) fetched = window.begin;
  facts_.CreditOf(call.event) = owner;
  ++facts_.id(owner).unacked;
  LearnMembershipOf(call.event, facts_.id(owner), memberships);
  TrySplit(facts_.id(owner).component);
  return judgement;
}

// What the library has filled in for the caller.
void Oracle::LearnFromEvent(const CmEvent& event, const Possibility& p, IdRef request) {
  const auto ephemeral = [](Address a) {
    return a.port == 0 ? a.WithPort(kFirstEphemeralPort) : a;
  };
  if (event.type == EventType::kConnectRequest) {
    const uint8_t at = p.Find(request);
    const IdInfo& listener = facts_.id(event.listen_id);
    const IdInfo& asker = facts_.id(p.ids[at].origin);
    IdInfo& info = facts_.id(request);
    info = IdInfo{};
    info.exists = true;
    info.space = listener.space;
    info.side = listener.side;
    info.kernel = listener.kernel;
    info.channel = listener.channel;
    info.component = listener.component;
    info.interface = p.ids[at].device;
    info.fail_overs = fault_model_.FailOvers(info.interface);
    info.shown.device_known = true;
    info.shown.num_paths = IsDatagram(listener.space) || machine_.over_iwarp() ? 0 : 1;
    info.shown.source = asker.destination;
    Address from = facts_.AddressOf(asker.interface, asker.destination, asker.bound.port);
    if (asker.bound.kind == AddressKind::kSide) from.nth = asker.bound.nth;
    info.shown.destination = ephemeral(from);
    return;
  }
  IdInfo& info = facts_.id(event.id);
  if (event.type == EventType::kAddrResolved) {
    if (!info.shown.device_known && info.interface != kNoDevice)
      info.source_to = fault_model_.FailOvers(info.interface);
    info.shown.device_known = true;
    const bool specific = !info.bound.AnyOrLoopback();
    Address source = info.bound;
    if (!specific && info.resolution == Resolution::kLoopback)
      source.kind = AddressKind::kLoopback;
    else if (!specific)
      source = facts_.AddressOf(info.interface, info.destination, info.bound.port);
    info.shown.source = ephemeral(source);
    info.shown.destination = info.destination;
  } else if (event.type == EventType::kRouteResolved) {
    info.shown.num_paths = machine_.over_iwarp() ? 0 : 1;
  }
}

// The channel had nothing for its reader: EAGAIN, or the call waits.
Judgement Oracle::ObserveNothing(const Record& record, ChannelRef channel, const Reply& reply) {
  const Window window = WindowOf(record);
  Judgement judgement{.saw = ToString(reply)};
  const bool nonblocking = facts_.channel(channel).nonblocking;
  const ChannelRule& rule = nonblocking ? kNothingNow : kWaitsForOne;
  Permit(&judgement.permitted, rule, Text(rule.outcome));
  if (!Fits(rule.outcome, reply)) {
    judgement.verdict = Verdict::kRefused;
    return judgement;
  }
  for (const ComponentNumber number : ComponentsOn(channel)) {
    Component& component = components_[number];
    if (!Close(&component, window, &judgement)) return judgement;
    PossibilitySet next;
    std::vector<Permitted> waiting;
    for (const Possibility& p : component.set.items()) {
      Possibility after = p;
      if (Drained(&after, channel, true, {window.begin, window.end})) {
        after.used.set(NumberOf(&rule));
        next.Add(std::move(after));
        continue;
      }
      for (const IdState& id : p.ids) {
        if (id.queue.empty() || !id.name.valid() || facts_.id(id.name).channel != channel) continue;
        Permit(&waiting, kFetched,
               EventText(id.queue.front().type, id.queue.front().status) + " of " +
                   conversation_.names.ids.NameOf(id.name));
      }
    }
    if (next.empty()) judgement.permitted = waiting;
    if (!Keep(&component, std::move(next), &judgement)) return judgement;
    TrySplit(number);
  }
  facts_.channel(channel).fetched.reset();
  judgement.by.set(NumberOf(&rule));
  return judgement;
}

bool Oracle::MayHearOfUnjudged(ChannelRef channel) {
  bool listens = false;
  for (uint16_t i = 0; i < facts_.id_count(); ++i) {
    const IdInfo& info = facts_.id(IdRef{i});
    if (!info.exists || info.channel != channel) continue;
    if (!info.in_scope) return true;
    listens =
        listens || MayBe(IdRef{i}, [](const IdState& own) { return own.state == State::kListen; });
  }
  return listens && SomebodyAsksUnjudged();
}

void Oracle::LearnUnjudged(const Line& line) {
  const auto* calls = std::get_if<line::Calls>(&line);
  if (calls == nullptr || !std::holds_alternative<call::Connect>(calls->call)) return;
  const IdRef id = IdOf(calls->call);
  if (id.valid() && !facts_.id(id).in_scope) facts_.id(id).asks_unjudged = true;
}

bool Oracle::SomebodyAsksUnjudged() const {
  for (uint16_t i = 0; i < facts_.id_count(); ++i)
    if (facts_.id(IdRef{i}).asks_unjudged) return true;
  return false;
}

Judgement Oracle::ObserveWait(const Record& record, ChannelRef channel, bool readable) {
  const Window window = WindowOf(record);
  Judgement judgement{.saw = readable ? "readable" : "quiet"};
  std::vector<ComponentNumber> able;
  const std::optional<int64_t> fetched = facts_.channel(channel).fetched;
  for (const ComponentNumber number : ComponentsOn(channel)) {
    Component& component = components_[number];
    if (!Close(&component, window, &judgement)) return judgement;
    PossibilitySet quiet;
    bool can_be_readable = false;
    for (const Possibility& p : component.set.items()) {
      Possibility same = p;
      if (Drained(&same, channel, false, {})) {
        quiet.Add(p);
        continue;
      }
      can_be_readable = true;
      // A fetch of a later event has made the library process the ones it drops.
      if (fetched && Drained(&same, channel, true, {*fetched, window.end}))
        quiet.Add(std::move(same));
    }
    if (can_be_readable) able.push_back(number);
    if (readable) continue;
    if (quiet.empty()) Permit(&judgement.permitted, kFetched, "readable: an event is due");
    if (!Keep(&component, std::move(quiet), &judgement)) return judgement;
  }
  judgement.sharp = !readable || able.empty();
  if (!readable) {
    facts_.channel(channel).fetched.reset();
    return judgement;
  }
  // It may be readable for an id that is not judged, or because of a request of one.
  if (MayHearOfUnjudged(channel)) {
    if (able.empty()) judgement.verdict = Verdict::kOutOfScope;
    return judgement;
  }
  if (able.empty()) {
    judgement.verdict = Verdict::kRefused;
    Permit(&judgement.permitted, kNothingNow, "quiet: nothing can have happened");
    return judgement;
  }
  if (able.size() > 1) return judgement;  // one of several: no telling which
  Component& only = components_[able.front()];
  PossibilitySet next;
  const size_t before = only.set.size();
  for (const Possibility& p : only.set.items()) {
    Possibility same = p;
    if (!Drained(&same, channel, false, {})) next.Add(p);
  }
  judgement.sharp = next.size() == before;
  only.set = std::move(next);
  Confirm(&only, &judgement);
  return judgement;
}

// An event was fetched, and not recorded.
Judgement Oracle::ObserveUnseenFetch(const Record& record, const call::GetCmEvent& call) {
  const Window window = WindowOf(record);
  Judgement judgement{.saw = "unseen"};
  for (const ComponentNumber number : ComponentsOn(call.channel)) {
    Component& component = components_[number];
    if (!Close(&component, window, &judgement)) return judgement;
    PossibilitySet next;
    IdRef learned;
    CmEvent event;
    for (const Possibility& p : component.set.items()) {
      for (uint8_t i = 0; i < p.ids.size(); ++i) {
        const IdRef name = p.ids[i].name;
        if (!name.valid() || facts_.id(name).channel != call.channel) continue;
        const FetchRule* rule = HeadRule(p, i);
        if (rule == nullptr || rule->delivered == EventType::kConnectRequest) continue;
        Possibility after = p;
        TakeHead(&after, i, *rule, {}, {window.begin, window.end});
        event = CmEvent{.type = rule->delivered, .id = name};
        learned = name;
        next.Add(std::move(after));
      }
    }
    if (next.empty()) continue;  // it may have fetched of another component, or nothing
    component.set = std::move(next);
    LearnFromEvent(event, component.set.items().front(), {});
    facts_.CreditOf(call.event) = learned;
    ++facts_.id(learned).unacked;
    return judgement;
  }
  return judgement;
}

}  // namespace cm::model
