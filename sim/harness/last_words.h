// What a harness leaves when a program crashes, and the test's process with it.
#ifndef SIM_HARNESS_LAST_WORDS_H_
#define SIM_HARNESS_LAST_WORDS_H_

#include <signal.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cm::sim {

// While it lives, a signal of a crash prints the seed and the last lines of the conversation, and
// has then the effect that it had before. One at a time.
class LastWords {
 public:
  // The conversation must outlive it.
  LastWords(uint64_t seed, const std::vector<std::string>* conversation);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  static constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  static constexpr size_t kStack = size_t{1} << 16;

  static void Say(int signal);
  void Restore();

  std::string head_;
  const std::vector<std::string>* conversation_;
  std::array<struct sigaction, kSignals.size()> before_{};
  stack_t stack_before_{};
  std::vector<char> stack_;  // of the handler: a program may have used up its own
};

}  // namespace cm::sim

#endif  // SIM_HARNESS_LAST_WORDS_H_
