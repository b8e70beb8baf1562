#include "tools/cmcheck/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace cm {
namespace {

constexpr int kWidth = 32;

// What stderr does not take is not missed. fmt::print would throw, in a worker thread as well.
template <typename... Arguments>
void Print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  static_cast<void>(std::fputs(text.c_str(), stderr));
}

}  // namespace

bool TakesSequences(int descriptor) {
  const char* const terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

Progress::Progress(std::string what, uint64_t total)
    : what_(std::move(what)), total_(total), terminal_(TakesSequences(STDERR_FILENO)) {}

void Progress::At(uint64_t done, const std::string& note) {
  if (total_ == 0) {
    if (!terminal_) return;
    Print("\r{} {} {}\x1b[K", done, what_, note);
    std::fflush(stderr);
    visible_ = true;
    return;
  }
  const uint64_t steps = terminal_ ? 1000 : 10;
  const uint64_t step = done * steps / total_;
  if (step == shown_ && !(terminal_ && !visible_)) return;
  shown_ = step;
  if (!terminal_) {
    Print("{} of {} {}{}\n", done, total_, what_, note.empty() ? "" : ", " + note);
    return;
  }
  const auto full = static_cast<int>(done * kWidth / total_);
  Print("\r[{:=<{}}{:>{}}] {} of {} {} {}\x1b[K", "", full, "", kWidth - full, done, total_, what_,
        note);
  std::fflush(stderr);
  visible_ = true;
}

void Progress::Clear() {
  if (!visible_) return;
  Print("\r\x1b[K");
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace cm
