#include "model/oracle/judge/channels.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/lookalikes.h"
#include "model/oracle/machine/channel_rows.h"
#include "model/oracle/machine/expansion.h"

namespace cm::model {
namespace {

const ChannelRule& FetchRow() {
  static const ChannelRule& row =
      RowOf(ChannelState::kPending, CallKind::kGetCmEvent, ChannelGuard::kFine);
  return row;
}

const ChannelRule& NothingRow(bool nonblocking) {
  return RowOf(ChannelState::kEmpty, CallKind::kGetCmEvent,
               nonblocking ? ChannelGuard::kNonblocking : ChannelGuard::kFine);
}

std::string EventText(EventType type, int32_t status) {
  std::string text(ToString(type));
  if (status != 0) text += " status=" + std::to_string(status);
  return text;
}

// So many requests that look the same are followed.
constexpr size_t kMostAlike = 3;

// A call on a channel that succeeds, whatever the state.
Verdict Succeeds(const ChannelRule& rule, const Reply& reply) {
  Verdict verdict{.saw = ToString(reply)};
  Permit(&verdict, rule, "0");
  if (!reply.succeeded() && !Unseen(reply)) verdict.kind = VerdictKind::kRefused;
  verdict.certain.set(NumberOf(&rule));
  return verdict;
}

}  // namespace

Verdict Channels::Create(Lane lane, const call::CreateEventChannel& call, const Reply& reply) {
  facts_.channel(call.channel) = {true, call.nonblocking, lane.side};
  return Succeeds(RowOf(ChannelState::kEmpty, CallKind::kCreateEventChannel, ChannelGuard::kFine),
                  reply);
}

Verdict Channels::Acknowledge(const call::AckCmEvent& call, const Reply& reply) {
  const IdRef credited = facts_.CreditOf(call.event);
  if (credited.valid()) facts_.Acknowledge(credited);
  const uint16_t member = facts_.MembershipOf(call.event);
  if (member != 0) --facts_.id(credited).memberships[member - 1].unacked;
  return Succeeds(RowOf(ChannelState::kEmpty, CallKind::kAckCmEvent, ChannelGuard::kFine), reply);
}

Verdict Channels::Get(const Record& record, const call::GetCmEvent& call,
                      const seen::Answered& answered) {
  if (Unseen(answered.reply)) return FetchedUnseen(record, call);
  if (answered.event) return Fetched(record, call, *answered.event);
  Verdict verdict = Nothing(record, call.channel, answered.reply);
  if (verdict.IsPermitted() && answered.reply.kind == ReplyKind::kBlocked)
    NoteWaiting(record, {.what = WaitingCall::For::kEvent, .channel = call.channel});
  return verdict;
}

Verdict Channels::Returned(const Record& record, const call::GetCmEvent& call,
                           const seen::Released& released) {
  if (released.event) return Fetched(record, call, *released.event);
  if (Unseen(released.reply)) return FetchedUnseen(record, call);
  return Refused(ToString(released.reply), "an event");
}

// Events of two memberships in one group that were joined with one context look the same.
void Channels::Count(const call::GetCmEvent& call, IdRef owner,
                     const std::vector<uint16_t>& memberships) {
  IdInfo& info = facts_.id(owner);
  facts_.CreditOf(call.event) = owner;
  ++info.unacked;
  const bool known = memberships.size() == 1;
  facts_.MembershipOf(call.event) = known ? memberships.front() : uint16_t{0};
  for (const uint16_t membership : memberships) {
    if (known) ++info.memberships[membership - 1].unacked;
    info.memberships[membership - 1].blurred |= !known;
  }
}

std::vector<IdRef> Channels::MayBeShown(const CmEvent& event, const Window& window) const {
  const std::vector<IdRef> asking = components_.AskingApart(event.listen_id);
  const int64_t before = ComeBy(asking, window);
  std::vector<IdRef> shown;
  for (const IdRef asker : asking) {
    const int64_t from = ComesFrom(asker);
    if (from <= window.end && (search_.has_guessed() || from <= before) &&
        delivery_.MayShow(event, event.listen_id, components_.AskedBy(asker).payload))
      shown.push_back(asker);
  }
  if (search_.has_guessed()) return shown;
  const Lookalikes lookalikes(facts_, components_);
  std::vector<IdRef> kinds;
  for (const IdRef asker : shown)
    if (!lookalikes.StandsAlikeWith(kinds, asker)) kinds.push_back(asker);
  return kinds;
}

void Channels::JoinShown(const CmEvent& event, const Window& window, Aim* aim) {
  const IdRef listener = event.listen_id;
  if (!facts_.id(listener).crowd.apart) return;
  components_.CountAsking(listener);
  std::vector<IdRef> shown = MayBeShown(event, window);
  if (shown.size() > kMostAlike) {
    search_.NoteGuess();
    shown = {
        *std::ranges::min_element(shown, {}, [this](IdRef asker) { return ComesFrom(asker); })};
  }
  for (const IdRef asker : shown) search_.FollowApart(asker, window);
  for (const IdRef asker : shown) components_.Merge(listener, asker);
  components_.CountAsking(listener);
  if (!search_.has_guessed()) aim->before = ComeBy(components_.AskingApart(listener), window);
}

int64_t Channels::ComeBy(const std::vector<IdRef>& asking, const Window& window) const {
  int64_t first = INT64_MAX;
  for (const IdRef asker : asking) {
    int64_t by = 0;
    for (const Possibility& p : components_.PossibilitiesOf(asker))
      by = std::max(by, context_.steps.ComesBy(p, asker, window));
    first = std::min(first, by);
  }
  return first;
}

int64_t Channels::ComesFrom(IdRef asker) const {
  int64_t from = INT64_MAX;
  for (const Possibility& p : components_.PossibilitiesOf(asker))
    from = std::min(from, context_.steps.ComesFrom(p, asker));
  return from;
}

bool Channels::MayShow(IdRef id, CmEvent event, const Window& window) {
  const Components::Number number = components_.NumberOf(id);
  if (!components_.CountHitsElsewhere(number)) return false;
  PossibilitySet before = components_.Peek(number);
  Verdict ignored;
  bool may = false;
  event.id = id;
  if (search_.Close(number, window, &ignored, {.id = id}))
    for (Possibility p : components_.Peek(number).items()) {
      uint8_t at = p.Find(id);
      while (at != kNoId && delivery_.Swallow(&p, at, window.span())) at = p.Find(id);
      if (at == kNoId) continue;
      Delivery::ForEachFirst(std::move(p), at, [&](const Possibility& first) {
        const FetchRule* rule = delivery_.HeadRule(first, at);
        may |= rule != nullptr && delivery_.MayBe(event, *rule, first, at);
      });
    }
  components_.Put(number, std::move(before));
  return may;
}

void Channels::JoinAnswered(const CmEvent& event, const Window& window) {
  if (!facts_.any_apart || ExchangeFor(event, window)) return;
  const bool by_kernel = machine_.over_iwarp() || !search_.has_guessed();
  if (by_kernel && components_.AsksApart(event.id) && !MayShow(event.id, event, window))
    components_.Merge(facts_.id(event.id).apart_from, event.id);
}

std::vector<IdRef> Channels::MayHaveBeen(IdRef id) const {
  const Lookalikes lookalikes(facts_, components_);
  if (!search_.has_guessed()) return lookalikes.OthersLike(id);
  const Components::Asked asked = components_.AskedBy(id);
  const IdInfo& own = facts_.id(id);
  std::vector<IdRef> others;
  for (uint16_t i = 0; i < facts_.id_count(); ++i) {
    const IdRef other{i};
    const IdInfo& info = facts_.id(other);
    if (other != id && info.exists && info.in_scope && info.side == own.side &&
        info.interface == own.interface && info.acked + info.unacked == own.acked + own.unacked &&
        components_.AskedBy(other) == asked)
      others.push_back(other);
  }
  return others;
}

bool Channels::ExchangeFor(const CmEvent& event, const Window& window) {
  if (!components_.AskedBy(event.id).listener.valid()) return false;
  const std::vector<IdRef> others = MayHaveBeen(event.id);
  if (others.empty()) return false;
  const bool own = MayShow(event.id, event, window);
  if (own && search_.has_guessed()) return true;
  IdRef first;
  for (const IdRef other : others) {
    if (!MayShow(other, event, window)) continue;
    if (own || first.valid()) search_.NoteGuess();
    if (!first.valid()) first = other;
    if (search_.has_guessed()) break;
  }
  if (!own && first.valid()) components_.Exchange(event.id, first);
  return own || first.valid();
}

bool Channels::CrowdsStayAway(ChannelRef channel, const Window& window, Verdict* verdict) {
  for (const IdRef listener : components_.CrowdsOn(channel)) {
    components_.CountAsking(listener);
    for (const IdRef asker : components_.AskingApart(listener)) {
      if (!search_.Close(components_.NumberOf(asker), window, verdict)) return false;
      const auto step = [&](Possibility& p, JudgedStep& judged) {
        if (context_.steps.StaysAway(&p, channel, window)) judged.Add(std::move(p));
      };
      if (search_.Keep(components_.NumberOf(asker), verdict, step)) continue;
      verdict->permitted.push_back(
          {.what = "the arrival of a message is overdue, and nothing shows it",
           .source = "docs/owed.md"});
      return false;
    }
  }
  return true;
}

bool Channels::CrowdMayCome(ChannelRef channel, const Window& window) const {
  for (const IdRef listener : components_.CrowdsOn(channel))
    for (const IdRef asker : components_.AskingApart(listener))
      if (ComesFrom(asker) <= window.end) return true;
  if (!machine_.over_iwarp()) return false;
  for (uint16_t i = 0; i < facts_.id_count(); ++i)  // a full queue may have rejected it
    if (facts_.id(IdRef{i}).channel == channel && components_.AsksApart(IdRef{i})) return true;
  return false;
}

Verdict Channels::Fetched(const Record& record, const call::GetCmEvent& call,
                          const CmEvent& event) {
  const Window window = WindowOf(record);
  Verdict verdict{.saw = ToString(event, conversation_)};
  const auto refuse = [&](std::string what) {
    verdict.kind = VerdictKind::kRefused;
    Permit(&verdict, FetchRow(), std::move(what));
    return verdict;
  };
  const bool is_request = event.type == EventType::kConnectRequest;
  if (is_request && event.id != call.request) return refuse("a new id");
  if (!is_request && event.listen_id.valid()) return refuse("no listen_id in such an event");
  const IdRef owner = is_request ? event.listen_id : event.id;
  if (!owner.valid()) return refuse("an event of an id that exists");
  if (!facts_.id(owner).in_scope) return OutOfScope();
  if (!facts_.id(owner).exists) return refuse("an event of an id that exists");
  if (facts_.id(owner).channel != call.channel) return refuse("an event of this channel's ids");
  if (!WaitedRightly(record, call.channel, Watcher::kReader, &verdict)) return verdict;
  Aim aim{.id = owner, .request = is_request ? &event : nullptr};
  if (is_request)
    JoinShown(event, window, &aim);
  else
    JoinAnswered(event, window);
  if (!search_.Close(components_.NumberOf(owner), window, &verdict, aim)) return verdict;
  std::vector<uint16_t> memberships;                            // one of which the event is of
  std::vector<std::pair<const FetchRule*, CmEvent>> permitted;  // so far
  const bool kept =
      search_.Keep(owner, &verdict, [&](Possibility& p, uint8_t at, JudgedStep& judged) {
        while (delivery_.Swallow(&p, at, window.span())) at = p.Find(owner);
        Delivery::ForEachFirst(std::move(p), at, [&](Possibility first) {
          const FetchRule* rule = delivery_.HeadRule(first, at);
          if (rule == nullptr) return;
          const std::pair by(rule, delivery_.EventBy(*rule, first, at));
          if (std::ranges::find(permitted, by) == permitted.end()) {
            judged.Permit(*rule, ToString(by.second, conversation_));
            permitted.push_back(by);
          }
          if (!delivery_.MayBe(event, *rule, first, at)) return;
          const uint16_t payload = first.ids[at].queue.front().payload;
          const uint16_t of = payload == kNoPayload ? 0 : facts_.payloads[payload].membership;
          if (of != 0 && std::ranges::find(memberships, of) == memberships.end())
            memberships.push_back(of);
          delivery_.Take(&first, at, *rule, call.request, window.span());
          judged.By(first.used);
          judged.Add(std::move(first));
        });
      });
  if (!kept) {
    if (verdict.permitted.empty()) Permit(&verdict, NothingRow(true), "no event of this id now");
    return verdict;
  }
  if (is_request) search_.Guess(components_.NumberOf(owner));
  learning_.FromEvent(event, components_.PossibilitiesOf(owner).front(), call.request);
  if (is_request) components_.AddRequest(owner, call.request);
  std::optional<int64_t>& fetched = facts_.channel(call.channel).fetched;
  if (!fetched && MayHaveDropped(owner)) fetched = window.begin;
  Count(call, owner, memberships);
  components_.Split(components_.NumberOf(owner));
  return verdict;
}

std::vector<std::pair<IdRef, Pending>> Channels::Unread(const Possibility& p,
                                                        ChannelRef channel) const {
  std::vector<std::pair<IdRef, Pending>> unread;
  for (const IdState& id : p.ids)
    if (!id.queue.empty() && id.name.valid() && facts_.id(id.name).channel == channel)
      unread.emplace_back(id.name, id.queue.front());
  return unread;
}

Verdict Channels::Nothing(const Record& record, ChannelRef channel, const Reply& reply) {
  const Window window = WindowOf(record);
  Verdict verdict{.saw = ToString(reply)};
  const ChannelRule& rule = NothingRow(facts_.channel(channel).nonblocking);
  Permit(&verdict, rule, Text(rule.outcome));
  const bool late = reply.kind == ReplyKind::kReturned && context_.WaitedIn(record);
  if (late) verdict.saw += ", late";
  if (!Fits(rule.outcome, reply) || late) {
    verdict.kind = VerdictKind::kRefused;
    return verdict;
  }
  for (const Components::Number number : components_.On(channel)) {
    if (!search_.Close(number, window, &verdict, {.quiet = channel})) return verdict;
    Verdict unread;  // what would have been permitted instead
    const bool kept = search_.Keep(number, &verdict, [&](Possibility& p, JudgedStep& judged) {
      const auto before = Unread(p, channel);
      if (delivery_.Drain(&p, channel, window.span())) {
        p.used.set(NumberOf(&rule));
        judged.Add(std::move(p));
        return;
      }
      for (const auto& [id, event] : before)
        Permit(&unread, FetchRow(),
               EventText(event.type, event.status) + " of " + conversation_.names.ids.NameOf(id));
    });
    if (!kept) {
      verdict.permitted = std::move(unread.permitted);
      return verdict;
    }
    components_.Split(number);
  }
  if (!CrowdsStayAway(channel, window, &verdict)) return verdict;
  facts_.channel(channel).fetched.reset();
  verdict.by.set(NumberOf(&rule));
  return verdict;
}

bool Channels::MayHaveDropped(IdRef owner) const {
  if (search_.IsCrowd(components_.NumberOf(owner))) return true;
  for (uint16_t i = 0; i < facts_.id_count(); ++i) {
    const IdInfo& info = facts_.id(IdRef{i});
    if (IdRef{i} != owner && info.exists && info.channel == facts_.id(owner).channel) return true;
  }
  return false;
}

bool Channels::StaysQuiet(ChannelRef channel, Watcher watcher, const Window& window,
                          Verdict* verdict) {
  const std::optional<int64_t> fetched = facts_.channel(channel).fetched;
  const auto reads = [channel](const WaitingCall& call) {
    return call.what == WaitingCall::For::kEvent && call.channel == channel;
  };
  const bool is_read = watcher == Watcher::kReader || std::ranges::any_of(context_.waiting, reads);
  const Span dropping{fetched.value_or(window.begin), window.end};
  for (const Components::Number number : components_.On(channel)) {
    const auto stays = [&](Possibility& p) {
      // A fetch of a later event has made the library process the ones it drops.
      return delivery_.IsDrained(p, channel) ||
             ((is_read || fetched) && delivery_.Drain(&p, channel, dropping));
    };
    const bool quiet = search_.Last(number, window, verdict, stays, {.quiet = channel});
    if (quiet) continue;
    if (verdict->permitted.empty()) Permit(verdict, FetchRow(), "readable: an event is due");
    return false;
  }
  return CrowdsStayAway(channel, window.AtEnd(), verdict);
}

bool Channels::WaitedRightly(const Record& record, ChannelRef channel, Watcher watcher,
                             Verdict* verdict) {
  const std::optional<Window> waited = context_.WaitedIn(record);
  if (!waited || facts_.channel(channel).unjudged) return true;
  Verdict until{.saw = verdict->saw + ", late"};
  if (!StaysQuiet(channel, watcher, *waited, &until)) {
    *verdict = std::move(until);
    return false;
  }
  verdict->certain |= until.certain;
  return true;
}

Verdict Channels::Wait(const Record& record, ChannelRef channel, bool readable) {
  const Window window = WindowOf(record);
  Verdict verdict{.saw = readable ? "readable" : "quiet"};
  if (!readable) {
    if (StaysQuiet(channel, Watcher::kPoll, window, &verdict))
      facts_.channel(channel).fetched.reset();
    return verdict;
  }
  if (!WaitedRightly(record, channel, Watcher::kPoll, &verdict)) return verdict;
  std::vector<Components::Number> able;
  const auto is_drained = [&](const Possibility& p) { return delivery_.IsDrained(p, channel); };
  bool crowded = false;
  for (const Components::Number number : components_.On(channel)) {
    // Which of a crowd makes it readable is left open: something of it may.
    if (!search_.IsCrowd(number) && !search_.Close(number, window, &verdict)) return verdict;
    const bool crowd = search_.IsCrowd(number);  // or too much may be so
    crowded |= crowd;
    const auto may_be = [&](const Possibility& p) {
      const Aim quiet{.quiet = channel};
      if (!is_drained(p)) return true;
      return crowd && Steps::Expansion(context_.steps, window, quiet).MayGoOn(p);
    };
    if (std::ranges::any_of(components_.Peek(number).items(), may_be)) able.push_back(number);
  }
  if (CrowdMayCome(channel, window)) {
    verdict.sharp = false;
    return verdict;
  }
  verdict.sharp = able.empty();
  // It may be readable for an id that is not judged.
  if (facts_.channel(channel).unjudged) {
    if (able.empty()) verdict.kind = VerdictKind::kOutOfScope;
    return verdict;
  }
  if (able.empty()) {
    verdict.kind = VerdictKind::kRefused;
    Permit(&verdict, NothingRow(true), "quiet: nothing can have happened");
    return verdict;
  }
  if (crowded || able.size() > 1) return verdict;  // one of several: no telling which
  verdict.sharp = true;
  search_.Keep(able.front(), &verdict, [&](Possibility& p, JudgedStep& judged) {
    if (is_drained(p))
      verdict.sharp = false;
    else
      judged.Add(std::move(p));
  });
  return verdict;
}

Verdict Channels::FetchedUnseen(const Record& record, const call::GetCmEvent& call) {
  const Window window = WindowOf(record);
  Verdict verdict{.saw = "unseen"};
  for (const Components::Number number : components_.On(call.channel)) {
    if (!search_.Close(number, window, &verdict)) return verdict;
    PossibilitySet next;
    CmEvent event;
    for (const Possibility& p : components_.Peek(number).items()) {
      for (uint8_t i = 0; i < p.ids.size(); ++i) {
        const IdRef name = p.ids[i].name;
        if (!name.valid() || facts_.id(name).channel != call.channel) continue;
        Delivery::ForEachFirst(p, i, [&](Possibility after) {
          const FetchRule* rule = delivery_.HeadRule(after, i);
          if (rule == nullptr || rule->delivered == EventType::kConnectRequest) return;
          delivery_.Take(&after, i, *rule, {}, window.span());
          event = CmEvent{.type = rule->delivered, .id = name};
          next.Add(std::move(after));
        });
      }
    }
    if (next.empty()) continue;  // it may have fetched of another component, or nothing
    components_.Put(number, std::move(next));
    learning_.FromEvent(event, components_.Peek(number).items().front(), {});
    facts_.CreditOf(call.event) = event.id;
    ++facts_.id(event.id).unacked;
    return verdict;
  }
  return verdict;
}

}  // namespace cm::model
