// Files that a machine and its programs map.
#ifndef SIM_UAPI_MAPPED_FILE_H_
#define SIM_UAPI_MAPPED_FILE_H_

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace cm::sim::uapi {

// By system calls: in some programs open and close are the fake libibverbs's.
class MappedFile {
 public:
  MappedFile(const char* path, int flags)
      : number_(static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600))) {}
  ~MappedFile() {
    if (number_ >= 0) syscall(SYS_close, number_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  bool Reserve(size_t size) const {
    return number_ >= 0 && ftruncate(number_, static_cast<off_t>(size)) == 0;
  }
  bool Holds(size_t size) const {
    return number_ >= 0 && lseek(number_, 0, SEEK_END) == static_cast<off_t>(size);
  }
  // Null on failure.
  void* Map(size_t size, int protection) const {
    void* const memory = mmap(nullptr, size, protection, MAP_SHARED, number_, 0);
    return memory == MAP_FAILED ? nullptr : memory;
  }

 private:
  int number_;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_MAPPED_FILE_H_
