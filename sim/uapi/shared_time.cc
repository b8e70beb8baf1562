#include "sim/uapi/shared_time.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

namespace cm::sim::uapi {
namespace {

static_assert(std::atomic<int64_t>::is_always_lock_free);

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

  bool Reserve() const { return number_ >= 0 && ftruncate(number_, sizeof(TimeRecord)) == 0; }
  bool Holds() const { return number_ >= 0 && lseek(number_, 0, SEEK_END) == sizeof(TimeRecord); }
  void* Map(int protection) const {
    void* const memory = mmap(nullptr, sizeof(TimeRecord), protection, MAP_SHARED, number_, 0);
    return memory == MAP_FAILED ? nullptr : memory;
  }

 private:
  int number_;
};

}  // namespace

std::unique_ptr<SharedTime> SharedTime::Make(const std::string& path, const Costs& costs) {
  const File file(path.c_str(), O_RDWR | O_CREAT | O_EXCL);
  void* const memory = file.Reserve() ? file.Map(PROT_READ | PROT_WRITE) : nullptr;
  if (memory == nullptr) return nullptr;
  auto* const record = new (memory) TimeRecord;
  record->costs = costs;
  return std::unique_ptr<SharedTime>(new SharedTime(record));
}

SharedTime::~SharedTime() { munmap(record_, sizeof *record_); }

const TimeRecord* SeeTime(const char* path) {
  const File file(path, O_RDONLY);
  return file.Holds() ? static_cast<const TimeRecord*>(file.Map(PROT_READ)) : nullptr;
}

}  // namespace cm::sim::uapi
