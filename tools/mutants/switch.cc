#include "tools/mutants/switch.h"

#include <algorithm>

namespace cm::mutant {
namespace {

// Static storage comes to be in no certain order; the files are sorted when they are asked for.
std::vector<File*>& Registered() {
  static std::vector<File*> files;
  return files;
}

std::vector<File*> FilesInOrder() {
  std::vector<File*> files = Registered();
  std::ranges::stable_sort(files, {}, &File::name);
  return files;
}

}  // namespace

std::string_view ToString(Kind kind) {
  switch (kind) {
    case Kind::kCondition:
      return "condition";
    case Kind::kStatement:
      return "statement";
    case Kind::kConstant:
      return "constant";
    case Kind::kOffByOne:
      return "off-by-one";
    case Kind::kReturn:
      return "return";
  }
  return "?";
}

File::File(std::string_view name, std::span<const Row> rows) : name_(name), rows_(rows) {
  Registered().push_back(this);
}

std::vector<Mutant> Mutants() {
  std::vector<Mutant> mutants;
  for (const File* file : FilesInOrder())
    for (const Row& row : file->rows())
      mutants.push_back(
          {.number = static_cast<int>(mutants.size()) + 1, .file = file->name(), .row = &row});
  return mutants;
}

bool SwitchOn(int number) {
  int before = 0;  // mutants of the files that come first
  bool found = false;
  for (File* file : FilesInOrder()) {
    const int here = static_cast<int>(file->rows().size());
    const bool is_here = number > before && number <= before + here;
    file->Choose(is_here ? number - before : 0);
    found = found || is_here;
    before += here;
  }
  return found || number == 0;
}

bool Reached() { return std::ranges::any_of(Registered(), &File::reached); }

}  // namespace cm::mutant
