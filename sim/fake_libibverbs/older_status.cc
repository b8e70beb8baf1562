// Lookups of files by programs that were built with a C library before 2.33, whose stat, lstat,
// fstat and fstatat are inline functions that call these. source: glibc 2.32 io/sys/stat.h
#if defined(__x86_64__)

#include <sys/stat.h>

// The first argument is a version of the struct. On x86-64 all versions are the same.
extern "C" {

int __xstat(int /*version*/, const char* path, struct stat* status) noexcept {
  return stat(path, status);
}

int __xstat64(int /*version*/, const char* path, struct stat64* status) noexcept {
  return stat64(path, status);
}

int __lxstat(int /*version*/, const char* path, struct stat* status) noexcept {
  return lstat(path, status);
}

int __lxstat64(int /*version*/, const char* path, struct stat64* status) noexcept {
  return lstat64(path, status);
}

int __fxstat(int /*version*/, int fd, struct stat* status) noexcept { return fstat(fd, status); }

int __fxstat64(int /*version*/, int fd, struct stat64* status) noexcept {
  return fstat64(fd, status);
}

int __fxstatat(int /*version*/, int folder, const char* path, struct stat* status,
               int flags) noexcept {
  return fstatat(folder, path, status, flags);
}

int __fxstatat64(int /*version*/, int folder, const char* path, struct stat64* status,
                 int flags) noexcept {
  return fstatat64(folder, path, status, flags);
}

}  // extern "C"

#endif
