// Reading of whole files.
#ifndef MODEL_BASE_FILES_H_
#define MODEL_BASE_FILES_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cm {

// The bytes of a file. Empty when it cannot be read; a folder cannot.
std::optional<std::string> ReadFile(const std::filesystem::path& path);

inline constexpr std::string_view kNoSuchFile = "no such file";
// The reason why ReadFile returned nothing: kNoSuchFile, "it is a folder", "permission denied", or
// the system's message for another error.
std::string WhyNotRead(const std::filesystem::path& path);

// The files of a folder, without those of folders in it, with this extension (".jsonl"), sorted.
// None when the folder cannot be read.
std::vector<std::filesystem::path> FilesIn(const std::filesystem::path& folder,
                                           std::string_view extension);

}  // namespace cm

#endif  // MODEL_BASE_FILES_H_
