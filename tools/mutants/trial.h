// Mutants tried, each in a process of its own, as a mutant may crash or loop.
#ifndef TOOLS_MUTANTS_TRIAL_H_
#define TOOLS_MUTANTS_TRIAL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cm::mutant {

enum class Outcome : uint8_t {
  kFound,      // a claim is not met
  kCrashed,    // a failed invariant of the program's own, or another signal
  kHung,       // the processor time of the trial has run out
  kSurvived,   // something observable is not as it is without the mutant, and no claim objects
  kUnseen,     // executed, and everything observable is as it is without the mutant
  kUnreached,  // its place is not executed
};
inline constexpr Outcome kOutcomes[] = {Outcome::kFound,    Outcome::kCrashed, Outcome::kHung,
                                        Outcome::kSurvived, Outcome::kUnseen,  Outcome::kUnreached};
std::string_view ToString(Outcome outcome);
// Whether the trial shows that something is wrong.
bool Noticed(Outcome outcome);

// What is seen of the program with a mutant switched on. The texts have one line.
struct Sight {
  bool reached = false;  // the mutant's place was executed
  bool failed = false;   // a claim is not met
  std::string claims;    // which, with what they showed at
  std::string profile;   // where they showed; neither empty nor with a space
  uint64_t sequence = 0;
  uint64_t digest = 0;  // of everything observable
};

// Looks at the program with that mutant switched on; 0: with none.
using Look = std::function<Sight(int mutant)>;

struct Limits {
  uint64_t cpu_seconds = 60;                  // processor time of a trial
  uint64_t memory_bytes = uint64_t{4} << 30;  // address space of a trial
};

struct Trial {
  int mutant = 0;
  Outcome outcome = Outcome::kUnreached;
  std::string by;       // claims, a failed invariant, or a signal; empty when it was not noticed
  std::string profile;  // where a claim showed
  uint64_t sequence = 0;
};

// Hears of the trials in the order of the mutants.
using OnTrial = std::function<void(const Trial&)>;

// Tries the mutants, `jobs` of them at a time. What comes of it is a function of `look`, but for a
// trial that is near its limits. Empty, or why nothing is known: something is wrong without any
// mutant, or a process cannot be started. The caller has no other threads.
std::string TryAll(const std::vector<int>& mutants, const Look& look, const Limits& limits,
                   int jobs, const OnTrial& on_trial);

}  // namespace cm::mutant

#endif  // TOOLS_MUTANTS_TRIAL_H_
