// A defect as its file describes it; README.md has the grammar.
#ifndef CONFORMANCE_DEFECTS_DEFECT_FILE_H_
#define CONFORMANCE_DEFECTS_DEFECT_FILE_H_

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cm::defects {

struct PatchLine {
  char sign = ' ';  // ' ' stays, '-' goes, '+' comes
  std::string text;
};

// Consecutive lines of one body.
struct Hunk {
  std::string file;
  std::string function;
  std::vector<PatchLine> lines;
};

struct DefectFile {
  std::string name;
  std::string sentence;
  std::string source;   // where the right behaviour is written
  std::string profile;  // one that shows the defect; empty: every profile does
  std::string needs;    // the capability, or the transport, that makes a profile show it
  std::vector<Hunk> hunks;
};

// Or what is wrong with the text, in one line that begins with `name`.
std::variant<DefectFile, std::string> ReadDefect(std::string_view name, std::string_view text);

}  // namespace cm::defects

#endif  // CONFORMANCE_DEFECTS_DEFECT_FILE_H_
