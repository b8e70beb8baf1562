// One line of a conversation as words: positional ones and key=value pairs.
#ifndef MODEL_CONVERSATION_WORDS_H_
#define MODEL_CONVERSATION_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/duration.h"

namespace cm {

// Between a line and what came of it, in a history.
inline constexpr std::string_view kArrow = " -> ";
// The place of the first arrow that is not within quotes; npos: there is none.
size_t ArrowIn(std::string_view text);

// Takes words from the front or by key, and stores the first error. It refers to the text it was
// given, which must outlive it.
class Words {
 public:
  explicit Words(std::string_view line);
  explicit Words(std::string&&) = delete;

  bool empty() const { return words_.empty(); }
  std::string_view Peek() const { return words_.empty() ? std::string_view() : words_.front(); }
  // The next positional word; an error naming `what` when there is none.
  std::string_view Next(std::string_view what);
  // The value of key=value, anywhere; empty when absent.
  std::optional<std::string_view> Take(std::string_view key);
  // True if the word occurs alone; takes it.
  bool TakeFlag(std::string_view word);
  // As Take, and an error when it is absent.
  std::string_view Need(std::string_view key);
  // The number of `key`, or `fallback` when the key is absent; an error unless within bounds.
  int64_t Number(std::string_view key, int64_t fallback, int64_t low, int64_t high);
  // Any int of C; 0 when the key is absent.
  int32_t Signed(std::string_view key);
  // A number in hexadecimal digits; 0 when the key is absent.
  uint64_t Bits(std::string_view key, uint64_t high);

  // An error if any word is left.
  void Finish();
  void Complain(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
  }
  bool ok() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }

 private:
  std::vector<std::string_view> words_;
  std::string problem_;
};

inline constexpr size_t kLongestName = 64;

// An error unless a conversation may give that name to something: names are words of the driver
// protocol, whose lines are of printable ASCII and not too long.
void CheckName(std::string_view name, Words& words);

// "20us", "3s", up to 100'000 s, so that the times of a whole conversation can be represented and
// captured; an error otherwise.
Duration DurationFrom(std::string_view text, Words& words);

}  // namespace cm

#endif  // MODEL_CONVERSATION_WORDS_H_
