#include "model/conversation/history.h"

#include <type_traits>

#include "model/base/digest.h"
#include "model/conversation/fault_text.h"

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

void Put(Digest* d, const std::optional<ConnParam>& param) {
  d->U8(param ? 1 : 0);
  if (!param) return;
  d->U8(param->responder_resources);
  d->U8(param->initiator_depth);
  d->U8(param->flow_control);
  d->U8(param->retry_count);
  d->U8(param->rnr_retry_count);
  d->U8(param->srq);
  d->U32(param->qp_num);
  Put(d, param->private_data);
}

void Put(Digest* d, std::optional<QpType> type) { d->U8(type ? static_cast<uint8_t>(*type) : 0); }

void Put(Digest* d, std::optional<PortSpace> space) {
  d->U16(space ? static_cast<uint16_t>(*space) : 0);
}

void Put(Digest* d, const EceOptions& ece) {
  d->U32(ece.vendor_id);
  d->U32(ece.options);
  d->U32(ece.comp_mask);
}

// The arguments of each call, names by what the conversation calls them.
class ArgumentDigest {
 public:
  ArgumentDigest(Digest* d, const Names& names) : d_(d), names_(names) {}

  void operator()(const call::CreateEventChannel& c) const {
    Name(c.channel);
    d_->U8(c.nonblocking ? 1 : 0);
  }
  void operator()(const call::DestroyEventChannel& c) const { Name(c.channel); }
  void operator()(const call::CreateId& c) const {
    Name(c.id);
    Name(c.channel);
    d_->U16(static_cast<uint16_t>(c.space));
  }
  void operator()(const call::BindAddr& c) const {
    Name(c.id);
    Put(d_, c.address);
  }
  void operator()(const call::Listen& c) const {
    Name(c.id);
    d_->U32(static_cast<uint32_t>(c.backlog));
  }
  void operator()(const call::ResolveAddr& c) const {
    Name(c.id);
    Put(d_, c.source);
    Put(d_, c.destination);
    d_->U32(static_cast<uint32_t>(c.timeout_ms));
  }
  void operator()(const call::ResolveRoute& c) const {
    Name(c.id);
    d_->U32(static_cast<uint32_t>(c.timeout_ms));
  }
  void operator()(const call::Connect& c) const {
    Name(c.id);
    Put(d_, c.param);
  }
  void operator()(const call::Accept& c) const {
    Name(c.id);
    Put(d_, c.param);
  }
  void operator()(const call::Reject& c) const {
    Name(c.id);
    Put(d_, c.private_data);
  }
  void operator()(const call::CreateQp& c) const {
    Name(c.id);
    if (c.type) d_->U8(static_cast<uint8_t>(*c.type));
  }
  void operator()(const call::Notify& c) const {
    Name(c.id);
    d_->U8(c.what);
  }
  void operator()(const call::InitQpAttr& c) const {
    Name(c.id);
    d_->U8(c.state);
  }
  void operator()(const call::SetLocalEce& c) const {
    Name(c.id);
    Put(d_, c.ece);
  }
  void operator()(const call::RejectEce& c) const {
    Name(c.id);
    Put(d_, c.private_data);
  }
  void operator()(const call::EventStr& c) const { d_->U8(c.type); }
  void operator()(const call::SetOption& c) const {
    Name(c.id);
    d_->U32(static_cast<uint32_t>(c.option.level));
    d_->U32(static_cast<uint32_t>(c.option.name));
    d_->U32(c.value);
    d_->U32(c.length);
  }
  void operator()(const call::MigrateId& c) const {
    Name(c.id);
    Name(c.channel);
  }
  void operator()(const call::GetRequest& c) const {
    Name(c.id);
    Name(c.request);
  }
  void operator()(const call::CreateEp& c) const {
    Name(c.id);
    Put(d_, c.source);
    Put(d_, c.destination);
    d_->U8(c.passive ? 1 : 0);
    d_->U8(c.with_qp ? 1 : 0);
    d_->U16(static_cast<uint16_t>(c.space));
    Put(d_, c.type);
  }
  void operator()(const call::JoinMulticast& c) const {
    Name(c.id);
    Put(d_, c.address);
    d_->U16(c.context);
  }
  void operator()(const call::JoinMulticastEx& c) const {
    Name(c.id);
    Put(d_, c.address);
    d_->U16(c.context);
    d_->U32(c.flags);
    d_->U32(c.comp_mask);
  }
  void operator()(const call::LeaveMulticast& c) const {
    Name(c.id);
    Put(d_, c.address);
  }
  void operator()(const call::GetAddrInfo& c) const {
    Name(c.info);
    Lookup(c.node, c.service, c.hints);
  }
  void operator()(const call::ResolveAddrInfo& c) const {
    Name(c.id);
    Lookup(c.node, c.service, c.hints);
  }
  void operator()(const call::QueryAddrInfo& c) const {
    Name(c.id);
    Name(c.info);
  }
  void operator()(const call::WriteCmEvent& c) const {
    Name(c.id);
    d_->U8(c.type);
    d_->U32(static_cast<uint32_t>(c.status));
    d_->U64(c.argument);
  }
  void operator()(const call::FreeAddrInfo& c) const { Name(c.info); }
  void operator()(const call::GetDevices& c) const { Name(c.devices); }
  void operator()(const call::FreeDevices& c) const { Name(c.devices); }
  void operator()(const call::CreateQpEx& c) const {
    Name(c.id);
    if (c.type) d_->U8(static_cast<uint8_t>(*c.type));
  }
  void operator()(const call::CreateSrqEx& c) const {
    Name(c.id);
    d_->U8(c.typed ? 1 : 0);
  }
  void operator()(const call::DeregMr& c) const { Name(c.mr); }
  void operator()(const call::Work& c) const {
    Name(c.id);
    d_->U16(c.context);
    for (const Sge& sge : c.sges) {
      Name(sge.mr);
      d_->U32(sge.offset);
      d_->U32(sge.length);
    }
    d_->U8(c.flags);
    if (!c.remote.valid()) return;
    Name(c.remote);
    d_->U32(c.remote_offset);
  }
  void operator()(const call::GetCmEvent& c) const {
    Name(c.channel);
    Name(c.event);
    Name(c.request);
  }
  void operator()(const call::AckCmEvent& c) const { Name(c.event); }
  template <typename Other>
  void operator()(const Other& c) const {
    if constexpr (std::is_base_of_v<call::Work, Other>) {
      (*this)(static_cast<const call::Work&>(c));
    } else {
      Name(c.id);
      if constexpr (requires { c.mr; }) {
        Name(c.mr);
        d_->U32(c.length);
      }
    }
  }

 private:
  void Lookup(const Address& node, std::optional<uint16_t> service,
              const std::optional<AddrHints>& hints) const {
    Put(d_, node);
    d_->U32(service ? *service + 1u : 0);
    d_->U8(hints ? 1 : 0);
    if (!hints) return;
    d_->U32(hints->flags);
    d_->U8(hints->family);
    Put(d_, hints->type);
    Put(d_, hints->space);
    Put(d_, hints->source);
    Put(d_, hints->destination);
  }
  void Name(IdRef id) const { d_->Text(id.valid() ? names_.ids.NameOf(id) : std::string()); }
  void Name(ChannelRef c) const { d_->Text(c.valid() ? names_.channels.NameOf(c) : std::string()); }
  void Name(EventRef e) const { d_->Text(names_.events.NameOf(e)); }
  void Name(MrRef m) const { d_->Text(names_.regions.NameOf(m)); }
  void Name(HeldRef h) const { d_->Text(names_.held.NameOf(h)); }

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
    d->U8(static_cast<uint8_t>(calls->call.index()));
    std::visit(ArgumentDigest(d, names), calls->call);
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

void Put(Digest* d, const HandedOut& handed) {
  d->U8(static_cast<uint8_t>(handed.index()));
  if (const auto* attrs = std::get_if<QpAttrs>(&handed)) {
    d->U32(attrs->mask);
    d->U8(attrs->state);
  } else if (const auto* ece = std::get_if<EceOptions>(&handed)) {
    Put(d, *ece);
  } else if (const auto* port = std::get_if<PortHanded>(&handed)) {
    d->U16(port->port);
  } else if (const auto* info = std::get_if<AddrInfoHanded>(&handed)) {
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
  } else if (const auto* devices = std::get_if<DevicesHanded>(&handed)) {
    d->U32(devices->known);
    d->U32(devices->unknown);
  } else if (const auto* bytes = std::get_if<BytesHanded>(&handed)) {
    d->U32(bytes->digest);
  } else if (const auto* completion = std::get_if<Completion>(&handed)) {
    d->U8(static_cast<uint8_t>(completion->status));
    d->U8(static_cast<uint8_t>(completion->opcode));
    d->U16(completion->context);
    d->U32(completion->length);
    d->U32(completion->bytes);
  } else {
    d->Text(std::get<TextHanded>(handed).words());
  }
}

void PutSeen(Digest* d, const Observation& seen, const Names& names) {
  d->U8(static_cast<uint8_t>(seen.index()));
  if (const auto* answered = std::get_if<seen::Answered>(&seen)) {
    Put(d, answered->reply);
    Put(d, answered->event, names);
    Put(d, answered->shown);
    if (answered->handed) Put(d, *answered->handed);
  } else if (const auto* released = std::get_if<seen::Released>(&seen)) {
    Put(d, released->reply);
    Put(d, released->event, names);
    if (released->handed) Put(d, *released->handed);
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
