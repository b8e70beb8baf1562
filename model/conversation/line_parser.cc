#include "model/conversation/line_parser.h"

#include <fmt/format.h>

#include <limits>

#include "model/conversation/fault_text.h"
#include "model/vocabulary/private_data_text.h"

namespace cm {
namespace {

uint8_t Byte(Words& words, std::string_view key, uint8_t fallback) {
  return static_cast<uint8_t>(words.Number(key, fallback, 0, 255));
}

int32_t Int(Words& words, std::string_view key, int32_t fallback) {
  return static_cast<int32_t>(words.Number(key, fallback, std::numeric_limits<int32_t>::min(),
                                           std::numeric_limits<int32_t>::max()));
}

}  // namespace

std::string LineParser::Parse(std::string_view line) {
  Words words(line);
  const std::string_view first = words.Next("a side, or pass, settle, fault, heal");
  if (const std::optional<Lane> lane = LaneNamed(first)) {
    const std::string_view verb = words.Next("a function");
    const bool tester = conversation_->topology->IsTester(lane->side);
    if (tester != (verb == "sends"))
      words.Complain(tester ? "the tester calls no functions: it sends messages"
                            : "only a tester sends messages that are made by hand");
    else if (tester)
      ParseSends(lane->side, words);
    else if (verb == "&")
      ParseMeanwhile(*lane, words);
    else
      ParseOfSide(*lane, verb, words);
  } else {
    ParseOwn(first, words);
  }
  if (words.ok()) words.Finish();
  return words.problem();
}

void LineParser::ParseOwn(std::string_view first, Words& words) {
  if (first == "pass") {
    conversation_->lines.push_back(line::Passes{DurationFrom(words.Next("a duration"), words)});
  } else if (first == "settle") {
    conversation_->lines.push_back(line::Settles{});
  } else if (first == "heal") {
    conversation_->lines.push_back(line::Heals{});
  } else if (first == "fault") {
    conversation_->lines.push_back(line::Injects{
        FaultFrom(words, *conversation_->topology, conversation_->origin.has_value())});
  } else {
    words.Complain(
        fmt::format("\"{}\" is neither a side of topology {} ({}) nor one of pass, settle, fault, "
                    "heal",
                    first, conversation_->topology->name, SideNames(*conversation_->topology)));
  }
}

void LineParser::ParseOfSide(Lane lane, std::string_view first, Words& words) {
  if (first == "wait") return ParseWait(lane, words);
  if (ParseMacro(lane, first, words)) return;
  const std::optional<CallKind> kind = ParseFunctionName(first);
  if (!kind) {
    words.Complain(fmt::format("\"{}\" is not a function that can be called", first));
    return;
  }
  ParseCall(lane, *kind, words);
}

void LineParser::ParseMeanwhile(Lane lane, Words& words) {
  const std::string_view name = words.Next("a function");
  const std::optional<CallKind> kind = ParseFunctionName(name);
  const std::vector<Line>& lines = conversation_->lines;
  if (!kind)
    words.Complain(fmt::format("\"{}\" is not a function that can be called", name));
  else if (lines.empty() || !std::holds_alternative<line::Calls>(lines.back()))
    words.Complain("&: the line before is no call that this one could be made together with");
  if (!words.ok()) return;
  const size_t before = lines.size() - 1;
  ParseCall(lane, *kind, words);
  if (!words.ok()) return;
  std::get<line::Calls>(conversation_->lines.back()).meanwhile = true;
  size_t first = before;
  while (first > 0 && std::get<line::Calls>(lines[first]).meanwhile) --first;
  if (EndOfTogether(*conversation_, first) != lines.size())
    words.Complain("&: this thread makes another of the calls that are made at once");
}

void LineParser::ParseWait(Lane lane, Words& words) {
  const ChannelRef channel = KnownChannel(words.Next("a channel"), words);
  const Duration within = DurationFrom(words.Need("within"), words);
  conversation_->lines.push_back(line::Waits{lane, channel, within});
}

void LineParser::ParseCall(Lane lane, CallKind kind, Words& words) {
  switch (kind) {
    case CallKind::kCreateEventChannel:
    case CallKind::kDestroyEventChannel:
    case CallKind::kGetCmEvent:
      return Say(lane, CallOnChannel(kind, words));
    case CallKind::kEventStr:
      return Say(lane, call::EventStr{TypeNumber(words)});
    case CallKind::kAckCmEvent: {
      const std::string_view name = words.Next("an event");
      const auto event = conversation_->names.events.Find(name);
      if (!event) words.Complain(fmt::format("no event is fetched as {}", name));
      return Say(lane, call::AckCmEvent{event.value_or(EventRef{})});
    }
    case CallKind::kGetAddrInfo:
    case CallKind::kFreeAddrInfo:
    case CallKind::kGetDevices:
    case CallKind::kFreeDevices:
      return Say(lane, CallOnHeld(kind, words));
    default:
      if (kind >= CallKind::kCreateQpEx) return Say(lane, CallOnQueue(kind, words));
      return Say(lane, CallOnId(kind, words));
  }
}

Call LineParser::CallOnChannel(CallKind kind, Words& words) {
  if (kind == CallKind::kGetCmEvent) return MakeGetCmEvent(words);
  const std::string_view name = words.Next("a channel");
  if (kind == CallKind::kDestroyEventChannel)
    return call::DestroyEventChannel{KnownChannel(name, words)};
  if (conversation_->names.channels.Find(name))
    words.Complain(fmt::format("channel {} is created twice", name));
  return call::CreateEventChannel{conversation_->names.channels.Intern(name),
                                  words.TakeFlag("nonblocking")};
}

Call LineParser::MakeGetCmEvent(Words& words) {
  Names& names = conversation_->names;
  const ChannelRef channel = KnownChannel(words.Next("a channel"), words);
  std::string name;
  if (const auto as = words.Take("as")) {
    name = *as;
  } else {
    name = fmt::format("e{}", names.events.size() + 1);
  }
  if (names.events.Find(name)) words.Complain(fmt::format("event {} is fetched twice", name));
  const EventRef event = names.events.Intern(name);
  const auto id = words.Take("id");
  return call::GetCmEvent{channel, event, NewId(id ? *id : name + ".id", words)};
}

Call LineParser::CallOnId(CallKind kind, Words& words) {
  const std::string_view name = words.Next("an id");
  if (kind == CallKind::kCreateEp) return MakeCreateEp(name, words);
  if (kind == CallKind::kCreateId) {
    const IdRef id = NewId(name, words);
    const ChannelRef channel = ChannelOrNull(words.Need("on"), words);
    PortSpace space = PortSpace::kTcp;
    if (const auto ps = words.Take("ps")) space = PortSpaceFrom(*ps, words);
    return call::CreateId{id, channel, space};
  }
  const IdRef id = KnownId(name, words);
  switch (kind) {
    case CallKind::kDestroyId:
      return call::DestroyId{id};
    case CallKind::kBindAddr:
      return call::BindAddr{id, AddressFrom(words.Need("addr"), words)};
    case CallKind::kListen:
      return call::Listen{id, Int(words, "backlog", 8)};
    case CallKind::kResolveAddr: {
      Address source;
      if (const auto src = words.Take("src")) source = AddressFrom(*src, words);
      const Address destination = AddressFrom(words.Need("dst"), words);
      return call::ResolveAddr{id, source, destination, Int(words, "timeout_ms", 2000)};
    }
    case CallKind::kResolveRoute:
      return call::ResolveRoute{id, Int(words, "timeout_ms", 2000)};
    case CallKind::kCreateQp:
      return MakeCreateQp(id, words);
    case CallKind::kDestroyQp:
      return call::DestroyQp{id};
    case CallKind::kConnect:
      return call::Connect{id, ParamFrom(words)};
    case CallKind::kAccept:
      return call::Accept{id, ParamFrom(words)};
    case CallKind::kReject:
      return call::Reject{id, PrivateFrom(words)};
    case CallKind::kEstablish:
      return call::Establish{id};
    case CallKind::kDisconnect:
      return call::Disconnect{id};
    case CallKind::kShow:
      return call::Show{id};
    default:
      return LaterCallOnId(kind, id, words);
  }
}

Call LineParser::MakeCreateQp(IdRef id, Words& words) {
  const auto text = words.Take("type");
  if (!text) return call::CreateQp{id, std::nullopt};
  return call::CreateQp{id, QpTypeFrom(*text, words)};
}

std::optional<Lane> LineParser::LaneNamed(std::string_view word) const {
  uint8_t number = 1;
  const size_t slash = word.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view digits = word.substr(slash + 1);
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, number);
    if (error != std::errc() || end != last || number == 0) return std::nullopt;
  }
  const std::optional<uint8_t> side = conversation_->topology->SideNamed(word.substr(0, slash));
  if (!side) return std::nullopt;
  return Lane{.side = *side, .number = number};
}

IdRef LineParser::NewId(std::string_view name, Words& words) {
  if (name.empty()) return {};
  if (conversation_->names.ids.Find(name))
    words.Complain(fmt::format("id {} is created twice", name));
  return conversation_->names.ids.Intern(name);
}

IdRef LineParser::KnownId(std::string_view name, Words& words) {
  const auto id = conversation_->names.ids.Find(name);
  if (!id) words.Complain(fmt::format("id {} is never created", name));
  return id.value_or(IdRef{});
}

ChannelRef LineParser::KnownChannel(std::string_view name, Words& words) {
  const auto channel = conversation_->names.channels.Find(name);
  if (!channel) words.Complain(fmt::format("channel {} is never created", name));
  return channel.value_or(ChannelRef{});
}

ChannelRef LineParser::ChannelOrNull(std::string_view name, Words& words) {
  return name == "null" ? ChannelRef{} : KnownChannel(name, words);
}

Address LineParser::AddressFrom(std::string_view text, Words& words) {
  const std::optional<Address> address = ParseAddress(text, *conversation_->topology);
  if (!address) {
    words.Complain(fmt::format(
        "\"{}\": an address such as passive:7471, active.v6:0, any:0, loopback:7471, foreign:0, "
        "unroutable:1, silent:1, null or family99 is wanted",
        text));
  }
  return address.value_or(Address{});
}

uint8_t LineParser::SideFrom(std::string_view text, Words& words) {
  return cm::SideFrom(text, *conversation_->topology, words);
}

PrivateData LineParser::PrivateFrom(Words& words) {
  const auto text = words.Take("private");
  if (!text) return {};
  const std::optional<PrivateData> data = ParsePrivateData(*text);
  if (!data) {
    words.Complain(
        fmt::format("private={}: \"text\", count:N or hex:DIGITS is wanted, with +N for zeros; at "
                    "most 255 bytes",
                    *text));
  }
  return data.value_or(PrivateData());
}

std::optional<ConnParam> LineParser::ParamFrom(Words& words) {
  if (words.TakeFlag("noparam")) return std::nullopt;
  ConnParam p;
  p.responder_resources = Byte(words, "responder_resources", p.responder_resources);
  p.initiator_depth = Byte(words, "initiator_depth", p.initiator_depth);
  p.flow_control = Byte(words, "flow_control", p.flow_control);
  p.retry_count = Byte(words, "retry_count", p.retry_count);
  p.rnr_retry_count = Byte(words, "rnr_retry_count", p.rnr_retry_count);
  p.srq = Byte(words, "srq", p.srq);
  p.qp_num = static_cast<uint32_t>(
      words.Number("qp_num", p.qp_num, 0, std::numeric_limits<uint32_t>::max()));
  p.private_data = PrivateFrom(words);
  return p;
}

void LineParser::Say(Lane lane, Call call) {
  conversation_->lines.push_back(line::Calls{lane, std::move(call)});
}

}  // namespace cm
