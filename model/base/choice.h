// Source of all decisions that a run draws. Random, replayed or exhaustive behind one interface.
#ifndef MODEL_BASE_CHOICE_H_
#define MODEL_BASE_CHOICE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cm {

// One decision after another.
//
// Draw at most once per full expression: the order in which a compiler evaluates arguments differs.
class Choice {
 public:
  virtual ~Choice() = default;

  // A number in [0, bound); bound is at least 1. `what` names the decision for readers of a
  // recorded run; it has no influence on the number.
  virtual uint64_t Below(uint64_t bound, std::string_view what) = 0;

  // True in `chance` of `of` cases.
  bool OneIn(uint64_t of, std::string_view what) { return Below(of, what) == 0; }
};

// The state of one random stream: a number is a function of (seed, stream, counter) and nothing
// else, so that a world can hold it, copy it and compare it.
struct StreamState {
  uint64_t seed = 0;
  uint64_t stream = 0;
  uint64_t counter = 0;
  friend bool operator==(const StreamState&, const StreamState&) = default;
};

// The stream called `name` of the run with this seed.
StreamState NamedStream(uint64_t seed, std::string_view name);

// Draws from a stream whose state lives elsewhere.
class RandomChoice : public Choice {
 public:
  explicit RandomChoice(StreamState* state) : state_(state) {}
  uint64_t Below(uint64_t bound, std::string_view what) override;

 private:
  StreamState* state_;
};

// A recorded decision.
struct Decision {
  uint64_t taken = 0;
  uint64_t bound = 1;
  std::string what;
};

// Records the decisions of another choice.
class RecordingChoice : public Choice {
 public:
  explicit RecordingChoice(Choice* inner) : inner_(inner) {}
  uint64_t Below(uint64_t bound, std::string_view what) override;
  const std::vector<Decision>& record() const { return record_; }

 private:
  Choice* inner_;
  std::vector<Decision> record_;
};

// Repeats a record. Past its end, or where a recorded number does not fit, it returns 0: a
// shortened record is still a run.
class ReplayChoice : public Choice {
 public:
  explicit ReplayChoice(std::vector<Decision> record) : record_(std::move(record)) {}
  uint64_t Below(uint64_t bound, std::string_view what) override;

 private:
  std::vector<Decision> record_;
  size_t next_ = 0;
};

// Every combination once: do { Run(choice); } while (choice.Next());
class ExhaustiveChoice : public Choice {
 public:
  uint64_t Below(uint64_t bound, std::string_view what) override;
  // Moves on to the next combination; false when there is none.
  bool Next();

 private:
  std::vector<Decision> path_;
  size_t depth_ = 0;
};

}  // namespace cm

#endif  // MODEL_BASE_CHOICE_H_
