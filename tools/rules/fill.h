// Writes `observed` into the rows of a table's source text.
#ifndef TOOLS_RULES_FILL_H_
#define TOOLS_RULES_FILL_H_

#include <functional>
#include <string>
#include <string_view>

namespace cm::ruledoc {

// The text with the last string of each row replaced by the value of `observed` for the row's id. A
// row is a line that begins with {"ID", and ends with "..."}},.
std::string Filled(std::string_view text,
                   const std::function<std::string(std::string_view id)>& observed);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_FILL_H_
