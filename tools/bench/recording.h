// The figures about records of a run: each iteration is one record.
#ifndef TOOLS_BENCH_RECORDING_H_
#define TOOLS_BENCH_RECORDING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "model/base/check.h"
#include "tools/bench/figure.h"

namespace cm::bench {

// 24 bytes: time, kind, and one more word.
struct Noted {
  int64_t at = 0;
  uint32_t on = 0;
  uint32_t kind = 0;
  uint64_t word = 0;
};

inline constexpr int64_t kRecords = 500'000;

// The same in every program, and few enough to stay in the cache.
inline std::vector<Noted> SomeRecords() {
  Random random;
  std::vector<Noted> records(4096);
  int64_t at = 1'000'000'000;
  for (Noted& record : records) {
    at += static_cast<int64_t>(random.Next() % 100'000);
    record = {at, static_cast<uint32_t>(random.Next() % 100'000),
              static_cast<uint32_t>(random.Next() % 4), random.Next()};
  }
  return records;
}

// Ethernet, IPv4, UDP, BTH, DETH, a MAD of 256 bytes, ICRC: a message of the IB CM on RoCE.
inline constexpr size_t kFrameSize = 14 + 20 + 8 + 12 + 8 + 256 + 4;
inline std::array<uint8_t, kFrameSize> SomeFrame() {
  Random random;
  std::array<uint8_t, kFrameSize> frame;
  for (uint8_t& byte : frame) byte = static_cast<uint8_t>(random.Next());
  return frame;
}

// The output: an unnamed file that is deleted afterwards.
class Output {
 public:
  Output() : file_(std::tmpfile()) { CM_CHECK(file_ != nullptr); }
  ~Output() { std::fclose(file_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  std::FILE* file() { return file_; }
  void Write(const void* bytes, size_t size) {
    CM_CHECK(std::fwrite(bytes, 1, size, file_) == size);
  }

 private:
  std::FILE* file_;
};

}  // namespace cm::bench

#endif  // TOOLS_BENCH_RECORDING_H_
