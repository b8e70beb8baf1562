// For libFuzzer: whatever a capture holds, the judge comes to its end.
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/mad/pcap.h"
#include "model/vocabulary/profile.h"
#include "model/wire/judge.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto opened = cm::mad::PcapReader::Open({data, size});
  if (!opened.ok()) return 0;
  cm::mad::PcapReader& reader = opened.value();
  const cm::Profile* profile = cm::FindProfile("6.1-rxe");
  for (const cm::wire::Manner& manner :
       {cm::wire::Manner{}, cm::wire::Manner{.whole = true, .strict = true, .profile = profile},
        cm::wire::Manner{.missing = true}}) {
    cm::mad::PcapReader records = reader;
    cm::wire::Judge judge(manner, [](const cm::wire::Verdict&) {});
    uint64_t number = 0;
    while (const auto record = records.Next()) {
      if (!record->ok()) break;
      const cm::mad::PcapRecord& frame = record->value();
      judge.Take(++number, frame.nanoseconds, frame.bytes, frame.original_length, records.link());
    }
    judge.Finish();
  }
  return 0;
}
