#include "conformance/adapters/exec/dialects.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "model/conversation/print.h"
#include "model/vocabulary/call.h"

namespace cm {
namespace {

// The calls on one id before a line, of any lane.
std::vector<const Call*> Before(const Conversation& conversation, const Line& until, IdRef id) {
  std::vector<const Call*> calls;
  for (const Line& line : conversation.lines) {
    if (&line == &until) break;
    const auto* one = std::get_if<line::Calls>(&line);
    if (one != nullptr && IdOf(one->call) == id) calls.push_back(&one->call);
  }
  return calls;
}

template <typename... Kinds>
bool HasAny(const std::vector<const Call*>& calls) {
  return std::ranges::any_of(
      calls, [](const Call* call) { return (std::holds_alternative<Kinds>(*call) || ...); });
}

// A refused rdma_resolve_addr shows in what its id does afterwards.
bool MayClear(const Call& call, const std::vector<const Call*>& before) {
  const bool resolves = std::holds_alternative<call::ResolveAddr>(call);
  const bool follows = resolves || std::holds_alternative<call::BindAddr>(call) ||
                       std::holds_alternative<call::ResolveAddrInfo>(call);
  return (follows && HasAny<call::ResolveAddr>(before)) ||
         (resolves && HasAny<call::CreateEp, call::ResolveAddrInfo>(before));
}

}  // namespace

std::string DialectShows(const Conversation& conversation, size_t side, const Dialect& own,
                         const Dialect& judged_by) {
  const auto differs = [&](bool Dialect::*field) { return own.*field != judged_by.*field; };
  const bool times_routes = differs(&Dialect::route_timeout_may_be_zero);
  const bool clears = differs(&Dialect::refused_resolve_clears_destination);
  const bool sets_status = differs(&Dialect::get_request_sets_status);
  if (!times_routes && !clears && !sets_status) return {};
  for (const Line& line : conversation.lines) {
    const auto* one = std::get_if<line::Calls>(&line);
    if (one == nullptr || one->lane.side != side) continue;
    const auto* route = std::get_if<call::ResolveRoute>(&one->call);
    bool shows = times_routes && route != nullptr && route->timeout_ms == 0;
    const auto before = Before(conversation, line, IdOf(one->call));
    shows |= clears && MayClear(one->call, before);
    // An event that is no request is one of an id that connects.
    shows |= sets_status && std::holds_alternative<call::GetRequest>(one->call) &&
             HasAny<call::ResolveAddr, call::ResolveAddrInfo, call::CreateEp>(before);
    if (shows)
      return fmt::format("its answer to \"{}\" has a dialect that the other side has not",
                         ToString(line, conversation));
  }
  return {};
}

}  // namespace cm
