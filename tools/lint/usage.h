// The use of a word, judged by its neighbours.
#ifndef TOOLS_LINT_USAGE_H_
#define TOOLS_LINT_USAGE_H_

#include <span>

#include "tools/lint/source.h"

namespace lint {

using Tokens = std::span<const Token>;

// The token at `at` plus `offset`; an empty one out of range.
const Token& Neighbour(Tokens tokens, size_t at, int offset);

// A call of a function of the C or C++ library: `time(0)`, `::time(0)`, `std::time(0)`; not a
// member's `x.time(0)`, not a declaration `Instant time(0)`, not another scope's `a::time(0)`.
bool IsCallOfFree(Tokens tokens, size_t at);

// A call of a member: `x.Below(2)`, `x->Below(2)`.
bool IsCallOfMember(Tokens tokens, size_t at);

// Qualified by std or by a namespace in it: `std::sort`, `std::ranges::sort`, `ranges::sort`.
bool IsOfStd(Tokens tokens, size_t at);

// The index of the bracket that closes the one at `open`, counting "(", "[" and "{" alike; the
// number of tokens when none does.
size_t Closing(Tokens tokens, size_t open);

}  // namespace lint

#endif  // TOOLS_LINT_USAGE_H_
