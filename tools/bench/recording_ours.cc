// The cost of recording a run, and of printing the records.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/mad/pcap.h"
#include "sim/core/journal.h"
#include "tools/bench/figure.h"
#include "tools/bench/lives.h"
#include "tools/bench/ours.h"
#include "tools/bench/recording.h"

namespace cm::bench {
namespace {

enum Way { kNothing, kFingerprint, kRing, kFile, kWays };

constexpr size_t kRingSize = 4096;

// The same events each time, because each time begins with a copy.
double RunRecorded(const Lives& from, int64_t events, Way way, std::FILE* file) {
  auto lives = std::make_unique<Lives>(from);
  sim::Journal journal = way < kRing ? sim::Journal() : sim::Journal(kRingSize);
  std::rewind(file);
  const double start = CpuSeconds();
  for (int64_t i = 0; i < events; ++i) {
    const sim::Event event = lives->Step();
    if (way == kNothing) continue;
    journal.Note(event);
    if (way == kFile && journal.noted() % kRingSize == 0)
      std::fwrite(journal.ring().data(), sizeof(sim::Record), kRingSize, file);
  }
  benchmark::DoNotOptimize(journal.fingerprint());
  return CpuSeconds() - start;
}

// The minimum of many runs of each variant, in turn: other load only adds time.
void Overheads(benchmark::State& state) {
  const int64_t turns = Scaled(301);
  constexpr int64_t kEvents = 2 * kRingSize;  // short enough to run without interruption at times
  Lives lives(1000);
  for (int i = 0; i < 100'000; ++i) lives.Step();
  std::FILE* const file = std::tmpfile();
  CM_CHECK(file != nullptr);
  std::array<double, kWays> least;
  least.fill(1e9);
  for (auto _ : state) {
    for (int64_t turn = 0; turn < turns; ++turn)
      for (int way = 0; way < kWays; ++way)
        least[way] = std::min(least[way], RunRecorded(lives, kEvents, static_cast<Way>(way), file));
  }
  std::fclose(file);
  // A ring and a file include the cost of the fingerprint: the difference is theirs.
  const auto percent = [&least](double more) { return 100 * more / least[kNothing]; };
  state.counters["fingerprint_percent"] = percent(least[kFingerprint] - least[kNothing]);
  state.counters["ring_percent"] = percent(least[kRing] - least[kFingerprint]);
  state.counters["file_percent"] = percent(least[kFile] - least[kFingerprint]);
}

[[gnu::noinline]] void MeasuredJson(const std::vector<sim::Record>& records, int64_t n,
                                    Output* out) {
  constexpr size_t kBuffer = size_t{1} << 16;
  std::string text;
  for (int64_t i = 0; i < n; ++i) {
    sim::AppendJsonLine(records[static_cast<size_t>(i) % records.size()], &text);
    if (text.size() < kBuffer) continue;
    out->Write(text.data(), text.size());
    text.clear();
  }
  out->Write(text.data(), text.size());
}

[[gnu::noinline]] void MeasuredPcap(const std::vector<Noted>& records, int64_t n, Output* out) {
  mad::PcapWriter writer(
      [out](std::span<const uint8_t> bytes) { out->Write(bytes.data(), bytes.size()); });
  std::array<uint8_t, kFrameSize> frame = SomeFrame();
  for (int64_t i = 0; i < n; ++i) {
    const Noted& record = records[static_cast<size_t>(i) % records.size()];
    std::memcpy(frame.data() + 70, &record.word, sizeof record.word);
    writer.Write(record.at, frame);
  }
}

}  // namespace

void OurRecording() {
  Figure("overhead/1000/journal", 1, Overheads);
  Figure("json/1/journal", kRecords, [](benchmark::State& state) {
    std::vector<sim::Record> records;
    for (const Noted& noted : SomeRecords())
      records.push_back({sim::Event::Of(Instant::FromNanoseconds(noted.at),
                                        static_cast<sim::EventKind>(noted.kind), noted.on),
                         noted.word});
    Output out;
    MeasureOnce(state, [&](int64_t n) { MeasuredJson(records, n, &out); });
  });
  Figure("pcap/1/pcap_writer", kRecords, [](benchmark::State& state) {
    const std::vector<Noted> records = SomeRecords();
    Output out;
    MeasureOnce(state, [&](int64_t n) { MeasuredPcap(records, n, &out); });
  });
}

}  // namespace cm::bench
