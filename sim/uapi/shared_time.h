// The time of a machine in memory shared with programs: allocators read the clock while they hold
// their locks, so that reading it must neither send a request nor allocate memory.
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
  static constexpr std::string_view kName = "time";  // file name

  // Begins with 0. Null, and errno is set, when the file cannot be created.
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

// The program's end. Lives as long as the program. Allocates nothing. Null when there is no such
// file.
const std::atomic<int64_t>* SeeTime(const char* path);

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_SHARED_TIME_H_
