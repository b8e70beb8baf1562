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

// Virtual time that a thread spends, in nanoseconds. Computation between these costs nothing,
// unless instructions are counted.
struct Costs {
  int64_t reading = 0;  // of a clock or of the processor's counter
  int64_t look = 0;     // a poll without result
  int64_t request = 0;  // any other request
  // Of bytes that stay on the host, for their sender: each call, and 1024 bytes.
  int64_t sending = 0;
  int64_t kibibyte = 0;
  // Of the program's own code in a second; 0: they are not counted.
  uint64_t instructions = 0;
};

// Instants are nanoseconds since the world began. A thread goes ahead of `now` by what it has
// spent, up to `until`; there it waits for the machine, which lets all others get as far.
struct TimeRecord {
  std::atomic<int64_t> now{0};
  std::atomic<int64_t> until{INT64_MAX};
  std::atomic<uint64_t> happened{0};  // while it stands, a poll without result has none again
  Costs costs;
};

// The machine's end: a file beside the sockets of its programs.
class SharedTime {
 public:
  static constexpr std::string_view kName = "time";  // file name

  // Begins with 0. Null, and errno is set, when the file cannot be created.
  static std::unique_ptr<SharedTime> Make(const std::string& path, const Costs& costs = {});
  SharedTime(const SharedTime&) = delete;
  SharedTime& operator=(const SharedTime&) = delete;
  ~SharedTime();

  // No thread of a program may be running.
  void Set(int64_t now) { record_->now = now; }
  void SetUntil(int64_t until) { record_->until = until; }
  int64_t until() const { return record_->until; }
  void NoteHappened() { ++record_->happened; }
  uint64_t happened() const { return record_->happened; }
  const Costs& costs() const { return record_->costs; }

 private:
  explicit SharedTime(TimeRecord* record) : record_(record) {}

  TimeRecord* record_;
};

// The program's end. Lives as long as the program. Allocates nothing. Null when there is no such
// file.
const TimeRecord* SeeTime(const char* path);

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_SHARED_TIME_H_
