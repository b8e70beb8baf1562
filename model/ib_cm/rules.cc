#include "model/ib_cm/rules.h"

namespace cm::model {
namespace {

constexpr std::array<std::string_view, kIbStateCount + 1> kStateNames = {
    "none",      "IDLE",         "REQ_SENT",     "MRA_REQ_RCVD", "MRA_REQ_SENT",
    "REP_SENT",  "MRA_REP_RCVD", "MRA_REP_SENT", "ESTABLISHED",  "DREQ_SENT",
    "DREQ_RCVD", "TIMEWAIT",     "same"};

constexpr std::array<std::string_view, kIbStimulusCount> kStimulusNames = {
    "send REQ",
    "send REP",
    "send RTU",
    "send REJ",
    "send DREQ",
    "send DREP",
    "send DREQ or DREP in vain",
    "send REJ in vain",
    "QP INIT",
    "QP RTR, RTS",
    "destroy",
    "REQ again",
    "MRA",
    "REP",
    "REP again",
    "RTU",
    "REJ",
    "REJ 10",
    "DREQ",
    "DREP",
    "retry",
    "exhausted",
    "send fails",
    "timewait over"};

constexpr std::array<std::string_view, 12> kSendsNames = {
    "",      "REQ", "MRA", "REJ of REQ", "REJ of REP", "REJ",
    "REJ 4", "REP", "RTU", "DREQ",       "DREP",       "the same again"};

constexpr std::array<std::string_view, 10> kReportNames = {
    "",     "REQ_ERROR", "REP_ERROR",  "REP",           "RTU",
    "DREQ", "DREP",      "DREQ_ERROR", "TIMEWAIT_EXIT", "REJ"};

constexpr std::array<std::string_view, kRequestGuardCount> kRequestGuardNames = {
    "stale", "nobody-listens", "other-address", "backlog-full", "fine"};

}  // namespace

std::string_view ToString(IbState state) { return kStateNames[static_cast<size_t>(state)]; }
std::string_view ToString(IbStimulus s) { return kStimulusNames[static_cast<size_t>(s)]; }
std::string_view ToString(Sends sends) { return kSendsNames[static_cast<size_t>(sends)]; }
std::string_view ToString(Report report) { return kReportNames[static_cast<size_t>(report)]; }
std::string_view ToString(RequestGuard guard) {
  return kRequestGuardNames[static_cast<size_t>(guard)];
}

}  // namespace cm::model
