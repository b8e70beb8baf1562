// A capture file by libpcap.
#include <pcap/pcap.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tools/bench/recording.h"

namespace cm::bench {
namespace {

[[gnu::noinline]] void MeasuredPcap(const std::vector<Noted>& records, int64_t n,
                                    pcap_dumper_t* dumper) {
  std::array<uint8_t, kFrameSize> frame = SomeFrame();
  for (int64_t i = 0; i < n; ++i) {
    const Noted& record = records[static_cast<size_t>(i) % records.size()];
    std::memcpy(frame.data() + 70, &record.word, sizeof record.word);
    pcap_pkthdr header{};
    header.ts.tv_sec = record.at / 1'000'000'000;
    header.ts.tv_usec = record.at % 1'000'000'000;  // nanoseconds, as the file says
    header.caplen = header.len = kFrameSize;
    pcap_dump(reinterpret_cast<u_char*>(dumper), &header, frame.data());
  }
}

}  // namespace
}  // namespace cm::bench

int main(int argc, char** argv) {
  using namespace cm::bench;
  Figure("pcap/1/libpcap", kRecords, [](benchmark::State& state) {
    const std::vector<Noted> records = SomeRecords();
    pcap_t* const capture =
        pcap_open_dead_with_tstamp_precision(DLT_EN10MB, 65536, PCAP_TSTAMP_PRECISION_NANO);
    pcap_dumper_t* const dumper = pcap_dump_fopen(capture, std::tmpfile());
    MeasureOnce(state, [&](int64_t n) { MeasuredPcap(records, n, dumper); });
    pcap_dump_close(dumper);
    pcap_close(capture);
  });
  return RunFigures(argc, argv);
}
