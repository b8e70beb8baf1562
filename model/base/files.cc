#include "model/base/files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace cm {

namespace fs = std::filesystem;

std::optional<std::string> ReadFile(const fs::path& path) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path, ignored)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<fs::path> FilesIn(const fs::path& folder, std::string_view extension) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == extension) paths.push_back(entry.path());
  std::ranges::sort(paths);  // lint: keys are unique
  return paths;
}

}  // namespace cm
