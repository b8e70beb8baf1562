// The time of a machine in memory that programs see: allocators look at the clock while they hold
// their locks, so that nobody may be asked for it, nor memory be allocated, in looking.
#ifndef SIM_UAPI_SHARED_TIME_H_
#define SIM_UAPI_SHARED_TIME_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cm::sim::uapi {

// The machine's end: a file beside the sockets of its programs.
class SharedTime {
 public:
  static constexpr std::string_view kName = "time";  // of the file

  // Begins with 0. Null, with an errno, when the file cannot be made.
  static std::unique_ptr<SharedTime> Make(const std::string& path);
  SharedTime(const SharedTime&) = delete;
  SharedTime& operator=(const SharedTime&) = delete;
  ~SharedTime();

  // In nanoseconds since the world began. No thread of a program may be running.
  void Set(int64_t now) { *now_ = now; }

 private:
  explicit SharedTime(std::atomic<int64_t>* now) : now_(now) {}

  std::atomic<int64_t>* now_;
};

// The program's end, for as long as it lives. Allocates nothing. Null when there is no such file.
const std::atomic<int64_t>* SeeTime(const char* path);

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_SHARED_TIME_H_
