// The line of a tester's message: the fields that differ from Linux.
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <type_traits>

#include "model/conversation/call_reader.h"
#include "model/conversation/fault_text.h"
#include "model/conversation/line_parser.h"
#include "model/conversation/print.h"
#include "model/vocabulary/private_data_text.h"

namespace cm {
namespace {

bool IsWrittenInHex(std::string_view key) {
  return key == "p_key" || key == "qkey" || key == "attribute";
}

// Exponents of times have 5 bits in a message.
bool IsExponent(std::string_view key) {
  return key == "response" || key == "ack_timeout" || key == "ack_delay" || key == "timeout";
}

std::string TextOf(const TesterNumber& number, const Names& names) {
  return number.of.valid() ? names.ids.NameOf(number.of) : std::to_string(number.plain);
}

// "12" or "0x1b"; empty for anything else, and for more than `high`.
std::optional<uint32_t> NumberIn(std::string_view text, uint32_t high) {
  const bool hex = text.starts_with("0x");
  const std::string_view digits = hex ? text.substr(2) : text;
  uint32_t number = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, number, hex ? 16 : 10);
  if (error != std::errc() || end != last || number > high) return std::nullopt;
  return number;
}

// The fields of the message that are numbers.
template <typename T>
constexpr uint32_t HighestOf() {
  if constexpr (std::is_enum_v<T>)
    return std::numeric_limits<std::underlying_type_t<T>>::max();
  else
    return std::numeric_limits<T>::max();
}

void TakeValue(std::string_view key, Words& words, bool* flag) { *flag = words.TakeFlag(key); }

template <typename Number>
void TakeValue(std::string_view key, Words& words, Number* number) {
  const auto text = words.Take(key);
  if (!text) return;
  const uint32_t highest = IsExponent(key) ? 31 : HighestOf<Number>();
  const std::optional<uint32_t> read = NumberIn(*text, highest);
  if (!read) words.Complain(fmt::format("{}={}: a number up to {} is wanted", key, *text, highest));
  *number = static_cast<Number>(read.value_or(0));
}

TesterNumber TesterNumberFrom(std::string_view text, const Names& names, Words& words) {
  if (const std::optional<uint32_t> plain = NumberIn(text, 0xffffffff)) return {.plain = *plain};
  const std::optional<IdRef> id = names.ids.Find(text);
  if (!id) words.Complain(fmt::format("\"{}\" is neither a number nor an id", text));
  return {.of = id.value_or(IdRef{})};
}

}  // namespace

std::string ToString(const TesterMad& mad, const Conversation& conversation) {
  const Names& names = conversation.names;
  TesterMad plain;
  std::string text =
      fmt::format("{} to={}", ToString(mad.kind), conversation.topology->sides[mad.to].name);
  if (mad.local != plain.local) text += " local=" + TextOf(mad.local, names);
  if (mad.remote != plain.remote) text += " remote=" + TextOf(mad.remote, names);
  if (mad.qp != plain.qp) text += " qp=" + TextOf(mad.qp, names);
  if (mad.space != PortSpace::kTcp) text += " ps=" + ToString(mad.space);
  if (mad.about != plain.about) text += fmt::format(" of={}", ToString(mad.about));
  std::vector<uint32_t> usual;
  EachField(plain, [&](std::string_view, auto n) { usual.push_back(static_cast<uint32_t>(n)); });
  size_t at = 0;
  EachField(mad, [&](std::string_view key, auto value) {
    const auto number = static_cast<uint32_t>(value);
    if (number == usual[at++]) return;
    text += fmt::format(" {}", key);
    if constexpr (!std::is_same_v<decltype(value), bool>)
      text += IsWrittenInHex(key) ? fmt::format("={:#06x}", number) : fmt::format("={}", number);
  });
  if (!mad.data.empty()) text += " private=" + ToText(mad.data);
  return text;
}

void LineParser::ParseSends(uint8_t side, Words& words) {
  const std::string_view name = words.Next("a message");
  const std::optional<MadKind> kind = ParseMadKind(name);
  if (!kind) words.Complain(fmt::format("\"{}\" is not a message", name));
  TesterMad mad{.kind = kind.value_or(MadKind::kReq),
                .to = SideFrom(words.Need("to"), *conversation_->topology, words)};
  const Names& names = conversation_->names;
  if (const auto text = words.Take("local")) mad.local = TesterNumberFrom(*text, names, words);
  if (const auto text = words.Take("remote")) mad.remote = TesterNumberFrom(*text, names, words);
  if (const auto text = words.Take("qp")) mad.qp = TesterNumberFrom(*text, names, words);
  mad.space = CallReader(conversation_, &words).Space();
  if (const auto text = words.Take("of")) {
    const std::optional<About> about = ParseAbout(*text);
    if (!about || static_cast<int>(*about) >= kAboutCount)
      words.Complain(fmt::format("of={}: REQ, REP or other is wanted", *text));
    mad.about = about.value_or(About::kReq);
  }
  EachField(mad, [&words](std::string_view key, auto& value) { TakeValue(key, words, &value); });
  mad.data = CallReader(conversation_, &words).Private();
  if (words.ok()) conversation_->lines.push_back(line::Sends{side, std::move(mad)});
}

}  // namespace cm
