#include "model/vocabulary/call_table.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

#include "model/vocabulary/call.h"

namespace cm {
namespace {

// The linkages of CM_CALLS.
enum class Linkage : uint8_t { kRequired, kOptional, kInline, kOwn };

constexpr CallTraits WithName(CallTraits traits, std::string_view name, uint8_t number,
                              Linkage linkage) {
  traits.name = name == "show_event" ? "show-event" : name;
  traits.number = number;
  traits.function = linkage != Linkage::kOwn;
  return traits;
}

// The first field of the call whose type is Member; an empty one where there is none.
template <typename Member>
Member First(const Call& call) {
  return std::visit(
      [](const auto& c) {
        Member found;
        bool is_found = false;
        ForEachField(kRow<std::decay_t<decltype(c)>>.fields, [&](const auto& field) {
          if constexpr (std::is_same_v<std::decay_t<decltype(c.*field.member)>, Member>) {
            if (!is_found) found = c.*field.member;
            is_found = true;
          }
        });
        return found;
      },
      call);
}

}  // namespace

constexpr std::array<CallTraits, kCallKindCount> internal::kCallTraits = {
#define CM_TRAITS(number, type, function, linkage) \
  WithName(kRow<call::type>.traits, #function, number, Linkage::k##linkage),
    CM_CALLS(CM_TRAITS)
#undef CM_TRAITS
};

static_assert([] {
  for (size_t a = 0; a < internal::kCallTraits.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (internal::kCallTraits[a].number == internal::kCallTraits[b].number) return false;
  return true;
}());

std::optional<CallKind> ParseFunctionName(std::string_view name) {
  const auto& all = internal::kCallTraits;
  const auto row = std::ranges::find(all, name, &CallTraits::name);
  if (row == all.end()) return std::nullopt;
  return static_cast<CallKind>(row - all.begin());
}

IdRef IdOf(const Call& call) {
  return std::visit(
      [](const auto& c) {
        if constexpr (requires { c.id; })
          return c.id;
        else
          return IdRef{};
      },
      call);
}

ChannelRef ChannelOf(const Call& call) { return First<ChannelRef>(call); }
HeldRef HeldOf(const Call& call) { return First<HeldRef>(call); }
MrRef RegionOf(const Call& call) { return First<MrRef>(call); }

const call::Work* WorkOf(const Call& call) {
  return std::visit(
      [](const auto& c) -> const call::Work* {
        if constexpr (std::is_base_of_v<call::Work, std::decay_t<decltype(c)>>)
          return &c;
        else
          return nullptr;
      },
      call);
}

std::optional<call::CreateQp> QpAskedBy(const Call& call) {
  if (const auto* create = std::get_if<call::CreateQp>(&call)) return *create;
  if (const auto* create = std::get_if<call::CreateQpEx>(&call))
    return call::CreateQp{create->id, create->type};
  return std::nullopt;
}

bool RegistersRegion(CallKind kind) {
  return kind == CallKind::kRegMsgs || kind == CallKind::kRegRead || kind == CallKind::kRegWrite;
}

}  // namespace cm
