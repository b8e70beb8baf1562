#include "conformance/adapters/lib/answers.h"

#include <sys/mman.h>

namespace cm {

std::unique_ptr<Answers> Answers::Make() {
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // Zeroed memory is an empty array of answers.
  return std::unique_ptr<Answers>(new Answers(static_cast<Shared*>(memory)));
}

Answers::~Answers() { munmap(shared_, sizeof(Shared)); }

bool Answers::Add(const Answer& answer) {
  if (Full()) return false;
  shared_->answers[shared_->count] = answer;
  ++shared_->count;
  return true;
}

std::optional<Answer> Answers::At(size_t number) const {
  if (number >= shared_->count) return std::nullopt;
  return shared_->answers[number];
}

std::optional<Answer> Rehearsal::Ask(const Request& request) {
  Answer answer{.yes = true};
  if (request.asked != Asked::kStart) answer = lanes_.Do(request);
  if (!answers_.Add(answer)) return std::nullopt;
  return answer;
}

}  // namespace cm
