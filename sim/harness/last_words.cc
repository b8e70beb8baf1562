#include "sim/harness/last_words.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace cm::sim {
namespace {

constexpr size_t kLines = 40;

LastWords* the_last_words = nullptr;

// Allocates nothing: the heap may be damaged.
void Write(std::string_view text) {
  static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
}

}  // namespace

LastWords::LastWords(uint64_t seed, const std::vector<std::string>* conversation)
    : head_(fmt::format(
          "harness: a program crashes; seed {}, the last lines of the conversation:\n", seed)),
      conversation_(conversation),
      stack_(kStack) {
  the_last_words = this;
  const stack_t own = {.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
  sigaltstack(&own, &stack_before_);
  struct sigaction says {};
  says.sa_handler = &Say;
  says.sa_flags = SA_ONSTACK;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &says, &before_[i]);
}

LastWords::~LastWords() {
  Restore();
  sigaltstack(&stack_before_, nullptr);
  the_last_words = nullptr;
}

void LastWords::Restore() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

// The instruction faults once more, or abort() goes on; a signal that was sent is sent again.
void LastWords::Say(int signal) {
  const LastWords& words = *the_last_words;
  the_last_words->Restore();
  Write(words.head_);
  const std::vector<std::string>& lines = *words.conversation_;
  for (size_t i = lines.size() - std::min(lines.size(), kLines); i < lines.size(); ++i) {
    Write(lines[i]);
    Write("\n");
  }
  raise(signal);
}

}  // namespace cm::sim
