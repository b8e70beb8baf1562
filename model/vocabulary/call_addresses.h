// The addresses in a call: from the rows of call_table.h.
#ifndef MODEL_VOCABULARY_CALL_ADDRESSES_H_
#define MODEL_VOCABULARY_CALL_ADDRESSES_H_

#include <optional>
#include <type_traits>
#include <variant>

#include "model/vocabulary/call_table.h"

namespace cm {

// Calls visit(address) for each address of the call, those of hints included; also for kNone.
template <typename AnyCall, typename Visit>
void EachAddress(AnyCall& call, Visit visit) {
  const auto visit_each = [&](auto& one) {
    ForEachField(kRow<std::remove_cvref_t<decltype(one)>>.fields, [&](const auto& field) {
      auto& member = one.*field.member;
      using Member = std::remove_cvref_t<decltype(member)>;
      if constexpr (std::is_same_v<Member, Address>) {
        visit(member);
      } else if constexpr (std::is_same_v<Member, std::optional<AddrHints>>) {
        if (!member) return;
        visit(member->source);
        visit(member->destination);
      }
    });
  };
  std::visit(visit_each, call);
}

}  // namespace cm

#endif  // MODEL_VOCABULARY_CALL_ADDRESSES_H_
