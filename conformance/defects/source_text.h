// C++ text for the weaver: by tokens, without a parser.
#ifndef CONFORMANCE_DEFECTS_SOURCE_TEXT_H_
#define CONFORMANCE_DEFECTS_SOURCE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cm::defects {

// The text with a space in place of every character of a comment or a literal, line ends excepted.
// Positions in the result are positions in `text`.
std::string CodeOnly(std::string_view text);

// The text between the braces: from after the opening one to the closing one.
struct Body {
  size_t begin = 0;
  size_t end = 0;
};

// The bodies of every function of that name, which is written as in the function's definition:
// `IbCm::Notify`; `struct CmId` and `class Library` find the members. `code` is the result of
// CodeOnly. Constructors with a list of initialisers are not found.
std::vector<Body> BodiesOf(std::string_view code, std::string_view name);

// Position of the word in `code`, from `from` on; npos when it does not occur.
size_t FindWord(std::string_view code, std::string_view word, size_t from);

}  // namespace cm::defects

#endif  // CONFORMANCE_DEFECTS_SOURCE_TEXT_H_
