// Options of ids: shared ports, timeouts, refusals.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

// The address of the id's rdma_bind_addr, if there was one.
const call::BindAddr* BoundTo(const HistoryIndex& index, IdRef id, size_t record) {
  const MadeCall* bound = index.FirstSuccess(id, CallKind::kBindAddr);
  return bound == nullptr || bound->at >= record ? nullptr
                                                 : &std::get<call::BindAddr>(*bound->call);
}

bool Listened(const HistoryIndex& index, IdRef id, size_t record) {
  return std::ranges::any_of(index.CallsOn(id, CallKind::kListen), [&](const MadeCall* call) {
    return call->at < record && !call->Refused(Errno::kAddrInUse) &&
           !call->Refused(Errno::kAddrNotAvail);
  });
}

// It has REUSEADDR set, has not listened, and has never unset it.
bool Shares(const HistoryIndex& index, IdRef id, size_t record) {
  bool shares = false;
  for (const MadeCall* call : index.CallsOn(id, CallKind::kSetOption)) {
    const auto& set = std::get<call::SetOption>(*call->call);
    if (call->at >= record || set.option != kReuseAddrOption || !call->reply.succeeded()) continue;
    shares = set.value != 0;
    if (!shares) return false;
  }
  return shares && !Listened(index, id, record);
}

void SharersAreBound(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const auto* bind = std::get_if<call::BindAddr>(call.call);
    if (bind == nullptr || bind->address.port == 0 || !Shares(index, bind->id, call.at)) continue;
    bool owned = false;
    bool all_share = true;
    for (uint16_t i = 0; i < index.id_count(); ++i) {
      const IdRef other{i};
      if (other == bind->id || !index[other].exists) continue;
      if (!MayOwn(index, other, bind->address.port, call.at)) continue;
      const bool there = BoundTo(index, other, call.at) != nullptr;
      owned |= there && index[other].end > call.at;
      all_share &= Shares(index, other, call.at);
    }
    if (!owned || !all_share) continue;
    result.Arose();
    const bool taken = call.Refused(Errno::kAddrInUse) || call.Refused(Errno::kAddrNotAvail);
    // A wildcard of the machine is refused only for its port.
    if (taken && (call.Refused(Errno::kAddrInUse) || bind->address.kind == AddressKind::kAny))
      result.Violated(call.at, Made(index, call), "0: all owners of the port share it");
  }
}

void NobodyListensOnAShared(const HistoryIndex& index, PropertyResult& result) {
  if (index.faults().Injected(FaultKind::kRemoveDevice)) return;
  for (const MadeCall& call : index.calls()) {
    const auto* listen = std::get_if<call::Listen>(call.call);
    if (listen == nullptr) continue;
    const call::BindAddr* own = BoundTo(index, listen->id, call.at);
    if (own == nullptr || own->address.port == 0) continue;
    for (uint16_t i = 0; i < index.id_count(); ++i) {
      const IdRef other{i};
      if (other == listen->id || !index[other].exists || index[other].end < call.at) continue;
      const call::BindAddr* bound = BoundTo(index, other, call.at);
      const bool shared = bound != nullptr && bound->address == own->address &&
                          index.KernelOf(other) == index.KernelOf(listen->id) && index[other].tcp &&
                          index[listen->id].tcp;
      // Resolving a destination replaces a wildcard by another address.
      if (!shared || index.FirstSuccess(other, CallKind::kResolveAddr) != nullptr ||
          index.FirstSuccess(listen->id, CallKind::kResolveAddr) != nullptr)
        continue;
      result.Arose();
      if (call.reply.succeeded())
        result.Violated(call.at, Made(index, call),
                        fmt::format("a refusal: {} has the port too", NameOf(index, other)));
    }
  }
}

void LengthsAreLookedAt(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
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
      result.Violated(call.at, Made(index, call),
                      unknown ? "-1 ENOSYS: there is no such option" : "-1 EINVAL: its length");
  }
}

void TimewaitIsAsSet(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  for (const Pair& pair : index.pairs()) {
    if (!AckTimeoutOf(index, pair.active)) continue;
    const Timing timing = TimingOf(index, pair.active);
    for (const IdRef id : {pair.active, pair.passive}) {
      const HeardEvent* over = index.First(id, EventType::kTimewaitExit);
      const MadeCall* first = index.FirstSuccess(pair.active, CallKind::kDisconnect);
      const MadeCall* second = index.FirstSuccess(pair.passive, CallKind::kDisconnect);
      if (over == nullptr || first == nullptr || second == nullptr) continue;
      result.Arose();
      const Instant begin = std::min(first->begin, second->begin);
      if (over->time < begin + timing.Timewait())
        result.Violated(over->at, Heard(index, *over) + " early",
                        fmt::format("not before {} have passed", ToString(timing.Timewait())));
    }
  }
}

constexpr auto kOfOptions = std::to_array<Property>({
    Always("OPT-1", SharersAreBound,
           "Ids that have set REUSEADDR by rdma_set_option are bound to one port.",
           "linux 6.1 cma.c cma_check_port"),
    Always("OPT-2", NobodyListensOnAShared,
           "No id listens on an address and port that another id has as well.",
           "linux 6.1 cma.c rdma_listen"),
    Always("OPT-3", LengthsAreLookedAt,
           "rdma_set_option refuses unknown options, and lengths that are not the option's.",
           "linux 6.1 ucma.c ucma_set_option_id"),
    Always("OPT-4", TimewaitIsAsSet,
           "Timewait lasts as long as the ACK_TIMEOUT set before the route was resolved.",
           "linux 6.1 cma.c cma_resolve_iboe_route"),
});

}  // namespace

std::span<const Property> Options() { return kOfOptions; }

}  // namespace cm::families
