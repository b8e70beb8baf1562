#include "tools/rules/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <optional>
#include <utility>

#include "model/vocabulary/call_table.h"

namespace cm::ruledoc {
namespace {

template <typename Structure>
inline constexpr struct StructureHasNoName kStructure;
template <>
inline constexpr std::string_view kStructure<ConnParam> = "PARAMETERS";
template <>
inline constexpr std::string_view kStructure<AddrHints> = "HINTS";

// "an id" is ID, "a list of devices" DEVICES.
std::string WordFor(std::string_view noun) {
  std::string word(noun.substr(noun.rfind(' ') + 1));
  std::ranges::transform(word, word.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return word;
}

// The arguments of one row as the language has them: words by themselves first.
class Arguments {
 public:
  template <typename Owner, typename Row>
  void Add(const Owner& plain, const Row& row) {
    for (const bool by_itself : {true, false})
      ForEachField(row, [&](const auto& field) {
        if (field.info.key.empty() == by_itself && !field.info.hidden)
          Value(field.info, plain.*field.member);
      });
  }
  const std::string& text() const { return text_; }

 private:
  void Say(const FieldInfo& info, std::string_view value) {
    const std::string word =
        info.key.empty() ? std::string(value) : fmt::format("{}={}", info.key, value);
    const bool may_miss = !info.needed || info.derived || info.key == "as";
    text_ +=
        fmt::format("{}{}", text_.empty() ? "" : " ", may_miss ? fmt::format("[{}]", word) : word);
  }

  template <typename Tag>
  void Value(const FieldInfo& info, const Ref<Tag>& /*plain*/) {
    Say(info, WordFor(info.noun) + (info.or_null ? " or null" : ""));
  }
  void Value(const FieldInfo& info, bool /*plain*/) { text_ += fmt::format(" [{}]", info.key); }
  template <std::integral Number>
  void Value(const FieldInfo& info, Number plain) {
    if (info.needed)
      Say(info, WordFor(info.noun));
    else
      Say(info, info.hexadecimal ? fmt::format("{:#x}", plain) : fmt::format("{}", plain));
  }
  void Value(const FieldInfo& info, const std::optional<uint16_t>&) { Say(info, "PORT"); }
  void Value(const FieldInfo& info, const Address&) {
    Say(info, info.without_port ? "HOST" : "ADDRESS");
  }
  void Value(const FieldInfo& info, PortSpace plain) { Say(info, ToString(plain)); }
  void Value(const FieldInfo& info, const std::optional<PortSpace>&) { Say(info, "SPACE"); }
  void Value(const FieldInfo& info, const std::optional<QpType>&) { Say(info, "TYPE"); }
  void Value(const FieldInfo& info, const IdOption&) { Say(info, "OPTION"); }
  void Value(const FieldInfo& info, const PrivateData&) { Say(info, "DATA"); }
  void Value(const FieldInfo& /*info*/, const EceOptions& plain) {
    Add(plain, kFields<EceOptions>);
  }
  template <typename Structure>
  void Value(const FieldInfo& info, const std::optional<Structure>&) {
    text_ += fmt::format(" [{} or {}]", info.key, kStructure<Structure>);
  }
  void Value(const FieldInfo& info, const Sges& /*plain*/) {
    text_ += info.one_piece ? " sge=PIECE" : " [sge=PIECE …]";
  }
  void Value(const FieldInfo& info, const RemotePlace&) { Say(info, "REGION:OFFSET"); }

  std::string text_;
};

template <typename Owner, typename Row>
std::string ArgumentsOf(const Row& row) {
  Arguments arguments;
  arguments.Add(Owner{}, row);
  std::string text = arguments.text();
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

std::string Notes(const CallTraits& traits) {
  std::string notes;
  const auto note = [&notes](bool holds, std::string_view what) {
    if (holds) notes += (notes.empty() ? "" : "; ") + std::string(what);
  };
  note(traits.completes, "waits on a synchronous id");
  note(traits.may_block && !traits.completes, "may block");
  note(traits.returns_void, "returns nothing");
  note(traits.map != CallTraits{}.map, fmt::format("map {} of the library", traits.map));
  note(!traits.function, "no function of the library");
  return notes;
}

}  // namespace

std::string CallsMarkdown() {
  std::string text = "| function | arguments | | source |\n|---|---|---|---|\n";
  EachCall([&text]<typename Call>() {
    const CallTraits& traits = TraitsOf(KindOf(Call{}));
    text += fmt::format("| `{}` | `{}` | {} | `{}` |\n", traits.name,
                        ArgumentsOf<Call>(kRow<Call>.fields), Notes(traits), traits.manual);
  });
  text += fmt::format("\n`PARAMETERS`: `{}`\n\n`HINTS`: `{}`\n",
                      ArgumentsOf<ConnParam>(kFields<ConnParam>),
                      ArgumentsOf<AddrHints>(kFields<AddrHints>));
  return text;
}

std::string WithRegion(std::string page, std::string_view name, std::string_view text) {
  const std::string begin = fmt::format("<!-- generated: {} -->\n", name);
  const std::string end = fmt::format("<!-- end: {} -->\n", name);
  const size_t from = page.find(begin);
  const size_t until = page.find(end);
  if (from == page.npos || until == page.npos || until < from) return page;
  return page.replace(from + begin.size(), until - from - begin.size(), text);
}

std::string LanguageMarkdown(std::string page) {
  return WithRegion(std::move(page), "calls", CallsMarkdown());
}

}  // namespace cm::ruledoc
