#include "model/conversation/print.h"

#include <fmt/format.h>

#include <variant>

#include "model/conversation/topology_text.h"
#include "model/vocabulary/private_data_text.h"

namespace cm {
namespace {

void Append(std::string* text, std::string_view key, int64_t value) {
  *text += fmt::format(" {}={}", key, value);
}

void AppendPrivate(std::string* text, const PrivateData& data) {
  if (!data.empty()) *text += " private=" + ToText(data);
}

std::string EceText(const EceOptions& ece) {
  std::string text = fmt::format(" vendor_id={} options={}", ece.vendor_id, ece.options);
  if (ece.comp_mask != 0) Append(&text, "comp_mask", ece.comp_mask);
  return text;
}

std::string ShownAddress(const Address& address, const Topology& topology) {
  return address.kind == AddressKind::kNone ? "none" : ToString(address, topology);
}

std::string AddrInfoText(const AddrInfoOutput& info, const Topology& topology) {
  return fmt::format(
      " flags={} family={} type={} ps={} src={}+{} dst={}+{} route={} connect={}", info.flags,
      info.family, info.type ? ToString(*info.type) : std::string_view("none"),
      info.space ? ToString(*info.space) : "none", ShownAddress(info.source, topology),
      info.source_length, ShownAddress(info.destination, topology), info.destination_length,
      info.route_length, info.connect_length);
}

std::string DevicesText(const DevicesOutput& devices, const Topology& topology) {
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

std::string OutputText(const Output& output, const Topology& topology) {
  if (const auto* attrs = std::get_if<QpAttrs>(&output))
    return fmt::format(" mask={:#x} state={}", attrs->mask, attrs->state);
  if (const auto* ece = std::get_if<EceOptions>(&output)) return EceText(*ece);
  if (const auto* port = std::get_if<PortOutput>(&output))
    return fmt::format(" port={}", port->port);
  if (const auto* info = std::get_if<AddrInfoOutput>(&output)) return AddrInfoText(*info, topology);
  if (const auto* devices = std::get_if<DevicesOutput>(&output))
    return DevicesText(*devices, topology);
  if (const auto* bytes = std::get_if<BytesOutput>(&output))
    return fmt::format(" bytes={:08x}", bytes->digest);
  if (const auto* completion = std::get_if<Completion>(&output)) return CompletionText(*completion);
  static_assert(std::variant_size_v<Output> == 8, "a new kind of output has its own case here");
  return fmt::format(" text=\"{}\"", std::get<TextOutput>(output).words());
}

// A tool's output, escaped for quotes.
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

std::string ToString(const Output& output, const Topology& topology) {
  return OutputText(output, topology).substr(1);
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
    if (answered->reply == Reply::NotApplicable() && record.not_made)
      text += fmt::format(" why={}", ToString(*record.not_made));
    if (answered->event) text += "  event " + ToString(*answered->event, conversation);
    if (answered->shown) text += "  " + ToString(*answered->shown, *conversation.topology);
    if (answered->output) text += "  " + ToString(*answered->output, *conversation.topology);
    return text;
  }
  if (const auto* released = std::get_if<seen::Released>(&record.seen)) {
    std::string text = "returned " + said + " -> " + ToString(released->reply);
    if (released->event) text += "  event " + ToString(*released->event, conversation);
    if (released->output) text += "  " + ToString(*released->output, *conversation.topology);
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
  if (!conversation.order.empty())
    text += fmt::format("order {}\n", fmt::join(conversation.order, " "));
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
