// Translation of a recording's lines into calls.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/recordings/reader.h"

namespace cm {

std::optional<Call> RecordingReader::CallOf(const std::string& function, const ScriptWords& words) {
  const CallKind kind = *ParseFunctionName(function);
  Names& names = recording_->history.conversation.names;
  if (kind == CallKind::kCreateEventChannel)
    return call::CreateEventChannel{names.channels.Intern(words.Word(0)), words.Has("nb")};
  if (kind == CallKind::kDestroyEventChannel || kind == CallKind::kGetCmEvent) {
    const std::optional<ChannelRef> channel = KnownChannel(words.Word(0));
    if (!channel) return std::nullopt;
    if (kind == CallKind::kDestroyEventChannel) return call::DestroyEventChannel{*channel};
    const std::string event = fmt::format("e{}", ++event_count_);
    return call::GetCmEvent{*channel, names.events.Intern(event), names.ids.Intern(event + ".id")};
  }
  if (kind == CallKind::kAckCmEvent) {
    const auto kept = std::ranges::find(kept_, words.Word(0), &Kept::name);
    if (kept == kept_.end() || !kept->event.valid()) return std::nullopt;
    return call::AckCmEvent{kept->event};
  }
  if (kind == CallKind::kCreateId) {
    const std::string on = words.Value("chan").value_or("");
    const std::optional<ChannelRef> channel =
        on == "null" ? std::optional<ChannelRef>(ChannelRef{}) : KnownChannel(on);
    const std::optional<PortSpace> space = SpaceOfWord(words.Value("ps").value_or("tcp"));
    if (!channel || !space) return std::nullopt;
    return call::CreateId{NewId(words.Word(0)), *channel, *space};
  }
  const std::optional<IdRef> id = KnownId(words.Word(0));
  if (!id) return std::nullopt;
  return CallOnId(kind, *id, words);
}

Address RecordingReader::GroupOf(const std::string& digits) const {
  constexpr std::string_view kMapped = "00000000000000000000ffff";
  constexpr size_t kDigits = 32;
  if (digits.empty()) return {};
  const Address unknown{.kind = AddressKind::kForeign};
  // Groups of RoCE v2 are IPv4 addresses, mapped.
  if (digits.size() != kDigits || !digits.starts_with(kMapped)) return unknown;
  std::string host;
  for (size_t at = kMapped.size(); at < kDigits; at += 2) {
    if (!host.empty()) host += '.';
    host += std::to_string(std::strtoul(digits.substr(at, 2).c_str(), nullptr, 16));
  }
  return ReadAddress(host).value_or(unknown);
}

// The recorder passed no context.
std::optional<Call> RecordingReader::CallOnGroup(CallKind kind, IdRef id,
                                                 const ScriptWords& words) const {
  const std::optional<Address> group = ReadAddress(words.Word(1));
  if (!group) return std::nullopt;
  if (kind == CallKind::kLeaveMulticast) return call::LeaveMulticast{id, *group};
  if (kind == CallKind::kJoinMulticast) return call::JoinMulticast{id, *group};
  call::JoinMulticastEx join{id, *group};
  join.flags = static_cast<uint32_t>(words.Number("flags", 0));
  return join;
}

std::optional<Call> RecordingReader::CallOnId(CallKind kind, IdRef id, const ScriptWords& words) {
  switch (kind) {
    case CallKind::kBindAddr: {
      const std::optional<Address> to = ReadAddress(words.Word(1));
      if (!to) return std::nullopt;
      return call::BindAddr{id, *to};
    }
    case CallKind::kListen:
      return call::Listen{id, std::atoi(words.Word(1).c_str())};
    case CallKind::kResolveAddr: {
      const std::optional<Address> to = ReadAddress(words.Word(1));
      std::optional<Address> from = Address{};
      if (const auto source = words.Value("src")) from = ReadAddress(*source);
      // The only route to the neighbour of a bond is from its address.
      else if (bond_)
        from = ReadAddress(bond_->address);
      if (!to || !from) return std::nullopt;
      return call::ResolveAddr{id, *from, *to, words.Number("tmo", 2000)};
    }
    case CallKind::kJoinMulticast:
    case CallKind::kJoinMulticastEx:
    case CallKind::kLeaveMulticast:
      return CallOnGroup(kind, id, words);
    case CallKind::kResolveRoute:
      return call::ResolveRoute{id, words.Number("tmo", 2000)};
    case CallKind::kCreateQp:
      if (const auto type = words.Value("type")) {
        if (*type != "ud" && *type != "rc") return std::nullopt;
        return call::CreateQp{id, *type == "ud" ? QpType::kUd : QpType::kRc};
      }
      return call::CreateQp{id};
    case CallKind::kDestroyQp:
      return call::DestroyQp{id};
    case CallKind::kConnect:
      return call::Connect{id, ParamOf(words)};
    case CallKind::kAccept:
      return call::Accept{id, ParamOf(words)};
    case CallKind::kReject:
      return call::Reject{id, PrivateData::Counting(static_cast<uint8_t>(words.Number("pd", 0)))};
    case CallKind::kEstablish:
      return call::Establish{id};
    case CallKind::kDisconnect:
      return call::Disconnect{id};
    case CallKind::kDestroyId:
      return call::DestroyId{id};
    case CallKind::kInitQpAttr:
      return call::InitQpAttr{id, static_cast<uint8_t>(std::atoi(words.Word(1).c_str()))};
    case CallKind::kNotify: {
      const std::optional<uint8_t> what = AsyncEventOfWord(words.Word(1));
      if (!what) return std::nullopt;
      return call::Notify{id, *what};
    }
    case CallKind::kSetOption:
      return SetOptionOf(id, words);
    case CallKind::kMigrateId: {
      const std::string to = words.Value("chan").value_or(words.Word(1));
      if (to == "null") return call::MigrateId{id, ChannelRef{}};
      const std::optional<ChannelRef> channel = KnownChannel(to);
      if (!channel) return std::nullopt;
      return call::MigrateId{id, *channel};
    }
    case CallKind::kGetRequest:
      return call::GetRequest{id, NewId(words.Word(1))};
    default:
      return std::nullopt;
  }
}

}  // namespace cm
