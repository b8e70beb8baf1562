// Detects programs that run endlessly without requests: they print without end, or start one
// process after the other. And those whose threads wake each other endlessly, by what takes no
// time: pipes, sockets of Unix, locks.
#ifndef TOOLS_APP_ENDLESS_RUNS_H_
#define TOOLS_APP_ENDLESS_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/base/duration.h"
#include "tools/app/process_table.h"

namespace cm::app {

class EndlessRuns {
 public:
  // `processes` must outlive this object.
  explicit EndlessRuns(const ProcessTable* processes) : processes_(processes) {}

  // A request has come.
  void HasAsked() { silence_.reset(); }
  void HasPrinted(size_t bytes) { printed_ += bytes; }
  // All threads have been seen to sleep.
  void HaveSlept();
  // Call again and again while threads run. Returns whether they count as endless.
  bool Detect();
  // Call before each turn of a thread. Returns whether time stands, and should pass a little.
  bool TimeStands(Instant now);

 private:
  // Since the first look after the last request, or after all slept, in our own CPU time.
  struct Silence {
    Duration since;
    Duration looked;                // last at the programs' CPU time
    std::optional<uint64_t> ticks;  // of programs, then; none at first
    Duration spent{};               // by them
    bool in_vain = false;
  };

  // At one instant.
  struct Standing {
    Instant at;
    Duration patience;
    uint64_t turns = 0;
    std::optional<uint64_t> ticks;  // of programs, when they were last looked at
    Duration spent{};               // by them
    bool stands = false;
  };

  uint64_t TicksOfPrograms() const;
  Duration SpentSince(std::optional<uint64_t>* ticks) const;
  bool IsLong();

  const ProcessTable* processes_;
  std::optional<Silence> silence_;
  uint64_t printed_ = 0;  // bytes, since the programs' CPU time was looked at
  bool detected_ = false;
  Standing standing_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_ENDLESS_RUNS_H_
