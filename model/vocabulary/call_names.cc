#include "model/vocabulary/call_names.h"

#include <type_traits>

#include "model/vocabulary/call_table.h"

namespace cm {
namespace {

constexpr FieldInfo kRegion{.noun = "a region", .use = NameUse::kUses};
constexpr FieldInfo kRemoteRegion{.noun = "a region", .use = NameUse::kUses, .remote = true};

// In the value of a field.
template <typename Name, typename Member>
void VisitIn(const FieldInfo& info, Member& member, NameVisitor<Name> visitor) {
  const auto visit = [&](auto& ref, const FieldInfo& of) {
    if (ref.valid()) visitor.visit(visitor.context, &ref, of);
  };
  using Value = std::remove_const_t<Member>;
  if constexpr (kIsName<Value>) {
    visit(member, info);
  } else if constexpr (std::is_same_v<Value, Sges>) {
    for (auto& sge : member) visit(sge.mr, kRegion);
  } else if constexpr (std::is_same_v<Value, RemotePlace>) {
    visit(member.mr, kRemoteRegion);
  }
}

template <typename Name, typename OneCall>
void VisitAll(OneCall& call, NameVisitor<Name> visitor) {
  ForEachField(kRow<std::remove_const_t<OneCall>>.fields,
               [&](const auto& field) { VisitIn(field.info, call.*field.member, visitor); });
}

}  // namespace

void VisitNames(Call* call, NameVisitor<NameIn> visitor) {
  std::visit([&](auto& one) { VisitAll(one, visitor); }, *call);
}

void VisitNames(const Call& call, NameVisitor<ConstNameIn> visitor) {
  std::visit([&](const auto& one) { VisitAll(one, visitor); }, call);
}

}  // namespace cm
