#include "model/iw_cm/rules.h"

namespace cm::model {
namespace {

constexpr std::array<std::string_view, kIwStateCount + 1> kStateNames = {
    "none", "IDLE", "CONN_SENT", "CONN_RECV", "lost", "ESTABLISHED", "CLOSING", "same"};

constexpr std::array<std::string_view, kIwStimulusCount> kStimulusNames = {
    "connect",           "accept",   "reject", "disconnect",    "attributes",
    "queue pair breaks", "destroy",  "reply",  "reply in vain", "rejection",
    "peer closes",       "no reply", "closed",
};

constexpr std::array<std::string_view, 5> kAnswerNames = {"done", "refused", "reset", "waits",
                                                          "ignored"};

}  // namespace

std::string_view ToString(IwState state) { return kStateNames[static_cast<size_t>(state)]; }
std::string_view ToString(IwStimulus s) { return kStimulusNames[static_cast<size_t>(s)]; }
std::string_view ToString(IwAnswer answer) { return kAnswerNames[static_cast<size_t>(answer)]; }

}  // namespace cm::model
