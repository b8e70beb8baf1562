// The names in a call, and the use of each: from the rows of call_table.h.
#ifndef MODEL_VOCABULARY_CALL_NAMES_H_
#define MODEL_VOCABULARY_CALL_NAMES_H_

#include <type_traits>
#include <variant>

#include "model/vocabulary/call_table.h"

namespace cm {

template <typename T>
inline constexpr bool kIsName = false;
template <typename Tag>
inline constexpr bool kIsName<Ref<Tag>> = true;

// Calls visit(reference, info) for each name in the value of a field; names in elements of work
// requests are used.
template <typename Member, typename Visit>
void EachNameIn(const FieldInfo& info, Member& member, Visit& visit) {
  constexpr FieldInfo kRegion{.noun = "a region", .use = NameUse::kUses};
  using Value = std::remove_const_t<Member>;
  if constexpr (kIsName<Value>) {
    visit(member, info);
  } else if constexpr (std::is_same_v<Value, Sges>) {
    for (auto& sge : member) visit(sge.mr, kRegion);
  } else if constexpr (std::is_same_v<Value, RemotePlace>) {
    FieldInfo remote = kRegion;
    remote.remote = true;
    visit(member.mr, remote);
  }
}

// The same for a call, or for one of its alternatives; null pointers are left out.
template <typename OneCall, typename Visit>
void EachNameOf(OneCall& call, Visit visit) {
  ForEachField(kRow<std::remove_const_t<OneCall>>.fields, [&](const auto& field) {
    auto visit_valid = [&](auto& ref, const FieldInfo& info) {
      if (ref.valid()) visit(ref, info);
    };
    EachNameIn(field.info, call.*field.member, visit_valid);
  });
}
template <typename Visit>
void EachName(const Call& call, Visit visit) {
  std::visit([&](const auto& one) { EachNameOf(one, visit); }, call);
}
template <typename Visit>
void EachName(Call* call, Visit visit) {
  std::visit([&](auto& one) { EachNameOf(one, visit); }, *call);
}

}  // namespace cm

#endif  // MODEL_VOCABULARY_CALL_NAMES_H_
