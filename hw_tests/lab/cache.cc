#include "hw_tests/lab/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace lab {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMegabyte = 1 << 20;
constexpr std::chrono::milliseconds kBetweenAttempts(100);

Problem Failed(const fs::path& path) {
  return {path.string() + ": " + strerror(errno), ProblemKind::kUnusable};
}

}  // namespace

Outcome<fs::path> DefaultCache() {
  return DefaultCacheFrom([](const char* name) { return std::getenv(name); });
}

Outcome<fs::path> DefaultCacheFrom(const std::function<const char*(const char*)>& variable) {
  const auto value = [&](const char* name) {
    const char* text = variable(name);
    return std::string(text != nullptr ? text : "");
  };
  const std::string own = value("RDMA_CM_LAB_CACHE");
  if (!own.empty()) return fs::absolute(own);
  const std::string shared = value("XDG_CACHE_HOME");
  if (!shared.empty()) return fs::absolute(fs::path(shared) / "rdma_cm_sim" / "lab");
  const std::string home = value("HOME");
  if (!home.empty()) return fs::absolute(fs::path(home) / ".cache" / "rdma_cm_sim" / "lab");
  return Problem{"no place for the lab's image: set RDMA_CM_LAB_CACHE or HOME"};
}

CacheKey& CacheKey::Add(std::string_view part) {
  // The length is hashed as well, so that two parts cannot equal one.
  const uint64_t length = part.size();
  state_ = XXH64(&length, sizeof(length), state_);
  state_ = XXH64(part.data(), part.size(), state_);
  return *this;
}

std::string CacheKey::Digits() const {
  std::array<char, 17> digits;
  snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(state_));
  return digits.data();
}

std::string InstalledIdentity(const std::string& program) {
  struct stat facts = {};
  if (stat(program.c_str(), &facts) != 0) return program;
  return program + " " + std::to_string(facts.st_size) + " " +
         std::to_string(facts.st_mtim.tv_sec) + "." + std::to_string(facts.st_mtim.tv_nsec);
}

std::optional<Problem> CheckFreeSpace(const fs::path& folder, uint64_t needed_bytes) {
  struct statvfs facts = {};
  if (statvfs(folder.c_str(), &facts) != 0) return Failed(folder);
  const uint64_t free_bytes = static_cast<uint64_t>(facts.f_bavail) * facts.f_frsize;
  if (free_bytes >= needed_bytes) return std::nullopt;
  return Problem{folder.string() + " has " + std::to_string(free_bytes / kMegabyte) + " MB free, " +
                 std::to_string(needed_bytes / kMegabyte) + " MB are needed"};
}

// The lab may run in a thread that gets no signal, where a flock that waits would not end.
Outcome<FolderLock> FolderLock::Take(const fs::path& folder, const std::function<void()>& waiting,
                                     const std::function<bool()>& cancelled) {
  cm::Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0) return Failed(folder);
  if (flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0) return FolderLock(std::move(descriptor));
  if (waiting) waiting();
  while (flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return Failed(folder);
    if (cancelled && cancelled())
      return Problem{"interrupted while waiting for " + folder.string(), ProblemKind::kCancelled};
    std::this_thread::sleep_for(kBetweenAttempts);
  }
  return FolderLock(std::move(descriptor));
}

Outcome<NewFile> NewFile::In(const fs::path& folder) {
  cm::Descriptor nameless(open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0644));
  if (nameless.get() >= 0) return NewFile(std::move(nameless), "");
  std::string name = (folder / ("part." + std::string(6, 'X'))).string();
  cm::Descriptor named(mkostemp(name.data(), O_CLOEXEC));
  if (named.get() < 0) return Failed(folder);
  fchmod(named.get(), 0644);
  return NewFile(std::move(named), name);
}

NewFile::~NewFile() {
  if (file_.get() >= 0 && !name_.empty()) unlink(name_.c_str());
}

std::optional<Problem> NewFile::Keep(const fs::path& path) {
  const std::string source = name_.empty() ? cm::InheritedPath(file_) : name_.string();
  if (linkat(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0 ||
      errno == EEXIST) {
    return std::nullopt;
  }
  return Failed(path);
}

}  // namespace lab
