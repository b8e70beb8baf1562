#include "model/conversation/print.h"

#include <fmt/format.h>

#include <type_traits>

#include "model/conversation/topology_text.h"
#include "model/vocabulary/private_data_text.h"

namespace cm {
namespace {

constexpr ConnParam kPlain;

void Append(std::string* text, std::string_view key, int64_t value) {
  *text += fmt::format(" {}={}", key, value);
}

void AppendPrivate(std::string* text, const PrivateData& data) {
  if (!data.empty()) *text += " private=" + ToText(data);
}

std::string ParamText(const std::optional<ConnParam>& param) {
  if (!param) return " noparam";
  const ConnParam& p = *param;
  std::string text;
  const auto field = [&text](std::string_view key, int64_t value, int64_t plain) {
    if (value != plain) Append(&text, key, value);
  };
  field("responder_resources", p.responder_resources, kPlain.responder_resources);
  field("initiator_depth", p.initiator_depth, kPlain.initiator_depth);
  field("flow_control", p.flow_control, kPlain.flow_control);
  field("retry_count", p.retry_count, kPlain.retry_count);
  field("rnr_retry_count", p.rnr_retry_count, kPlain.rnr_retry_count);
  field("srq", p.srq, kPlain.srq);
  field("qp_num", p.qp_num, kPlain.qp_num);
  AppendPrivate(&text, p.private_data);
  return text;
}

std::string EceText(const EceOptions& ece) {
  std::string text = fmt::format(" vendor_id={} options={}", ece.vendor_id, ece.options);
  if (ece.comp_mask != 0) Append(&text, "comp_mask", ece.comp_mask);
  return text;
}

std::string ShownAddress(const Address& address, const Topology& topology) {
  return address.kind == AddressKind::kNone ? "none" : ToString(address, topology);
}

std::string AddrInfoText(const AddrInfoHanded& info, const Topology& topology) {
  return fmt::format(
      " flags={} family={} type={} ps={} src={}+{} dst={}+{} route={} connect={}", info.flags,
      info.family, info.type ? ToString(*info.type) : std::string_view("none"),
      info.space ? ToString(*info.space) : "none", ShownAddress(info.source, topology),
      info.source_length, ShownAddress(info.destination, topology), info.destination_length,
      info.route_length, info.connect_length);
}

std::string DevicesText(const DevicesHanded& devices, const Topology& topology) {
  std::string text;
  for (size_t i = 0; i < topology.devices.size(); ++i)
    if ((devices.known >> i & 1) != 0)
      text += (text.empty() ? "" : ",") + std::string(topology.devices[i].name);
  text = " devices=" + (text.empty() ? "none" : text);
  if (devices.unknown != 0) Append(&text, "unknown", devices.unknown);
  return text;
}

std::string CompletionText(const Completion& completion) {
  std::string text = fmt::format(" status={}", ToString(completion.status));
  if (completion.status == WcStatus::kSuccess)
    text += fmt::format(" opcode={}", ToString(completion.opcode));
  Append(&text, "context", completion.context);
  if (completion.length != 0) Append(&text, "length", completion.length);
  if (completion.bytes != 0) text += fmt::format(" bytes={:08x}", completion.bytes);
  return text;
}

std::string HandedOutText(const HandedOut& handed, const Topology& topology) {
  if (const auto* attrs = std::get_if<QpAttrs>(&handed))
    return fmt::format(" mask={:#x} state={}", attrs->mask, attrs->state);
  if (const auto* ece = std::get_if<EceOptions>(&handed)) return EceText(*ece);
  if (const auto* port = std::get_if<PortHanded>(&handed))
    return fmt::format(" port={}", port->port);
  if (const auto* info = std::get_if<AddrInfoHanded>(&handed)) return AddrInfoText(*info, topology);
  if (const auto* devices = std::get_if<DevicesHanded>(&handed))
    return DevicesText(*devices, topology);
  if (const auto* bytes = std::get_if<BytesHanded>(&handed))
    return fmt::format(" bytes={:08x}", bytes->digest);
  if (const auto* completion = std::get_if<Completion>(&handed)) return CompletionText(*completion);
  return fmt::format(" text=\"{}\"", std::get<TextHanded>(handed).words());
}

// What follows the function's name, for each function.
class ArgumentPrinter {
 public:
  explicit ArgumentPrinter(const Conversation& c) : names_(c.names), topology_(*c.topology) {}

  std::string operator()(const call::CreateEventChannel& c) const {
    return Channel(c.channel) + (c.nonblocking ? " nonblocking" : "");
  }
  std::string operator()(const call::DestroyEventChannel& c) const { return Channel(c.channel); }
  std::string operator()(const call::CreateId& c) const {
    std::string text = Id(c.id) + " on=" + ChannelOrNull(c.channel);
    if (c.space != PortSpace::kTcp) text += " ps=" + ToString(c.space);
    return text;
  }
  std::string operator()(const call::BindAddr& c) const {
    return Id(c.id) + " addr=" + ToString(c.address, topology_);
  }
  std::string operator()(const call::Listen& c) const {
    std::string text = Id(c.id);
    Append(&text, "backlog", c.backlog);
    return text;
  }
  std::string operator()(const call::ResolveAddr& c) const {
    std::string text = Id(c.id);
    if (c.source.kind != AddressKind::kNone) text += " src=" + ToString(c.source, topology_);
    text += " dst=" + ToString(c.destination, topology_);
    Append(&text, "timeout_ms", c.timeout_ms);
    return text;
  }
  std::string operator()(const call::ResolveRoute& c) const {
    std::string text = Id(c.id);
    Append(&text, "timeout_ms", c.timeout_ms);
    return text;
  }
  std::string operator()(const call::Connect& c) const { return Id(c.id) + ParamText(c.param); }
  std::string operator()(const call::Accept& c) const { return Id(c.id) + ParamText(c.param); }
  std::string operator()(const call::Reject& c) const {
    std::string text = Id(c.id);
    AppendPrivate(&text, c.private_data);
    return text;
  }
  std::string operator()(const call::GetCmEvent& c) const {
    const std::string& event = names_.events.NameOf(c.event);
    std::string text = Channel(c.channel) + " as=" + event;
    if (Id(c.request) != event + ".id") text += " id=" + Id(c.request);
    return text;
  }
  std::string operator()(const call::CreateQp& c) const {
    return Id(c.id) + (c.type ? fmt::format(" type={}", ToString(*c.type)) : "");
  }
  std::string operator()(const call::Notify& c) const {
    return fmt::format("{} event={}", Id(c.id), c.what);
  }
  std::string operator()(const call::InitQpAttr& c) const {
    return fmt::format("{} state={}", Id(c.id), c.state);
  }
  std::string operator()(const call::SetLocalEce& c) const { return Id(c.id) + EceText(c.ece); }
  std::string operator()(const call::RejectEce& c) const {
    std::string text = Id(c.id);
    AppendPrivate(&text, c.private_data);
    return text;
  }
  std::string operator()(const call::EventStr& c) const { return fmt::format("{}", c.type); }
  std::string operator()(const call::SetOption& c) const {
    std::string text = fmt::format("{} option={} value={}", Id(c.id), ToString(c.option), c.value);
    if (c.length != call::SetOption{}.length) Append(&text, "length", c.length);
    return text;
  }
  std::string operator()(const call::MigrateId& c) const {
    return Id(c.id) + " to=" + ChannelOrNull(c.channel);
  }
  std::string operator()(const call::GetRequest& c) const {
    return Id(c.id) + " id=" + Id(c.request);
  }
  std::string operator()(const call::CreateEp& c) const {
    std::string text = Id(c.id);
    if (c.source.kind != AddressKind::kNone) text += " src=" + ToString(c.source, topology_);
    if (c.destination.kind != AddressKind::kNone)
      text += " dst=" + ToString(c.destination, topology_);
    text += std::string(c.passive ? " passive" : "") + (c.with_qp ? " qp" : "");
    if (c.space != PortSpace::kTcp) text += " ps=" + ToString(c.space);
    return text + (c.type ? fmt::format(" type={}", ToString(*c.type)) : "");
  }
  std::string operator()(const call::JoinMulticast& c) const {
    return Joining(c.id, c.address, c.context);
  }
  std::string operator()(const call::JoinMulticastEx& c) const {
    std::string text = Joining(c.id, c.address, c.context);
    Append(&text, "flags", c.flags);
    if (c.comp_mask != call::JoinMulticastEx{}.comp_mask) Append(&text, "comp_mask", c.comp_mask);
    return text;
  }
  std::string operator()(const call::LeaveMulticast& c) const {
    return Joining(c.id, c.address, 0);
  }
  std::string operator()(const call::GetAddrInfo& c) const {
    return names_.held.NameOf(c.info) + LookupText(c.node, c.service, c.hints);
  }
  std::string operator()(const call::ResolveAddrInfo& c) const {
    return Id(c.id) + LookupText(c.node, c.service, c.hints);
  }
  std::string operator()(const call::QueryAddrInfo& c) const {
    return Id(c.id) + " info=" + names_.held.NameOf(c.info);
  }
  std::string operator()(const call::WriteCmEvent& c) const {
    std::string text = Id(c.id);
    if (c.type != call::WriteCmEvent{}.type) Append(&text, "event", c.type);
    if (c.status != 0) Append(&text, "status", c.status);
    return text + (c.argument != 0 ? fmt::format(" argument={:#x}", c.argument) : "");
  }
  std::string operator()(const call::FreeAddrInfo& c) const { return names_.held.NameOf(c.info); }
  std::string operator()(const call::GetDevices& c) const { return names_.held.NameOf(c.devices); }
  std::string operator()(const call::FreeDevices& c) const { return names_.held.NameOf(c.devices); }
  std::string operator()(const call::AckCmEvent& c) const { return names_.events.NameOf(c.event); }
  std::string operator()(const call::CreateQpEx& c) const {
    return Id(c.id) + (c.type ? fmt::format(" type={}", ToString(*c.type)) : "");
  }
  std::string operator()(const call::CreateSrqEx& c) const {
    return Id(c.id) + (c.typed ? "" : " untyped");
  }
  std::string operator()(const call::DeregMr& c) const { return names_.regions.NameOf(c.mr); }
  template <typename Other>
  std::string operator()(const Other& c) const {
    if constexpr (std::is_base_of_v<call::Work, Other>)
      return WorkText(c);
    else if constexpr (requires { c.mr; })
      return fmt::format("{} id={} length={}", names_.regions.NameOf(c.mr), Id(c.id), c.length);
    else
      return Id(c.id);
  }

 private:
  std::string LookupText(const Address& node, std::optional<uint16_t> service,
                         const std::optional<AddrHints>& hints) const {
    std::string text;
    if (node.kind != AddressKind::kNone) {
      const std::string name = ToString(node.WithPort(0), topology_);
      text += " node=" + name.substr(0, name.size() - 2);
    }
    if (service) Append(&text, "service", *service);
    return text + (hints ? HintsText(*hints) : " nohints");
  }

  // A piece of a region: "m1:0+16".
  std::string WorkText(const call::Work& work) const {
    std::string text = Id(work.id);
    Append(&text, "context", work.context);
    for (const Sge& sge : work.sges)
      text += fmt::format(" sge={}:{}+{}", names_.regions.NameOf(sge.mr), sge.offset, sge.length);
    if (work.flags != kSignaled) Append(&text, "flags", work.flags);
    if (work.remote.valid())
      text += fmt::format(" remote={}:{}", names_.regions.NameOf(work.remote), work.remote_offset);
    return text;
  }
  std::string HintsText(const AddrHints& hints) const {
    std::string text;
    if (hints.flags != 0) Append(&text, "flags", hints.flags);
    if (hints.family != 0) Append(&text, "family", hints.family);
    if (hints.type) text += fmt::format(" type={}", ToString(*hints.type));
    if (hints.space) text += " ps=" + ToString(*hints.space);
    if (hints.source.kind != AddressKind::kNone)
      text += " src=" + ToString(hints.source, topology_);
    if (hints.destination.kind != AddressKind::kNone)
      text += " dst=" + ToString(hints.destination, topology_);
    return text;
  }
  std::string Id(IdRef id) const { return names_.ids.NameOf(id); }
  std::string Joining(IdRef id, const Address& address, uint16_t context) const {
    std::string text = Id(id) + " addr=" + ToString(address, topology_);
    if (context != 0) Append(&text, "context", context);
    return text;
  }
  std::string Channel(ChannelRef c) const { return names_.channels.NameOf(c); }
  std::string ChannelOrNull(ChannelRef c) const { return c.valid() ? Channel(c) : "null"; }

  const Names& names_;
  const Topology& topology_;
};

// What a tool printed, so that it can stand between quotes.
std::string OnOneLine(std::string text) {
  for (char& c : text)
    if (c == '"' || c < ' ') c = c == '"' ? '\'' : ' ';
  return text;
}

std::string TimePrefix(Instant begin, Instant end, bool shown) {
  if (!shown) return {};
  std::string text = ToString(begin);
  if (end != begin) text += ".." + ToString(end);
  return fmt::format("{:>12}  ", text);
}

}  // namespace

std::string ToString(const WireRecord& wire, const Topology& topology) {
  std::string text = fmt::format("{} {} {}", IsMad(wire.kind) ? "mad" : "tcp",
                                 topology.sides[wire.side].name, ToString(wire.kind));
  if (wire.kind == MadKind::kRej) text += fmt::format(" reason={}", static_cast<int>(wire.reason));
  if (wire.kind == MadKind::kRej || wire.kind == MadKind::kMra)
    text += fmt::format(" of={}", ToString(wire.about));
  const auto field = [&text](std::string_view key, int value) {
    if (value != 0) text += fmt::format(" {}={}", key, value);
  };
  field("info", wire.info_length);
  field("timeout", wire.service_timeout);
  field("status", static_cast<int>(wire.status));
  if (wire.kind == MadKind::kOther) text += fmt::format(" attribute={:#06x}", wire.attribute);
  if (wire.mad_status != 0) text += fmt::format(" mad_status={:#06x}", wire.mad_status);
  if (wire.unnamed) text += " unnamed";
  AppendPrivate(&text, wire.private_data);
  if (wire.corrupt)
    text += " corrupt";
  else if (wire.lost)
    text += " lost";
  return text;
}

std::string ToString(Lane lane, const Topology& topology) {
  std::string text(topology.sides[lane.side].name);
  if (lane.number != 1) text += "/" + std::to_string(lane.number);
  return text;
}

std::string ToString(const Call& call, const Conversation& conversation) {
  return fmt::format("{} {}", FunctionName(KindOf(call)),
                     std::visit(ArgumentPrinter(conversation), call));
}

std::string ToString(const Line& line, const Conversation& conversation) {
  const Topology& topology = *conversation.topology;
  if (const auto* calls = std::get_if<line::Calls>(&line))
    return ToString(calls->lane, topology) + (calls->meanwhile ? " & " : " ") +
           ToString(calls->call, conversation);
  if (const auto* waits = std::get_if<line::Waits>(&line)) {
    return fmt::format("{} wait {} within={}", ToString(waits->lane, topology),
                       conversation.names.channels.NameOf(waits->channel), ToString(waits->within));
  }
  if (const auto* passes = std::get_if<line::Passes>(&line))
    return "pass " + ToString(passes->span);
  if (std::holds_alternative<line::Settles>(line)) return "settle";
  if (const auto* injects = std::get_if<line::Injects>(&line))
    return "fault " + ToString(injects->fault, topology);
  if (const auto* sends = std::get_if<line::Sends>(&line))
    return fmt::format("{} sends {}", topology.sides[sends->side].name,
                       ToString(sends->mad, conversation));
  return "heal";
}

std::string ToString(const Reply& reply) {
  switch (reply.kind) {
    case ReplyKind::kBlocked:
      return "blocked";
    case ReplyKind::kCrashed:
      return "crashed";
    case ReplyKind::kUnseen:
      return "unseen";
    case ReplyKind::kNotApplicable:
      return "not-applicable";
    case ReplyKind::kReturned:
      break;
  }
  std::string text = std::to_string(reply.value);
  if (reply.error != Errno::kNone) text += " " + ToString(reply.error);
  return text;
}

std::string ToString(const CmEvent& event, const Conversation& conversation) {
  std::string text(ToString(event.type));
  text += " id=" + (event.id.valid() ? conversation.names.ids.NameOf(event.id) : "?");
  if (event.listen_id.valid()) text += " listen=" + conversation.names.ids.NameOf(event.listen_id);
  if (event.status != 0) Append(&text, "status", event.status);
  const auto field = [&text](std::string_view key, int64_t value) {
    if (value != 0) Append(&text, key, value);
  };
  field("responder_resources", event.conn.responder_resources);
  field("initiator_depth", event.conn.initiator_depth);
  field("flow_control", event.conn.flow_control);
  field("retry_count", event.conn.retry_count);
  field("rnr_retry_count", event.conn.rnr_retry_count);
  field("srq", event.conn.srq);
  field("qp_num", event.qp_num);
  if (event.qkey != 0) text += fmt::format(" qkey={:#010x}", event.qkey);
  if (event.group.kind != AddressKind::kNone)
    text += " group=" + ToString(event.group, *conversation.topology);
  field("context", event.context);
  if (event.argument != 0) text += fmt::format(" argument={:#x}", event.argument);
  AppendPrivate(&text, event.private_data);
  return text;
}

std::string ToString(const HandedOut& handed, const Topology& topology) {
  return HandedOutText(handed, topology).substr(1);
}

std::string ToString(const Shown& shown, const Topology& topology) {
  return fmt::format(
      "device={} port_num={} src={} dst={} num_paths={} qp={}",
      shown.device_known ? topology.devices[shown.device].name : std::string_view("none"),
      shown.port_num, ShownAddress(shown.source, topology),
      ShownAddress(shown.destination, topology), shown.num_paths,
      shown.qp ? ToString(*shown.qp) : std::string_view("none"));
}

std::string ToString(const Record& record, const Conversation& conversation) {
  const Line& line = conversation.lines[record.line];
  const std::string said = ToString(line, conversation);
  if (const auto* answered = std::get_if<seen::Answered>(&record.seen)) {
    std::string text = said + " -> " + ToString(answered->reply);
    if (answered->event) text += "  event " + ToString(*answered->event, conversation);
    if (answered->shown) text += "  " + ToString(*answered->shown, *conversation.topology);
    if (answered->handed) text += "  " + ToString(*answered->handed, *conversation.topology);
    return text;
  }
  if (const auto* released = std::get_if<seen::Released>(&record.seen)) {
    std::string text = "returned " + said + " -> " + ToString(released->reply);
    if (released->event) text += "  event " + ToString(*released->event, conversation);
    if (released->handed) text += "  " + ToString(*released->handed, *conversation.topology);
    return text;
  }
  if (const auto* waited = std::get_if<seen::Waited>(&record.seen))
    return said + (waited->readable ? " -> readable" : " -> quiet");
  const auto& done = std::get<seen::Done>(record.seen);
  return said + (done.ok ? " -> done" : " -> failed \"" + OnOneLine(done.note) + "\"");
}

std::string ToText(const Conversation& conversation) {
  std::string text;
  for (size_t at = 0; at < conversation.comment.size();) {
    const size_t end = conversation.comment.find('\n', at);
    const std::string one = conversation.comment.substr(at, end - at);
    text += one.empty() ? "#\n" : "# " + one + "\n";
    at = end == std::string::npos ? conversation.comment.size() : end + 1;
  }
  text += "conversation 1\n";
  text += conversation.topology.built_in()
              ? fmt::format("topology {}\n", conversation.topology->name)
              : ToText(*conversation.topology);
  if (!conversation.profile.empty()) text += "profile " + conversation.profile + "\n";
  text += "capabilities " + ToString(conversation.capabilities) + "\n";
  if (conversation.origin) {
    const Origin& origin = *conversation.origin;
    text += fmt::format("seed {} index {} walk {} options {}\n", origin.seed, origin.index,
                        origin.walk, origin.options.empty() ? "none" : origin.options);
  }
  for (const Line& line : conversation.lines) text += ToString(line, conversation) + "\n";
  return text;
}

std::string ToText(const History& history, PrintOptions options) {
  std::string text = ToText(history.conversation) + "----\n";
  if (!history.implementation.empty()) text += "implementation " + history.implementation + "\n";
  auto wire = history.wire.begin();
  for (size_t i = 0; i < history.records.size(); ++i) {
    const Record& record = history.records[i];
    text += TimePrefix(record.begin, record.end, options.times) +
            ToString(record, history.conversation) + "\n";
    for (; wire != history.wire.end() && wire->record <= i; ++wire) {
      if (!options.wire) continue;
      text += TimePrefix(wire->at, wire->at, options.times) +
              ToString(*wire, *history.conversation.topology) + "\n";
    }
  }
  return text;
}

}  // namespace cm
