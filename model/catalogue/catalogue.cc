#include "model/catalogue/catalogue.h"

#include <fmt/format.h>

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/base/check.h"
#include "model/base/enumeration.h"
#include "model/channel/misuse.h"
#include "model/channel/rules.h"
#include "model/cm_id/rules.h"
#include "model/ib_cm/rules.h"
#include "model/iw_cm/rules.h"
#include "model/qp/rules.h"
#include "model/work_completion/rules.h"

namespace cm::model {
namespace {

constexpr auto kAnswers = NamesByValue<IbAnswer>({
    {IbAnswer::kDone, "done"},
    {IbAnswer::kRefused, "refused"},
    {IbAnswer::kIgnored, "ignored"},
});

constexpr auto kMadOutcomes = NamesByValue<MadOutcome>({
    {MadOutcome::kTaken, "is taken"},
    {MadOutcome::kDropped, "is dropped"},
    {MadOutcome::kAnswered, "is answered by the layer below"},
});

std::string Text(const Outcome& outcome) {
  if (outcome.kind == OutcomeKind::kBlocks) return "blocks";
  if (outcome.kind == OutcomeKind::kCrashes) return "is undefined: the real library crashes";
  if (outcome.kind == OutcomeKind::kReturnsCode) return fmt::format("returns {}", outcome.code);
  return outcome.error == Errno::kNone ? "returns 0" : "returns -1 " + cm::ToString(outcome.error);
}

template <typename E, typename Name>
std::string Text(Set<E> set, int count, Name name) {
  if (set == Set<E>::All(count)) return "any state";
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (!set.Has(static_cast<E>(i))) continue;
    if (!text.empty()) text += ", ";
    text += name(static_cast<E>(i));
  }
  return text;
}

std::string Text(const Effects& effects) {
  std::string text;
  for (const Effect effect : effects)
    if (effect != Effect::kNone) text += "; " + std::string(ToString(effect));
  return text;
}

std::string Says(const CallRule& r) {
  std::string guards = Text(r.when, kGuardCount, [](Guard g) { return ToString(g); });
  return fmt::format(
      "{} in {} ({}) {}{}{}", FunctionName(r.on),
      Text(r.from, kStateCount, [](State s) { return ToString(s); }), guards, Text(r.outcome),
      r.to == State::kSame ? "" : fmt::format(", then {}", ToString(r.to)), Text(r.effects));
}

std::string Event(EventType type, int32_t status) {
  if (status == kReason) return std::string(cm::ToString(type)) + " with the reason";
  if (status == kUnchanged || status == 0) return std::string(cm::ToString(type));
  return fmt::format("{} status={}", cm::ToString(type), status);
}

std::string Says(const BelowRule& r) {
  return fmt::format(
      "{} in {}{}{}", ToString(r.on),
      Text(r.from, kStateCount, [](State s) { return ToString(s); }),
      r.to == State::kSame ? "" : fmt::format(", then {}", ToString(r.to)),
      r.silent ? "; nothing is reported" : "; reports " + Event(r.reports, r.status));
}

std::string Says(const IbRule& r) {
  std::string text = fmt::format("{} in {}: {}", ToString(r.on),
                                 Text(r.from, kIbStateCount, [](IbState s) { return ToString(s); }),
                                 kAnswers[static_cast<size_t>(r.answer)].name);
  if (r.to != IbState::kSame) text += fmt::format(", then {}", ToString(r.to));
  if (r.sends != Sends::kNothing) text += fmt::format("; sends {}", ToString(r.sends));
  if (r.reports != Report::kNothing) text += fmt::format("; reports {}", ToString(r.reports));
  if (r.abandons) text += "; its own message is still transmitted";
  return text;
}

std::string Says(const IwRule& r) {
  std::string text = fmt::format("{} in {}: {}", ToString(r.on),
                                 Text(r.from, kIwStateCount, [](IwState s) { return ToString(s); }),
                                 ToString(r.answer));
  if (r.to != IwState::kSame) text += fmt::format(", then {}", ToString(r.to));
  if (r.sends != Sends::kNothing) text += fmt::format("; sends {}", ToString(r.sends));
  if (r.reports != Report::kNothing) text += fmt::format("; reports {}", ToString(r.reports));
  return text;
}

std::string Says(const IwRequestRule& r) {
  const std::string guard(ToString(r.when));
  if (r.sends == Sends::kNothing) return "an MPA request (" + guard + ") is delivered";
  return fmt::format("an MPA request ({}) is answered with {}", guard, ToString(r.sends));
}

std::string Says(const RequestRule& r) {
  const std::string guard(ToString(r.when));
  if (r.outcome == RequestOutcome::kDelivered) return "a request (" + guard + ") is delivered";
  if (r.outcome == RequestOutcome::kDropped) return "a request (" + guard + ") is dropped";
  return fmt::format("a request ({}) is rejected with {}", guard, cm::ToString(r.reason));
}

std::string Says(const MadRule& r) {
  return fmt::format("a message ({}) {}", ToString(r.when),
                     kMadOutcomes[static_cast<size_t>(r.outcome)].name);
}

std::string Says(const SidrRequestRule& r) {
  const std::string guard(ToString(r.when));
  if (r.delivered) return "a request for datagrams (" + guard + ") is delivered";
  return fmt::format("a request for datagrams ({}) is refused with status {}", guard,
                     static_cast<int>(r.status));
}

std::string Says(const ChannelRule& r) {
  const std::string guards =
      Text(r.when, kChannelGuardCount, [](ChannelGuard guard) { return ToString(guard); });
  const bool any = r.from == rules::kAnyChannel;
  const bool empty = r.from.Has(ChannelState::kEmpty);
  return fmt::format("{} on a channel {} ({}) {}", FunctionName(r.on),
                     any ? "with or without events" : (empty ? "without events" : "with events"),
                     guards, Text(r.outcome));
}

std::string Says(const ReportRule& r) {
  return fmt::format("{} in {}{}: {}", ToString(r.on),
                     Text(r.from, kStateCount, [](State s) { return ToString(s); }),
                     r.accepted ? "" : ", not accepted yet",
                     r.silent ? std::string("nothing is reported") : Event(r.type, r.status));
}

std::string Says(const FetchRule& r) {
  const std::string guards =
      Text(r.when, kFetchGuardCount, [](FetchGuard guard) { return ToString(guard); });
  return fmt::format("{} ({}) is {}{}", cm::ToString(r.queued), guards,
                     r.swallowed ? "swallowed" : "fetched as " + Event(r.delivered, r.status),
                     Text(r.effects));
}

std::string Says(const QpRule& r) {
  return fmt::format("queue pair: {} in {} {}{}", ToString(r.on),
                     Text(r.from, kQpPhaseCount, [](QpPhase p) { return ToString(p); }),
                     r.possible ? "works" : "fails",
                     r.to == QpPhase::kSame ? "" : fmt::format(", then {}", ToString(r.to)));
}

std::string Says(const CompletionRule& r) {
  std::string calls = "a call on a synchronous id";
  for (const CallKind one : {CallKind::kGetRequest, CallKind::kResolveAddrInfo})
    if (r.on == Calls(one)) calls = FunctionName(one);
  const std::string found = Text(r.when, kFoundCount, [](Found found) { return ToString(found); });
  return fmt::format("{} that finds {} {}{}", calls, found,
                     r.errno_of_status ? "returns -1 and the errno of the status" : Text(r.outcome),
                     r.retained ? "; the event is kept as id->event" : "");
}

std::string Says(const EndpointRule& r) {
  return fmt::format("{} whose {} {} {}{}", FunctionName(CallKind::kCreateEp),
                     Text(r.at, kEpStepCount, [](EpStep step) { return ToString(step); }),
                     ToString(r.when),
                     r.errno_of_step ? "returns -1 and the errno of that" : Text(r.outcome),
                     r.destroyed ? "; nothing is left of the id" : "");
}

std::string Says(const WorkRule& r) {
  const std::string kinds =
      r.on == rules::kAnyWork ? std::string("a request")
                              : Text(r.on, kWorkKindCount, [](WorkKind k) { return ToString(k); });
  return fmt::format("{} that {} completes with {}{}", kinds, ToString(r.when),
                     cm::ToString(r.status),
                     r.peer_fails ? "; both queue pairs are in error then" : "");
}

std::string Says(const MisuseRule& r) {
  return fmt::format("{} {}", ToString(r.on), Text(r.outcome));
}

// A row is of the transports that it names and that all it speaks of is of.
template <typename Rule>
Transports OverOf(const Rule& rule) {
  Transports over = rule.over;
  if constexpr (requires { InfoOf(rule.on).over; }) over = over & InfoOf(rule.on).over;
  if constexpr (requires { InfoOf(rule.when).over; }) over = over & InfoOf(rule.when).over;
  return over;
}

// One of its guards is enough.
Transports OverOf(const CallRule& rule) {
  Transports over;
  for (int g = 0; g < kGuardCount; ++g)
    if (rule.when.Has(static_cast<Guard>(g))) over = over | InfoOf(static_cast<Guard>(g)).over;
  return over & rule.over;
}

// What the row needs, or what it speaks of.
template <typename Rule>
Need NeedOf(const Rule& rule) {
  if constexpr (requires { rule.needs; })
    if (rule.needs != Need::kNothing) return rule.needs;
  if constexpr (requires { InfoOf(rule.on).needs; }) return InfoOf(rule.on).needs;
  if constexpr (requires { InfoOf(rule.when).needs; }) return InfoOf(rule.when).needs;
  return Need::kNothing;
}

Need NeedOf(const CallRule& rule) {
  if (rule.needs != Need::kNothing) return rule.needs;
  return IsLater(rule.on) ? Need::kLaterCalls : Need::kNothing;
}

template <typename Row>
struct Table {
  std::string_view machine;
  const std::span<const Row>& rows;
};
template <typename Row>
Table(std::string_view, const std::span<const Row>&) -> Table<Row>;

// In the order of the numbers of their rows.
constexpr std::tuple kTables{
    Table{"cm_id", rules::kCalls},
    Table{"cm_id", rules::kFromBelow},
    Table{"ib_cm", rules::kIbCm},
    Table{"ib_cm", rules::kRequests},
    Table{"ib_cm", rules::kSidrRequests},
    Table{"channel", rules::kChannels},
    Table{"channel", rules::kReports},
    Table{"channel", rules::kFetches},
    Table{"qp", rules::kQps},
    Table{"channel", rules::kCompletions},
    Table{"channel", rules::kMisuses},
    Table{"channel", rules::kEndpoints},
    Table{"queue", rules::kWork},
    Table{"iw_cm", rules::kIwCm},
    Table{"iw_cm", rules::kIwRequests},
    Table{"ib_cm", rules::kMads},
};

template <typename Visit>
void EachTable(Visit visit) {
  std::apply([&](const auto&... table) { (visit(table), ...); }, kTables);
}

// The number of the first row of the table of rows of this type.
template <typename Row>
RuleNumber FirstNumber() {
  size_t first = 0;
  bool before = true;
  EachTable([&](const auto& table) {
    before = before && !std::is_same_v<decltype(table), const Table<Row>&>;
    if (before) first += table.rows.size();
  });
  return static_cast<RuleNumber>(first);
}

template <typename Rule>
void Append(std::vector<RuleInfo>* all, const Table<Rule>& table) {
  for (const Rule& rule : table.rows) {
    RuleInfo info{.id = rule.id,
                  .machine = table.machine,
                  .says = Says(rule),
                  .evidence = rule.evidence,
                  .over = OverOf(rule),
                  .needs = NeedOf(rule)};
    if constexpr (requires { rule.outcome.kind; })
      info.crashes = rule.outcome.kind == OutcomeKind::kCrashes;
    all->push_back(std::move(info));
  }
}

std::vector<RuleInfo> MakeAll() {
  std::vector<RuleInfo> all;
  EachTable([&](const auto& table) { Append(&all, table); });
  CM_CHECK(all.size() <= RuleBits().size()) << all.size() << " rows";
  return all;
}

}  // namespace

std::span<const RuleInfo> AllRules() {
  static const std::vector<RuleInfo> all = MakeAll();
  return all;
}

RuleNumber RuleCount() { return static_cast<RuleNumber>(AllRules().size()); }

template <typename Row>
RuleNumber NumberOf(const Row* row) {
  static const RuleNumber first = FirstNumber<Row>();
  return static_cast<RuleNumber>(first + (row - std::get<Table<Row>>(kTables).rows.data()));
}
template RuleNumber NumberOf(const CallRule*);
template RuleNumber NumberOf(const BelowRule*);
template RuleNumber NumberOf(const IbRule*);
template RuleNumber NumberOf(const RequestRule*);
template RuleNumber NumberOf(const SidrRequestRule*);
template RuleNumber NumberOf(const ChannelRule*);
template RuleNumber NumberOf(const ReportRule*);
template RuleNumber NumberOf(const FetchRule*);
template RuleNumber NumberOf(const QpRule*);
template RuleNumber NumberOf(const CompletionRule*);
template RuleNumber NumberOf(const MisuseRule*);
template RuleNumber NumberOf(const EndpointRule*);
template RuleNumber NumberOf(const WorkRule*);
template RuleNumber NumberOf(const IwRule*);
template RuleNumber NumberOf(const IwRequestRule*);
template RuleNumber NumberOf(const MadRule*);

const RuleInfo& InfoOf(RuleNumber rule) { return AllRules()[rule]; }

bool NeedsTester(RuleNumber rule) { return InfoOf(rule).needs == Need::kTester; }

bool Enabled(RuleNumber rule, const Profile& profile) {
  const RuleInfo& info = InfoOf(rule);
  const bool later = profile.capabilities.Has(Capability::kLaterCalls);
  return info.over.Has(profile.transport) && OfDialect(info.needs, profile.dialect) &&
         !(info.needs == Need::kNoLaterCalls && later);
}

RuleBits Reachable(const Profile& profile) {
  RuleBits bits;
  const bool later = profile.capabilities.Has(Capability::kLaterCalls);
  for (RuleNumber rule = 0; rule < RuleCount(); ++rule) {
    const RuleInfo& info = InfoOf(rule);
    // No campaign draws a later call where it is not served.
    const bool drawn = info.needs != Need::kTester && info.needs != Need::kNoLaterCalls &&
                       (later || info.needs != Need::kLaterCalls);
    if (drawn && Enabled(rule, profile) && !info.crashes) bits.set(rule);
  }
  return bits;
}

}  // namespace cm::model
