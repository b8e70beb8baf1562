#include "tools/rules/generated_files.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "model/base/files.h"

namespace cm::ruledoc {

bool GeneratedFiles::Write(const std::filesystem::path& path, const std::string& text) {
  if (ReadFile(path) == text) {
    ++unchanged_;
    return true;
  }
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (error || !out) {
    fmt::print(stderr, "cannot write {}\n", path.string());
    return false;
  }
  ++written_;
  fmt::print("wrote {}\n", path.string());
  return true;
}

std::string GeneratedFiles::Summary() const {
  return fmt::format("{} written, {} unchanged", written_, unchanged_);
}

}  // namespace cm::ruledoc
