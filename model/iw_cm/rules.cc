#include "model/iw_cm/rules.h"

namespace cm::model {
namespace {

constexpr auto kStates = NamesByValue<IwState>({
    {IwState::kNone, "none"},
    {IwState::kIdle, "IDLE"},
    {IwState::kConnSent, "CONN_SENT"},
    {IwState::kConnRecv, "CONN_RECV"},
    {IwState::kConnLost, "lost"},
    {IwState::kEstablished, "ESTABLISHED"},
    {IwState::kClosing, "CLOSING"},
    {IwState::kSame, "same"},
});

constexpr auto kAnswers = NamesByValue<IwAnswer>({
    {IwAnswer::kDone, "done"},
    {IwAnswer::kRefused, "refused"},
    {IwAnswer::kReset, "reset"},
    {IwAnswer::kWaits, "waits"},
    {IwAnswer::kIgnored, "ignored"},
});

}  // namespace

std::string_view ToString(IwState state) { return kStates[static_cast<size_t>(state)].name; }
std::string_view ToString(IwStimulus stimulus) { return InfoOf(stimulus).name; }
std::string_view ToString(IwAnswer answer) { return kAnswers[static_cast<size_t>(answer)].name; }

}  // namespace cm::model
