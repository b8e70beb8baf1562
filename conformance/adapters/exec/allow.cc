#include "conformance/adapters/exec/allow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "model/vocabulary/fault_kinds.h"

namespace cm {
namespace {

bool IsPlainPath(std::string_view path) {
  return path.starts_with('/') && std::ranges::all_of(path, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view("_.-/").find(c) != std::string_view::npos;
         });
}

bool IsOfAFault(Capability capability) {
  return std::ranges::find(kFaultKinds, capability, &FaultRow::needs) != kFaultKinds.end() &&
         capability != Capability::kExit;
}

std::variant<Allowed, std::string> ParseWord(std::string_view word) {
  const size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  Allowed one{.name = std::string(name), .gives = {}, .program = {}};
  if (equals != std::string_view::npos) {
    one.program = word.substr(equals + 1);
    if (!IsPlainPath(one.program))
      return fmt::format(
          "'{}': the absolute path of a program on the host is wanted behind =, of "
          "letters, digits and _ . - /",
          word);
  }
  const auto* const row = std::ranges::find(kAllowRows, name, &AllowRow::name);
  const std::optional<Capability> capability = ParseCapability(name);
  if (row != kAllowRows.end()) {
    one.gives = row->gives;
    if (name == "time" && !one.program.empty()) return "'time' needs no program";
  } else if (capability && IsOfAFault(*capability) && !one.program.empty()) {
    one.gives = {*capability};
  } else {
    std::vector<std::string_view> names;
    for (const AllowRow& known : kAllowRows) names.push_back(known.name);
    return fmt::format("'{}' is none of {}, or NAME=PROGRAM with the name of a capability", word,
                       fmt::join(names, ", "));
  }
  return one;
}

}  // namespace

std::variant<AllowList, std::string> ParseAllow(std::string_view text) {
  AllowList list;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    auto word = ParseWord(text.substr(begin, end - begin));
    if (auto* problem = std::get_if<std::string>(&word)) return std::move(*problem);
    auto& one = std::get<Allowed>(word);
    if (std::ranges::find(list, one.name, &Allowed::name) != list.end())
      return fmt::format("'{}' is there twice", one.name);
    list.push_back(std::move(one));
    begin = end + 1;
  }
  return list;
}

std::string ToText(const AllowList& list) {
  std::string text;
  for (const Allowed& one : list)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ",", one.name,
                        one.program.empty() ? "" : "=", one.program);
  return text;
}

Capabilities Given(const AllowList& list) {
  Capabilities all;
  for (const Allowed& one : list) all = all.With(one.gives);
  return all;
}

const Allowed* EntryFor(const AllowList& list, Capability needed) {
  const auto found =
      std::ranges::find_if(list, [&](const Allowed& one) { return one.gives.Has(needed); });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace cm
