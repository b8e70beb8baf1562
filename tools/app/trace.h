// The conversation of programs with their kernels, line by line.
#ifndef TOOLS_APP_TRACE_H_
#define TOOLS_APP_TRACE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/base/duration.h"
#include "tools/app/recorder.h"

namespace cm::app {

class Trace {
 public:
  // `write` receives each line, without its end; it may be empty. So may `recorder` be null.
  Trace(std::function<void(std::string_view)> write, Recorder* recorder)
      : write_(std::move(write)), recorder_(recorder) {}

  void Say(Instant now, std::string_view who, std::string_view what);
  // Digest of all lines: equal for equal conversations.
  uint64_t digest() const { return digest_; }
  const std::deque<std::string>& last() const { return last_; }
  // For a conversation that can be carried out again; null unless one is asked for.
  Recorder* recorder() const { return recorder_; }

 private:
  std::function<void(std::string_view)> write_;
  Recorder* recorder_;
  uint64_t digest_ = 0;
  std::deque<std::string> last_;  // an old line's memory is that of a new one
  std::optional<Instant> said_;
  std::string time_;  // that instant, as a line begins
};

}  // namespace cm::app

#endif  // TOOLS_APP_TRACE_H_
