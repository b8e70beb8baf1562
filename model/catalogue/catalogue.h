// Every row of every table under one number: for coverage, for lists and for the generated tables.
#ifndef MODEL_CATALOGUE_CATALOGUE_H_
#define MODEL_CATALOGUE_CATALOGUE_H_

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/channel/misuse.h"
#include "model/channel/rules.h"
#include "model/cm_id/rules.h"
#include "model/ib_cm/rules.h"
#include "model/iw_cm/rules.h"
#include "model/qp/rules.h"
#include "model/vocabulary/profile.h"
#include "model/work_completion/rules.h"

namespace cm::model {

// A row's number. Numbers are for one build; ids are for ever.
using RuleNumber = uint16_t;

inline constexpr RuleNumber kFirstCall = 0;
inline constexpr RuleNumber kFirstBelow = kFirstCall + rules::kCalls.size();
inline constexpr RuleNumber kFirstIb = kFirstBelow + rules::kFromBelow.size();
inline constexpr RuleNumber kFirstRequest = kFirstIb + rules::kIbCm.size();
inline constexpr RuleNumber kFirstSidrRequest = kFirstRequest + rules::kRequests.size();
inline constexpr RuleNumber kFirstChannel = kFirstSidrRequest + rules::kSidrRequests.size();
inline constexpr RuleNumber kFirstReport = kFirstChannel + rules::kChannels.size();
inline constexpr RuleNumber kFirstFetch = kFirstReport + rules::kReports.size();
inline constexpr RuleNumber kFirstQp = kFirstFetch + rules::kFetches.size();
inline constexpr RuleNumber kFirstCompletion = kFirstQp + rules::kQps.size();
inline constexpr RuleNumber kFirstMisuse = kFirstCompletion + rules::kCompletions.size();
inline constexpr RuleNumber kFirstEndpoint = kFirstMisuse + rules::kMisuses.size();
inline constexpr RuleNumber kFirstWork = kFirstEndpoint + rules::kEndpoints.size();
inline constexpr RuleNumber kFirstIw = kFirstWork + rules::kWork.size();
inline constexpr RuleNumber kFirstIwRequest = kFirstIw + rules::kIwCm.size();
inline constexpr RuleNumber kFirstMad = kFirstIwRequest + rules::kIwRequests.size();
inline constexpr RuleNumber kRuleCount = kFirstMad + rules::kMads.size();

using RuleBits = std::bitset<640>;
static_assert(kRuleCount <= 640);

// What every row has, whatever its table.
struct RuleInfo {
  std::string_view id;
  std::string_view machine;  // the table: "cm_id", "ib_cm", ...
  std::string says;          // the row as a sentence
  Evidence evidence;
  Transports over;
  Need needs = Need::kNothing;
  bool crashes = false;
};

std::span<const RuleInfo> AllRules();
const RuleInfo& InfoOf(RuleNumber rule);

// The row's number, by where it stands in its table.
inline RuleNumber NumberOf(const CallRule* r) {
  return static_cast<RuleNumber>(kFirstCall + (r - rules::kCalls.data()));
}
inline RuleNumber NumberOf(const BelowRule* r) {
  return static_cast<RuleNumber>(kFirstBelow + (r - rules::kFromBelow.data()));
}
inline RuleNumber NumberOf(const IbRule* r) {
  return static_cast<RuleNumber>(kFirstIb + (r - rules::kIbCm.data()));
}
inline RuleNumber NumberOf(const RequestRule* r) {
  return static_cast<RuleNumber>(kFirstRequest + (r - rules::kRequests.data()));
}
inline RuleNumber NumberOf(const SidrRequestRule* r) {
  return static_cast<RuleNumber>(kFirstSidrRequest + (r - rules::kSidrRequests.data()));
}
inline RuleNumber NumberOf(const ChannelRule* r) {
  return static_cast<RuleNumber>(kFirstChannel + (r - rules::kChannels.data()));
}
inline RuleNumber NumberOf(const ReportRule* r) {
  return static_cast<RuleNumber>(kFirstReport + (r - rules::kReports.data()));
}
inline RuleNumber NumberOf(const FetchRule* r) {
  return static_cast<RuleNumber>(kFirstFetch + (r - rules::kFetches.data()));
}
inline RuleNumber NumberOf(const QpRule* r) {
  return static_cast<RuleNumber>(kFirstQp + (r - rules::kQps.data()));
}
inline RuleNumber NumberOf(const CompletionRule* r) {
  return static_cast<RuleNumber>(kFirstCompletion + (r - rules::kCompletions.data()));
}

inline RuleNumber NumberOf(const MisuseRule* r) {
  return static_cast<RuleNumber>(kFirstMisuse + (r - rules::kMisuses.data()));
}
inline RuleNumber NumberOf(const EndpointRule* r) {
  return static_cast<RuleNumber>(kFirstEndpoint + (r - rules::kEndpoints.data()));
}

inline RuleNumber NumberOf(const WorkRule* r) {
  return static_cast<RuleNumber>(kFirstWork + (r - rules::kWork.data()));
}
inline RuleNumber NumberOf(const IwRule* r) {
  return static_cast<RuleNumber>(kFirstIw + (r - rules::kIwCm.data()));
}
inline RuleNumber NumberOf(const IwRequestRule* r) {
  return static_cast<RuleNumber>(kFirstIwRequest + (r - rules::kIwRequests.data()));
}

inline RuleNumber NumberOf(const MadRule* r) {
  return static_cast<RuleNumber>(kFirstMad + (r - rules::kMads.data()));
}

// Whether implementations of the profile may show the row.
bool Enabled(RuleNumber rule, const Profile& profile);
// The row is of messages that no connection manager sends.
bool NeedsTester(RuleNumber rule);
// Enabled rows that do not crash and need no tester: what a campaign can reach.
RuleBits Reachable(const Profile& profile);

}  // namespace cm::model

#endif  // MODEL_CATALOGUE_CATALOGUE_H_
