#include "model/vocabulary/call_fields.h"

#include <array>

#include "model/vocabulary/call_table.h"

namespace cm {
namespace {

template <typename Owner, typename Row>
void VisitRow(Owner* owner, const Row& row, internal::FieldVisitor visitor) {
  [[maybe_unused]] static const Owner plain{};
  ForEachField(row, [&](const auto& field) {
    visitor.visit(visitor.context, field.info, &(owner->*field.member), &(plain.*field.member));
  });
}

}  // namespace

const Call& PlainCall(CallKind kind) {
#define CM_PLAIN(number, type, function, linkage) call::type{},
  static const std::array<Call, kCallKindCount> plain = {CM_CALLS(CM_PLAIN)};
#undef CM_PLAIN
  return plain[static_cast<size_t>(kind)];
}

void internal::VisitFields(Call* call, FieldVisitor visitor) {
  std::visit([&]<typename One>(One& one) { VisitRow(&one, kRow<One>.fields, visitor); }, *call);
}
void internal::VisitFields(ConnParam* param, FieldVisitor visitor) {
  VisitRow(param, kFields<ConnParam>, visitor);
}
void internal::VisitFields(AddrHints* hints, FieldVisitor visitor) {
  VisitRow(hints, kFields<AddrHints>, visitor);
}
void internal::VisitFields(EceOptions* ece, FieldVisitor visitor) {
  VisitRow(ece, kFields<EceOptions>, visitor);
}

}  // namespace cm
