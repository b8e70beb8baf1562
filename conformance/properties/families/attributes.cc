// Attributes of ids: queue pair attributes, ECE options, ports; and rdma_notify.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"
#include "model/conversation/print.h"

namespace cm::families {
namespace {

// source: <infiniband/verbs.h> enum ibv_qp_attr_mask, linux 6.1 cm.c cm_init_qp_init_attr,
// cm_init_qp_rtr_attr, cm_init_qp_rts_attr
constexpr uint32_t kForInit = 0x39;
constexpr uint32_t kForRtr = 0x129181;
constexpr uint32_t kForRts = 0x12e01;
// And over iWARP. source: linux 6.1 iwcm.c iwcm_init_qp_init_attr, iwcm_init_qp_rts_attr
constexpr uint32_t kIwForInit = 0x29;
constexpr uint32_t kIwForRts = 0x20;

std::string Text(const HistoryIndex& index, const Output& output) {
  return ToString(output, *index.history().conversation.topology);
}

// The attributes of a queue pair for the state; none where the call is refused.
std::optional<uint32_t> MaskOverIwarp(uint8_t state) {
  if (state == static_cast<uint8_t>(QpState::kRts)) return kIwForRts;
  if (state == static_cast<uint8_t>(QpState::kInit)) return kIwForInit;
  if (state == static_cast<uint8_t>(QpState::kRtr)) return kIwForInit;
  return std::nullopt;
}

std::optional<uint32_t> MaskOf(const HistoryIndex& index, uint8_t state) {
  if (index.OverIwarp()) return MaskOverIwarp(state);
  if (state == static_cast<uint8_t>(QpState::kInit)) return kForInit;
  if (state == static_cast<uint8_t>(QpState::kRtr)) return kForRtr;
  if (state == static_cast<uint8_t>(QpState::kRts)) return kForRts;
  return std::nullopt;
}

void AttributesFitTheState(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    for (const MadeCall* call : index.CallsOn(id, CallKind::kInitQpAttr)) {
      if (!call->reply.succeeded() || PathMigrated(index, id, call->at)) continue;
      result.Arose();
      const uint8_t state = std::get<call::InitQpAttr>(*call->call).state;
      const std::optional<uint32_t> mask = Negotiates(index, id, call->at)
                                               ? MaskOf(index, state)
                                               : (index.OverIwarp() ? kIwForInit : kForInit);
      const auto& output = OutputOf(index, *call);
      if (mask && output == Output(QpAttrs{*mask, state})) continue;
      const std::string saw = output ? " " + Text(index, *output) : ", and nothing";
      result.Violated(call->at, Made(index, *call) + saw,
                      mask ? Text(index, QpAttrs{*mask, state}) : "-1 EINVAL");
    }
  });
}

void NoAttributesAfterTheEnd(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    for (const MadeCall* call : index.CallsOn(id, CallKind::kInitQpAttr)) {
      const auto events = index.EventsOf(id);
      const bool over = std::ranges::any_of(events, [&](const HeardEvent* heard) {
        const EventType type = heard->event.type;
        return heard->at < call->at &&
               (type == EventType::kDisconnected || type == EventType::kRejected);
      });
      if (!over) continue;
      result.Arose();
      if (call->reply.succeeded())
        result.Violated(call->at, Made(index, *call), "-1 EINVAL: the connection is over");
    }
  });
}

// The RTU may arrive before or after rdma_notify, or never.
void NoticeEstablishes(const HistoryIndex& index, PropertyResult& result) {
  if (index.faults().Injected(FaultKind::kRemoveDevice)) return;
  ForEachId(index, [&](IdRef id) {
    for (const MadeCall* call : index.CallsOn(id, CallKind::kNotify)) {
      const uint8_t what = std::get<call::Notify>(*call->call).what;
      if (what != call::Notify::kCommEst || !call->reply.succeeded()) continue;
      const Silence* silence = index.SilentAfter(id, call->at);
      if (silence == nullptr || !index.Settled(call->at, silence->at)) continue;
      result.Arose();
      const auto events = index.EventsOf(id, EventType::kEstablished);
      if (events.size() == 1 && events.front()->at > call->at) continue;
      result.Violated(silence->at, fmt::format("{} times ESTABLISHED", events.size()),
                      fmt::format("one ESTABLISHED of {}, behind rdma_notify", NameOf(index, id)));
    }
  });
}

bool HasQp(const HistoryIndex& index, IdRef id, size_t record) {
  bool has = false;
  for (const MadeCall* call : index.CallsOn(id)) {
    if (call->at >= record || !call->reply.succeeded()) continue;
    if (QpAskedBy(*call->call)) has = true;
    if (call->kind() == CallKind::kDestroyQp) has = false;
  }
  return has;
}

void QueuePairsSpeakForThemselves(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    for (const MadeCall* call : index.CallsOn(id)) {
      const bool about_options =
          call->kind() == CallKind::kSetLocalEce || call->kind() == CallKind::kGetRemoteEce;
      if (!about_options || !HasQp(index, id, call->at)) continue;
      result.Arose();
      if (!call->Refused(Errno::kInval))
        result.Violated(call->at, Made(index, *call),
                        "-1 EINVAL: the options are those of its queue pair");
    }
  });
}

// The options that the id has at the record. A refused rdma_create_qp leaves those of the queue
// pair that it has destroyed, which are none, unless the device has refused the type. source:
// rdma-core 44 cma.c rdma_create_qp_ex, init_ece
EceOptions OptionsOf(const HistoryIndex& index, IdRef id, size_t record) {
  EceOptions set;
  for (const MadeCall* call : index.CallsOn(id)) {
    if (call->at >= record || call->reply.kind != ReplyKind::kReturned) continue;
    const auto* options = std::get_if<call::SetLocalEce>(call->call);
    if (options != nullptr && call->reply.succeeded()) set = options->ece;
    const bool creates =
        call->kind() == CallKind::kCreateQp || call->kind() == CallKind::kCreateQpEx;
    if (creates && !call->reply.succeeded() && !call->Refused(Errno::kNotSup)) set = {};
  }
  return set;
}

// A request carries the options set before it, with the bits of the vendor id that fit into a
// message.
void OptionsAreCarried(const HistoryIndex& index, PropertyResult& result) {
  constexpr uint32_t kVendorOnTheWire = 0xffffff;
  for (const Pair& pair : index.pairs()) {
    const MadeCall* connect = index.FirstSuccess(pair.active, CallKind::kConnect);
    if (HasOwnQp(index, pair.active)) continue;
    EceOptions set = OptionsOf(index, pair.active, connect->at);
    set.vendor_id &= kVendorOnTheWire;
    for (const MadeCall* call : index.CallsOn(pair.passive, CallKind::kGetRemoteEce)) {
      if (!call->reply.succeeded()) continue;
      result.Arose();
      const auto& output = OutputOf(index, *call);
      if (output == Output(set)) continue;
      result.Violated(call->at, output ? Text(index, *output) : "nothing",
                      Text(index, Output(set)) + ": what the peer has set");
    }
  }
}

// No call or event between the two records could change the id's fields.
bool Unchanged(const HistoryIndex& index, IdRef id, size_t from, size_t until) {
  for (const MadeCall* call : index.CallsOn(id)) {
    const bool looks = call->kind() == CallKind::kShow || call->kind() == CallKind::kGetSrcPort ||
                       call->kind() == CallKind::kGetDstPort;
    if (call->at > from && call->at < until && !looks) return false;
  }
  const auto events = index.EventsOf(id);
  return std::ranges::none_of(
      events, [&](const HeardEvent* heard) { return heard->at > from && heard->at < until; });
}

void PortsAreThoseShown(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    for (const MadeCall* call : index.CallsOn(id)) {
      const bool source = call->kind() == CallKind::kGetSrcPort;
      if (!source && call->kind() != CallKind::kGetDstPort) continue;
      for (const MadeCall* show : index.CallsOn(id, CallKind::kShow)) {
        const auto& shown = std::get<seen::Answered>(index.history().records[show->at].seen).shown;
        if (show->at < call->at || !shown || !Unchanged(index, id, call->at, show->at)) continue;
        result.Arose();
        const Output port = PortOutput{source ? shown->source.port : shown->destination.port};
        const auto& output = OutputOf(index, *call);
        if (output != port)
          result.Violated(call->at, output ? Text(index, *output) : "nothing",
                          Text(index, port) + ": that of its address");
      }
    }
  });
}

void NoticeIsHeard(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const auto* notify = std::get_if<call::Notify>(call.call);
    if (notify != nullptr && notify->what == call::Notify::kCommEst && call.reply.succeeded())
      result.Arose();
  }
}

// Over iWARP there are always attributes, and rdma_notify establishes nothing.
constexpr auto kOfAttributes = std::to_array<Property>({
    Always("ATTR-1", AttributesFitTheState,
           "rdma_init_qp_attr returns the attributes for the state, and those for INIT before "
           "there is a negotiation.",
           "man rdma_init_qp_attr(3), linux 6.1 cma.c rdma_init_qp_attr, cm.c ib_cm_init_qp_attr"),
    Always("ATTR-2", NoAttributesAfterTheEnd,
           "There are no attributes for a queue pair whose connection is over or rejected.",
           "linux 6.1 cm.c ib_cm_init_qp_attr")
        .Over(over::kIbCm),
    Eventually("NOT-1", NoticeEstablishes,
               "An id with COMM_EST reported by rdma_notify reports ESTABLISHED once, with or "
               "without RTU.",
               "man rdma_notify(3), linux 6.1 cm.c cm_establish")
        .Over(over::kIbCm),
    Sometimes("NOT-2", NoticeIsHeard, "rdma_notify is the first to report a connection.",
              "man rdma_notify(3)"),
    Always("ECE-1", QueuePairsSpeakForThemselves,
           "An id with a queue pair neither accepts local ECE options nor returns its peer's.",
           "man rdma_set_local_ece(3), rdma-core 44 cma.c rdma_set_local_ece"),
    Always("ECE-2", OptionsAreCarried, "A request carries the ECE options that were set before it.",
           "man rdma_get_remote_ece(3)"),
    Always("PORT-7", PortsAreThoseShown, "The ports of an id are those of its addresses.",
           "man rdma_get_src_port(3), man rdma_get_dst_port(3)"),
});

}  // namespace

std::span<const Property> Attributes() { return kOfAttributes; }

}  // namespace cm::families
