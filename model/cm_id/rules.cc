#include "model/cm_id/rules.h"

#include <array>

#include "model/base/enumeration.h"

namespace cm::model {

namespace {

constexpr auto kBelow = ByValue(
    std::to_array<BelowInfo>({
        {Below::kAddressFound, "address found"},
        {Below::kAddressTimesOut, "address times out"},
        {Below::kAddressWithoutDevice, "address without device"},
        {Below::kAddressOfOtherLink, "address of another link", over::kEthernet},
        {Below::kRouteFound, "route found"},
        {Below::kDeviceGoes, "device goes"},
        {Below::kKernelIdClosed, "kernel id closed"},
        {Below::kAddressChanges, "address changes"},
        {Below::kNeighbourChanges, "neighbour changes", over::kEthernet, Need::kToldNeighbours},
        {Below::kGroupJoined, "group joined"},
        {Below::kGroupWithoutGid, "group without GID", over::kEthernet},
        {Below::kRouteTimesOut, "route times out", over::kInfiniband},
        {Below::kRouteRefused, "route refused", over::kInfiniband},
        {Below::kGroupTimesOut, "group times out", over::kInfiniband},
    }),
    &BelowInfo::on);

}  // namespace

const BelowInfo& InfoOf(Below below) { return kBelow[static_cast<size_t>(below)]; }

std::string_view ToString(Below below) { return InfoOf(below).name; }

}  // namespace cm::model
