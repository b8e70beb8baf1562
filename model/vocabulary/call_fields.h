// The fields of a call one by one, by the rows of call_table.h: code that reads, prints or hashes
// calls is compiled once for each type of a field, and not for each field of each call.
#ifndef MODEL_VOCABULARY_CALL_FIELDS_H_
#define MODEL_VOCABULARY_CALL_FIELDS_H_

#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

#include "model/vocabulary/call.h"
#include "model/vocabulary/field.h"

namespace cm {

// The call with the default of each field.
const Call& PlainCall(CallKind kind);

namespace internal {

template <typename... Types>
using PointerTo = std::variant<Types*...>;
using FieldValue =
    PointerTo<IdRef, ChannelRef, EventRef, HeldRef, MrRef, bool, uint8_t, uint16_t, uint32_t,
              int32_t, uint64_t, std::optional<uint16_t>, Address, PortSpace,
              std::optional<PortSpace>, std::optional<QpType>, IdOption, PrivateData, EceOptions,
              std::optional<ConnParam>, std::optional<AddrHints>, Sges, RemotePlace>;

// `plain` points to the field's default, which has the type of the value.
struct FieldVisitor {
  void* context;
  void (*visit)(void* context, const FieldInfo& info, FieldValue value, const void* plain);
};
void VisitFields(Call* call, FieldVisitor visitor);
void VisitFields(ConnParam* param, FieldVisitor visitor);
void VisitFields(AddrHints* hints, FieldVisitor visitor);
void VisitFields(EceOptions* ece, FieldVisitor visitor);

}  // namespace internal

// Calls visit(info, value, plain) for each field of a call, or of a structure in one, in the order
// of its row. The value is a reference, to a constant if the owner is one; `plain` is the default.
template <typename Owner, typename Visit>
void EachFieldOf(Owner* owner, Visit visit) {
  const auto visit_one = [](void* context, const FieldInfo& info, internal::FieldValue value,
                            const void* plain) {
    std::visit(
        [&]<typename Type>(Type* one) {
          using Value = std::conditional_t<std::is_const_v<Owner>, const Type, Type>;
          (*static_cast<Visit*>(context))(info, static_cast<Value&>(*one),
                                          *static_cast<const Type*>(plain));
        },
        value);
  };
  // What is constant is passed on as constant.
  internal::VisitFields(const_cast<std::remove_const_t<Owner>*>(owner), {&visit, visit_one});
}

}  // namespace cm

#endif  // MODEL_VOCABULARY_CALL_FIELDS_H_
