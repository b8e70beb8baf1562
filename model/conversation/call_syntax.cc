#include "model/conversation/call_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <type_traits>
#include <vector>

#include "model/vocabulary/call_fields.h"

namespace cm {
namespace {

// "an address info": "ADDRESS_INFO".
std::string Capitals(std::string_view noun) {
  std::string word(noun.substr(noun.find(' ') + 1));
  std::ranges::transform(word, word.begin(), [](unsigned char c) {
    return c == ' ' ? '_' : static_cast<char>(std::toupper(c));
  });
  return word;
}

// The placeholder of a value of the type, and its default.
class Describer {
 public:
  template <typename Owner>
  void Describe(const Owner& owner) {
    for (const bool positional : {true, false})
      EachFieldOf(&owner, [&](const FieldInfo& info, const auto& value, const auto& /*plain*/) {
        if (info.key.empty() == positional && !info.hidden) Add(info, value);
      });
  }

  std::string syntax;
  std::string defaults;

 private:
  template <typename Value>
  void Add(const FieldInfo& info, const Value& plain) {
    if constexpr (std::is_same_v<Value, EceOptions>) {
      Describe(plain);
    } else if constexpr (std::is_same_v<Value, bool>) {
      syntax += fmt::format(" [{}]", info.key);
    } else if constexpr (std::is_same_v<Value, std::optional<ConnParam>> ||
                         std::is_same_v<Value, std::optional<AddrHints>>) {
      syntax += fmt::format(" [{}]", info.key);
      Describe(typename Value::value_type());
    } else {
      const std::string word = PlaceholderOf(info, plain);
      const std::string said = info.key.empty() ? word : fmt::format("{}={}", info.key, word);
      syntax += info.needed && !info.derived ? " " + said : fmt::format(" [{}]", said);
      const std::string text = DefaultOf(info, plain);
      if (!text.empty() && !info.needed)
        defaults += fmt::format("{}{}={}", defaults.empty() ? "" : " ", info.key, text);
    }
  }

  template <typename Value>
  static std::string PlaceholderOf(const FieldInfo& info, const Value& /*plain*/) {
    if (info.use != NameUse::kNone) return Capitals(info.noun) + (info.or_null ? "|null" : "");
    if constexpr (std::is_same_v<Value, Address>)
      return info.without_port ? "HOST" : "ADDRESS";
    else if constexpr (std::is_same_v<Value, PortSpace> ||
                       std::is_same_v<Value, std::optional<PortSpace>>)
      return "PORT_SPACE";
    else if constexpr (std::is_same_v<Value, std::optional<QpType>>)
      return "RC|UC|UD";
    else if constexpr (std::is_same_v<Value, IdOption>)
      return "OPTION";
    else if constexpr (std::is_same_v<Value, PrivateData>)
      return "DATA";
    else if constexpr (std::is_same_v<Value, Sges>)
      return info.one_piece ? "REGION:OFFSET+LENGTH" : "REGION:OFFSET+LENGTH ...";
    else if constexpr (std::is_same_v<Value, RemotePlace>)
      return "REGION:OFFSET";
    else
      return info.hexadecimal ? "HEX" : "NUMBER";
  }

  template <typename Value>
  static std::string DefaultOf(const FieldInfo& info, const Value& plain) {
    if constexpr (std::is_same_v<Value, PortSpace>)
      return ToString(plain);
    else if constexpr (std::is_integral_v<Value>)
      return info.hexadecimal ? fmt::format("{:#x}", plain) : fmt::format("{}", plain);
    else
      return {};
  }
};

Describer Described(CallKind kind) {
  Describer describer;
  describer.Describe(PlainCall(kind));
  return describer;
}

std::string Joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string SyntaxOf(CallKind kind) {
  return std::string(FunctionName(kind)) + Described(kind).syntax;
}

std::string DefaultsOf(CallKind kind) { return Described(kind).defaults; }

std::string TraitsText(CallKind kind) {
  const CallTraits& traits = TraitsOf(kind);
  std::vector<std::string> parts;
  const auto add = [&parts](bool holds, std::string_view what) {
    if (holds) parts.emplace_back(what);
  };
  add(!traits.function, "no function of the library");
  add(traits.returns_void, "returns void");
  add(traits.completes, "completes with an event on a synchronous id");
  add(traits.only_asks, "only asks");
  add(traits.may_block, "may block");
  add(traits.moves_data, "data path");
  if (IsLater(kind)) parts.push_back(fmt::format("map {}", traits.map));
  return Joined(parts);
}

}  // namespace cm
