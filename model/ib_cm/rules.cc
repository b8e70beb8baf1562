#include "model/ib_cm/rules.h"

namespace cm::model {
namespace {

constexpr auto kStates = NamesByValue<IbState>({
    {IbState::kNone, "none"},
    {IbState::kIdle, "IDLE"},
    {IbState::kReqSent, "REQ_SENT"},
    {IbState::kMraReqRcvd, "MRA_REQ_RCVD"},
    {IbState::kMraReqSent, "MRA_REQ_SENT"},
    {IbState::kRepSent, "REP_SENT"},
    {IbState::kMraRepRcvd, "MRA_REP_RCVD"},
    {IbState::kMraRepSent, "MRA_REP_SENT"},
    {IbState::kEstablished, "ESTABLISHED"},
    {IbState::kDreqSent, "DREQ_SENT"},
    {IbState::kDreqRcvd, "DREQ_RCVD"},
    {IbState::kTimewait, "TIMEWAIT"},
    {IbState::kSidrReqSent, "SIDR_REQ_SENT"},
    {IbState::kSidrReqRcvd, "SIDR_REQ_RCVD"},
    {IbState::kSame, "same"},
});

constexpr auto kReports = ByValue(
    std::to_array<ReportInfo>({
        {Report::kNothing, ""},
        {Report::kReqError, "REQ_ERROR"},
        {Report::kRepError, "REP_ERROR"},
        {Report::kRepReceived, "REP"},
        {Report::kRtuReceived, "RTU"},
        {Report::kDreqReceived, "DREQ"},
        {Report::kDrepReceived, "DREP"},
        {Report::kDreqError, "DREQ_ERROR"},
        {Report::kTimewaitExit, "TIMEWAIT_EXIT"},
        {Report::kRejReceived, "REJ"},
        {Report::kUserEstablished, "USER_ESTABLISHED"},
        {Report::kSidrRepReceived, "SIDR_REP"},
        {Report::kSidrRefusalReceived, "SIDR_REP that refuses"},
        {Report::kSidrOtherKeyReceived, "SIDR_REP with another Q_Key", over::kIbCm, Need::kTester},
        {Report::kSidrReqError, "SIDR_REQ_ERROR"},
        {Report::kIwReply, "CONNECT_REPLY 0", over::kIwarp},
        {Report::kIwRejected, "CONNECT_REPLY -104", over::kIwarp},
        {Report::kIwTimedOut, "CONNECT_REPLY -110", over::kIwarp},
        {Report::kIwFailed, "CONNECT_REPLY -22", over::kIwarp},
        {Report::kIwEstablished, "ESTABLISHED", over::kIwarp},
        {Report::kIwClosed, "CLOSE", over::kIwarp},
    }),
    &ReportInfo::report);

constexpr auto kRequestGuards =
    ByValue(std::to_array<RequestGuardInfo>({
                {RequestGuard::kUnresolvable, "unresolvable", over::kAll, Need::kTester},
                {RequestGuard::kStale, "stale"},
                {RequestGuard::kNoListener, "no-listener"},
                {RequestGuard::kNoPath, "no-path", over::kAll, Need::kTester},
                {RequestGuard::kAlternatePath, "alternate-path", over::kEthernet, Need::kTester},
                {RequestGuard::kNotUnderstood, "not-understood", over::kAll, Need::kTester},
                {RequestGuard::kOtherAddress, "other-address"},
                {RequestGuard::kBacklogFull, "backlog-full"},
                {RequestGuard::kFine, "fine"},
            }),
            &RequestGuardInfo::guard);

constexpr auto kMadGuards = ByValue(std::to_array<MadGuardInfo>({
                                        {MadGuard::kBaseVersion, "base-version"},
                                        {MadGuard::kAsksClass, "asks-class"},
                                        {MadGuard::kMethod, "method"},
                                        {MadGuard::kClassVersion, "class-version"},
                                        {MadGuard::kAttribute, "attribute"},
                                        {MadGuard::kLapOverRoce, "lap-over-roce", over::kRoce},
                                        {MadGuard::kFine, "fine", over::kIbCm, Need::kNothing},
                                    }),
                                    &MadGuardInfo::guard);

}  // namespace

const ReportInfo& InfoOf(Report report) { return kReports[static_cast<size_t>(report)]; }
const RequestGuardInfo& InfoOf(RequestGuard guard) {
  return kRequestGuards[static_cast<size_t>(guard)];
}
const MadGuardInfo& InfoOf(MadGuard guard) { return kMadGuards[static_cast<size_t>(guard)]; }

std::string_view ToString(IbState state) { return kStates[static_cast<size_t>(state)].name; }
std::string_view ToString(IbStimulus stimulus) { return InfoOf(stimulus).name; }
std::string_view ToString(Sends sends) { return kSends[static_cast<size_t>(sends)].name; }
std::string_view ToString(Report report) { return InfoOf(report).name; }
std::string_view ToString(RequestGuard guard) { return InfoOf(guard).name; }
std::string_view ToString(MadGuard guard) { return InfoOf(guard).name; }

}  // namespace cm::model
