// The addresses in a call: from the rows of call_table.h.
#ifndef MODEL_VOCABULARY_CALL_ADDRESSES_H_
#define MODEL_VOCABULARY_CALL_ADDRESSES_H_

#include <optional>
#include <type_traits>

#include "model/vocabulary/call_fields.h"

namespace cm {

// Calls visit(address) for each address of the call, those of hints included; also for kNone.
template <typename AnyCall, typename Visit>
void EachAddress(AnyCall& call, Visit visit) {
  EachFieldOf(&call, [&](const FieldInfo&, auto& value, const auto& /*plain*/) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, Address>) {
      visit(value);
    } else if constexpr (std::is_same_v<Value, std::optional<AddrHints>>) {
      if (!value) return;
      visit(value->source);
      visit(value->destination);
    }
  });
}

}  // namespace cm

#endif  // MODEL_VOCABULARY_CALL_ADDRESSES_H_
