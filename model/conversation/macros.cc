// The macros of parse.h, which expand to several lines.
#include "model/conversation/call_reader.h"
#include "model/conversation/line_parser.h"

namespace cm {
namespace {

constexpr Duration kTakingWaits = Duration::Seconds(1);

int32_t BacklogFrom(Words& words) {
  return static_cast<int32_t>(words.Number("backlog", 8, -1, 1 << 20));
}

}  // namespace

bool LineParser::ParseMacro(Lane lane, std::string_view name, Words& words) {
  if (name == "taking") {
    Taking(lane, CallReader(conversation_, &words).KnownChannel(words.Next("a channel")), words);
  } else if (name == "listening") {
    Listening(lane, words);
  } else if (name == "resolving") {
    Resolving(lane, words);
  } else if (name == "connecting") {
    Connecting(lane, words);
  } else if (name == "accepting") {
    Accepting(lane, words);
  } else {
    return false;
  }
  return true;
}

void LineParser::Taking(Lane lane, ChannelRef channel, Words& words) {
  std::string text;
  if (channel.valid()) text = conversation_->names.channels.NameOf(channel);
  if (const auto as = words.Take("as")) text += " as=" + std::string(*as);
  if (const auto id = words.Take("id")) text += " id=" + std::string(*id);
  if (!channel.valid()) return;
  Words get(text);
  const Call call = CallReader(conversation_, &get).Arguments(CallKind::kGetCmEvent);
  if (!get.ok()) words.Complain(get.problem());
  conversation_->lines.push_back(line::Waits{lane, channel, kTakingWaits});
  Say(lane, call);
  Say(lane, call::AckCmEvent{std::get<call::GetCmEvent>(call).event});
}

ChannelRef LineParser::ChannelMadeBy(Lane lane, std::string_view name) {
  if (const auto known = conversation_->names.channels.Find(name)) return *known;
  const ChannelRef channel = conversation_->names.channels.Intern(name);
  Say(lane, call::CreateEventChannel{channel, false});
  return channel;
}

void LineParser::Listening(Lane lane, Words& words) {
  const IdRef id = CallReader(conversation_, &words).NewId(words.Next("an id"));
  const std::string_view on = words.Need("on");
  CheckName(on, words);
  const int64_t port = words.Number("port", -1, 0, 65535);
  if (port < 0) words.Complain("port=... is missing");
  const int32_t backlog = BacklogFrom(words);
  if (!words.ok()) return;
  const ChannelRef channel = ChannelMadeBy(lane, on);
  Say(lane, call::CreateId{id, channel, PortSpace::kTcp});
  Say(lane, call::BindAddr{id, Address{.kind = AddressKind::kSide,
                                       .side = lane.side,
                                       .port = static_cast<uint16_t>(port)}});
  Say(lane, call::Listen{id, backlog});
}

IdRef LineParser::Resolving(Lane lane, Words& words) {
  const IdRef id = CallReader(conversation_, &words).NewId(words.Next("an id"));
  const std::string_view on = words.Need("on");
  CheckName(on, words);
  const Address to = CallReader(conversation_, &words).AddressFrom(words.Need("to"));
  if (!words.ok()) return id;
  const ChannelRef channel = ChannelMadeBy(lane, on);
  const Address own{.kind = AddressKind::kSide, .side = lane.side, .v6 = to.v6};
  Words none{std::string_view()};
  Say(lane, call::CreateId{id, channel, PortSpace::kTcp});
  Say(lane, call::ResolveAddr{id, own, to, 2000});
  Taking(lane, channel, none);
  Say(lane, call::ResolveRoute{id, 2000});
  Taking(lane, channel, none);
  return id;
}

void LineParser::Connecting(Lane lane, Words& words) {
  const bool noqp = words.TakeFlag("noqp");
  const IdRef id = Resolving(lane, words);
  const std::optional<ConnParam> param = CallReader(conversation_, &words).Param();
  if (!words.ok()) return;
  if (!noqp) Say(lane, call::CreateQp{id});
  Say(lane, call::Connect{id, param});
}

void LineParser::Accepting(Lane lane, Words& words) {
  const bool noqp = words.TakeFlag("noqp");
  const std::string id(words.Next("an id"));
  const ChannelRef channel = CallReader(conversation_, &words).KnownChannel(words.Need("on"));
  const std::optional<ConnParam> param = CallReader(conversation_, &words).Param();
  if (!words.ok()) return;
  const std::string as = "id=" + id;
  Words taken(as);
  Taking(lane, channel, taken);
  if (!taken.ok()) return words.Complain(taken.problem());
  const IdRef made = *conversation_->names.ids.Find(id);
  if (!noqp) Say(lane, call::CreateQp{made});
  Say(lane, call::Accept{made, param});
}

}  // namespace cm
