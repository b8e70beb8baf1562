// The names in a call, and the use of each: from the rows of call_table.h.
#ifndef MODEL_VOCABULARY_CALL_NAMES_H_
#define MODEL_VOCABULARY_CALL_NAMES_H_

#include <variant>

#include "model/vocabulary/call.h"
#include "model/vocabulary/field.h"

namespace cm {

template <typename T>
inline constexpr bool kIsName = false;
template <typename Tag>
inline constexpr bool kIsName<Ref<Tag>> = true;

// One name in a call.
using NameIn = std::variant<ChannelRef*, IdRef*, EventRef*, HeldRef*, MrRef*>;
using ConstNameIn =
    std::variant<const ChannelRef*, const IdRef*, const EventRef*, const HeldRef*, const MrRef*>;

// What is called with each, without a copy of all rows for each caller.
template <typename Name>
struct NameVisitor {
  void* context;
  void (*visit)(void* context, Name name, const FieldInfo& info);
};
void VisitNames(Call* call, NameVisitor<NameIn> visitor);
void VisitNames(const Call& call, NameVisitor<ConstNameIn> visitor);

template <typename Name, typename Visit>
NameVisitor<Name> NameVisitorOf(Visit& visit) {
  return {&visit, [](void* context, Name name, const FieldInfo& info) {
            std::visit([&](auto* ref) { (*static_cast<Visit*>(context))(*ref, info); }, name);
          }};
}

// Calls visit(reference, info) for each name in the call; names in elements of work requests are
// used, and null pointers are left out.
template <typename Visit>
void EachName(const Call& call, Visit visit) {
  VisitNames(call, NameVisitorOf<ConstNameIn>(visit));
}
template <typename Visit>
void EachName(Call* call, Visit visit) {
  VisitNames(call, NameVisitorOf<NameIn>(visit));
}

}  // namespace cm

#endif  // MODEL_VOCABULARY_CALL_NAMES_H_
