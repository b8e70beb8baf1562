// The lines of calls on memory regions and queues.
#include <fmt/format.h>

#include <charconv>

#include "model/conversation/line_parser.h"

namespace cm {
namespace {

// The number at the front of `text`, which loses it; empty where there is none.
std::optional<uint32_t> TakeNumber(std::string_view* text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return number;
}

}  // namespace

MrRef LineParser::KnownRegion(std::string_view name, Words& words) {
  const auto region = conversation_->names.regions.Find(name);
  if (!region) words.Complain(fmt::format("region {} is never registered", name));
  return region.value_or(MrRef{});
}

// "m1:0+16": 16 bytes of m1, from its first on.
Sge LineParser::SgeFrom(std::string_view text, Words& words) {
  const size_t colon = text.find(':');
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const std::optional<uint32_t> offset = TakeNumber(&rest);
  const bool plus = rest.starts_with('+');
  if (plus) rest.remove_prefix(1);
  const std::optional<uint32_t> length = plus ? TakeNumber(&rest) : std::nullopt;
  if (!offset || !length || !rest.empty()) {
    words.Complain(fmt::format("sge={}: REGION:OFFSET+LENGTH is wanted", text));
    return {};
  }
  return {KnownRegion(text.substr(0, colon), words), *offset, *length};
}

call::Work LineParser::WorkFrom(CallKind kind, IdRef id, Words& words) {
  call::Work work{.id = id};
  work.context = static_cast<uint16_t>(words.Number("context", 0, 0, 65535));
  while (const auto sge = words.Take("sge")) {
    if (work.sges.full())
      words.Complain(fmt::format("at most {} pieces are wanted", work.sges.capacity()));
    else
      work.sges.push_back(SgeFrom(*sge, words));
    if (!words.ok()) break;
  }
  const bool list = kind == CallKind::kPostRecvv || kind == CallKind::kPostSendv ||
                    kind == CallKind::kPostReadv || kind == CallKind::kPostWritev;
  if (!list && work.sges.size() != 1) words.Complain("one sge=REGION:OFFSET+LENGTH is wanted");
  if (!IsReceive(kind)) work.flags = static_cast<uint8_t>(words.Number("flags", kSignaled, 0, 15));
  if (!IsRead(kind) && !IsWrite(kind)) return work;
  const std::string_view remote = words.Need("remote");
  const size_t colon = remote.find(':');
  std::string_view rest = colon == std::string_view::npos ? "" : remote.substr(colon + 1);
  const std::optional<uint32_t> offset = TakeNumber(&rest);
  if (!offset || !rest.empty())
    words.Complain(fmt::format("remote={}: REGION:OFFSET is wanted", remote));
  else
    work.remote = KnownRegion(remote.substr(0, colon), words);
  work.remote_offset = offset.value_or(0);
  return work;
}

Call LineParser::CallOnQueue(CallKind kind, Words& words) {
  if (kind == CallKind::kDeregMr) return call::DeregMr{KnownRegion(words.Next("a region"), words)};
  if (RegistersRegion(kind)) {
    const std::string_view name = words.Next("a region");
    if (conversation_->names.regions.Find(name))
      words.Complain(fmt::format("region {} is registered twice", name));
    const MrRef mr = conversation_->names.regions.Intern(name);
    const IdRef id = KnownId(words.Need("id"), words);
    const auto length = static_cast<uint32_t>(words.Number("length", 64, 1, kLongestRegion));
    if (kind == CallKind::kRegMsgs) return call::RegMsgs{mr, id, length};
    if (kind == CallKind::kRegRead) return call::RegRead{mr, id, length};
    return call::RegWrite{mr, id, length};
  }
  const IdRef id = KnownId(words.Next("an id"), words);
  switch (kind) {
    case CallKind::kCreateQpEx: {
      const auto made = std::get<call::CreateQp>(MakeCreateQp(id, words));
      return call::CreateQpEx{made.id, made.type};
    }
    case CallKind::kCreateSrq:
      return call::CreateSrq{id};
    case CallKind::kCreateSrqEx:
      return call::CreateSrqEx{id, !words.TakeFlag("untyped")};
    case CallKind::kDestroySrq:
      return call::DestroySrq{id};
    case CallKind::kPostRecv:
      return call::PostRecv{WorkFrom(kind, id, words)};
    case CallKind::kPostRecvv:
      return call::PostRecvv{WorkFrom(kind, id, words)};
    case CallKind::kPostSend:
      return call::PostSend{WorkFrom(kind, id, words)};
    case CallKind::kPostSendv:
      return call::PostSendv{WorkFrom(kind, id, words)};
    case CallKind::kPostRead:
      return call::PostRead{WorkFrom(kind, id, words)};
    case CallKind::kPostReadv:
      return call::PostReadv{WorkFrom(kind, id, words)};
    case CallKind::kPostWrite:
      return call::PostWrite{WorkFrom(kind, id, words)};
    case CallKind::kPostWritev:
      return call::PostWritev{WorkFrom(kind, id, words)};
    case CallKind::kPostUdSend:
      return call::PostUdSend{WorkFrom(kind, id, words)};
    case CallKind::kGetSendComp:
      return call::GetSendComp{id};
    default:
      return call::GetRecvComp{id};
  }
}

}  // namespace cm
