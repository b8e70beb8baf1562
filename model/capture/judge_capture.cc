// Fuzz target: for any capture the judge ends, and has judged every connection. Frames are also
// given with a valid CRC, because nearly all would be dropped otherwise.
#include <cstddef>
#include <cstdint>

#include "model/base/check.h"
#include "model/capture/judge.h"
#include "model/mad/frame.h"
#include "model/mad/pcap.h"
#include "model/vocabulary/profile.h"

namespace cm::wire {
namespace {

void Check(mad::PcapReader records, const JudgeOptions& manner, bool sealed) {
  uint64_t verdicts = 0;
  Judge judge(manner, [&](const Verdict& verdict) {
    CM_CHECK(!verdict.violation || !verdict.violation->rule.empty());
    ++verdicts;
  });
  uint64_t number = 0;
  while (const auto record = records.Next()) {
    if (!record->ok()) break;
    const mad::PcapRecord& one = record->value();
    auto frame = mad::Decode(one.bytes, records.link());
    if (sealed && frame.ok()) {
      const mad::FrameBytes bytes = mad::Seal(frame.value());
      judge.Take(++number, one.nanoseconds, bytes.view(), bytes.size(), records.link());
    } else {
      judge.Take(++number, one.nanoseconds, one.bytes, one.original_length, records.link());
    }
  }
  judge.Finish();
  CM_CHECK(judge.live() == 0);
  CM_CHECK(verdicts >= judge.totals().exchanges);
}

}  // namespace
}  // namespace cm::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using cm::wire::JudgeOptions;
  auto opened = cm::mad::PcapReader::Open({data, size});
  if (!opened.ok()) return 0;
  const JudgeOptions known{.whole = true, .strict = true, .profiles = {cm::FindProfile("6.1-rxe")}};
  for (const JudgeOptions& manner : {JudgeOptions{}, known, JudgeOptions{.missing = true}})
    for (const bool sealed : {false, true}) cm::wire::Check(opened.value(), manner, sealed);
  return 0;
}
