// Names and numbers as the text of a mutant spells them.
#ifndef TOOLS_MUTANTS_SPELLING_H_
#define TOOLS_MUTANTS_SPELLING_H_

#include <string>
#include <string_view>

#include "clang/AST/Decl.h"
#include "llvm/ADT/APInt.h"

namespace cm::mutant {

// A name that is found from everywhere in its file.
std::string QualifiedName(const clang::NamedDecl* named);
// Class and function, without namespaces.
std::string FunctionName(const clang::FunctionDecl* function);
// The number as the source writes it, one larger; one smaller where none is larger.
std::string NextNumber(std::string_view spelt, const llvm::APInt& value);

}  // namespace cm::mutant

#endif  // TOOLS_MUTANTS_SPELLING_H_
