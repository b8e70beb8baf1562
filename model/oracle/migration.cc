// rdma_set_option, as far as it is more than its rows, and rdma_migrate_id.
#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

constexpr uint32_t kCopiedAtMost = 4u << 20;
constexpr uint32_t kPathRecord = 72;  // struct ib_path_rec_data
constexpr uint32_t kOwnPath = 0x2b;   // its flags: the path of messages and of data, both ways

bool Known(IdOption option) {
  return option == kTosOption || option == kReuseAddrOption || option == kAfOnlyOption ||
         option == kAckTimeoutOption || option == kIbPathOption;
}

bool Malformed(const call::SetOption& call) {
  if (call.option == kIbPathOption)
    return call.length == 0 || call.length % kPathRecord != 0 || call.value != kOwnPath;
  const bool byte = call.option == kTosOption || call.option == kAckTimeoutOption;
  return call.length != (byte ? 1 : 4);
}

}  // namespace

std::optional<Tri> GuardFinder::HoldsForOption(Guard guard, const IdState& id, const IdInfo& info,
                                               const Call& call) {
  if (const auto* migrate = std::get_if<call::MigrateId>(&call)) {
    if (guard != Guard::kSynchronousAlready) return std::nullopt;
    return Of(info.synchronous() && !migrate->channel.valid());
  }
  const auto* set = std::get_if<call::SetOption>(&call);
  if (set == nullptr) return std::nullopt;
  const bool path = set->option == kIbPathOption;
  const bool reuse = set->option == kReuseAddrOption;
  switch (guard) {
    case Guard::kOptionTooLong:
      return Of(set->length > kCopiedAtMost);
    case Guard::kOptionUnknown:
      return Of(!Known(set->option));
    case Guard::kOptionMalformed:
      return Of(Malformed(*set));
    case Guard::kDatagram:
      return Of(set->option == kAckTimeoutOption && IsDatagram(info.space));
    case Guard::kWithoutDevice:
      return Of(path && id.device == kNoDevice);
    case Guard::kNoInterface:
      return Of(path && info.interface == kNoDevice);
    case Guard::kReuseWanted:
      return Of(reuse && set->value != 0);
    case Guard::kReuseUnwanted:
      return Of(reuse && set->value == 0);
    case Guard::kFamilyOnlyWanted:
      return Of(set->option == kAfOnlyOption);
    case Guard::kTimeoutWanted:
      return Of(set->option == kAckTimeoutOption);
    case Guard::kPathWanted:
      return Of(path);
    default:
      return std::nullopt;
  }
}

void Oracle::LearnOption(const call::SetOption& call, Effect effect) {
  IdInfo& info = knowledge_.id(call.id);
  if (effect == Effect::kSharesPort || effect == Effect::kSharesPortNoMore) {
    info.shares_port = effect == Effect::kSharesPort;
  } else if (effect == Effect::kLimitsFamily) {
    info.family_only = call.value != 0;
    for (PortOwner& owner : knowledge_.ports)
      if (owner.id == call.id) owner.family_only = call.value != 0;
  } else if (effect == Effect::kSetsTimeout) {
    info.ack_timeout = static_cast<uint8_t>(call.value);
  } else if (effect == Effect::kSetsPath) {
    info.path_given = true;
  }
}

// A request that is not read has an id of its own on the channel that it came by. Where that goes
// at once, as the private one of a synchronous id does, the request goes with it.
void Oracle::MoveTo(ChannelRef channel, Possibility* p, uint8_t id, Span when) {
  const IdRef name = p->ids[id].name;
  const ChannelRef from = knowledge_.id(name).channel;
  std::vector<size_t> lost;
  for (size_t i = 0; i < p->ids[id].queue.size(); ++i) {
    const Pending& pending = p->ids[id].queue[i];
    if (pending.type != EventType::kConnectRequest || pending.child == kNoId) continue;
    IdState& child = p->ids[pending.child];
    if (child.left_on.valid()) {
      if (child.left_on == channel) child.left_on = {};
    } else if (!from.valid()) {
      lost.push_back(i);
      knowledge_.id(name).left_requests = true;
    } else if (from != channel) {
      child.left_on = from;
      knowledge_.id(name).left_requests = true;
    }
  }
  if (from.valid()) return;
  p->ids[id].retained.reset();
  for (const size_t i : lost) {
    Pending& pending = p->ids[p->Find(name)].queue[i];
    const uint8_t child = pending.child;
    pending.child = kNoId;
    machine_.Destroy(p, child, when);
  }
}

void Oracle::DestroyLeftOn(Possibility* p, Span when,
                           const std::function<bool(ChannelRef)>& goes) const {
  for (uint8_t i = 0; i < p->ids.size();) {
    const IdState& id = p->ids[i];
    if (id.gone || !id.left_on.valid() || !goes(id.left_on)) {
      ++i;
      continue;
    }
    machine_.Destroy(p, i, when);
    i = 0;  // what was behind it may be before it now
  }
}

bool Oracle::HasLeftOn(const Component& component, ChannelRef channel) {
  return std::ranges::any_of(component.set.items(), [channel](const Possibility& p) {
    return std::ranges::any_of(p.ids, [channel](const IdState& id) {
      return id.left_on.valid() && id.left_on == channel;
    });
  });
}

Judgement Oracle::ObserveMigrate(const Record& record, Lane lane, const call::MigrateId& call,
                                 const Reply& reply) {
  // What was to happen before the call has happened; the call itself may take long.
  const Window whole = WindowOf(record);
  const Window window{whole.begin, whole.begin, whole.settled};
  Judgement judgement{.saw = ToString(reply)};
  Component* component = &ComponentOf(call.id);
  if (!Close(component, window, &judgement)) return judgement;
  const PortClash none;
  const GuardFinder guards(knowledge_, surroundings_, window, none);
  const bool unseen = reply.kind == ReplyKind::kUnseen;
  PossibilitySet next;
  bool moves = false;
  for (const Possibility& p : component->set.items()) {
    const uint8_t at = p.Find(call.id);
    if (at == kNoId) continue;
    for (const Guard guard : guards.Find(p, at, call)) {
      for (const CallRule& rule : RowsOn(CallKind::kMigrateId)) {
        if (!rule.when.Has(guard)) continue;
        Permit(&judgement.permitted, rule, Text(rule.outcome));
        if (!Fits(rule.outcome, reply) && !unseen) continue;
        moves |= rule.effects.front() == Effect::kMovesEvents;
        judgement.by.set(NumberOf(&rule));
        Possibility after = p;
        Apply(&after, at, rule, call, {window.begin, window.begin});
        next.Add(std::move(after));
      }
    }
  }
  if (!Keep(component, std::move(next), &judgement)) return judgement;
  if (!moves) return judgement;
  IdInfo& info = knowledge_.id(call.id);
  if (info.synchronous()) LetGo(call.id);
  info.channel = call.channel;
  if (reply.kind == ReplyKind::kBlocked)
    blocked_.push_back({.line = record.line,
                        .lane = lane,
                        .id = call.id,
                        .migrates = true,
                        .acks = info.acked + info.unacked});
  return judgement;
}

// The library counts: it waits for as many acknowledgements as there were events in hand, of
// whichever events. One that it drops itself counts as well.
Judgement Oracle::ObserveMigrated(const Blocked& was, const Reply& reply) const {
  const auto rule = std::ranges::find_if(rules::kCalls, [](const CallRule& r) {
    return r.on == CallKind::kMigrateId && r.outcome == kBlocks;
  });
  Judgement judgement{.saw = "returned " + ToString(reply)};
  judgement.by.set(NumberOf(&*rule));
  const IdInfo& info = knowledge_.id(was.id);
  const bool waits = info.acked < was.acks && !info.left_requests;
  Permit(&judgement.permitted, *rule, waits ? "blocked: an event is not acknowledged" : "0");
  const bool unseen = reply.kind == ReplyKind::kUnseen;
  if (waits || (!reply.succeeded() && !unseen)) judgement.verdict = Verdict::kRefused;
  return judgement;
}

}  // namespace cm::model
