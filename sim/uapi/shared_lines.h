// Messages between threads of programs and the owner of their machine, in memory that they share.
//
// 1. A line is one thread's, with a ring of bytes each way. A program takes one, and names it in
//    its Hello; the machine gives it back when the thread's connection has ended.
// 2. Who reads sleeps on a futex: a thread on what is written to it, the machine on one bell for
//    all lines. What is not answered need not ring: the machine reads it before anything else of
//    the process, and when all sleep.
// 3. Where the socket has a message, the ring has an empty one in its place, so that all stay in
//    their order.
#ifndef SIM_UAPI_SHARED_LINES_H_
#define SIM_UAPI_SHARED_LINES_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "model/base/duration.h"

namespace cm::sim::uapi {

inline constexpr uint32_t kNoLine = UINT32_MAX;

// Bytes of one writer to one reader.
class Ring {
 public:
  // False when there is no room.
  bool Put(std::span<const uint8_t> bytes);
  uint32_t size() const { return written_ - read_; }
  uint32_t read() const { return read_; }  // bytes ever, modulo 2^32
  bool IsEmpty() const { return size() == 0; }
  bool IsHalfFull() const { return size() > kSize / 2; }
  // A program has written where it must not. Nothing can be put in or taken out any more.
  bool IsDamaged() const { return size() > kSize; }
  // Takes so many bytes out, which are there.
  void Take(std::span<uint8_t> bytes);
  void Clear();

  // The reader sleeps until something is written. Returns 0 or an errno: EINTR; ETIMEDOUT after 0.2
  // s of the system's time; ECONNRESET when the writer has closed the ring. A cancellation point.
  int Wait();
  // The writer wakes the reader, if it sleeps.
  void Wake();
  void Close();
  // The writer says whether what the reader waits for takes longer than its turn.
  void SetLate(bool late) { late_ = late ? 1 : 0; }
  bool IsLate() const { return late_ != 0; }

 private:
  static constexpr uint32_t kSize = 1U << 13;

  std::atomic<uint32_t> written_{0};  // bytes ever, as read_
  std::atomic<uint32_t> read_{0};
  std::atomic<uint32_t> sleeps_{0};
  std::atomic<uint32_t> closed_{0};
  std::atomic<uint32_t> late_{0};
  std::array<uint8_t, kSize> bytes_{};
};

struct SharedLine {
  Ring to_machine;
  Ring to_program;
};

// The file.
struct LinesRecord {
  static constexpr uint32_t kLines = 512;

  std::atomic<uint32_t> bell{0};
  std::atomic<uint32_t> sleeps{0};
  std::atomic<uint32_t> takes_turns{0};
  std::array<std::atomic<uint64_t>, kLines / 64> taken{};
  std::array<SharedLine, kLines> lines;
};

// An end of all lines.
class SharedLines {
 public:
  static constexpr std::string_view kName = "lines";  // a file beside the sockets

  // The machine's end. Null, and errno is set, when the file cannot be created.
  static std::unique_ptr<SharedLines> Make(const std::string& path);
  // The program's end, which is never unmapped; allocates nothing. Without a file of that name all
  // lines are taken.
  static SharedLines See(const char* path);
  SharedLines(SharedLines&& other) noexcept;
  SharedLines& operator=(SharedLines&& other) = delete;
  ~SharedLines();

  // kNoLine when all are taken.
  uint32_t Take();
  // The machine's: the line is closed, and may be taken again.
  void GiveBack(uint32_t line);
  // Null when there is no such line.
  SharedLine* Get(uint32_t line);

  void RingBell();  // without lines it does nothing
  // A program that waits gives way a few times before it sleeps: where it has one processor with
  // the machine, that mostly answers meanwhile, or says that the answer is late.
  void LetTakeTurns(bool let) { record_->takes_turns = let ? 1 : 0; }
  void AwaitInTurn(const Ring& ring);  // without lines it does nothing
  // What it was before something is looked for, to be waited for when that is not there.
  uint32_t bell() const { return record_->bell; }
  void Await(uint32_t bell, Duration patience);

 private:
  SharedLines(LinesRecord* record, bool is_machines) : record_(record), is_machines_(is_machines) {}

  LinesRecord* record_;
  bool is_machines_;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_SHARED_LINES_H_
