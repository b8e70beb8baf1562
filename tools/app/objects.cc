#include "tools/app/objects.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace cm::app {
namespace {

template <typename T>
bool Read(std::ifstream* file, T* record) {
  file->read(reinterpret_cast<char*>(record), sizeof *record);
  return static_cast<bool>(*file);
}

}  // namespace

// Its header names no interpreter. source: man elf(5)
bool IsStatic(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  Elf64_Ehdr header{};
  if (!Read(&file, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  for (Elf64_Phdr& segment : segments)
    if (!Read(&file, &segment)) return false;
  return std::ranges::none_of(
      segments, [](const Elf64_Phdr& segment) { return segment.p_type == PT_INTERP; });
}

std::string Strangers::Sees(pid_t process) {
  std::error_code error;
  const std::string program =
      std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), error);
  if (error || !seen_.emplace(process, program).second) return {};
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  bool any = false;
  for (std::string line; std::getline(maps, line); any = true)
    if (line.find(object_) != std::string::npos) return {};
  return any ? program : "";
}

}  // namespace cm::app
