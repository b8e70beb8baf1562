// The folder of built artifacts, and their names.
//
// 1. A name contains a key over all inputs of the artifact; a changed input gives another name,
//    never an old artifact.
// 2. Artifacts appear under their names complete: they are built beside and renamed, or linked, at
//    the end. A FolderLock excludes concurrent builders and is released when its process ends.
#ifndef HW_TESTS_LAB_CACHE_H_
#define HW_TESTS_LAB_CACHE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/process/process.h"
#include "hw_tests/lab/problem.h"

namespace lab {

// RDMA_CM_LAB_CACHE, or rdma_cm_sim/lab in XDG_CACHE_HOME or in ~/.cache.
Outcome<std::filesystem::path> DefaultCache();
Outcome<std::filesystem::path> DefaultCacheFrom(
    const std::function<const char*(const char*)>& variable);

// Sixteen hexadecimal digits: a hash of the added parts, in their order.
class CacheKey {
 public:
  CacheKey& Add(std::string_view part);
  std::string Digits() const;

 private:
  uint64_t state_ = 0;
};

// Identity of an installed program: path, size and modification time, so that a replaced program is
// detected without running it.
std::string InstalledIdentity(const std::string& program);

// Empty, or a Problem that says how much is free and how much is needed.
std::optional<Problem> CheckFreeSpace(const std::filesystem::path& folder, uint64_t needed_bytes);

class FolderLock {
 public:
  // Waits for another holder to release the lock, or until `cancelled`, asked ten times a second;
  // calls `waiting` once if it has to.
  static Outcome<FolderLock> Take(const std::filesystem::path& folder,
                                  const std::function<void()>& waiting,
                                  const std::function<bool()>& cancelled);

 private:
  explicit FolderLock(cm::Descriptor folder) : folder_(std::move(folder)) {}

  cm::Descriptor folder_;
};

// An unfinished file: without a name where the file system supports that, so that nothing is left
// of it when the process is killed.
class NewFile {
 public:
  static Outcome<NewFile> In(const std::filesystem::path& folder);

  NewFile(NewFile&&) = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  int get() const { return file_.get(); }

  // Links the file to its name. An existing file stays, and is equivalent.
  std::optional<Problem> Keep(const std::filesystem::path& path);

 private:
  NewFile(cm::Descriptor file, std::filesystem::path name)
      : file_(std::move(file)), name_(std::move(name)) {}

  cm::Descriptor file_;
  std::filesystem::path name_;  // empty while it has none
};

}  // namespace lab

#endif  // HW_TESTS_LAB_CACHE_H_
