#include "model/catalogue/catalogue.h"

#include <fmt/format.h>

#include <vector>

namespace cm::model {
namespace {

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
  constexpr std::array<std::string_view, 3> kAnswers = {"done", "refused", "ignored"};
  std::string text = fmt::format("{} in {}: {}", ToString(r.on),
                                 Text(r.from, kIbStateCount, [](IbState s) { return ToString(s); }),
                                 kAnswers[static_cast<size_t>(r.answer)]);
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
  constexpr std::array<std::string_view, 3> kOutcomes = {"is taken", "is dropped",
                                                         "is answered by the layer below"};
  return fmt::format("a message ({}) {}", ToString(r.when),
                     kOutcomes[static_cast<size_t>(r.outcome)]);
}

std::string Says(const SidrRequestRule& r) {
  const std::string guard(ToString(r.when));
  if (r.delivered) return "a request for datagrams (" + guard + ") is delivered";
  return fmt::format("a request for datagrams ({}) is refused with status {}", guard,
                     static_cast<int>(r.status));
}

std::string Says(const ChannelRule& r) {
  std::string guards;
  for (int i = 0; i < 3; ++i) {
    if (!r.when.Has(static_cast<ChannelGuard>(i))) continue;
    guards += (guards.empty() ? "" : ", ") + std::string(ToString(static_cast<ChannelGuard>(i)));
  }
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
  std::string guards;
  for (int i = 0; i < kFetchGuardCount; ++i) {
    if (!r.when.Has(static_cast<FetchGuard>(i))) continue;
    guards += (guards.empty() ? "" : ", ") + std::string(ToString(static_cast<FetchGuard>(i)));
  }
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

// Of one kind of event from below.
bool IsOfSubnets(const BelowRule& rule) {
  return rule.on == Below::kRouteTimesOut || rule.on == Below::kRouteRefused ||
         rule.on == Below::kGroupTimesOut;
}

bool BelowEnabled(const BelowRule& rule, Transport transport) {
  const bool ib = transport == Transport::kInfiniband;
  if (IsOfSubnets(rule)) return ib;
  const bool of_ethernet = rule.on == Below::kNeighbourChanges ||
                           rule.on == Below::kGroupWithoutGid ||
                           rule.on == Below::kAddressOfOtherLink;
  return !ib || !of_ethernet;
}

template <typename Table>
void Append(std::vector<RuleInfo>* all, const Table& table, std::string_view machine) {
  for (const auto& rule : table) {
    RuleInfo info{.id = rule.id, .machine = machine, .says = Says(rule), .evidence = rule.evidence};
    if constexpr (requires { rule.outcome.kind; })
      info.crashes = rule.outcome.kind == OutcomeKind::kCrashes;
    all->push_back(std::move(info));
  }
}

std::vector<RuleInfo> MakeAll() {
  std::vector<RuleInfo> all;
  Append(&all, rules::kCalls, "cm_id");
  Append(&all, rules::kFromBelow, "cm_id");
  Append(&all, rules::kIbCm, "ib_cm");
  Append(&all, rules::kRequests, "ib_cm");
  Append(&all, rules::kSidrRequests, "ib_cm");
  Append(&all, rules::kChannels, "channel");
  Append(&all, rules::kReports, "channel");
  Append(&all, rules::kFetches, "channel");
  Append(&all, rules::kQps, "qp");
  Append(&all, rules::kCompletions, "channel");
  Append(&all, rules::kMisuses, "channel");
  Append(&all, rules::kEndpoints, "channel");
  Append(&all, rules::kWork, "queue");
  Append(&all, rules::kIwCm, "iw_cm");
  Append(&all, rules::kIwRequests, "iw_cm");
  Append(&all, rules::kMads, "ib_cm");
  return all;
}

bool IsLater(CallKind call) {
  return call == CallKind::kResolveAddrInfo || call == CallKind::kQueryAddrInfo ||
         call == CallKind::kWriteCmEvent;
}

// Of the calls of the library's map 1.4, which no campaign draws where they are not served.
bool OfLaterCalls(RuleNumber rule) {
  for (const CallRule& call : rules::kCalls)
    if (NumberOf(&call) == rule) return IsLater(call.on);
  for (const FetchRule& fetch : rules::kFetches)
    if (NumberOf(&fetch) == rule) return fetch.queued >= EventType::kAddrInfoResolved;
  for (const CompletionRule& completion : rules::kCompletions)
    if (NumberOf(&completion) == rule) return completion.on == Calls(CallKind::kResolveAddrInfo);
  return false;
}

bool OfOlderKernels(RuleNumber rule) {
  return rule < rules::kCalls.size() && rules::kCalls[rule].when == Guards(Guard::kNotServed);
}

bool NeedsTester(IbStimulus on) {
  switch (on) {
    case IbStimulus::kRepKnown:
    case IbStimulus::kDreqOtherQp:
    case IbStimulus::kSidrOtherKey:
    case IbStimulus::kLap:
    case IbStimulus::kLapAgain:
    case IbStimulus::kApr:
      return true;
    default:
      return false;
  }
}

bool NeedsTester(RequestGuard guard) {
  return guard == RequestGuard::kUnresolvable || guard == RequestGuard::kNoPath ||
         guard == RequestGuard::kAlternatePath || guard == RequestGuard::kNotUnderstood;
}

// LAP and APR are of InfiniBand, and an alternate path that cannot be found is of RoCE.
bool EnabledForTester(RuleNumber rule, Transport transport) {
  if (transport == Transport::kIwarp) return false;
  const bool ib = transport == Transport::kInfiniband;
  if (rule >= kFirstMad)
    return !ib || rules::kMads[rule - kFirstMad].when != MadGuard::kLapOverRoce;
  if (rule >= kFirstRequest && rule < kFirstSidrRequest)
    return !ib || rules::kRequests[rule - kFirstRequest].when != RequestGuard::kAlternatePath;
  if (rule < kFirstIb || rule >= kFirstRequest) return true;
  const IbStimulus on = rules::kIbCm[rule - kFirstIb].on;
  const bool of_paths =
      on == IbStimulus::kLap || on == IbStimulus::kLapAgain || on == IbStimulus::kApr;
  return ib || !of_paths;
}

}  // namespace

bool NeedsTester(RuleNumber rule) {
  if (rule >= kFirstMad) return rules::kMads[rule - kFirstMad].when != MadGuard::kFine;
  if (rule >= kFirstIb && rule < kFirstRequest)
    return NeedsTester(rules::kIbCm[rule - kFirstIb].on);
  if (rule >= kFirstRequest && rule < kFirstSidrRequest)
    return NeedsTester(rules::kRequests[rule - kFirstRequest].when);
  if (rule >= kFirstSidrRequest && rule < kFirstChannel)
    return NeedsTester(rules::kSidrRequests[rule - kFirstSidrRequest].when);
  if (rule >= kFirstReport && rule < kFirstFetch)
    return rules::kReports[rule - kFirstReport].on == Report::kSidrOtherKeyReceived;
  return false;
}

std::span<const RuleInfo> AllRules() {
  static const std::vector<RuleInfo> all = MakeAll();
  return all;
}

const RuleInfo& InfoOf(RuleNumber rule) { return AllRules()[rule]; }

bool Enabled(RuleNumber rule, const Profile& profile) {
  const bool later = profile.capabilities.Has(Capability::kLaterCalls);
  if (OfOlderKernels(rule)) return !later;
  const bool iwarp = profile.transport == Transport::kIwarp;
  if (NeedsTester(rule) && !EnabledForTester(rule, profile.transport)) return false;
  if (rule >= kFirstMad) return !iwarp;
  if (rule >= kFirstIw) return iwarp;
  if (rule >= kFirstWork)
    return !iwarp && OfDialect(rules::kWork[rule - kFirstWork], profile.dialect);
  if (rule < kFirstBelow)
    return !rules::kCalls[rule - kFirstCall].when.Except(NeverOver(profile.transport)).empty();
  if (rule < kFirstIb)
    return BelowEnabled(rules::kFromBelow[rule - kFirstBelow], profile.transport);
  if (rule >= kFirstReport && rule < kFirstFetch)
    return iwarp == (rules::kReports[rule - kFirstReport].on >= Report::kIwReply);
  // Of the kernel, that is; the library's own is no event of the queue.
  const bool fetched = rule >= kFirstFetch && rule < kFirstQp;
  if (fetched && rules::kFetches[rule - kFirstFetch].queued == EventType::kConnectError)
    return iwarp;
  if (fetched && rules::kFetches[rule - kFirstFetch].queued == EventType::kRouteError)
    return profile.transport == Transport::kInfiniband;
  if (rule < kFirstIb || rule >= kFirstChannel) return true;
  if (iwarp || rule >= kFirstRequest) return !iwarp;
  const IbRule& ib = rules::kIbCm[rule - kFirstIb];
  return ib.on != IbStimulus::kSendFails || profile.dialect.link_down_fails_sends;
}

RuleBits Reachable(const Profile& profile) {
  RuleBits bits;
  const bool later = profile.capabilities.Has(Capability::kLaterCalls);
  for (RuleNumber rule = 0; rule < kRuleCount; ++rule) {
    const bool drawn = later || !OfLaterCalls(rule);
    const bool said = drawn && !NeedsTester(rule);
    if (said && Enabled(rule, profile) && !InfoOf(rule).crashes) bits.set(rule);
  }
  return bits;
}

}  // namespace cm::model
