// Where built things are kept, and under which names.
//
// 1. A name holds a key over everything that went into the thing; a changed input gives another
//    name, never an old thing.
// 2. Things appear under their names whole: they are made beside and renamed, or linked, at the
//    end. A FolderLock keeps two makers apart and ends with its process.
#ifndef HW_TESTS_LAB_CACHE_H_
#define HW_TESTS_LAB_CACHE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hw_tests/lab/problem.h"
#include "hw_tests/lab/process.h"

namespace lab {

// RDMA_CM_LAB_CACHE, or rdma_cm_sim/lab in XDG_CACHE_HOME or in ~/.cache.
Outcome<std::filesystem::path> DefaultCache();
Outcome<std::filesystem::path> DefaultCacheFrom(
    const std::function<const char*(const char*)>& variable);

// Sixteen digits that stand for the parts that were added, in their order.
class CacheKey {
 public:
  CacheKey& Add(std::string_view part);
  std::string Digits() const;

 private:
  uint64_t state_ = 0;
};

// A program as it is installed now: path, size and time of change, so that it need not be run to
// tell whether it was replaced.
std::string InstalledIdentity(const std::string& program);

// Nothing, or a Problem that says how much is free and how much is wanted.
std::optional<Problem> CheckFreeSpace(const std::filesystem::path& folder, uint64_t needed_bytes);

class FolderLock {
 public:
  // Waits for another holder to let go; calls `waiting` once if it has to.
  static Outcome<FolderLock> Take(const std::filesystem::path& folder,
                                  const std::function<void()>& waiting);

 private:
  explicit FolderLock(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

// A file in the making: without a name where the file system can do that, so that nothing is left
// of it when we are killed.
class NewFile {
 public:
  static Outcome<NewFile> In(const std::filesystem::path& folder);

  NewFile(NewFile&&) = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  int get() const { return file_.get(); }

  // Gives it its name. A file that is there already stays, and is as good.
  std::optional<Problem> Keep(const std::filesystem::path& path);

 private:
  NewFile(Descriptor file, std::filesystem::path name)
      : file_(std::move(file)), name_(std::move(name)) {}

  Descriptor file_;
  std::filesystem::path name_;  // empty while it has none
};

}  // namespace lab

#endif  // HW_TESTS_LAB_CACHE_H_
