#include "model/channel/rules.h"

namespace cm::model {
namespace {

constexpr std::array<std::string_view, kFetchGuardCount> kFetchGuardNames = {
    "fine", "id-gone", "qp-absent", "qp-cannot-come-up", "error-reported"};
constexpr std::array<std::string_view, 3> kChannelGuardNames = {"fine", "nonblocking",
                                                                "message-outstanding"};

}  // namespace

std::string_view ToString(FetchGuard guard) { return kFetchGuardNames[static_cast<size_t>(guard)]; }
std::string_view ToString(ChannelGuard guard) {
  return kChannelGuardNames[static_cast<size_t>(guard)];
}

}  // namespace cm::model
