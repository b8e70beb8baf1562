#include "model/mad/pcap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/mad/captured.h"
#include "model/mad/frame.h"

namespace cm::mad {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// All records of a file.
struct Contents {
  std::vector<int64_t> times;
  std::vector<Bytes> records;
  std::string error;
};

Contents Read(const Bytes& file) {
  Contents contents;
  const auto opened = PcapReader::Open(file);
  if (!opened.ok()) return {.error = ToString(opened.error())};
  PcapReader reader = opened.value();
  while (const auto record = reader.Next()) {
    if (!record->ok()) {
      contents.error = ToString(record->error());
      EXPECT_FALSE(reader.Next());
      break;
    }
    contents.times.push_back(record->value().nanoseconds);
    contents.records.emplace_back(record->value().bytes.begin(), record->value().bytes.end());
  }
  return contents;
}

// Numbers of 32 bits in the given byte order, as headers have them.
Bytes Words(const std::vector<uint32_t>& words, bool big_endian) {
  Bytes bytes;
  for (const uint32_t word : words) {
    for (int i = 0; i < 4; ++i) {
      bytes.push_back(static_cast<uint8_t>(word >> 8 * (big_endian ? 3 - i : i)));
    }
  }
  return bytes;
}

// A file of one record of three bytes, of 5 s and the given fraction.
// source: pcap-savefile(5)
Bytes SmallFile(uint32_t magic, bool big_endian, uint32_t fraction) {
  const uint32_t version = big_endian ? 2 << 16 | 4 : 4 << 16 | 2;
  Bytes file = Words({magic, version, 0, 0, 65535, 1, 5, fraction, 3, 60}, big_endian);
  file.insert(file.end(), {1, 2, 3});
  return file;
}
const Bytes kSmall = SmallFile(0xa1b2c3d4, false, 7);

Bytes WithByte(Bytes file, size_t at, uint8_t value) {
  file[at] = value;
  return file;
}

TEST(PcapReader, TakesBothByteOrdersAndBothUnits) {
  for (const bool big_endian : {false, true}) {
    const Contents micro = Read(SmallFile(0xa1b2c3d4, big_endian, 7));
    EXPECT_EQ(micro.error, "");
    EXPECT_THAT(micro.times, ElementsAre(5'000'007'000));
    EXPECT_THAT(micro.records, ElementsAre(ElementsAre(1, 2, 3)));
    const Contents nano = Read(SmallFile(0xa1b23c4d, big_endian, 7));
    EXPECT_THAT(nano.times, ElementsAre(5'000'000'007));
  }
  const PcapReader reader = PcapReader::Open(SmallFile(0xa1b23c4d, true, 7)).value();
  EXPECT_TRUE(reader.is_big_endian());
  EXPECT_TRUE(reader.has_nanoseconds());
  EXPECT_EQ(reader.longest_record(), 65535U);
  EXPECT_EQ(reader.link(), LinkType::kEthernet);
}

TEST(PcapReader, SaysHowLongARecordWas) {
  PcapReader reader = PcapReader::Open(kSmall).value();
  EXPECT_EQ(reader.Next()->value().original_length, 60U);
  EXPECT_FALSE(reader.Next());
}

TEST(PcapReader, RefusesAFileThatIsDamagedByName) {
  EXPECT_EQ(Read(WithByte(kSmall, 0, 0)).error,
            "pcap file at 0: expected 0xa1b2c3d4 or 0xa1b23c4d, of either byte order, "
            "found 2712847104");
  EXPECT_EQ(Read(WithByte(kSmall, 4, 3)).error,
            "pcap file at 4: expected version 2.4, found 262147");
  EXPECT_EQ(Read(WithByte(kSmall, 20, 2)).error,
            "pcap file at 20: expected link type 1, 101, 113 or 276, found 2");
  EXPECT_EQ(Read(WithByte(kSmall, 30, 0x10)).error,
            "pcap record at 28: expected less than a second, found 1048583");
  EXPECT_EQ(Read(WithByte(kSmall, 35, 1)).error,
            "pcap record at 32: expected at most 262144 bytes, found 16777219");
  EXPECT_EQ(Read(WithByte(kSmall, 36, 2)).error,
            "pcap record at 36: expected no less than was captured, found 2");
  EXPECT_EQ(Read(WithByte(kSmall, 32, 4)).error,
            "pcap record at 43: expected as many bytes as its header says, found 3");
}

TEST(PcapReader, RefusesEveryTruncationOfAFileByName) {
  const Bytes file = ReadFile("model/mad/captures/datagram_sidr.pcap");  // 2 records of 322 bytes
  for (size_t size = 0; size < file.size(); ++size) {
    const Contents contents = Read({file.begin(), file.begin() + static_cast<ptrdiff_t>(size)});
    const size_t whole = size < 24 ? 0 : (size - 24) / 338;
    ASSERT_EQ(contents.records.size(), whole) << size;
    const bool at_a_border = size >= 24 && (size - 24) % 338 == 0;
    ASSERT_EQ(contents.error.empty(), at_a_border) << size << contents.error;
    if (!at_a_border) {
      ASSERT_THAT(contents.error, testing::HasSubstr(" at " + std::to_string(size) + ": expected"));
    }
  }
}

TEST(PcapReader, GivesTheRecordsBeforeTheDamage) {
  const Bytes file = ReadFile("model/mad/captures/datagram_sidr.pcap");
  const Contents contents = Read(WithByte(file, 24 + 338 + 11, 0xff));
  EXPECT_EQ(contents.records.size(), 1U);
  EXPECT_THAT(contents.error, testing::StartsWith("pcap record at 370: expected at most"));
}

TEST(PcapWriter, WritesAFileAsItsFormatSays) {
  Bytes file;
  {
    PcapWriter writer([&](std::span<const uint8_t> piece) {
      file.insert(file.end(), piece.begin(), piece.end());
    });
    const Bytes record = {1, 2, 3};
    writer.Write(5'000'000'007, record);
  }
  Bytes expected =
      Words({0xa1b23c4d, 4 << 16 | 2, 0, 0, 262144, 1, 5, 7, 3, 3}, /*big_endian=*/false);
  expected.insert(expected.end(), {1, 2, 3});
  EXPECT_THAT(file, ElementsAreArray(expected));
}

// Records of every length up to some that are larger than any buffer.
TEST(PcapWriter, WritesWhatTheReaderReads) {
  std::vector<Bytes> records;
  for (size_t size = 0; size < 300; ++size) {
    records.emplace_back(size * size, static_cast<uint8_t>(size));
  }
  records.emplace_back(kPcapRecordMax, uint8_t{7});
  Bytes file;
  size_t pieces = 0;
  PcapWriter writer(
      [&](std::span<const uint8_t> piece) {
        ++pieces;
        file.insert(file.end(), piece.begin(), piece.end());
      },
      LinkType::kSll2);
  int64_t time = 0;
  for (const Bytes& record : records) writer.Write(time += 1'234'567'891, record);
  writer.Flush();
  EXPECT_LT(pieces, records.size());
  const Contents contents = Read(file);
  EXPECT_EQ(contents.error, "");
  EXPECT_TRUE(contents.records == records);
  EXPECT_EQ(contents.times.back(), time);
  EXPECT_EQ(PcapReader::Open(file).value().link(), LinkType::kSll2);
}

}  // namespace
}  // namespace cm::mad
