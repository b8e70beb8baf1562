// Address lookups of ids, and the events that an application writes.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "conformance/properties/claims.h"
#include "model/conversation/print.h"

namespace cm::claims {
namespace {

// The application fetches all its events.
bool HasChannel(const HistoryIndex& account, IdRef id) {
  for (const MadeCall* call : account.CallsOn(id)) {
    const auto* create = std::get_if<call::CreateId>(call->call);
    const auto* migrate = std::get_if<call::MigrateId>(call->call);
    const bool loses = (create != nullptr && !create->channel.valid()) ||
                       (migrate != nullptr && !migrate->channel.valid());
    if (loses || call->kind() == CallKind::kCreateEp) return false;
  }
  return account.ChannelOf(id).valid();
}

std::vector<const MadeCall*> Successes(const HistoryIndex& account, IdRef id, CallKind kind) {
  std::vector<const MadeCall*> all = account.CallsOn(id, kind);
  std::erase_if(all, [](const MadeCall* call) { return !call->reply.succeeded(); });
  return all;
}

// The n-th event is the n-th that was written.
void ArrivesAsWritten(const HistoryIndex& account, PropertyResult& result) {
  for (uint16_t i = 0; i < account.id_count(); ++i) {
    const IdRef id{i};
    if (!account.Exists(id) || !HasChannel(account, id)) continue;
    const auto written = Successes(account, id, CallKind::kWriteCmEvent);
    size_t n = 0;
    for (const HeardEvent* heard : account.EventsOf(id, EventType::kUser)) {
      result.Arose();
      const std::string saw =
          fmt::format("{} argument={:#x}", Heard(account, *heard), heard->event.argument);
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

void UserIsHeard(const HistoryIndex& account, PropertyResult& result) {
  IsHeard(account, result, EventType::kUser);
}

// The rdma_resolve_addrinfo before the call; null when its result was returned already.
const MadeCall* LookupBefore(const HistoryIndex& account, const MadeCall& query) {
  const MadeCall* last = nullptr;
  for (const MadeCall* call : account.CallsOn(query.id())) {
    if (call->at >= query.at) break;
    if (!call->reply.succeeded()) continue;
    if (call->kind() == CallKind::kResolveAddrInfo) last = call;
    if (call->kind() == CallKind::kQueryAddrInfo) last = nullptr;
  }
  return last;
}

void HandedOutOnce(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    if (call.kind() != CallKind::kQueryAddrInfo || !call.reply.succeeded()) continue;
    result.Arose();
    if (LookupBefore(account, call) == nullptr)
      result.Violated(call.at, Made(account, call), "ENOENT: nothing that was looked up waits");
  }
}

void HandsOutWhatWasAsked(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    if (call.kind() != CallKind::kQueryAddrInfo || !call.reply.succeeded()) continue;
    const MadeCall* lookup = LookupBefore(account, call);
    if (lookup == nullptr) continue;
    const auto& asked = std::get<call::ResolveAddrInfo>(*lookup->call);
    if (asked.node.kind == AddressKind::kNone) continue;
    result.Arose();
    const auto& answered = std::get<seen::Answered>(account.history().records[call.at].seen);
    const auto* info = answered.handed ? std::get_if<AddrInfoHanded>(&*answered.handed) : nullptr;
    const bool passive = asked.hints && (asked.hints->flags & kPassiveHint) != 0;
    const Address wanted = asked.node.WithPort(asked.service.value_or(0));
    if (info != nullptr && (passive ? info->source : info->destination) == wanted) continue;
    result.Violated(call.at,
                    answered.handed ? ToString(*answered.handed, account.topology()) : "nothing",
                    ToString(wanted, account.topology()) +
                        (passive ? " as the source" : " as the destination"));
  }
}

constexpr Capabilities kLater = Capabilities().With(Capability::kLaterCalls);

constexpr auto kClaims = std::to_array<Property>({
    {"USER-1",
     "lookups",
     PropertyKind::kAlways,
     "USER events of an id carry the status and the argument of rdma_write_cm_event, in the order "
     "of writing.",
     "rdma-core 65 cma.c rdma_write_cm_event, linux 7.2 ucma.c ucma_write_cm_event",
     ArrivesAsWritten,
     {}},
    {"USER-2", "lookups", PropertyKind::kSometimes, "USER is reported.",
     "rdma-core 65 cma.c rdma_write_cm_event", UserIsHeard, kLater},
    {"AINFO-1",
     "lookups",
     PropertyKind::kAlways,
     "rdma_query_addrinfo returns the result of rdma_resolve_addrinfo once.",
     "rdma-core 65 cma.c rdma_query_addrinfo",
     HandedOutOnce,
     {}},
    {"AINFO-2",
     "lookups",
     PropertyKind::kAlways,
     "rdma_query_addrinfo returns the numeric node of rdma_resolve_addrinfo with the service "
     "as port, as source where the hints are passive and else as destination.",
     "rdma-core 65 cma.c rdma_resolve_addrinfo, addrinfo.c rdma_getaddrinfo",
     HandsOutWhatWasAsked,
     {}},
});

}  // namespace

std::span<const Property> Lookups() { return kClaims; }

}  // namespace cm::claims
