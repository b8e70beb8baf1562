// The text of calls, by their rows in call_table.h.
#include <fmt/format.h>

#include "model/conversation/print.h"
#include "model/vocabulary/call_fields.h"
#include "model/vocabulary/private_data_text.h"

namespace cm {
namespace {

// Appends " key=value" for fields that do not have their default; positional ones come first.
class CallPrinter {
 public:
  CallPrinter(const Conversation& conversation, std::string* text)
      : names_(conversation.names), topology_(*conversation.topology), text_(*text) {}

  template <typename Owner>
  void Print(const Owner& owner) {
    for (const bool positional : {true, false})
      EachFieldOf(&owner, [&](const FieldInfo& info, const auto& value, const auto& plain) {
        if (info.key.empty() == positional && !info.hidden) Value(info, value, plain);
      });
  }

  // The name of the event that the call fetches.
  void DerivedFrom(EventRef event) { derived_ = names_.events.NameOf(event) + ".id"; }

 private:
  void Say(const FieldInfo& info, std::string_view value) {
    text_ += info.key.empty() ? fmt::format(" {}", value) : fmt::format(" {}={}", info.key, value);
  }

  template <typename Tag>
  void Value(const FieldInfo& info, const Ref<Tag>& ref, const Ref<Tag>& /*plain*/) {
    const std::string name = ref.valid() ? NameOf(ref) : "null";
    if (!info.derived || name != derived_) Say(info, name);
  }
  void Value(const FieldInfo& info, bool flag, bool plain) {
    if (flag != plain) text_ += fmt::format(" {}", info.key);
  }
  template <typename Number>
  requires std::is_integral_v<Number>
  void Value(const FieldInfo& info, Number number, Number plain) {
    if (number == plain && !info.always && !info.needed) return;
    Say(info, info.hexadecimal ? fmt::format("{:#x}", number) : fmt::format("{}", number));
  }
  void Value(const FieldInfo& info, std::optional<uint16_t> number, std::optional<uint16_t>) {
    if (number) Say(info, fmt::format("{}", *number));
  }
  void Value(const FieldInfo& info, const Address& address, const Address& plain) {
    if (address == plain && !info.needed) return;
    const std::string text = ToString(info.without_port ? address.WithPort(0) : address, topology_);
    Say(info, info.without_port ? text.substr(0, text.size() - 2) : text);
  }
  void Value(const FieldInfo& info, PortSpace space, PortSpace plain) {
    if (space != plain) Say(info, ToString(space));
  }
  void Value(const FieldInfo& info, std::optional<PortSpace> space, std::optional<PortSpace>) {
    if (space) Say(info, ToString(*space));
  }
  void Value(const FieldInfo& info, std::optional<QpType> type, std::optional<QpType>) {
    if (type) Say(info, ToString(*type));
  }
  void Value(const FieldInfo& info, const IdOption& option, const IdOption&) {
    Say(info, ToString(option));
  }
  void Value(const FieldInfo& info, const PrivateData& data, const PrivateData&) {
    if (!data.empty()) Say(info, ToText(data));
  }
  void Value(const FieldInfo& /*info*/, const EceOptions& ece, const EceOptions&) { Print(ece); }
  template <typename Structure>
  void Value(const FieldInfo& info, const std::optional<Structure>& structure,
             const std::optional<Structure>&) {
    if (structure)
      Print(*structure);
    else
      text_ += fmt::format(" {}", info.key);
  }
  void Value(const FieldInfo& info, const Sges& pieces, const Sges&) {
    for (const Sge& piece : pieces)
      Say(info, fmt::format("{}:{}+{}", NameOf(piece.mr), piece.offset, piece.length));
  }
  void Value(const FieldInfo& info, const RemotePlace& place, const RemotePlace&) {
    if (place.mr.valid()) Say(info, fmt::format("{}:{}", NameOf(place.mr), place.offset));
  }

  const std::string& NameOf(IdRef ref) const { return names_.ids.NameOf(ref); }
  const std::string& NameOf(ChannelRef ref) const { return names_.channels.NameOf(ref); }
  const std::string& NameOf(EventRef ref) const { return names_.events.NameOf(ref); }
  const std::string& NameOf(HeldRef ref) const { return names_.held.NameOf(ref); }
  const std::string& NameOf(MrRef ref) const { return names_.regions.NameOf(ref); }

  const Names& names_;
  const Topology& topology_;
  std::string& text_;
  std::string derived_;
};

}  // namespace

std::string ToString(const Call& call, const Conversation& conversation) {
  std::string text(FunctionName(KindOf(call)));
  CallPrinter printer(conversation, &text);
  if (const auto* get = std::get_if<call::GetCmEvent>(&call)) printer.DerivedFrom(get->event);
  printer.Print(call);
  return text;
}

}  // namespace cm
