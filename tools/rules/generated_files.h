// Writing of generated files.
#ifndef TOOLS_RULES_GENERATED_FILES_H_
#define TOOLS_RULES_GENERATED_FILES_H_

#include <filesystem>
#include <string>

namespace cm::ruledoc {

// Writes files that have changed, prints their names, and counts them and the others.
class GeneratedFiles {
 public:
  // Writes `text` unless it is the file's content already. False when that fails, which is printed.
  bool Write(const std::filesystem::path& path, const std::string& text);
  // "2 written, 11 unchanged".
  std::string Summary() const;

 private:
  int written_ = 0;
  int unchanged_ = 0;
};

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_GENERATED_FILES_H_
