#include "model/base/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

std::string WhyNotRead(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return "it is a folder";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) {
    close(file);
    return "it could not be opened";
  }
  if (errno == ENOENT) return std::string(kNoSuchFile);
  if (errno == EACCES) return "permission denied";
  return std::generic_category().message(errno);
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
