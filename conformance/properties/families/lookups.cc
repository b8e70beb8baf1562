// Address lookups of ids, and the events that an application writes.
#include <fmt/format.h>

#include <vector>

#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

// The application fetches all its events.
bool HasChannel(const HistoryIndex& index, IdRef id) {
  for (const MadeCall* call : index.CallsOn(id)) {
    const auto* create = std::get_if<call::CreateId>(call->call);
    const auto* migrate = std::get_if<call::MigrateId>(call->call);
    const bool loses = (create != nullptr && !create->channel.valid()) ||
                       (migrate != nullptr && !migrate->channel.valid());
    if (loses || call->kind() == CallKind::kCreateEp) return false;
  }
  return index[id].channel.valid();
}

std::vector<const MadeCall*> Successes(const HistoryIndex& index, IdRef id, CallKind kind) {
  std::vector<const MadeCall*> all = index.CallsOn(id, kind);
  std::erase_if(all, [](const MadeCall* call) { return !call->reply.succeeded(); });
  return all;
}

// The n-th event is the n-th that was written.
void ArrivesAsWritten(const HistoryIndex& index, PropertyResult& result) {
  for (uint16_t i = 0; i < index.id_count(); ++i) {
    const IdRef id{i};
    if (!index[id].exists || !HasChannel(index, id)) continue;
    const auto written = Successes(index, id, CallKind::kWriteCmEvent);
    size_t n = 0;
    for (const HeardEvent* heard : index.EventsOf(id, EventType::kUser)) {
      result.Arose();
      const std::string saw =
          fmt::format("{} argument={:#x}", Heard(index, *heard), heard->event.argument);
      if (n == written.size() || written[n]->at > heard->at) {
        result.Violated(heard->at, saw, "no event that was not written");
        break;
      }
      const auto& write = std::get<call::WriteCmEvent>(*written[n++]->call);
      if (write.status == heard->event.status && write.argument == heard->event.argument) continue;
      result.Violated(heard->at, saw,
                      fmt::format("status={} argument={:#x}", write.status, write.argument));
      break;
    }
  }
}

// The rdma_resolve_addrinfo before the call; null when its result was returned already.
const MadeCall* LookupBefore(const HistoryIndex& index, const MadeCall& query) {
  const MadeCall* last = nullptr;
  for (const MadeCall* call : index.CallsOn(query.id())) {
    if (call->at >= query.at) break;
    if (!call->reply.succeeded()) continue;
    if (call->kind() == CallKind::kResolveAddrInfo) last = call;
    if (call->kind() == CallKind::kQueryAddrInfo) last = nullptr;
  }
  return last;
}

void ReturnedOnce(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != CallKind::kQueryAddrInfo || !call.reply.succeeded()) continue;
    result.Arose();
    if (LookupBefore(index, call) == nullptr)
      result.Violated(call.at, Made(index, call), "ENOENT: nothing that was looked up waits");
  }
}

void HandsOutWhatWasAsked(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != CallKind::kQueryAddrInfo || !call.reply.succeeded()) continue;
    const MadeCall* lookup = LookupBefore(index, call);
    if (lookup == nullptr) continue;
    CheckAddrInfo(index, call, std::get<call::ResolveAddrInfo>(*lookup->call), result);
  }
}

constexpr Capabilities kLater = Capabilities().With(Capability::kLaterCalls);

constexpr auto kOfLookups = std::to_array<Property>({
    Always("USER-1", ArrivesAsWritten,
           "USER events of an id carry the status and the argument of rdma_write_cm_event, in the "
           "order of writing.",
           "rdma-core 65 cma.c rdma_write_cm_event, linux 7.2 ucma.c ucma_write_cm_event"),
    Sometimes("USER-2", IsHeard<EventType::kUser>, "USER is reported.",
              "rdma-core 65 cma.c rdma_write_cm_event", kLater),
    Always("AINFO-1", ReturnedOnce,
           "rdma_query_addrinfo returns the result of rdma_resolve_addrinfo once.",
           "rdma-core 65 cma.c rdma_query_addrinfo"),
    Always("AINFO-2", HandsOutWhatWasAsked,
           "rdma_query_addrinfo returns the numeric node of rdma_resolve_addrinfo with the service "
           "as port, as source where the hints are passive and else as destination.",
           "rdma-core 65 cma.c rdma_resolve_addrinfo, addrinfo.c rdma_getaddrinfo"),
});

}  // namespace

std::span<const Property> Lookups() { return kOfLookups; }

}  // namespace cm::families
