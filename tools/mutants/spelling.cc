#include "tools/mutants/spelling.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SmallString.h"

namespace cm::mutant {

std::string QualifiedName(const clang::NamedDecl* named) {
  std::string name = named->getNameAsString();
  for (const clang::DeclContext* in = named->getDeclContext(); in != nullptr; in = in->getParent())
    if (const auto* outer = llvm::dyn_cast<clang::NamedDecl>(in))
      if (!outer->getName().empty()) name = outer->getNameAsString() + "::" + name;
  return "::" + name;
}

std::string FunctionName(const clang::FunctionDecl* function) {
  std::string name = function->getNameAsString();
  const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(function->getDeclContext());
  for (; record != nullptr; record = llvm::dyn_cast<clang::CXXRecordDecl>(record->getParent()))
    name = record->getNameAsString() + "::" + name;
  return name;
}

std::string NextNumber(std::string_view spelt, const llvm::APInt& value) {
  const size_t digits = spelt.find_last_not_of("uUlLzZ");
  const bool hexadecimal = spelt.starts_with("0x") || spelt.starts_with("0X");
  llvm::SmallString<32> text;
  (value.isAllOnes() ? value - 1 : value + 1).toString(text, hexadecimal ? 16 : 10, false);
  return (hexadecimal ? "0x" : "") + std::string(text.str()) +
         std::string(spelt.substr(digits + 1));
}

}  // namespace cm::mutant
