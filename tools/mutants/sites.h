// Places of a source that are mutated, and the text of the mutated copy.
#ifndef TOOLS_MUTANTS_SITES_H_
#define TOOLS_MUTANTS_SITES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/mutants/switch.h"

namespace cm::mutant {

// How the text of a place is changed.
enum class Form : uint8_t {
  kNegate,   // an expression that is read as a bool
  kDelete,   // a statement, with its semicolon
  kSwap,     // an expression; `other` is the one that takes its place
  kCompare,  // a comparison of two expressions; `other` is its function in class File
  kInsert,   // before `begin`; `other` is the statement
};

// One mutant: its text is [begin, end) of the source, in bytes. The texts of two sites are apart
// from each other, or one of them holds the other.
struct Site {
  Kind kind = Kind::kCondition;
  Form form = Form::kNegate;
  size_t begin = 0;
  size_t end = 0;
  size_t operator_begin = 0;  // of kCompare: where its operator is
  size_t operator_end = 0;
  std::string other;
  std::string function;  // that it is in
  std::string before;    // what the list of mutants says of it
  std::string after;
};

// Sorts the sites by their place. A site that has the kind, the text and the change of another one
// is dropped.
void SortSites(std::vector<Site>* sites);

// The mutated copy of the source that is called `name`: site i is the mutant of number i + 1. The
// sites are as SortSites leaves them. Messages of a compiler and __LINE__ name the lines of the
// source.
std::string MutatedText(std::string_view name, std::string_view source,
                        const std::vector<Site>& sites);

// On one line, with one space where there was space.
std::string OnOneLine(std::string_view text);

}  // namespace cm::mutant

#endif  // TOOLS_MUTANTS_SITES_H_
