#include "model/channel/rules.h"

#include "model/channel/misuse.h"

namespace cm::model {
namespace {

constexpr std::array<std::string_view, kFetchGuardCount> kFetchGuardNames = {
    "fine",        "id-gone",          "qp-absent",  "qp-cannot-come-up", "error-reported",
    "left-behind", "qp-cannot-attach", "info-taken", "info-taken-id-gone"};
constexpr std::array<std::string_view, 3> kChannelGuardNames = {"fine", "nonblocking",
                                                                "message-outstanding"};

constexpr std::array<std::string_view, kFoundCount> kFoundNames = {
    "nothing", "status-zero", "request", "rejected", "failure", "request-without-qp"};
constexpr std::array<std::string_view, kEpStepCount> kEpStepNames = {"binding", "address", "route",
                                                                     "queue pair"};
constexpr std::array<std::string_view, kEpEndCount> kEpEndNames = {"is refused", "is waited for",
                                                                   "fails", "is the last"};
constexpr std::array<std::string_view, kMisuseCount> kMisuseNames = {
    "a call on an id that was destroyed", "a call on an id whose channel was destroyed",
    "a call on a channel that was destroyed",
    "rdma_ack_cm_event on an event that was acknowledged"};

}  // namespace

std::string_view ToString(Misuse misuse) { return kMisuseNames[static_cast<size_t>(misuse)]; }
std::string_view ToString(FetchGuard guard) { return kFetchGuardNames[static_cast<size_t>(guard)]; }
std::string_view ToString(ChannelGuard guard) {
  return kChannelGuardNames[static_cast<size_t>(guard)];
}

std::string_view ToString(EpStep step) { return kEpStepNames[static_cast<size_t>(step)]; }
std::string_view ToString(EpEnd end) { return kEpEndNames[static_cast<size_t>(end)]; }

std::string_view ToString(Found found) { return kFoundNames[static_cast<size_t>(found)]; }

}  // namespace cm::model
