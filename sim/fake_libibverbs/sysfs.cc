// Lookups of RDMA devices by programs, in sysfs and among the device files: they see those of the
// program's host.
#undef _FORTIFY_SOURCE

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "sim/fake_libibverbs/host_path.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/made_files.h"

namespace cm::sim::fake_libibverbs {
namespace {

// Looks the path up on the host. Files of devices are ordinary ones in its folder.
template <typename Mode, typename Real>
int LookUp(const char* path, Mode* mode, Real real) {
  const HostPath own(path);
  const int result = real(own.get());
  if (result == 0 && own.IsInDev() && S_ISREG(*mode))
    *mode = static_cast<Mode>((*mode & ~S_IFMT) | S_IFCHR);
  return result;
}

FILE* ReadMade(const char* path, const char* mode) {
  const bool closes = std::strchr(mode, 'e') != nullptr;
  const int fd = OpenMadeFile(path, closes ? O_CLOEXEC : 0);
  FILE* const file = fd < 0 ? nullptr : fdopen(fd, mode);
  if (fd >= 0 && file == nullptr) close(fd);
  return file;
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int stat(const char* path, struct stat* status) noexcept {
  static auto* const kReal = Next("stat", static_cast<int (*)(const char*, struct stat*)>(nullptr));
  return LookUp(path, &status->st_mode, [&](const char* own) { return kReal(own, status); });
}

int stat64(const char* path, struct stat64* status) noexcept {
  static auto* const kReal =
      Next("stat64", static_cast<int (*)(const char*, struct stat64*)>(nullptr));
  return LookUp(path, &status->st_mode, [&](const char* own) { return kReal(own, status); });
}

int lstat(const char* path, struct stat* status) noexcept {
  static auto* const kReal =
      Next("lstat", static_cast<int (*)(const char*, struct stat*)>(nullptr));
  return LookUp(path, &status->st_mode, [&](const char* own) { return kReal(own, status); });
}

int lstat64(const char* path, struct stat64* status) noexcept {
  static auto* const kReal =
      Next("lstat64", static_cast<int (*)(const char*, struct stat64*)>(nullptr));
  return LookUp(path, &status->st_mode, [&](const char* own) { return kReal(own, status); });
}

int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
  static auto* const kReal =
      Next("fstatat", static_cast<int (*)(int, const char*, struct stat*, int)>(nullptr));
  return LookUp(path, &status->st_mode,
                [&](const char* own) { return kReal(folder, own, status, flags); });
}

int fstatat64(int folder, const char* path, struct stat64* status, int flags) noexcept {
  static auto* const kReal =
      Next("fstatat64", static_cast<int (*)(int, const char*, struct stat64*, int)>(nullptr));
  return LookUp(path, &status->st_mode,
                [&](const char* own) { return kReal(folder, own, status, flags); });
}

int statx(int folder, const char* path, int flags, unsigned int mask,
          struct statx* status) noexcept {
  static auto* const kReal = Next(
      "statx", static_cast<int (*)(int, const char*, int, unsigned int, struct statx*)>(nullptr));
  return LookUp(path, &status->stx_mode,
                [&](const char* own) { return kReal(folder, own, flags, mask, status); });
}

int access(const char* path, int mode) noexcept {
  static auto* const kReal = Next("access", &access);
  return kReal(HostPath(path).get(), mode);
}

int faccessat(int folder, const char* path, int mode, int flags) noexcept {
  static auto* const kReal = Next("faccessat", &faccessat);
  return kReal(folder, HostPath(path).get(), mode, flags);
}

int eaccess(const char* path, int mode) noexcept {
  static auto* const kReal = Next("eaccess", &eaccess);
  return kReal(HostPath(path).get(), mode);
}

int euidaccess(const char* path, int mode) noexcept { return eaccess(path, mode); }

ssize_t readlink(const char* path, char* target, size_t size) noexcept {
  static auto* const kReal = Next("readlink", &readlink);
  return kReal(HostPath(path).get(), target, size);
}

// The fortified variant, which the headers call where they know the array's size but not how much
// is wanted.
ssize_t __readlink_chk(const char* path, char* target, size_t size, size_t /*room*/) {
  return readlink(path, target, size);
}

DIR* opendir(const char* path) {
  static auto* const kReal = Next("opendir", &opendir);
  return kReal(HostPath(path).get());
}

int scandir(const char* path, dirent*** entries, int (*chooses)(const dirent*),
            int (*compares)(const dirent**, const dirent**)) {
  static auto* const kReal = Next("scandir", &scandir);
  return kReal(HostPath(path).get(), entries, chooses, compares);
}

int scandir64(const char* path, dirent64*** entries, int (*chooses)(const dirent64*),
              int (*compares)(const dirent64**, const dirent64**)) {
  static auto* const kReal = Next("scandir64", &scandir64);
  return kReal(HostPath(path).get(), entries, chooses, compares);
}

FILE* fopen(const char* path, const char* mode) {
  if (IsMade(path)) return ReadMade(path, mode);
  static auto* const kReal = Next("fopen", &fopen);
  return kReal(HostPath(path).get(), mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (IsMade(path)) return ReadMade(path, mode);
  static auto* const kReal = Next("fopen64", &fopen64);
  return kReal(HostPath(path).get(), mode);
}
}
