// Answers of a conversation in another process, in shared memory.
#ifndef CONFORMANCE_ADAPTERS_LIB_ANSWERS_H_
#define CONFORMANCE_ADAPTERS_LIB_ANSWERS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "conformance/adapters/dl/messages.h"
#include "conformance/adapters/dl/session.h"
#include "conformance/adapters/dl/virtual_lanes.h"

namespace cm {

// One process writes; the other reads when the writer has ended or reported the end.
class Answers {
 public:
  // Create it before the writing process; null when there is no memory.
  static std::unique_ptr<Answers> Make();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;
  ~Answers();

  // False when it is full.
  bool Add(const Answer& answer);
  void Clear() { shared_->count = 0; }
  std::optional<Answer> At(size_t number) const;
  bool Full() const { return shared_->count == kMost; }

 private:
  // More than the longest conversation needs; unused entries take no memory.
  static constexpr uint32_t kMost = 1 << 16;
  struct Shared {
    std::atomic<uint32_t> count;
    std::array<Answer, kMost> answers;
  };

  explicit Answers(Shared* shared) : shared_(shared) {}

  Shared* shared_;
};

// A session in the library's process that records its answers.
class Rehearsal : public Counterpart {
 public:
  // Both must outlive this object.
  Rehearsal(VirtualLanes* lanes, Answers* answers) : lanes_(*lanes), answers_(*answers) {}

  std::optional<Answer> Ask(const Request& request) override;
  bool Hangs() const override { return answers_.Full(); }
  bool End() override { return true; }

 private:
  VirtualLanes& lanes_;
  Answers& answers_;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_LIB_ANSWERS_H_
