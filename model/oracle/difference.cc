#include "model/oracle/difference.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/vocabulary/private_data.h"
#include "model/vocabulary/private_data_text.h"

namespace cm::model {
namespace {

struct Field {
  std::string name;
  std::string value;
};

// A printed observation: what comes before its first field, and the fields.
struct Printed {
  std::string head;
  std::vector<Field> fields;
};

// The end of a word; a word may contain spaces between quotes.
size_t EndOfWord(std::string_view text, size_t from) {
  bool quoted = false;
  for (; from < text.size() && (quoted || text[from] != ' '); ++from) {
    if (text[from] == '\\' && quoted)
      ++from;
    else if (text[from] == '"')
      quoted = !quoted;
  }
  return std::min(from, text.size());
}

Printed Read(std::string_view text) {
  constexpr std::string_view kLater = "returned ";  // a call that has waited
  if (text.starts_with(kLater)) text.remove_prefix(kLater.size());
  Printed printed;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = EndOfWord(text, begin);
    const std::string_view word = text.substr(begin, end - begin);
    const size_t equals = word.find('=');
    if (equals != std::string_view::npos && equals > 0)
      printed.fields.push_back(
          {std::string(word.substr(0, equals)), std::string(word.substr(equals + 1))});
    else
      printed.head += (printed.head.empty() ? "" : " ") + std::string(word);
    begin = end + 1;
  }
  return printed;
}

std::string ValueOf(const Printed& printed, std::string_view name) {
  const auto found = std::ranges::find(printed.fields, name, &Field::name);
  return found == printed.fields.end() ? std::string() : found->value;
}

// Fields of either whose values differ. A field that is not printed has no value.
std::vector<Difference> FieldsThatDiffer(const Printed& saw, const Printed& permitted) {
  std::vector<Difference> all;
  for (const auto* of : {&saw, &permitted})
    for (const Field& field : of->fields) {
      const std::string a = ValueOf(saw, field.name);
      const std::string b = ValueOf(permitted, field.name);
      if (a != b && std::ranges::find(all, field.name, &Difference::field) == all.end())
        all.push_back({.field = field.name, .saw = a, .permitted = b, .rule = {}});
    }
  return all;
}

// The length of private data where that differs.
void PreferLength(Difference* difference) {
  if (difference->field != "private") return;
  const auto size_of = [](const std::string& text) {
    const std::optional<PrivateData> data = ParsePrivateData(text);
    return text.empty() || !data ? size_t{0} : data->bytes().size();
  };
  const size_t saw = size_of(difference->saw);
  const size_t permitted = size_of(difference->permitted);
  if (saw == permitted) {
    difference->field = "private_data";
    return;
  }
  *difference = {.field = "private_data_len",
                 .saw = std::to_string(saw),
                 .permitted = std::to_string(permitted),
                 .rule = std::move(difference->rule)};
}

// Of two heads.
Difference HeadsOf(const Printed& saw, const Printed& permitted) {
  const bool event = saw.head.starts_with("RDMA_CM_EVENT_");
  return {.field = event ? "event" : "answer",
          .saw = saw.head,
          .permitted = permitted.head,
          .rule = {}};
}

}  // namespace

Difference DifferenceOf(const Verdict& refused) {
  const Printed saw = Read(refused.saw);
  if (refused.permitted.empty()) return HeadsOf(saw, Read("nothing"));
  std::optional<Difference> nearest;
  size_t fewest = 0;
  for (const Permitted& one : refused.permitted) {
    const Printed permitted = Read(one.what);
    const bool same_head = saw.head == permitted.head;
    const std::vector<Difference> fields = FieldsThatDiffer(saw, permitted);
    constexpr size_t kOfHeads = 100;  // more than there are fields
    const size_t distance = same_head ? fields.size() : kOfHeads;
    if (nearest && distance >= fewest) continue;
    fewest = distance;
    nearest = same_head ? fields.empty() ? Difference{} : fields.front() : HeadsOf(saw, permitted);
    nearest->rule = one.rule;
  }
  PreferLength(&*nearest);
  for (std::string* value : {&nearest->saw, &nearest->permitted})
    if (value->empty()) *value = "none";
  return *std::move(nearest);
}

}  // namespace cm::model
