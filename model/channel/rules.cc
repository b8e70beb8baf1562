#include "model/channel/rules.h"

#include "model/channel/misuse.h"

namespace cm::model {
namespace {

constexpr auto kFetchGuards = NamesByValue<FetchGuard>({
    {FetchGuard::kFine, "fine"},
    {FetchGuard::kIdGone, "id-gone"},
    {FetchGuard::kQpAbsent, "qp-absent"},
    {FetchGuard::kQpCannotComeUp, "qp-cannot-come-up"},
    {FetchGuard::kErrorReported, "error-reported"},
    {FetchGuard::kLeftBehind, "left-behind"},
    {FetchGuard::kQpCannotAttach, "qp-cannot-attach"},
    {FetchGuard::kInfoTaken, "info-taken"},
    {FetchGuard::kInfoTakenIdGone, "info-taken-id-gone"},
});

constexpr auto kChannelGuards = NamesByValue<ChannelGuard>({
    {ChannelGuard::kFine, "fine"},
    {ChannelGuard::kNonblocking, "nonblocking"},
    {ChannelGuard::kMessageOutstanding, "message-outstanding"},
});

constexpr auto kFound = NamesByValue<Found>({
    {Found::kNothing, "nothing"},
    {Found::kSuccess, "status-zero"},
    {Found::kRequest, "request"},
    {Found::kRejected, "rejected"},
    {Found::kFailure, "failure"},
    {Found::kRequestWithoutQp, "request-without-qp"},
});

constexpr auto kEpSteps = NamesByValue<EpStep>({
    {EpStep::kBind, "binding"},
    {EpStep::kAddress, "address"},
    {EpStep::kRoute, "route"},
    {EpStep::kQueuePair, "queue pair"},
});

constexpr auto kEpEnds = NamesByValue<EpEnd>({
    {EpEnd::kRefused, "is refused"},
    {EpEnd::kWaits, "is waited for"},
    {EpEnd::kFailed, "fails"},
    {EpEnd::kDone, "is the last"},
});

constexpr auto kMisuses = NamesByValue<Misuse>({
    {Misuse::kIdDestroyed, "a call on an id that was destroyed"},
    {Misuse::kIdWithoutChannel, "a call on an id whose channel was destroyed"},
    {Misuse::kChannelDestroyed, "a call on a channel that was destroyed"},
    {Misuse::kEventAcknowledged, "rdma_ack_cm_event on an event that was acknowledged"},
});

}  // namespace

std::string_view ToString(Misuse misuse) { return kMisuses[static_cast<size_t>(misuse)].name; }
std::string_view ToString(FetchGuard guard) {
  return kFetchGuards[static_cast<size_t>(guard)].name;
}
std::string_view ToString(ChannelGuard guard) {
  return kChannelGuards[static_cast<size_t>(guard)].name;
}
std::string_view ToString(EpStep step) { return kEpSteps[static_cast<size_t>(step)].name; }
std::string_view ToString(EpEnd end) { return kEpEnds[static_cast<size_t>(end)].name; }
std::string_view ToString(Found found) { return kFound[static_cast<size_t>(found)].name; }

}  // namespace cm::model
