#include "tools/bench/recording.h"

#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

#include "tools/bench/floor/floor.h"

namespace cm::bench {
namespace {

constexpr size_t kBuffer = size_t{1} << 16;
constexpr size_t kRoom = 512;  // larger than any record

char* Put(std::string_view text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

char* PutHex(uint64_t word, char* to) {
  for (int shift = 60; shift >= 0; shift -= 4) *to++ = "0123456789abcdef"[(word >> shift) & 15];
  return to;
}

char* PutLine(const Noted& record, char* to) {
  constexpr std::string_view kKinds[] = {"packet-arrives", "mad-timer", "timewait-over",
                                         "send-failed"};
  to = Put("{\"at\":", to);
  to = std::to_chars(to, to + 20, record.at).ptr;
  to = Put(",\"kind\":\"", to);
  to = Put(kKinds[record.kind], to);
  to = Put("\",\"on\":", to);
  to = std::to_chars(to, to + 20, record.on).ptr;
  to = Put(",\"fingerprint\":\"", to);
  to = PutHex(record.word, to);
  return Put("\"}\n", to);
}

[[gnu::noinline]] void MeasuredJson(const std::vector<Noted>& records, int64_t n, Output* out) {
  static std::array<char, kBuffer> buffer;
  char* to = buffer.data();
  for (int64_t i = 0; i < n; ++i) {
    if (to + kRoom > buffer.data() + buffer.size()) {
      out->Write(buffer.data(), static_cast<size_t>(to - buffer.data()));
      to = buffer.data();
    }
    to = PutLine(records[static_cast<size_t>(i) % records.size()], to);
  }
  out->Write(buffer.data(), static_cast<size_t>(to - buffer.data()));
}

[[gnu::noinline]] void MeasuredPcap(const std::vector<Noted>& records, int64_t n, Output* out) {
  static std::array<char, kBuffer> buffer;
  std::array<uint8_t, kFrameSize> frame = SomeFrame();
  char* to = buffer.data();
  for (int64_t i = 0; i < n; ++i) {
    if (to + kRoom > buffer.data() + buffer.size()) {
      out->Write(buffer.data(), static_cast<size_t>(to - buffer.data()));
      to = buffer.data();
    }
    const Noted& record = records[static_cast<size_t>(i) % records.size()];
    std::memcpy(frame.data() + 70, &record.word, sizeof record.word);
    const uint32_t header[] = {static_cast<uint32_t>(record.at / 1'000'000'000),
                               static_cast<uint32_t>(record.at % 1'000'000'000), kFrameSize,
                               kFrameSize};
    std::memcpy(to, header, sizeof header);
    std::memcpy(to + sizeof header, frame.data(), frame.size());
    to += sizeof header + frame.size();
  }
  out->Write(buffer.data(), static_cast<size_t>(to - buffer.data()));
}

}  // namespace

void FloorRecording() {
  Figure("json/1/floor", kRecords, [](benchmark::State& state) {
    const std::vector<Noted> records = SomeRecords();
    Output out;
    MeasureOnce(state, [&](int64_t n) { MeasuredJson(records, n, &out); });
  });
  Figure("pcap/1/floor", kRecords, [](benchmark::State& state) {
    const std::vector<Noted> records = SomeRecords();
    Output out;
    MeasureOnce(state, [&](int64_t n) { MeasuredPcap(records, n, &out); });
  });
}

}  // namespace cm::bench
