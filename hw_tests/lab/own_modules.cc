#include "hw_tests/lab/own_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "model/base/files.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "070701";
constexpr std::string_view kLast = "TRAILER!!!";
constexpr size_t kHeader = 110;  // bytes: the magic and 13 numbers of 8 digits
constexpr size_t kSizeAt = 54;   // of the file
constexpr size_t kNameSizeAt = 94;
constexpr size_t kAlignment = 4;

size_t Aligned(size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

std::optional<size_t> NumberAt(std::string_view bytes, size_t at) {
  uint32_t number = 0;
  const char* const begin = bytes.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + 8, number, 16);
  if (error != std::errc() || end != begin + 8) return std::nullopt;
  return number;
}

void Append(std::string* archive, std::string_view path, std::string_view bytes, uint32_t mode,
            uint32_t number) {
  *archive += fmt::format(
      "{}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}"
      "{:08x}{:08x}",
      kMagic, number, mode, 0, 0, 1, 0, bytes.size(), 0, 0, 0, 0, path.size() + 1, 0);
  *archive += path;
  *archive += '\0';
  archive->resize(Aligned(archive->size()));
  *archive += bytes;
  archive->resize(Aligned(archive->size()));
}

// ib-cm.ko and ib_cm.ko are one module.
std::string ModuleOf(const fs::path& file) {
  std::string name = file.filename().string();
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace

std::optional<std::vector<std::string>> FilesOfArchive(std::string_view bytes) {
  std::vector<std::string> names;
  for (size_t at = 0;;) {
    if (bytes.size() < at + kHeader || bytes.substr(at, kMagic.size()) != kMagic)
      return std::nullopt;
    const std::optional<size_t> size = NumberAt(bytes, at + kSizeAt);
    const std::optional<size_t> name_size = NumberAt(bytes, at + kNameSizeAt);
    if (!size || !name_size || *name_size == 0 || at + kHeader + *name_size > bytes.size())
      return std::nullopt;
    const std::string_view name = bytes.substr(at + kHeader, *name_size - 1);
    if (name == kLast) return names;
    names.emplace_back(name);
    at = Aligned(at + kHeader + *name_size);
    at = Aligned(at + *size);
  }
}

std::string ArchiveOf(const std::vector<ArchiveFile>& files) {
  std::string archive;
  uint32_t number = 1;
  for (const ArchiveFile& file : files)
    Append(&archive, file.path, file.bytes, file.mode, number++);
  Append(&archive, kLast, "", 0, 0);
  return archive;
}

Outcome<Image> WithFiles(const Image& image, const std::string& root,
                         const std::vector<ArchiveFile>& files, const fs::path& folder) {
  std::error_code error;
  // Not the snapshots beside them, which are of guests with the modules that were.
  for (const char* name : {"vmlinux", "release", "versions"})
    if (!error) fs::create_symlink(fs::absolute(image.folder() / name), folder / name, error);
  if (error) return Problem{fmt::format("{}: {}", folder.string(), error.message())};
  std::ofstream out(folder / image.root().filename(), std::ios::binary);
  out << root << std::string(Aligned(root.size()) - root.size(), '\0') << ArchiveOf(files);
  out.close();
  if (!out) return Problem{fmt::format("{}: cannot be written", folder.string())};
  return Image::Open(folder);
}

Outcome<Image> WithModules(const Image& image, const std::vector<fs::path>& modules,
                           const fs::path& folder) {
  const std::optional<std::string> root = cm::ReadFile(image.root());
  const auto names = FilesOfArchive(root ? *root : std::string());
  if (!names) return Problem{image.root().string() + ": is no archive of a root file system"};
  std::vector<ArchiveFile> replaced;
  for (const fs::path& module : modules) {
    const std::optional<std::string> bytes = cm::ReadFile(module);
    if (!bytes) return Problem{module.string() + ": cannot be read"};
    if (!bytes->starts_with("\x7f"
                            "ELF"))
      return Problem{module.string() + ": is no kernel module, which is an ELF file (.ko)"};
    const auto of_guest = std::ranges::find_if(*names, [&](const std::string& name) {
      return name.find("lib/modules/") != name.npos && ModuleOf(name) == ModuleOf(module);
    });
    if (of_guest == names->end())
      return Problem{fmt::format("{}: the guest of Linux {} loads no module of this name",
                                 module.string(), image.kernel_release())};
    replaced.push_back({*of_guest, *bytes});
  }
  return WithFiles(image, *root, replaced, folder);
}

}  // namespace lab
