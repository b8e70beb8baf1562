#include "model/qp/rules.h"

namespace cm::model {
namespace {

constexpr std::array<std::string_view, kQpPhaseCount + 1> kPhaseNames = {"none", "INIT", "RTS",
                                                                         "ERR", "same"};
constexpr std::array<std::string_view, kQpStimulusCount> kStimulusNames = {
    "create", "bring up", "error", "destroy", "create for datagrams"};

}  // namespace

std::string_view ToString(QpPhase phase) { return kPhaseNames[static_cast<size_t>(phase)]; }
std::string_view ToString(QpStimulus s) { return kStimulusNames[static_cast<size_t>(s)]; }

}  // namespace cm::model
