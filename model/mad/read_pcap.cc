// Fuzz target: reading any file ends, stays within it, and reads the same from a file that was
// written with the records read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/base/check.h"
#include "model/mad/malformed.h"
#include "model/mad/pcap.h"

namespace cm::mad {
namespace {

struct Contents {
  std::vector<PcapRecord> records;
  size_t errors = 0;
};

Contents ReadAll(PcapReader reader, std::span<const uint8_t> file) {
  Contents contents;
  while (const auto record = reader.Next()) {
    CM_CHECK(contents.errors == 0);
    if (!record->ok()) {
      CM_CHECK(record->error().offset <= file.size()) << ToString(record->error());
      ++contents.errors;
      continue;
    }
    const auto bytes = record->value().bytes;
    CM_CHECK(bytes.data() >= file.data() &&
             bytes.data() + bytes.size() <= file.data() + file.size());
    contents.records.push_back(record->value());
  }
  return contents;
}

void Check(std::span<const uint8_t> file) {
  const auto reader = PcapReader::Open(file);
  if (!reader.ok()) {
    CM_CHECK(reader.error().offset <= file.size()) << ToString(reader.error());
    return;
  }
  const Contents contents = ReadAll(reader.value(), file);
  std::vector<uint8_t> again;
  {
    PcapWriter writer([&](auto piece) { again.insert(again.end(), piece.begin(), piece.end()); },
                      reader.value().link());
    for (const PcapRecord& record : contents.records) {
      writer.Write(record.nanoseconds, record.bytes);
    }
  }
  const auto second = PcapReader::Open(again);
  CM_CHECK(second.value().link() == reader.value().link());
  const Contents same = ReadAll(second.value(), again);
  CM_CHECK(same.errors == 0 && same.records.size() == contents.records.size());
  for (size_t i = 0; i < same.records.size(); ++i) {
    CM_CHECK(same.records[i].nanoseconds == contents.records[i].nanoseconds) << i;
    CM_CHECK(std::ranges::equal(same.records[i].bytes, contents.records[i].bytes)) << i;
  }
}

}  // namespace
}  // namespace cm::mad

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cm::mad::Check({data, size});
  return 0;
}
