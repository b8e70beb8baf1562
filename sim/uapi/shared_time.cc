#include "sim/uapi/shared_time.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cm::sim::uapi {
namespace {

using Time = std::atomic<int64_t>;
static_assert(Time::is_always_lock_free);

// By system calls: in some programs open and close are the fake libibverbs's.
class File {
 public:
  File(const char* path, int flags)
      : number_(static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600))) {}
  ~File() {
    if (number_ >= 0) syscall(SYS_close, number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool Reserve() const { return number_ >= 0 && ftruncate(number_, sizeof(Time)) == 0; }
  bool Holds() const { return number_ >= 0 && lseek(number_, 0, SEEK_END) == sizeof(Time); }
  Time* Map(int protection) const {
    void* const memory = mmap(nullptr, sizeof(Time), protection, MAP_SHARED, number_, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<Time*>(memory);
  }

 private:
  int number_;
};

}  // namespace

std::unique_ptr<SharedTime> SharedTime::Make(const std::string& path) {
  const File file(path.c_str(), O_RDWR | O_CREAT | O_EXCL);
  Time* const now = file.Reserve() ? file.Map(PROT_READ | PROT_WRITE) : nullptr;
  return now == nullptr ? nullptr : std::unique_ptr<SharedTime>(new SharedTime(now));
}

SharedTime::~SharedTime() { munmap(now_, sizeof *now_); }

const Time* SeeTime(const char* path) {
  const File file(path, O_RDONLY);
  return file.Holds() ? file.Map(PROT_READ) : nullptr;
}

}  // namespace cm::sim::uapi
