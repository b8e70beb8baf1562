// A line of JSON by nlohmann's library.
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bench/recording.h"

namespace cm::bench {
namespace {

std::string Hex(uint64_t word) {
  std::array<char, 17> text;
  std::snprintf(text.data(), text.size(), "%016lx", static_cast<unsigned long>(word));
  return text.data();
}

[[gnu::noinline]] void MeasuredJson(const std::vector<Noted>& records, int64_t n, Output* out) {
  static constexpr std::array kKinds = {"packet-arrives", "mad-timer", "timewait-over",
                                        "send-failed"};
  for (int64_t i = 0; i < n; ++i) {
    const Noted& record = records[static_cast<size_t>(i) % records.size()];
    const nlohmann::ordered_json line = {{"at", record.at},
                                         {"kind", kKinds[record.kind]},
                                         {"on", record.on},
                                         {"fingerprint", Hex(record.word)}};
    const std::string text = line.dump() + "\n";
    out->Write(text.data(), text.size());
  }
}

}  // namespace
}  // namespace cm::bench

int main(int argc, char** argv) {
  using namespace cm::bench;
  Figure("json/1/nlohmann", kRecords, [](benchmark::State& state) {
    const std::vector<Noted> records = SomeRecords();
    Output out;
    MeasureOnce(state, [&](int64_t n) { MeasuredJson(records, n, &out); });
  });
  return RunFigures(argc, argv);
}
