#include "sim/uapi/shared_time.h"

#include <new>

#include "sim/uapi/mapped_file.h"

namespace cm::sim::uapi {
namespace {

static_assert(std::atomic<int64_t>::is_always_lock_free);

}  // namespace

std::unique_ptr<SharedTime> SharedTime::Make(const std::string& path, const Costs& costs) {
  const MappedFile file(path.c_str(), O_RDWR | O_CREAT | O_EXCL);
  void* const memory = file.Reserve(sizeof(TimeRecord))
                           ? file.Map(sizeof(TimeRecord), PROT_READ | PROT_WRITE)
                           : nullptr;
  if (memory == nullptr) return nullptr;
  auto* const record = new (memory) TimeRecord;
  record->costs = costs;
  return std::unique_ptr<SharedTime>(new SharedTime(record));
}

SharedTime::~SharedTime() { munmap(record_, sizeof *record_); }

const TimeRecord* SeeTime(const char* path) {
  const MappedFile file(path, O_RDONLY);
  return file.Holds(sizeof(TimeRecord))
             ? static_cast<const TimeRecord*>(file.Map(sizeof(TimeRecord), PROT_READ))
             : nullptr;
}

}  // namespace cm::sim::uapi
