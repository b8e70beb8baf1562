#include "model/ib_cm/rules.h"

namespace cm::model {
namespace {

constexpr std::array<std::string_view, kIbStateCount + 1> kStateNames = {
    "none",      "IDLE",         "REQ_SENT",      "MRA_REQ_RCVD",  "MRA_REQ_SENT",
    "REP_SENT",  "MRA_REP_RCVD", "MRA_REP_SENT",  "ESTABLISHED",   "DREQ_SENT",
    "DREQ_RCVD", "TIMEWAIT",     "SIDR_REQ_SENT", "SIDR_REQ_RCVD", "same"};

constexpr std::array<std::string_view, kIbStimulusCount> kStimulusNames = {
    "send REQ",
    "send REP",
    "send RTU",
    "send REJ",
    "send DREQ",
    "send DREP",
    "send SIDR_REQ",
    "send SIDR_REP",
    "send SIDR_REP that refuses",
    "send DREQ or DREP in vain",
    "send REJ in vain",
    "QP INIT",
    "QP RTR, RTS",
    "told of the connection",
    "told of another path",
    "destroy",
    "REQ again",
    "MRA",
    "REP",
    "REP of a QP in use",
    "REP of an id in use",
    "REP again",
    "RTU",
    "REJ",
    "REJ 10",
    "REJ on another path",
    "DREQ",
    "DREQ for another QP",
    "DREP",
    "SIDR_REP",
    "SIDR_REP that refuses",
    "SIDR_REP with another Q_Key",
    "LAP",
    "LAP again",
    "APR",
    "retry",
    "exhausted",
    "send fails",
    "timewait over"};

constexpr std::array<std::string_view, 21> kSendsNames = {"",
                                                          "REQ",
                                                          "MRA",
                                                          "REJ of REQ",
                                                          "REJ of REP",
                                                          "REJ",
                                                          "REJ that names nobody",
                                                          "REJ 4",
                                                          "REP",
                                                          "RTU",
                                                          "DREQ",
                                                          "DREP",
                                                          "SIDR_REQ",
                                                          "SIDR_REP",
                                                          "SIDR_REP that refuses",
                                                          "the same again",
                                                          "LAP",
                                                          "MPA request",
                                                          "MPA reply",
                                                          "MPA reply that rejects",
                                                          "FIN"};

constexpr std::array<std::string_view, 21> kReportNames = {"",
                                                           "REQ_ERROR",
                                                           "REP_ERROR",
                                                           "REP",
                                                           "RTU",
                                                           "DREQ",
                                                           "DREP",
                                                           "DREQ_ERROR",
                                                           "TIMEWAIT_EXIT",
                                                           "REJ",
                                                           "USER_ESTABLISHED",
                                                           "SIDR_REP",
                                                           "SIDR_REP that refuses",
                                                           "SIDR_REP with another Q_Key",
                                                           "SIDR_REQ_ERROR",
                                                           "CONNECT_REPLY 0",
                                                           "CONNECT_REPLY -104",
                                                           "CONNECT_REPLY -110",
                                                           "CONNECT_REPLY -22",
                                                           "ESTABLISHED",
                                                           "CLOSE"};

constexpr std::array<std::string_view, kRequestGuardCount> kRequestGuardNames = {
    "unresolvable",   "stale",         "nobody-listens", "no-path", "alternate-path",
    "not-understood", "other-address", "backlog-full",   "fine"};

constexpr std::array<std::string_view, kMadGuardCount> kMadGuardNames = {
    "base-version", "asks-class", "method", "class-version", "attribute", "lap-over-roce", "fine"};

}  // namespace

std::string_view ToString(IbState state) { return kStateNames[static_cast<size_t>(state)]; }
std::string_view ToString(IbStimulus s) { return kStimulusNames[static_cast<size_t>(s)]; }
std::string_view ToString(Sends sends) { return kSendsNames[static_cast<size_t>(sends)]; }
std::string_view ToString(Report report) { return kReportNames[static_cast<size_t>(report)]; }
std::string_view ToString(RequestGuard guard) {
  return kRequestGuardNames[static_cast<size_t>(guard)];
}

std::string_view ToString(MadGuard guard) { return kMadGuardNames[static_cast<size_t>(guard)]; }

}  // namespace cm::model
