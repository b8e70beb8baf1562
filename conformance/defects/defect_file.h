// A defect as its file describes it; README.md has the grammar.
#ifndef CONFORMANCE_DEFECTS_DEFECT_FILE_H_
#define CONFORMANCE_DEFECTS_DEFECT_FILE_H_

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cm::defects {

struct PatchLine {
  char sign = ' ';  // ' ' context, '-' removed, '+' added
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
  std::string source;   // source of the right behaviour
  std::string profile;  // one that shows the defect; empty: all profiles do
  std::string needs;    // the capability, or the transport, that makes a profile show it
  std::vector<Hunk> hunks;
};

// The defect, or the error in one line that begins with `name`.
std::variant<DefectFile, std::string> ReadDefect(std::string_view name, std::string_view text);

}  // namespace cm::defects

#endif  // CONFORMANCE_DEFECTS_DEFECT_FILE_H_
