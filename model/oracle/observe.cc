// Replies, judged by the rows.
#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

// Whether another errno would have been refused: some of a handful is not among the permitted.
bool SharpReply(const std::vector<Permitted>& permitted) {
  for (const std::string_view other : {"0", "-1 EINVAL", "-1 ENXIO", "-1 EBADF"}) {
    const bool allowed =
        std::ranges::any_of(permitted, [other](const Permitted& p) { return p.what == other; });
    if (!allowed) return true;
  }
  return false;
}

// It has an event of its own, which comes from nowhere but the call.
bool Queues(const Call& call) {
  const CallKind kind = KindOf(call);
  if (const auto* set = std::get_if<call::SetOption>(&call)) return set->option == kIbPathOption;
  return kind == CallKind::kJoinMulticast || kind == CallKind::kJoinMulticastEx ||
         kind == CallKind::kResolveAddrInfo || kind == CallKind::kWriteCmEvent;
}

const ChannelRule& kChannelMade =
    RowOf(ChannelState::kEmpty, CallKind::kCreateEventChannel, ChannelGuard::kFine);
const ChannelRule& kChannelGone =
    RowOf(ChannelState::kEmpty, CallKind::kDestroyEventChannel, ChannelGuard::kFine);
const ChannelRule& kChannelHeldUp =
    RowOf(ChannelState::kEmpty, CallKind::kDestroyEventChannel, ChannelGuard::kMessageOutstanding);
const ChannelRule& kAcknowledged =
    RowOf(ChannelState::kEmpty, CallKind::kAckCmEvent, ChannelGuard::kFine);

Judgement Refused(std::string saw, std::string what, std::string source = "") {
  Judgement judgement{.verdict = Verdict::kRefused, .saw = std::move(saw)};
  judgement.permitted.push_back({.what = std::move(what), .source = std::move(source)});
  return judgement;
}

}  // namespace

Oracle::Oracle(const Conversation& conversation, const Profile& profile)
    : conversation_(conversation),
      profile_(profile),
      facts_(conversation, profile),
      fault_model_(*conversation.topology, profile),
      machine_(facts_),
      steps_(facts_, fault_model_,
             [this](Possibility* p, uint8_t id, Span when) { TakeAwaited(p, id, when); }) {}

Judgement Oracle::Observe(const Record& record) {
  const Line& line = conversation_.lines[record.line];
  Judgement judgement;
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  const bool releases = std::holds_alternative<seen::Released>(record.seen);
  const bool fetches = releases || std::holds_alternative<line::Waits>(line) ||
                       (answered != nullptr && answered->event);
  LetLinksTurn((fetches ? record.end : record.begin).nanoseconds());
  if (just_settled_ && !releases && !MayStillWait(record, &judgement)) return judgement;
  just_settled_ = std::holds_alternative<line::Settles>(line) || (just_settled_ && releases);
  if (answered != nullptr && answered->reply.kind == ReplyKind::kNotApplicable) {
    if (!record.not_made)
      judgement = Refused("not-applicable", "the line could have been carried out");
  } else if (undefined_) {
    judgement.verdict = Verdict::kOutOfScope;
  } else if (const auto* calls = std::get_if<line::Calls>(&line)) {
    if (record.misuse && answered != nullptr)
      judgement = ObserveMisuse(*record.misuse, answered->reply);
    else if (const auto* released = std::get_if<seen::Released>(&record.seen))
      judgement = ObserveReleased(record, calls->lane, *released);
    else if (answered != nullptr)
      judgement = ObserveCall(record, calls->lane, calls->call, *answered);
  } else if (const auto* waits = std::get_if<line::Waits>(&line)) {
    const auto* waited = std::get_if<seen::Waited>(&record.seen);
    if (waited != nullptr) judgement = ObserveWait(record, waits->channel, waited->readable);
  } else {
    judgement = ObserveEnvironment(record, line);
  }
  if (judgement.verdict == Verdict::kPermitted) LearnWork(record, line);
  if (judgement.verdict == Verdict::kOutOfScope) LearnUnjudged(line);
  judgement.by |= judgement.certain;
  reached_ |= judgement.by;
  // A record that is not observed, or not permitted, shows no row.
  if (judgement.verdict != Verdict::kPermitted || Unseen(record)) judgement.certain.reset();
  confirmed_ |= judgement.certain;
  return judgement;
}

bool Oracle::Unseen(const Record& record) {
  if (const auto* answered = std::get_if<seen::Answered>(&record.seen))
    return answered->reply.kind == ReplyKind::kUnseen;
  if (const auto* released = std::get_if<seen::Released>(&record.seen))
    return released->reply.kind == ReplyKind::kUnseen;
  return false;
}

Judgement Oracle::ObserveCall(const Record& record, Lane lane, const Call& call,
                              const seen::Answered& answered) {
  if (const auto* create = std::get_if<call::CreateId>(&call))
    return ObserveCreateId(lane, *create, answered.reply);
  if (const auto* names = std::get_if<call::EventStr>(&call))
    return ObserveEventStr(*names, answered);
  if (HeldOf(call).valid() && !IdOf(call).valid()) return ObserveHeld(record, lane, call, answered);
  if (const auto* ep = std::get_if<call::CreateEp>(&call))
    return ObserveCreateEp(record, lane, *ep, answered.reply);
  if (const auto* dereg = std::get_if<call::DeregMr>(&call)) return ObserveDereg(*dereg, answered);
  const IdRef id = IdOf(call);
  if (!id.valid()) return ObserveChannelCall(record, lane, call, answered);
  if (!facts_.id(id).in_scope) return {.verdict = Verdict::kOutOfScope};
  const bool attributes = std::holds_alternative<call::InitQpAttr>(call);
  if (attributes && machine_.over_infiniband() && OfAnotherLink(id)) {
    MarkOutOfScope(id);
    return {.verdict = Verdict::kOutOfScope};
  }
  if (const std::optional<call::CreateQp> create = QpAskedBy(call);
      create && (create->type == QpType::kUc || OfAnotherLink(id))) {
    MarkOutOfScope(
        id);  // the tables know nothing of unreliable connections, nor of links that are not
    return {.verdict = Verdict::kOutOfScope};
  }
  const auto* notify = std::get_if<call::Notify>(&call);
  if (notify != nullptr && notify->what == call::Notify::kPathMig &&
      MayBe(id, [](const IdState& state) { return state.lap_rcvd; })) {
    MarkOutOfScope(id);  // of two paths that change at once the tables know nothing
    return {.verdict = Verdict::kOutOfScope};
  }
  if (std::holds_alternative<call::Connect>(call) && LeadsNobodyKnowsWhere(id)) {
    MarkOutOfScope(id);
    return {.verdict = Verdict::kOutOfScope};
  }
  if (!facts_.id(id).exists)
    return Refused(ToString(answered.reply), "nothing: the id does not exist");
  if (Queues(call) && TooManyUnread(id)) {
    MarkOutOfScope(id);
    return {.verdict = Verdict::kOutOfScope};
  }
  if (machine_.over_iwarp()) {
    if (std::optional<Judgement> judged = ObserveOverIwarp(record, lane, call, answered.reply))
      return *judged;
  }
  if (const auto* show = std::get_if<call::Show>(&call)) {
    if (!answered.shown) return Refused(ToString(answered.reply), "the fields of the id");
    return ObserveShow(record, *show, *answered.shown);
  }
  if (std::holds_alternative<call::ShowEvent>(call)) return ObserveShowEvent(record, id, answered);
  const CallKind kind = KindOf(call);
  if (IsOnGroup(kind)) return ObserveMulticast(record, lane, call, answered);
  if (IsCompletion(kind))
    return ObserveCompletion(record, lane, call, answered.reply, answered.handed);
  if (Completes(call)) return ObserveSynchronous(record, lane, call, answered.reply);
  if (kind == CallKind::kDestroyId || kind == CallKind::kDestroyEp)
    return ObserveDestroy(record, call, answered.reply);
  if (const auto* migrate = std::get_if<call::MigrateId>(&call))
    return ObserveMigrate(record, lane, *migrate, answered.reply);
  return ObserveOnId(record, call, answered);
}

// Of RDMA_PS_IPOIB, and on no interface of InfiniBand: it has no Q_Key.
bool Oracle::OfAnotherLink(IdRef id) const {
  const IdInfo& info = facts_.id(id);
  const bool on_one = machine_.over_infiniband() && info.interface != kNoDevice;
  return info.space == PortSpace::kIpoib && !on_one;
}

// By a path that the application has made up, or over InfiniBand by loopback, which has a route
// there, and a peer that turns away who comes without an interface.
bool Oracle::LeadsNobodyKnowsWhere(IdRef id) const {
  const IdInfo& info = facts_.id(id);
  return info.path_given || (machine_.over_infiniband() && info.destination.AnyOrLoopback());
}

Judgement Oracle::ObserveCreateId(Lane lane, const call::CreateId& call, const Reply& reply) {
  Judgement judgement{.saw = ToString(reply)};
  const Guard guard = SpaceKnown(call.space) ? Guard::kFine : Guard::kSpaceUnknown;
  bool fits = false;
  for (const CallRule& rule : RowsOn(CallKind::kCreateId)) {
    if (!rule.when.Has(guard)) continue;
    Permit(&judgement.permitted, rule, Text(rule.outcome));
    if (!Fits(rule.outcome, reply)) continue;
    fits = true;
    judgement.certain.set(NumberOf(&rule));
  }
  if (reply.kind == ReplyKind::kUnseen) fits = true;
  if (!fits) {
    judgement.verdict = Verdict::kRefused;
    return judgement;
  }
  if (!reply.succeeded() && reply.kind != ReplyKind::kUnseen) return judgement;
  MakeId(lane, call.id, call.channel, call.space);
  return judgement;
}

void Oracle::MakeId(Lane lane, IdRef id, ChannelRef channel, PortSpace space) {
  IdInfo& info = facts_.id(id);
  info = IdInfo{};
  info.exists = true;
  info.space = space;
  info.side = lane.side;
  info.kernel = facts_.topology().KernelOf(lane.side);
  info.channel = channel;
  info.component = next_component_++;
  Possibility fresh;
  fresh.ids.push_back({.name = id});
  Component& component = components_[info.component];
  component.ids.push_back(id);
  component.set.Add(std::move(fresh));
}

Judgement Oracle::ObserveOnId(const Record& record, const Call& call,
                              const seen::Answered& answered) {
  const Window window = WindowOf(record);
  const IdRef id = IdOf(call);
  Judgement judgement{.saw = ToString(answered.reply)};
  const PortClash clash = ClashFor(id, call, window);
  Component* component = &ComponentOf(id);
  if (!Close(component, window, &judgement)) return judgement;
  const GuardFinder guards(facts_, fault_model_, window, clash);
  PossibilitySet next;
  std::vector<const CallRule*> fitting;
  for (const Possibility& p : component->set.items()) {
    const uint8_t at = p.Find(id);
    if (at == kNoId) continue;
    for (const Guard guard : guards.Find(p, at, call)) {
      for (const CallRule& rule : RowsOn(KindOf(call))) {
        if (!rule.from.Has(p.ids[at].state) || !rule.when.Has(guard)) continue;
        Permit(&judgement.permitted, rule, Text(rule.outcome));
        const bool unseen = answered.reply.kind == ReplyKind::kUnseen;
        if (!Fits(rule.outcome, answered.reply) && !unseen) continue;
        if (std::ranges::find(fitting, &rule) == fitting.end()) fitting.push_back(&rule);
        judgement.by.set(NumberOf(&rule));
        Possibility after = p;
        after.used |= guards.Consulted(p.ids[at], call, guard);
        LearnQpKey(rule, call, p.ids[at]);
        Apply(&after, at, rule, call, {window.begin, window.end});
        for (const uint8_t device : DevicesAfter(p.ids[at], rule, call, window)) {
          Possibility there = after;
          if (device != kNoDevice) there.ids[at].device = device;
          next.Add(std::move(there));
        }
      }
    }
  }
  judgement.sharp = SharpReply(judgement.permitted);
  if (answered.reply.succeeded()) JudgeHandedOut(call, answered, &next, &judgement);
  if (!Keep(component, std::move(next), &judgement)) return judgement;
  for (const CallRule* rule : fitting) Learn(id, call, *rule);
  TrySplit(facts_.id(id).component);
  return judgement;
}

// Destroying has two parts: the kernel's, which a message that was given up can hold up, and the
// library's, which waits for acknowledgements.
Judgement Oracle::ObserveDestroy(const Record& record, const Call& call, const Reply& reply) {
  const Window window = WindowOf(record);
  const IdRef id = IdOf(call);
  Judgement judgement{.saw = ToString(reply)};
  Component* component = &ComponentOf(id);
  // What was to happen before the call has happened; the call itself may take long.
  if (!Close(component, {window.begin, window.begin, window.settled}, &judgement)) return judgement;
  const int unacked = facts_.id(id).unacked;
  const GuardFinder guards(facts_, fault_model_, window, {});
  PossibilitySet begun;
  for (const Possibility& p : component->set.items()) {
    const uint8_t at = p.Find(id);
    for (const Guard guard : guards.Find(p, at, call)) {
      for (const CallRule& rule : RowsOn(KindOf(call))) {
        if (!rule.when.Has(guard)) continue;
        Permit(&judgement.permitted, rule, Text(rule.outcome));
        if (reply.kind == ReplyKind::kCrashed ||
            (reply.kind == ReplyKind::kReturned && reply.value != 0)) {
          continue;
        }
        Possibility after = p;
        Apply(&after, at, rule, call, {window.begin, window.begin});
        begun.Add(std::move(after));
      }
    }
  }
  component->set = std::move(begun);
  Judgement closing;
  if (!component->set.empty() && !Close(component, window, &closing)) {
    closing.saw = judgement.saw;
    return closing;
  }
  PossibilitySet next;
  for (Possibility& p : component->set.mutable_items()) {
    const bool running = p.Find(id) != kNoId;  // its message is still being repeated
    const bool done = !running && unacked == 0;
    const bool fits = reply.kind == ReplyKind::kUnseen || (reply.succeeded() ? done : !done);
    if (fits) next.Add(std::move(p));
  }
  if (!Keep(component, std::move(next), &judgement)) return judgement;
  facts_.id(id).exists = false;
  if (reply.kind == ReplyKind::kBlocked) {
    const auto& line = std::get<line::Calls>(conversation_.lines[record.line]);
    blocked_.push_back({.line = record.line, .lane = line.lane, .id = id});
  } else {
    std::erase_if(facts_.ports, [&](const PortOwner& o) { return o.id == id; });
    LetGo(id);
  }
  TrySplit(facts_.id(id).component);
  return judgement;
}

Judgement Oracle::ObserveReleased(const Record& record, Lane lane, const seen::Released& released) {
  const auto blocked =
      std::ranges::find_if(blocked_, [lane](const Blocked& b) { return b.lane == lane; });
  const IdRef id = IdOf(std::get<line::Calls>(conversation_.lines[record.line]).call);
  const bool judged = !id.valid() || !facts_.id(id).exists || facts_.id(id).in_scope;
  if (!judged) {
    if (blocked != blocked_.end()) blocked_.erase(blocked);
    return {.verdict = Verdict::kOutOfScope};
  }
  if (blocked == blocked_.end()) return Refused(ToString(released.reply), "nothing: no call waits");
  const Blocked was = *blocked;
  blocked_.erase(blocked);
  const auto& line = std::get<line::Calls>(conversation_.lines[was.line]);
  if (const auto* get = std::get_if<call::GetCmEvent>(&line.call)) {
    if (released.event) return ObserveFetched(record, *get, *released.event);
    if (released.reply.kind == ReplyKind::kUnseen) return ObserveUnseenFetch(record, *get);
    return Refused(ToString(released.reply), "an event");
  }
  Judgement judgement{.saw = "returned " + ToString(released.reply)};
  const Window window = WindowOf(record);
  if (was.closes) return ObserveClosed(record, was, released.reply);
  if (was.migrates) return ObserveMigrated(was, released.reply);
  if (was.leaves != 0) return ObserveLeft(record, was, released.reply);
  if (was.work) return ObserveCompletion(record, lane, line.call, released.reply, released.handed);
  if (was.completes) return JudgeCompletion(window, line.call, released.reply, judgement);
  const auto refuse = [&](std::string what) {
    judgement.verdict = Verdict::kRefused;
    judgement.permitted.push_back({.what = std::move(what), .source = "man rdma_destroy_id(3)"});
    return judgement;
  };
  if (!released.reply.succeeded()) return refuse("0");
  std::vector<ComponentNumber> numbers;
  if (was.id.valid()) {
    if (facts_.id(was.id).unacked > 0) return refuse("blocked: an event is not acknowledged");
    numbers.push_back(facts_.id(was.id).component);
  } else {
    for (const auto& [number, component] : components_) numbers.push_back(number);
  }
  for (const ComponentNumber number : numbers) {
    const auto found = components_.find(number);
    if (found == components_.end()) continue;
    if (!Close(&found->second, window, &judgement)) return judgement;
    PossibilitySet next;
    for (Possibility& p : found->second.set.mutable_items()) {
      const bool running = std::ranges::any_of(p.ids, [&](const IdState& id) {
        return id.gone && (id.name == was.id ||
                           (!was.id.valid() && facts_.id(id.name).channel == was.channel));
      });
      if (!running) next.Add(std::move(p));
    }
    if (next.empty()) return refuse("blocked: a message of the id is still being repeated");
    found->second.set = std::move(next);
    Confirm(&found->second, &judgement);
  }
  std::erase_if(facts_.ports, [&](const PortOwner& o) { return o.id == was.id; });
  if (was.id.valid()) LetGo(was.id);
  return judgement;
}

Judgement Oracle::ObserveChannelCall(const Record& record, Lane lane, const Call& call,
                                     const seen::Answered& answered) {
  if (const auto* create = std::get_if<call::CreateEventChannel>(&call)) {
    Judgement judgement{.saw = ToString(answered.reply)};
    Permit(&judgement.permitted, kChannelMade, "0");
    const bool unseen = answered.reply.kind == ReplyKind::kUnseen;
    if (!answered.reply.succeeded() && !unseen) judgement.verdict = Verdict::kRefused;
    judgement.certain.set(NumberOf(&kChannelMade));
    facts_.channel(create->channel) = {true, create->nonblocking, lane.side};
    return judgement;
  }
  if (const auto* destroy = std::get_if<call::DestroyEventChannel>(&call))
    return ObserveDestroyChannel(record, *destroy, answered.reply);
  if (const auto* get = std::get_if<call::GetCmEvent>(&call)) {
    if (answered.reply.kind == ReplyKind::kUnseen) return ObserveUnseenFetch(record, *get);
    if (answered.event) return ObserveFetched(record, *get, *answered.event);
    Judgement judgement = ObserveNothing(record, get->channel, answered.reply);
    if (judgement.verdict == Verdict::kPermitted && answered.reply.kind == ReplyKind::kBlocked)
      blocked_.push_back({.line = record.line, .lane = lane, .channel = get->channel});
    return judgement;
  }
  // rdma_ack_cm_event
  Judgement judgement{.saw = ToString(answered.reply)};
  Permit(&judgement.permitted, kAcknowledged, "0");
  const bool unseen = answered.reply.kind == ReplyKind::kUnseen;
  if (!answered.reply.succeeded() && !unseen) judgement.verdict = Verdict::kRefused;
  judgement.certain.set(NumberOf(&kAcknowledged));
  const IdRef credited = facts_.CreditOf(std::get<call::AckCmEvent>(call).event);
  if (credited.valid()) Acknowledged(credited);
  const uint16_t member = facts_.MembershipOf(std::get<call::AckCmEvent>(call).event);
  if (member != 0) --facts_.id(credited).memberships[member - 1].unacked;
  return judgement;
}

Judgement Oracle::ObserveDestroyChannel(const Record& record, const call::DestroyEventChannel& call,
                                        const Reply& reply) {
  const Window window = WindowOf(record);
  Judgement judgement{.saw = ToString(reply)};
  for (const ChannelRule* rule : {&kChannelGone, &kChannelHeldUp})
    Permit(&judgement.permitted, *rule, Text(rule->outcome));
  const bool blocked = reply.kind == ReplyKind::kBlocked;
  if (!blocked && !reply.succeeded() && reply.kind != ReplyKind::kUnseen) {
    judgement.verdict = Verdict::kRefused;
    return judgement;
  }
  bool may_be_held_up = false;
  const auto closing = [&](const IdState& id) {
    return id.gone && id.name.valid() && facts_.id(id.name).channel == call.channel;
  };
  for (const ComponentNumber number : ComponentsOn(call.channel)) {
    Component& component = components_[number];
    if (!Close(&component, {window.begin, window.begin, window.settled}, &judgement))
      return judgement;
    PossibilitySet begun;
    for (Possibility p : component.set.items()) {
      for (const IdRef id : component.ids) {
        const uint8_t at = p.Find(id);
        if (at == kNoId || facts_.id(id).channel != call.channel || p.ids[at].gone) continue;
        machine_.Destroy(&p, at, {window.begin, window.begin});
      }
      DestroyLeftOn(&p, {window.begin, window.begin},
                    [&](ChannelRef channel) { return channel == call.channel; });
      if (std::ranges::any_of(p.ids, closing)) p.used.set(NumberOf(&kChannelHeldUp));
      begun.Add(std::move(p));
    }
    component.set = std::move(begun);
    if (!Close(&component, window, &judgement)) return judgement;
    PossibilitySet next;
    for (Possibility& p : component.set.mutable_items()) {
      const bool running = std::ranges::any_of(p.ids, closing);
      may_be_held_up |= running;
      if (blocked || !running) next.Add(std::move(p));
    }
    if (!Keep(&component, std::move(next), &judgement)) return judgement;
    // What is called on them from now on reads memory that is not theirs any more.
    for (const IdRef id : component.ids)
      if (facts_.id(id).channel == call.channel) facts_.id(id).in_scope = false;
  }
  if (blocked && !may_be_held_up) judgement.verdict = Verdict::kRefused;
  judgement.certain.set(NumberOf(blocked ? &kChannelHeldUp : &kChannelGone));
  if (blocked) {
    const auto& line = std::get<line::Calls>(conversation_.lines[record.line]);
    blocked_.push_back({.line = record.line, .lane = line.lane, .channel = call.channel});
  } else {
    std::erase_if(facts_.ports,
                  [&](const PortOwner& o) { return facts_.id(o.id).channel == call.channel; });
  }
  facts_.channel(call.channel).exists = false;
  return judgement;
}

}  // namespace cm::model
