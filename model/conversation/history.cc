#include "model/conversation/history.h"

#include <type_traits>
#include <variant>

#include "model/base/digest.h"
#include "model/conversation/fault_text.h"
#include "model/vocabulary/call_fields.h"

namespace cm {
namespace {

void Put(Digest* d, const Address& a) {
  d->U8(static_cast<uint8_t>(a.kind));
  d->U8(a.side);
  d->U8(a.v6 ? 1 : 0);
  d->U8(a.family);
  if (a.kind == AddressKind::kGroup) d->U8(a.group);
  d->U16(a.port);
  if (a.nth != 0) d->U8(a.nth);
}

void Put(Digest* d, const PrivateData& data) { d->Bytes(data.bytes()); }

void Put(Digest* d, std::optional<QpType> type) { d->U8(type ? static_cast<uint8_t>(*type) : 0); }

void Put(Digest* d, std::optional<PortSpace> space) {
  d->U16(space ? static_cast<uint16_t>(*space) : 0);
}

void Put(Digest* d, const EceOptions& ece) {
  d->U32(ece.vendor_id);
  d->U32(ece.options);
  d->U32(ece.comp_mask);
}

// The arguments of each call in the order of its row, names by their text in the conversation.
class CallHasher {
 public:
  CallHasher(Digest* d, const Names& names) : d_(d), names_(names) {}

  template <typename Owner>
  void Hash(const Owner& owner) const {
    EachFieldOf(&owner, [&](const FieldInfo& info, const auto& value, const auto& /*plain*/) {
      Value(info, value);
    });
  }

 private:
  void Value(const FieldInfo&, IdRef id) const { Name(names_.ids, id); }
  void Value(const FieldInfo&, ChannelRef c) const { Name(names_.channels, c); }
  void Value(const FieldInfo&, EventRef e) const { Name(names_.events, e); }
  void Value(const FieldInfo&, HeldRef h) const { Name(names_.held, h); }
  void Value(const FieldInfo&, MrRef m) const { Name(names_.regions, m); }
  void Value(const FieldInfo&, bool flag) const { d_->U8(flag ? 1 : 0); }
  void Value(const FieldInfo&, uint8_t n) const { d_->U8(n); }
  void Value(const FieldInfo&, uint16_t n) const { d_->U16(n); }
  void Value(const FieldInfo&, uint32_t n) const { d_->U32(n); }
  void Value(const FieldInfo&, int32_t n) const { d_->U32(static_cast<uint32_t>(n)); }
  void Value(const FieldInfo&, uint64_t n) const { d_->U64(n); }
  void Value(const FieldInfo&, std::optional<uint16_t> n) const { d_->U32(n ? *n + 1u : 0); }
  void Value(const FieldInfo&, const Address& address) const { Put(d_, address); }
  void Value(const FieldInfo&, PortSpace space) const { d_->U16(static_cast<uint16_t>(space)); }
  void Value(const FieldInfo&, std::optional<PortSpace> space) const { Put(d_, space); }
  void Value(const FieldInfo& info, std::optional<QpType> type) const {
    if (type || !info.hashed_if_set) Put(d_, type);
  }
  void Value(const FieldInfo&, const IdOption& option) const {
    d_->U32(static_cast<uint32_t>(option.level));
    d_->U32(static_cast<uint32_t>(option.name));
  }
  void Value(const FieldInfo&, const PrivateData& data) const { Put(d_, data); }
  void Value(const FieldInfo&, const EceOptions& ece) const { Put(d_, ece); }
  template <typename Structure>
  void Value(const FieldInfo&, const std::optional<Structure>& structure) const {
    d_->U8(structure ? 1 : 0);
    if (structure) Hash(*structure);
  }
  void Value(const FieldInfo&, const Sges& pieces) const {
    for (const Sge& piece : pieces) {
      Name(names_.regions, piece.mr);
      d_->U32(piece.offset);
      d_->U32(piece.length);
    }
  }
  void Value(const FieldInfo&, const RemotePlace& place) const {
    if (!place.mr.valid()) return;
    Name(names_.regions, place.mr);
    d_->U32(place.offset);
  }
  template <typename Tag>
  void Name(const NameTable<Tag>& table, Ref<Tag> ref) const {
    d_->Text(ref.valid() ? table.NameOf(ref) : std::string());
  }

  Digest* d_;
  const Names& names_;
};

void PutTesterNumber(Digest* d, const TesterNumber& number, const Names& names) {
  d->Text(number.of.valid() ? names.ids.NameOf(number.of) : std::string());
  d->U32(number.plain);
}

void PutTesterMad(Digest* d, const TesterMad& mad, const Names& names) {
  d->U8(static_cast<uint8_t>(mad.kind));
  d->U8(mad.to);
  for (const TesterNumber& number : {mad.local, mad.remote, mad.qp})
    PutTesterNumber(d, number, names);
  d->U16(static_cast<uint16_t>(mad.space));
  d->U8(static_cast<uint8_t>(mad.about));
  EachField(mad, [d](std::string_view, auto value) {
    if constexpr (std::is_same_v<decltype(value), bool>)
      d->U8(value ? 1 : 0);
    else
      d->U32(static_cast<uint32_t>(value));
  });
  Put(d, mad.data);
}

void PutLine(Digest* d, const Line& line, const Names& names) {
  d->U8(static_cast<uint8_t>(line.index()));
  if (const auto* calls = std::get_if<line::Calls>(&line)) {
    d->U8(calls->lane.side);
    d->U8(calls->lane.number);
    d->U8(TraitsOf(KindOf(calls->call)).number);
    CallHasher(d, names).Hash(calls->call);
    if (calls->meanwhile) d->U8(1);
  } else if (const auto* waits = std::get_if<line::Waits>(&line)) {
    d->U8(waits->lane.side);
    d->U8(waits->lane.number);
    d->Text(names.channels.NameOf(waits->channel));
    d->I64(waits->within.nanoseconds());
  } else if (const auto* passes = std::get_if<line::Passes>(&line)) {
    d->I64(passes->span.nanoseconds());
  } else if (const auto* injects = std::get_if<line::Injects>(&line)) {
    PutFault(d, injects->fault);
  } else if (const auto* sends = std::get_if<line::Sends>(&line)) {
    d->U8(sends->side);
    PutTesterMad(d, sends->mad, names);
  }
}

void Put(Digest* d, const Reply& reply) {
  d->U8(static_cast<uint8_t>(reply.kind));
  d->U32(static_cast<uint32_t>(reply.value));
  d->U16(static_cast<uint16_t>(reply.error));
}

void Put(Digest* d, const std::optional<CmEvent>& event, const Names& names) {
  d->U8(event ? 1 : 0);
  if (!event) return;
  d->U8(static_cast<uint8_t>(event->type));
  d->U32(static_cast<uint32_t>(event->status));
  d->Text(event->id.valid() ? names.ids.NameOf(event->id) : std::string());
  d->Text(event->listen_id.valid() ? names.ids.NameOf(event->listen_id) : std::string());
  d->U8(event->conn.responder_resources);
  d->U8(event->conn.initiator_depth);
  d->U8(event->conn.flow_control);
  d->U8(event->conn.retry_count);
  d->U8(event->conn.rnr_retry_count);
  d->U8(event->conn.srq);
  d->U32(event->qp_num);
  if (event->qkey != 0) d->U32(event->qkey);
  if (event->group.kind != AddressKind::kNone) Put(d, event->group);
  if (event->context != 0) d->U16(event->context);
  if (event->argument != 0) d->U64(event->argument);
  Put(d, event->private_data);
}

void Put(Digest* d, const std::optional<Shown>& shown) {
  d->U8(shown ? 1 : 0);
  if (!shown) return;
  d->U8(shown->device_known ? 1 : 0);
  d->U8(shown->device);
  d->U8(shown->port_num);
  Put(d, shown->source);
  Put(d, shown->destination);
  d->U8(shown->num_paths);
  d->U8(shown->qp ? static_cast<uint8_t>(*shown->qp) + 1 : 0);
}

void Put(Digest* d, const Output& output) {
  d->U8(static_cast<uint8_t>(output.index()));
  if (const auto* attrs = std::get_if<QpAttrs>(&output)) {
    d->U32(attrs->mask);
    d->U8(attrs->state);
  } else if (const auto* ece = std::get_if<EceOptions>(&output)) {
    Put(d, *ece);
  } else if (const auto* port = std::get_if<PortOutput>(&output)) {
    d->U16(port->port);
  } else if (const auto* info = std::get_if<AddrInfoOutput>(&output)) {
    d->U32(info->flags);
    d->U8(info->family);
    Put(d, info->type);
    Put(d, info->space);
    Put(d, info->source);
    Put(d, info->destination);
    d->U8(info->source_length);
    d->U8(info->destination_length);
    d->U32(info->route_length);
    d->U32(info->connect_length);
  } else if (const auto* devices = std::get_if<DevicesOutput>(&output)) {
    d->U32(static_cast<uint32_t>(devices->known));
    if (devices->known >> 32 != 0) d->U32(static_cast<uint32_t>(devices->known >> 32));
    d->U32(devices->unknown);
  } else if (const auto* bytes = std::get_if<BytesOutput>(&output)) {
    d->U32(bytes->digest);
  } else if (const auto* completion = std::get_if<Completion>(&output)) {
    d->U8(static_cast<uint8_t>(completion->status));
    d->U8(static_cast<uint8_t>(completion->opcode));
    d->U16(completion->context);
    d->U32(completion->length);
    d->U32(completion->bytes);
  } else {
    static_assert(std::variant_size_v<Output> == 8, "a new kind of output has its own case here");
    d->Text(std::get<TextOutput>(output).words());
  }
}

void PutSeen(Digest* d, const Observation& seen, const Names& names) {
  d->U8(static_cast<uint8_t>(seen.index()));
  if (const auto* answered = std::get_if<seen::Answered>(&seen)) {
    Put(d, answered->reply);
    Put(d, answered->event, names);
    Put(d, answered->shown);
    if (answered->output) Put(d, *answered->output);
  } else if (const auto* released = std::get_if<seen::Released>(&seen)) {
    Put(d, released->reply);
    Put(d, released->event, names);
    if (released->output) Put(d, *released->output);
  } else if (const auto* waited = std::get_if<seen::Waited>(&seen)) {
    d->U8(waited->readable ? 1 : 0);
  } else {
    d->U8(std::get<seen::Done>(seen).ok ? 1 : 0);
  }
}

}  // namespace

uint64_t DigestOf(const History& history, uint64_t sequence) {
  Digest d;
  d.U64(sequence);
  const Names& names = history.conversation.names;
  for (const Record& record : history.records) {
    d.I64(record.begin.nanoseconds());
    d.I64(record.end.nanoseconds());
    PutLine(&d, history.conversation.lines[record.line], names);
    PutSeen(&d, record.seen, names);
  }
  return d.Value();
}

uint64_t WireDigestOf(const History& history, uint64_t sequence) {
  Digest d;
  d.U64(sequence);
  for (const WireRecord& wire : history.wire) {
    d.I64(wire.at.nanoseconds());
    d.U8(wire.side);
    d.U8(static_cast<uint8_t>(wire.kind));
    d.U16(static_cast<uint16_t>(wire.reason));
    d.U8(static_cast<uint8_t>(wire.about));
    d.U8(wire.unnamed ? 1 : 0);
    d.U8(wire.info_length);
    d.U8(wire.service_timeout);
    d.U8(static_cast<uint8_t>(wire.status));
    d.U16(wire.attribute);
    d.U16(wire.mad_status);
    d.U8(wire.corrupt ? 2 : wire.lost ? 1 : 0);
    Put(&d, wire.private_data);
  }
  return d.Value();
}

}  // namespace cm
