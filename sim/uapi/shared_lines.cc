#include "sim/uapi/shared_lines.h"

#include <linux/futex.h>
#include <pthread.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "sim/uapi/mapped_file.h"

namespace cm::sim::uapi {
namespace {

static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4);

constexpr uint32_t kBits = 64;
constexpr int kTurns = 3;
// After so long a sleeper looks whether the other end is still there.
constexpr timespec kPatience{.tv_sec = 0, .tv_nsec = 200'000'000};

void WakeOne(std::atomic<uint32_t>* word) {
  syscall(SYS_futex, word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

// A cancellation point, as the C library's waits are: a thread that is cancelled unwinds from
// within the system call. So it is not made by `syscall`, which is declared to throw nothing, and
// this function has nothing to be destroyed.
__attribute__((noinline)) int64_t SleepWhile(std::atomic<uint32_t>* word, uint32_t value) {
  int before = 0;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
  int64_t result = SYS_futex;
  register const timespec* timeout asm("r10") = &kPatience;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(word), "S"(FUTEX_WAIT), "d"(value), "r"(timeout)
               : "rcx", "r11", "memory");
  pthread_setcanceltype(before, nullptr);
  return result;
}

}  // namespace

bool Ring::Put(std::span<const uint8_t> bytes) {
  const uint32_t written = written_;
  const uint32_t used = written - read_;
  if (used > kSize || bytes.size() > kSize - used) return false;
  const uint32_t at = written % kSize;
  const size_t first = std::min<size_t>(bytes.size(), kSize - at);
  std::memcpy(bytes_.data() + at, bytes.data(), first);
  std::memcpy(bytes_.data(), bytes.data() + first, bytes.size() - first);
  written_ = written + static_cast<uint32_t>(bytes.size());
  return true;
}

void Ring::Take(std::span<uint8_t> bytes) {
  const uint32_t read = read_;
  const uint32_t at = read % kSize;
  const size_t first = std::min<size_t>(bytes.size(), kSize - at);
  std::memcpy(bytes.data(), bytes_.data() + at, first);
  std::memcpy(bytes.data() + first, bytes_.data(), bytes.size() - first);
  read_ = read + static_cast<uint32_t>(bytes.size());
}

void Ring::Clear() { written_ = read_ = sleeps_ = closed_ = late_ = 0; }

int Ring::Wait() {
  while (IsEmpty()) {
    if (closed_ != 0) return ECONNRESET;
    sleeps_ = 1;
    if (!IsEmpty() || closed_ != 0) continue;
    const int64_t result = SleepWhile(&sleeps_, 1);
    if (result == -EINTR || result == -ETIMEDOUT) return static_cast<int>(-result);
  }
  sleeps_ = 0;
  return 0;
}

void Ring::Wake() {
  if (sleeps_.exchange(0) != 0) WakeOne(&sleeps_);
}

void Ring::Close() {
  closed_ = 1;
  Wake();
}

// What is not written yet is 0, as all begins; so nothing of it takes memory.
std::unique_ptr<SharedLines> SharedLines::Make(const std::string& path) {
  constexpr size_t kSize = sizeof(LinesRecord);
  const MappedFile file(path.c_str(), O_RDWR | O_CREAT | O_EXCL);
  void* const memory = file.Reserve(kSize) ? file.Map(kSize, PROT_READ | PROT_WRITE) : nullptr;
  if (memory == nullptr) return nullptr;
  return std::unique_ptr<SharedLines>(new SharedLines(static_cast<LinesRecord*>(memory), true));
}

SharedLines SharedLines::See(const char* path) {
  constexpr size_t kSize = sizeof(LinesRecord);
  const MappedFile file(path, O_RDWR);
  void* const memory = file.Holds(kSize) ? file.Map(kSize, PROT_READ | PROT_WRITE) : nullptr;
  return SharedLines(static_cast<LinesRecord*>(memory), false);
}

SharedLines::SharedLines(SharedLines&& other) noexcept
    : record_(std::exchange(other.record_, nullptr)), is_machines_(other.is_machines_) {}

SharedLines::~SharedLines() {
  if (is_machines_ && record_ != nullptr) munmap(record_, sizeof *record_);
}

uint32_t SharedLines::Take() {
  if (record_ == nullptr) return kNoLine;
  for (uint32_t i = 0; i < record_->taken.size(); ++i) {
    uint64_t taken = record_->taken[i];
    while (~taken != 0) {
      const auto free = static_cast<uint32_t>(std::countr_one(taken));
      if (record_->taken[i].compare_exchange_weak(taken, taken | uint64_t{1} << free)) {
        const uint32_t line = i * kBits + free;
        record_->lines[line].to_machine.Clear();
        record_->lines[line].to_program.Clear();
        return line;
      }
    }
  }
  return kNoLine;
}

void SharedLines::GiveBack(uint32_t line) {
  record_->lines[line].to_program.Close();
  record_->taken[line / kBits] &= ~(uint64_t{1} << line % kBits);
}

SharedLine* SharedLines::Get(uint32_t line) {
  return record_ == nullptr || line >= LinesRecord::kLines ? nullptr : &record_->lines[line];
}

void SharedLines::RingBell() {
  if (record_ == nullptr) return;
  ++record_->bell;
  if (record_->sleeps.exchange(0) != 0) WakeOne(&record_->bell);
}

void SharedLines::AwaitInTurn(const Ring& ring) {
  if (record_ == nullptr || record_->takes_turns == 0) return;
  for (int turn = 0; turn < kTurns && ring.IsEmpty() && !ring.IsLate(); ++turn)
    syscall(SYS_sched_yield);
}

void SharedLines::Await(uint32_t bell, Duration patience) {
  const timespec limit = {.tv_sec = patience.nanoseconds() / 1'000'000'000,
                          .tv_nsec = patience.nanoseconds() % 1'000'000'000};
  record_->sleeps = 1;
  syscall(SYS_futex, &record_->bell, FUTEX_WAIT, bell, &limit, nullptr, 0);
  record_->sleeps = 0;
}

}  // namespace cm::sim::uapi
