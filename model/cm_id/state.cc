#include "model/cm_id/state.h"

#include "model/base/enumeration.h"

namespace cm::model {
namespace {

using enum State;
constexpr auto kNames = NamesByValue<State>({
    {kIdle, "IDLE"},
    {kAddrBound, "ADDR_BOUND"},
    {kAddrQuery, "ADDR_QUERY"},
    {kAddrResolved, "ADDR_RESOLVED"},
    {kRouteQuery, "ROUTE_QUERY"},
    {kRouteResolved, "ROUTE_RESOLVED"},
    {kConnect, "CONNECT"},
    {kDisconnect, "DISCONNECT"},
    {kListen, "LISTEN"},
    {kDeviceRemoval, "DEVICE_REMOVAL"},
    {kSame, "same"},
});

}  // namespace

std::string_view ToString(State state) { return kNames[static_cast<size_t>(state)].name; }

}  // namespace cm::model
