#include "model/conversation/call_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "model/vocabulary/call_fields.h"
#include "model/vocabulary/call_names.h"
#include "model/vocabulary/private_data_text.h"

namespace cm {
namespace {

// Removes the number at the front of `text`; empty where there is none.
std::optional<uint32_t> TakeNumber(std::string_view* text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return number;
}

// The first function that creates an object of that kind.
std::string_view MakerOf(std::string_view noun) {
  std::string_view maker;
  for (int i = 0; i < kCallKindCount; ++i) {
    const auto kind = static_cast<CallKind>(i);
    EachFieldOf(&PlainCall(kind), [&](const FieldInfo& info, const auto&, const auto&) {
      const bool makes = info.use == NameUse::kMakes && info.noun == noun;
      if (makes && maker.empty()) maker = FunctionName(kind);
    });
  }
  return maker;
}

}  // namespace

Call CallReader::Arguments(CallKind kind) {
  Call call = PlainCall(kind);
  Into(&call);
  return call;
}

template <typename Owner>
void CallReader::Into(Owner* owner) {
  EachFieldOf(owner, [&](const FieldInfo& info, auto& value, const auto& /*plain*/) {
    if (!info.hidden) Read(info, &value);
  });
}

std::string_view CallReader::TextOf(const FieldInfo& info) {
  return info.key.empty() ? words_.Next(info.noun) : words_.Need(info.key);
}

IdRef CallReader::NewId(std::string_view name) {
  CheckName(name, words_);
  return MadeId(name);
}

IdRef CallReader::MadeId(std::string_view name) {
  if (conversation_->names.ids.Find(name))
    words_.Complain(fmt::format("id {} is created twice", name));
  return conversation_->names.ids.Intern(name);
}

ChannelRef CallReader::KnownChannel(std::string_view name) {
  const auto channel = conversation_->names.channels.Find(name);
  if (!channel) words_.Complain(fmt::format("channel {} is never created", name));
  return channel.value_or(ChannelRef{});
}

MrRef CallReader::KnownRegion(std::string_view name) {
  const auto region = conversation_->names.regions.Find(name);
  if (!region) words_.Complain(fmt::format("region {} is never registered", name));
  return region.value_or(MrRef{});
}

void CallReader::Read(const FieldInfo& info, IdRef* id) {
  if (info.derived) {
    const auto named = words_.Take(info.key);
    *id = named ? NewId(*named) : MadeId(event_ + ".id");
    return;
  }
  const std::string_view name = TextOf(info);
  if (info.use == NameUse::kMakes) {
    *id = NewId(name);
    return;
  }
  const auto known = conversation_->names.ids.Find(name);
  if (!known) words_.Complain(fmt::format("id {} is never created", name));
  *id = known.value_or(IdRef{});
}

void CallReader::Read(const FieldInfo& info, ChannelRef* channel) {
  const std::string_view name = TextOf(info);
  if (info.or_null && name == "null") return;
  if (info.use != NameUse::kMakes) {
    *channel = KnownChannel(name);
    return;
  }
  CheckName(name, words_);
  if (conversation_->names.channels.Find(name))
    words_.Complain(fmt::format("channel {} is created twice", name));
  *channel = conversation_->names.channels.Intern(name);
}

void CallReader::Read(const FieldInfo& info, EventRef* event) {
  auto& events = conversation_->names.events;
  if (info.use == NameUse::kMakes) {
    const auto as = words_.Take(info.key);
    if (as) CheckName(*as, words_);
    event_ = as ? std::string(*as) : fmt::format("e{}", events.size() + 1);
    if (events.Find(event_)) words_.Complain(fmt::format("event {} is fetched twice", event_));
    *event = events.Intern(event_);
    return;
  }
  const std::string_view name = TextOf(info);
  const auto known = events.Find(name);
  if (!known) words_.Complain(fmt::format("no event is fetched as {}", name));
  *event = known.value_or(EventRef{});
}

// Whether a call creates the object in that role: a list of devices is no address info.
bool CallReader::MadeAs(HeldRef held, std::string_view noun) const {
  return std::ranges::any_of(conversation_->lines, [&](const Line& line) {
    const auto* calls = std::get_if<line::Calls>(&line);
    bool made = false;
    if (calls != nullptr)
      EachName(calls->call, [&](const auto& name, const FieldInfo& info) {
        if constexpr (std::is_same_v<std::decay_t<decltype(name)>, HeldRef>)
          made |= name == held && info.use == NameUse::kMakes && info.noun == noun;
      });
    return made;
  });
}

void CallReader::Read(const FieldInfo& info, HeldRef* held) {
  auto& table = conversation_->names.held;
  const std::string_view name = TextOf(info);
  const auto known = table.Find(name);
  if (info.use == NameUse::kMakes) {
    CheckName(name, words_);
    if (known) words_.Complain(fmt::format("{} is created twice", name));
    *held = table.Intern(name);
    return;
  }
  *held = known.value_or(HeldRef{});
  if (!known || !MadeAs(*known, info.noun))
    words_.Complain(fmt::format("{} does not return {}", MakerOf(info.noun), name));
}

void CallReader::Read(const FieldInfo& info, MrRef* region) {
  const std::string_view name = TextOf(info);
  if (info.use != NameUse::kMakes) {
    *region = KnownRegion(name);
    return;
  }
  CheckName(name, words_);
  if (conversation_->names.regions.Find(name))
    words_.Complain(fmt::format("region {} is registered twice", name));
  *region = conversation_->names.regions.Intern(name);
}

void CallReader::Read(const FieldInfo& info, bool* flag) {
  *flag = words_.TakeFlag(info.key) != info.inverted;
}

template <typename Number>
void CallReader::ReadNumber(const FieldInfo& info, Number* number) {
  const bool bounded = info.high != 0;
  const int64_t low = bounded ? info.low : int64_t{std::numeric_limits<Number>::min()};
  const int64_t high = bounded ? info.high : int64_t{std::numeric_limits<Number>::max()};
  *number = static_cast<Number>(words_.Number(info.key, *number, low, high));
}

void CallReader::Read(const FieldInfo& info, uint8_t* number) {
  if (!info.key.empty()) return ReadNumber(info, number);
  std::string_view text = words_.Next(info.noun);
  std::string_view rest = text;
  const std::optional<uint32_t> value = TakeNumber(&rest);
  if (!value || *value > std::numeric_limits<uint8_t>::max() || !rest.empty())
    words_.Complain(fmt::format("\"{}\": a number from 0 to 255 is wanted", text));
  *number = static_cast<uint8_t>(value.value_or(0));
}
void CallReader::Read(const FieldInfo& info, uint16_t* number) { ReadNumber(info, number); }
void CallReader::Read(const FieldInfo& info, uint32_t* number) { ReadNumber(info, number); }
void CallReader::Read(const FieldInfo& info, int32_t* number) { ReadNumber(info, number); }
void CallReader::Read(const FieldInfo& info, uint64_t* number) {
  *number = words_.Bits(info.key, std::numeric_limits<uint64_t>::max());
}
void CallReader::Read(const FieldInfo& info, std::optional<uint16_t>* number) {
  const int64_t value = words_.Number(info.key, -1, -1, std::numeric_limits<uint16_t>::max());
  if (value >= 0) *number = static_cast<uint16_t>(value);
}

Address CallReader::AddressFrom(std::string_view text) {
  const std::optional<Address> address = ParseAddress(text, *conversation_->topology);
  if (!address) {
    words_.Complain(fmt::format(
        "\"{}\": an address such as passive:7471, active.v6:0, any:0, loopback:7471, foreign:0, "
        "unroutable:1, silent:1, null or family99 is wanted",
        text));
  }
  return address.value_or(Address{});
}

void CallReader::Read(const FieldInfo& info, Address* address) {
  const auto text = info.needed ? words_.Need(info.key) : words_.Take(info.key);
  if (!text) return;
  *address = AddressFrom(info.without_port ? std::string(*text) + ":0" : std::string(*text));
}

void CallReader::Read(const FieldInfo& info, PortSpace* space) {
  std::optional<PortSpace> read;
  Read(info, &read);
  *space = read.value_or(*space);
}
void CallReader::Read(const FieldInfo& info, std::optional<PortSpace>* space) {
  const auto text = words_.Take(info.key);
  if (!text) return;
  *space = ParsePortSpace(*text);
  if (!*space) {
    words_.Complain(
        fmt::format("{}={}: RDMA_PS_TCP, RDMA_PS_UDP, RDMA_PS_IPOIB, RDMA_PS_IB or a number up to "
                    "65535 is wanted",
                    info.key, *text));
  }
}

void CallReader::Read(const FieldInfo& info, std::optional<QpType>* type) {
  const auto text = words_.Take(info.key);
  if (!text) return;
  *type = ParseQpType(*text);
  if (!*type) words_.Complain(fmt::format("{}={}: RC, UC or UD is wanted", info.key, *text));
}

void CallReader::Read(const FieldInfo& info, IdOption* option) {
  const std::string_view text = words_.Need(info.key);
  const std::optional<IdOption> read = ParseIdOption(text);
  if (!read)
    words_.Complain(
        fmt::format("{}={}: TOS, REUSEADDR, AFONLY, ACK_TIMEOUT, IB_PATH or LEVEL/NAME is wanted",
                    info.key, text));
  *option = read.value_or(IdOption{});
}

void CallReader::Read(const FieldInfo& info, PrivateData* data) {
  const auto text = words_.Take(info.key);
  if (!text) return;
  const std::optional<PrivateData> read = ParsePrivateData(*text);
  if (!read) {
    words_.Complain(
        fmt::format("{}={}: \"text\", count:N or hex:DIGITS is wanted, with +N for zeros; at most "
                    "255 bytes",
                    info.key, *text));
  }
  *data = read.value_or(PrivateData());
}

void CallReader::Read(const FieldInfo& /*info*/, EceOptions* ece) { Into(ece); }

template <typename Structure>
void CallReader::Read(const FieldInfo& info, std::optional<Structure>* structure) {
  if (words_.TakeFlag(info.key)) return;
  Into(&structure->emplace());
}

std::optional<ConnParam> CallReader::Param() {
  std::optional<ConnParam> param;
  Read({.key = "noparam"}, &param);
  return param;
}

PrivateData CallReader::Private() {
  PrivateData data;
  Read({.key = "private"}, &data);
  return data;
}

PortSpace CallReader::Space() {
  PortSpace space = PortSpace::kTcp;
  Read({.key = "ps"}, &space);
  return space;
}

// "m1:0+16": 16 bytes of m1, from byte 0 on.
Sge CallReader::PieceFrom(std::string_view text) {
  const size_t colon = text.find(':');
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const std::optional<uint32_t> offset = TakeNumber(&rest);
  const bool plus = rest.starts_with('+');
  if (plus) rest.remove_prefix(1);
  const std::optional<uint32_t> length = plus ? TakeNumber(&rest) : std::nullopt;
  if (!offset || !length || !rest.empty()) {
    words_.Complain(fmt::format("sge={}: REGION:OFFSET+LENGTH is wanted", text));
    return {};
  }
  return {KnownRegion(text.substr(0, colon)), *offset, *length};
}

void CallReader::Read(const FieldInfo& info, Sges* pieces) {
  while (const auto piece = words_.Take(info.key)) {
    if (pieces->full())
      words_.Complain(fmt::format("at most {} pieces are wanted", pieces->capacity()));
    else
      pieces->push_back(PieceFrom(*piece));
    if (!words_.ok()) return;
  }
  if (info.one_piece && pieces->size() != 1)
    words_.Complain(fmt::format("one {}=REGION:OFFSET+LENGTH is wanted", info.key));
}

// "m2:8": byte 8 of m2.
void CallReader::Read(const FieldInfo& info, RemotePlace* place) {
  const std::string_view text = words_.Need(info.key);
  const size_t colon = text.find(':');
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const std::optional<uint32_t> offset = TakeNumber(&rest);
  if (!offset || !rest.empty())
    words_.Complain(fmt::format("{}={}: REGION:OFFSET is wanted", info.key, text));
  else
    *place = {KnownRegion(text.substr(0, colon)), *offset};
}

}  // namespace cm
