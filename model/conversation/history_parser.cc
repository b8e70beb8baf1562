#include "model/conversation/history_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "model/conversation/print.h"
#include "model/vocabulary/private_data_text.h"

namespace cm {
namespace {

constexpr std::string_view kReturned = "returned ";

// Removes "12us" or "12us..3s" and the following spaces; histories without times exist.
void TakeTimes(std::string_view* rest, Record* record) {
  const std::string_view word = rest->substr(0, rest->find(' '));
  const size_t dots = word.find("..");
  const std::optional<Duration> begin = ParseDuration(word.substr(0, dots));
  if (!begin) return;
  record->begin = Instant() + *begin;
  record->end = record->begin;
  if (dots != std::string_view::npos) {
    const std::optional<Duration> end = ParseDuration(word.substr(dots + 2));
    if (!end) return;
    record->end = Instant() + *end;
  }
  rest->remove_prefix(word.size());
  while (rest->starts_with(' ')) rest->remove_prefix(1);
}

uint8_t Byte(Words& words, std::string_view key) {
  return static_cast<uint8_t>(words.Number(key, 0, 0, 255));
}

uint32_t Number32(Words& words, std::string_view key) {
  return static_cast<uint32_t>(words.Number(key, 0, 0, 0xffffffffLL));
}

PrivateData PrivateIn(Words& words) {
  const auto text = words.Take("private");
  if (!text) return {};
  const std::optional<PrivateData> data = ParsePrivateData(*text);
  if (!data) words.Complain(fmt::format("private={} is not private data", *text));
  return data.value_or(PrivateData());
}

// The type of a queue pair; "?" is one without a name, which a library may give.
std::optional<QpType> QpTypeIn(Words& words) {
  const std::string_view text = words.Need("type");
  const std::optional<QpType> type = text == "?" ? QpType{} : ParseQpType(text);
  if (!type && text != "none")
    words.Complain(fmt::format("type={} is not a type of queue pairs", text));
  return type;
}

std::optional<PortSpace> SpaceIn(Words& words) {
  const std::string_view text = words.Need("ps");
  const std::optional<PortSpace> space = ParsePortSpace(text);
  if (!space && text != "none") words.Complain(fmt::format("ps={} is not a port space", text));
  return space;
}

}  // namespace

std::string HistoryParser::Parse(std::string_view line) {
  constexpr std::string_view kImplementation = "implementation ";
  if (line.starts_with(kImplementation)) {
    history_->implementation = line.substr(kImplementation.size());
    return {};
  }
  Record record;
  TakeTimes(&line, &record);
  if (line.starts_with("mad ") || line.starts_with("tcp "))
    return ParseWire(record.begin, line.substr(4));
  return ParseRecord(record, line);
}

std::string HistoryParser::ParseRecord(Record record, std::string_view rest) {
  const size_t arrow = ArrowIn(rest);
  if (arrow == std::string_view::npos) return "there is no \" -> \" in this line of the history";
  std::string_view said = rest.substr(0, arrow);
  const bool released = said.starts_with(kReturned);
  if (released) {
    said.remove_prefix(kReturned.size());
    const std::optional<uint32_t> blocked = BlockedLine(said);
    if (!blocked) return fmt::format("nothing that blocked says \"{}\"", said);
    record.line = *blocked;
  } else {
    if (Complete()) return "the history has more lines than the conversation";
    record.line = static_cast<uint32_t>(next_line_++);
    const std::string expected =
        ToString(history_->conversation.lines[record.line], history_->conversation);
    if (expected != said)
      return fmt::format("line {} of the conversation is \"{}\"", record.line + 1, expected);
  }
  std::string problem =
      ParseOutcome(rest.substr(arrow + kArrow.size()), history_->conversation.lines[record.line],
                   released, &record.seen);
  history_->records.push_back(std::move(record));
  return problem;
}

std::string HistoryParser::ParseOutcome(std::string_view text, const Line& line, bool released,
                                        Observation* seen) {
  Words words(text);
  const std::string_view answer = words.Next("an answer");
  *seen = ParseAnswer(answer, line, released, words);
  words.Finish();
  return words.problem();
}

Observation HistoryParser::ParseAnswer(std::string_view answer, const Line& line, bool released,
                                       Words& words) {
  if (answer == "not-applicable")
    if (const auto why = words.Take("why"); why && !ParseNotMade(*why))
      words.Complain(fmt::format("why={}: not a reason for not being carried out", *why));
  if (std::holds_alternative<line::Waits>(line) && answer != "not-applicable") {
    if (answer != "readable" && answer != "quiet")
      words.Complain(fmt::format("\"{}\": readable or quiet is wanted", answer));
    return seen::Waited{.readable = answer == "readable"};
  }
  const bool of_a_side =
      std::holds_alternative<line::Calls>(line) || std::holds_alternative<line::Waits>(line);
  const bool left_out = std::holds_alternative<line::Sends>(line) && answer == "not-applicable";
  if (!of_a_side && !left_out) {
    if (answer != "done" && answer != "failed")
      words.Complain(fmt::format("\"{}\": done or failed is wanted", answer));
    seen::Done done{.ok = answer == "done"};
    if (!done.ok) {
      const std::string_view note = words.Next("what failed");
      done.note = note.size() >= 2 ? note.substr(1, note.size() - 2) : note;
    }
    return done;
  }
  Words reply_words(answer);
  Reply reply = ParseReply(reply_words);
  if (!reply_words.ok()) words.Complain(reply_words.problem());
  if (reply.kind == ReplyKind::kReturned && !words.empty() && words.Peek() != "event" &&
      words.Peek().front() == 'E') {
    const std::string_view name = words.Next("an errno");
    const std::optional<Errno> error = ParseErrno(name);
    if (!error) words.Complain(fmt::format("\"{}\" is not an errno", name));
    reply.error = error.value_or(Errno::kNone);
  }
  std::optional<CmEvent> event;
  std::optional<Shown> shown;
  std::optional<Output> output;
  if (words.Peek() == "event") {
    words.Next("event");
    event = ParseEvent(words);
  } else if (words.Peek().starts_with("device=")) {
    shown = ParseShown(words);
  } else if (!words.empty()) {
    output = ParseOutput(words);
  }
  if (released) return seen::Released{reply, event, output};
  return seen::Answered{reply, event, shown, output};
}

Reply HistoryParser::ParseReply(Words& words) {
  const std::string_view word = words.Next("an answer");
  if (word == "blocked") return Reply::Blocked();
  if (word == "crashed") return Reply::Crashed();
  if (word == "unseen") return Reply::Unseen();
  if (word == "not-applicable") return Reply::NotApplicable();
  Reply reply;
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, reply.value);
  if (error != std::errc() || end != last || word.empty())
    words.Complain(
        fmt::format("\"{}\": a value, blocked, crashed, unseen or not-applicable is wanted", word));
  return reply;
}

CmEvent HistoryParser::ParseEvent(Words& words) {
  const Names& names = history_->conversation.names;
  CmEvent event;
  const std::string_view type = words.Next("an event type");
  const std::optional<EventType> parsed = ParseEventType(type);
  if (!parsed) words.Complain(fmt::format("\"{}\" is not an event type", type));
  event.type = parsed.value_or(event.type);
  const auto id = [&](std::string_view key) {
    const auto name = words.Take(key);
    if (!name || *name == "?") return IdRef{};
    const auto known = names.ids.Find(*name);
    if (!known) words.Complain(fmt::format("{}={}: no such id", key, *name));
    return known.value_or(IdRef{});
  };
  event.id = id("id");
  event.listen_id = id("listen");
  event.status = words.Signed("status");
  event.conn.responder_resources = Byte(words, "responder_resources");
  event.conn.initiator_depth = Byte(words, "initiator_depth");
  event.conn.flow_control = Byte(words, "flow_control");
  event.conn.retry_count = Byte(words, "retry_count");
  event.conn.rnr_retry_count = Byte(words, "rnr_retry_count");
  event.conn.srq = Byte(words, "srq");
  event.qp_num = Number32(words, "qp_num");
  event.qkey = static_cast<uint32_t>(words.Bits("qkey", 0xffffffff));
  if (const auto text = words.Take("group")) {
    const auto group = ParseAddress(*text, *history_->conversation.topology);
    if (!group) words.Complain(fmt::format("group={} is not an address", *text));
    event.group = group.value_or(Address{});
  }
  event.context = static_cast<uint16_t>(words.Number("context", 0, 0, 65535));
  event.argument = words.Bits("argument", ~uint64_t{0});
  event.private_data = PrivateIn(words);
  return event;
}

Shown HistoryParser::ParseShown(Words& words) {
  const Topology& topology = *history_->conversation.topology;
  Shown shown;
  const std::string_view device = words.Need("device");
  if (const auto named = topology.DeviceNamed(device)) {
    shown.device_known = true;
    shown.device = *named;
  }
  if (!shown.device_known && device != "none")
    words.Complain(fmt::format("device={}: no such device in this topology", device));
  shown.port_num = Byte(words, "port_num");
  const auto address = [&](std::string_view key) {
    const std::string_view text = words.Need(key);
    if (text == "none") return Address{};
    const std::optional<Address> parsed = ParseAddress(text, topology);
    if (!parsed) words.Complain(fmt::format("{}={} is not an address", key, text));
    return parsed.value_or(Address{});
  };
  shown.source = address("src");
  shown.destination = address("dst");
  shown.num_paths = Byte(words, "num_paths");
  const std::string_view qp = words.Need("qp");
  if (qp != "none") {
    shown.qp = ParseQpState(qp);
    if (!shown.qp) words.Complain(fmt::format("qp={} is not a state of a queue pair", qp));
  }
  return shown;
}

AddrInfoOutput HistoryParser::ParseAddrInfo(Words& words) {
  const Topology& topology = *history_->conversation.topology;
  AddrInfoOutput info{.flags = Number32(words, "flags"), .family = Byte(words, "family")};
  info.type = QpTypeIn(words);
  info.space = SpaceIn(words);
  const auto address = [&](std::string_view key, uint8_t* length) {
    const std::string_view text = words.Need(key);
    const size_t plus = text.find('+');
    const std::string_view digits = plus == std::string_view::npos ? "" : text.substr(plus + 1);
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, *length);
    const std::optional<Address> parsed =
        text.starts_with("none+") ? Address{} : ParseAddress(text.substr(0, plus), topology);
    if (!parsed || error != std::errc() || end != last)
      words.Complain(fmt::format("{}={}: an address and its length is wanted", key, text));
    return parsed.value_or(Address{});
  };
  info.source = address("src", &info.source_length);
  info.destination = address("dst", &info.destination_length);
  info.route_length = Number32(words, "route");
  info.connect_length = Number32(words, "connect");
  return info;
}

DevicesOutput HistoryParser::ParseDevices(Words& words) {
  const Topology& topology = *history_->conversation.topology;
  DevicesOutput devices;
  std::string_view rest = words.Need("devices");
  while (!rest.empty() && rest != "none") {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    const auto device = topology.DeviceNamed(name);
    if (device)
      devices.known |= BitOfDevice(*device);
    else
      words.Complain(fmt::format("devices=...{}: no such device in this topology", name));
  }
  devices.unknown = Number32(words, "unknown");
  return devices;
}

uint32_t HistoryParser::Digest32(Words& words) {
  const std::string_view text = words.Take("bytes").value_or("0");
  uint32_t digest = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, digest, 16);
  if (error != std::errc() || end != last)
    words.Complain(fmt::format("bytes={}: eight hexadecimal digits are wanted", text));
  return digest;
}

Completion HistoryParser::ParseCompletion(Words& words) {
  const std::string_view status = words.Need("status");
  const std::optional<WcStatus> known = ParseWcStatus(status);
  if (!known) words.Complain(fmt::format("status={} is no status of a completion", status));
  Completion completion{.status = known.value_or(WcStatus::kSuccess)};
  if (const auto text = words.Take("opcode")) {
    const std::optional<WcOpcode> opcode = ParseWcOpcode(*text);
    if (!opcode) words.Complain(fmt::format("opcode={} is none of a completion", *text));
    completion.opcode = opcode.value_or(WcOpcode::kSend);
  }
  completion.context = static_cast<uint16_t>(words.Number("context", 0, 0, 65535));
  completion.length = Number32(words, "length");
  completion.bytes = Digest32(words);
  return completion;
}

Output HistoryParser::ParseOutput(Words& words) {
  if (const auto text = words.Take("text"))
    return TextOutput::Of(text->size() >= 2 ? text->substr(1, text->size() - 2) : *text);
  if (words.Peek().starts_with("flags=")) return ParseAddrInfo(words);
  if (words.Peek().starts_with("devices=")) return ParseDevices(words);
  if (words.Peek().starts_with("bytes=")) return BytesOutput{Digest32(words)};
  if (words.Peek().starts_with("status=")) return ParseCompletion(words);
  if (words.Peek().starts_with("mask=")) {
    const auto mask = static_cast<uint32_t>(words.Bits("mask", 0xffffffff));
    return QpAttrs{mask, Byte(words, "state")};
  }
  if (words.Peek().starts_with("port="))
    return PortOutput{static_cast<uint16_t>(words.Number("port", 0, 0, 65535))};
  EceOptions ece;
  ece.vendor_id = Number32(words, "vendor_id");
  ece.options = Number32(words, "options");
  ece.comp_mask = Number32(words, "comp_mask");
  return ece;
}

std::string HistoryParser::ParseWire(Instant at, std::string_view rest) {
  Words words(rest);
  const Topology& topology = *history_->conversation.topology;
  if (history_->records.empty()) return "a message before the first line of the history";
  WireRecord wire{.record = static_cast<uint32_t>(history_->records.size() - 1), .at = at};
  const std::string_view side = words.Next("a side");
  const std::optional<uint8_t> known = topology.SideNamed(side);
  if (!known) words.Complain(fmt::format("\"{}\" is not a side", side));
  wire.side = known.value_or(0);
  const std::string_view name = words.Next("a message");
  const std::optional<MadKind> kind = ParseMessageKind(name);
  if (!kind) words.Complain(fmt::format("\"{}\" is not a message", name));
  wire.kind = kind.value_or(MadKind::kReq);
  wire.reason = static_cast<RejReason>(words.Number("reason", 0, 0, 65535));
  if (const auto text = words.Take("of")) {
    const std::optional<About> about = ParseAbout(*text);
    if (!about) words.Complain(fmt::format("of={}: REQ, REP or other is wanted", *text));
    wire.about = about.value_or(About::kReq);
  }
  wire.info_length = Byte(words, "info");
  wire.service_timeout = Byte(words, "timeout");
  wire.status = static_cast<SidrStatus>(Byte(words, "status"));
  wire.attribute = static_cast<uint16_t>(words.Bits("attribute", 0xffff));
  wire.mad_status = static_cast<uint16_t>(words.Bits("mad_status", 0xffff));
  wire.unnamed = words.TakeFlag("unnamed");
  wire.private_data = PrivateIn(words);
  wire.corrupt = words.TakeFlag("corrupt");
  wire.lost = words.TakeFlag("lost") || wire.corrupt;
  words.Finish();
  history_->wire.push_back(std::move(wire));
  return words.problem();
}

std::optional<uint32_t> HistoryParser::BlockedLine(std::string_view said) const {
  for (size_t i = history_->records.size(); i-- > 0;) {
    const Record& record = history_->records[i];
    const auto* answered = std::get_if<seen::Answered>(&record.seen);
    if (answered == nullptr || answered->reply.kind != ReplyKind::kBlocked) continue;
    if (ToString(history_->conversation.lines[record.line], history_->conversation) == said)
      return record.line;
  }
  return std::nullopt;
}

}  // namespace cm
