// Options of ids: shared ports, timeouts, refusals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "conformance/properties/claims.h"

namespace cm::claims {

bool HasSet(const HistoryIndex& account, IdRef id, IdOption option, size_t record) {
  return std::ranges::any_of(account.CallsOn(id, CallKind::kSetOption), [&](const MadeCall* call) {
    return call->at < record && call->reply.succeeded() &&
           std::get<call::SetOption>(*call->call).option == option &&
           std::get<call::SetOption>(*call->call).value != 0;
  });
}

namespace {

// The ACK timeout that the id had when its route was resolved. Over InfiniBand it does not affect
// the path.
std::optional<uint8_t> AckTimeoutOf(const HistoryIndex& account, IdRef active) {
  const MadeCall* route = account.FirstSuccess(active, CallKind::kResolveRoute);
  std::optional<uint8_t> found;
  if (route == nullptr || account.profile().transport == Transport::kInfiniband) return found;
  for (const MadeCall* call : account.CallsOn(active, CallKind::kSetOption)) {
    const auto& set = std::get<call::SetOption>(*call->call);
    if (set.option == kAckTimeoutOption && call->reply.succeeded() && call->at < route->at)
      found = static_cast<uint8_t>(set.value);
  }
  return found == uint8_t{0} ? std::nullopt : found;
}

// The address of the id's rdma_bind_addr, if there was one.
const call::BindAddr* BoundTo(const HistoryIndex& account, IdRef id, size_t record) {
  const MadeCall* bound = account.FirstSuccess(id, CallKind::kBindAddr);
  return bound == nullptr || bound->at >= record ? nullptr
                                                 : &std::get<call::BindAddr>(*bound->call);
}

// The id was bound, or may have been, to the port before the record, and may own it still.
bool MayOwn(const HistoryIndex& account, IdRef id, uint16_t port, size_t record) {
  return std::ranges::any_of(account.CallsOn(id), [&](const MadeCall* call) {
    if (call->at >= record) return false;
    const auto* bind = std::get_if<call::BindAddr>(call->call);
    const auto* resolve = std::get_if<call::ResolveAddr>(call->call);
    return (bind != nullptr && bind->address.port == port) ||
           (resolve != nullptr && resolve->source.port == port);
  });
}

bool Listened(const HistoryIndex& account, IdRef id, size_t record) {
  return std::ranges::any_of(account.CallsOn(id, CallKind::kListen), [&](const MadeCall* call) {
    return call->at < record && !call->Refused(Errno::kAddrInUse) &&
           !call->Refused(Errno::kAddrNotAvail);
  });
}

// It has REUSEADDR set, has not listened, and has never unset it.
bool Shares(const HistoryIndex& account, IdRef id, size_t record) {
  bool shares = false;
  for (const MadeCall* call : account.CallsOn(id, CallKind::kSetOption)) {
    const auto& set = std::get<call::SetOption>(*call->call);
    if (call->at >= record || set.option != kReuseAddrOption || !call->reply.succeeded()) continue;
    shares = set.value != 0;
    if (!shares) return false;
  }
  return shares && !Listened(account, id, record);
}

void SharersAreBound(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    const auto* bind = std::get_if<call::BindAddr>(call.call);
    if (bind == nullptr || bind->address.port == 0 || !Shares(account, bind->id, call.at)) continue;
    bool owned = false;
    bool all_share = true;
    for (uint16_t i = 0; i < account.id_count(); ++i) {
      const IdRef other{i};
      if (other == bind->id || !account.Exists(other)) continue;
      if (!MayOwn(account, other, bind->address.port, call.at)) continue;
      const bool there = BoundTo(account, other, call.at) != nullptr;
      owned |= there && account.EndOf(other) > call.at;
      all_share &= Shares(account, other, call.at);
    }
    if (!owned || !all_share) continue;
    result.Arose();
    const bool taken = call.Refused(Errno::kAddrInUse) || call.Refused(Errno::kAddrNotAvail);
    // A wildcard of the machine is refused only for its port.
    if (taken && (call.Refused(Errno::kAddrInUse) || bind->address.kind == AddressKind::kAny))
      result.Violated(call.at, Made(account, call), "0: all owners of the port share it");
  }
}

void NobodyListensOnAShared(const HistoryIndex& account, PropertyResult& result) {
  if (account.Injected(FaultKind::kRemoveDevice)) return;
  for (const MadeCall& call : account.calls()) {
    const auto* listen = std::get_if<call::Listen>(call.call);
    if (listen == nullptr) continue;
    const call::BindAddr* own = BoundTo(account, listen->id, call.at);
    if (own == nullptr || own->address.port == 0) continue;
    for (uint16_t i = 0; i < account.id_count(); ++i) {
      const IdRef other{i};
      if (other == listen->id || !account.Exists(other) || account.EndOf(other) < call.at) continue;
      const call::BindAddr* bound = BoundTo(account, other, call.at);
      const bool shared = bound != nullptr && bound->address == own->address &&
                          account.KernelOf(other) == account.KernelOf(listen->id) &&
                          account.IsTcp(other) && account.IsTcp(listen->id);
      // Resolving a destination replaces a wildcard by another address.
      if (!shared || account.FirstSuccess(other, CallKind::kResolveAddr) != nullptr ||
          account.FirstSuccess(listen->id, CallKind::kResolveAddr) != nullptr)
        continue;
      result.Arose();
      if (call.reply.succeeded())
        result.Violated(call.at, Made(account, call),
                        fmt::format("a refusal: {} has the port too", NameOf(account, other)));
    }
  }
}

void LengthsAreLookedAt(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    const auto* set = std::get_if<call::SetOption>(call.call);
    if (set == nullptr || set->option == kIbPathOption) continue;
    const bool byte = set->option == kTosOption || set->option == kAckTimeoutOption;
    const bool number = set->option == kReuseAddrOption || set->option == kAfOnlyOption;
    const bool unknown = !byte && !number;
    if (!unknown && set->length == (byte ? 1u : 4u)) continue;
    result.Arose();
    const bool refused = call.Refused(Errno::kInval) || call.Refused(Errno::kNxIo) ||
                         (unknown && call.Refused(Errno::kNoSys));
    if (!refused)
      result.Violated(call.at, Made(account, call),
                      unknown ? "-1 ENOSYS: there is no such option" : "-1 EINVAL: its length");
  }
}

void TimewaitIsAsSet(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  for (const Pair& pair : account.pairs()) {
    if (!AckTimeoutOf(account, pair.active)) continue;
    const Timing timing = TimingOf(account, pair.active);
    for (const IdRef id : {pair.active, pair.passive}) {
      const HeardEvent* over = account.First(id, EventType::kTimewaitExit);
      const MadeCall* first = account.FirstSuccess(pair.active, CallKind::kDisconnect);
      const MadeCall* second = account.FirstSuccess(pair.passive, CallKind::kDisconnect);
      if (over == nullptr || first == nullptr || second == nullptr) continue;
      result.Arose();
      const Instant begin = std::min(first->begin, second->begin);
      if (over->time < begin + timing.Timewait())
        result.Violated(over->at, Heard(account, *over) + " early",
                        fmt::format("not before {} have passed", ToString(timing.Timewait())));
    }
  }
}

constexpr auto kClaims = std::to_array<Property>({
    {"OPT-1",
     "options",
     PropertyKind::kAlways,
     "Ids that have set REUSEADDR by rdma_set_option are bound to one port.",
     "linux 6.1 cma.c cma_check_port",
     SharersAreBound,
     {}},
    {"OPT-2",
     "options",
     PropertyKind::kAlways,
     "No id listens on an address and port that another id has as well.",
     "linux 6.1 cma.c rdma_listen",
     NobodyListensOnAShared,
     {}},
    {"OPT-3",
     "options",
     PropertyKind::kAlways,
     "rdma_set_option refuses unknown options, and lengths that are not the option's.",
     "linux 6.1 ucma.c ucma_set_option_id",
     LengthsAreLookedAt,
     {}},
    {"OPT-4",
     "options",
     PropertyKind::kAlways,
     "Timewait lasts as long as the ACK_TIMEOUT set before the route was resolved.",
     "linux 6.1 cma.c cma_resolve_iboe_route",
     TimewaitIsAsSet,
     {}},
});

}  // namespace

Timing TimingOf(const HistoryIndex& account, IdRef active) {
  Timing timing = account.profile().timing;
  if (const std::optional<uint8_t> set = AckTimeoutOf(account, active))
    timing.packet_lifetime = *set - 1;
  return timing;
}

std::span<const Property> Options() { return kClaims; }

}  // namespace cm::claims
