#include "model/mad/pcap.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "model/base/check.h"
#include "model/mad/frame.h"
#include "model/mad/malformed.h"

namespace cm::mad {
namespace {

constexpr uint32_t kMicrosecondMagic = 0xa1b2c3d4;
constexpr uint32_t kNanosecondMagic = 0xa1b23c4d;
constexpr uint32_t kVersion = 2 | 4 << 16;  // 2.4, two numbers of 16 bits
constexpr uint32_t kSwappedVersion = 2 << 16 | 4;
constexpr size_t kFileHeaderSize = 24;
constexpr size_t kRecordHeaderSize = 16;
constexpr size_t kBufferSize = 1 << 16;
constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;

constexpr std::string_view kFileLayer = "pcap file";
constexpr std::string_view kRecordLayer = "pcap record";

bool IsKnown(uint32_t link) {
  switch (static_cast<LinkType>(link)) {
    case LinkType::kEthernet:
    case LinkType::kRaw:
    case LinkType::kSll:
    case LinkType::kSll2:
      return true;
  }
  return false;
}

}  // namespace

uint32_t PcapReader::U32(size_t offset) const {
  uint32_t value;
  std::memcpy(&value, file_.data() + offset, sizeof(value));
  return big_endian_ ? __builtin_bswap32(value) : value;
}

Decoded<PcapReader> PcapReader::Open(std::span<const uint8_t> file) {
  if (file.size() < kFileHeaderSize) {
    return Malformed{kFileLayer, file.size(), "a header of 24 bytes", file.size()};
  }
  PcapReader reader;
  reader.file_ = file;
  const uint32_t swapped = __builtin_bswap32(reader.U32(0));
  reader.big_endian_ = swapped == kMicrosecondMagic || swapped == kNanosecondMagic;
  const uint32_t magic = reader.U32(0);
  reader.nanoseconds_ = magic == kNanosecondMagic;
  if (magic != kMicrosecondMagic && magic != kNanosecondMagic) {
    return Malformed{kFileLayer, 0, "0xa1b2c3d4 or 0xa1b23c4d, of either byte order", magic};
  }
  const uint32_t version = reader.U32(4);
  if (version != (reader.big_endian_ ? kSwappedVersion : kVersion)) {
    return Malformed{kFileLayer, 4, "version 2.4", version};
  }
  const uint32_t link = reader.U32(20);
  if (!IsKnown(link)) return Malformed{kFileLayer, 20, "link type 1, 101, 113 or 276", link};
  reader.link_ = static_cast<LinkType>(link);
  reader.snap_length_ = reader.U32(16);
  reader.next_ = kFileHeaderSize;
  return reader;
}

std::optional<Decoded<PcapRecord>> PcapReader::Next() {
  const size_t begin = next_;
  const size_t left = file_.size() - begin;
  if (left == 0) return std::nullopt;
  next_ = file_.size();  // unless it succeeds
  if (left < kRecordHeaderSize) {
    return Malformed{kRecordLayer, file_.size(), "a header of 16 bytes", left};
  }
  const uint32_t fraction = U32(begin + 4);
  const uint32_t length = U32(begin + 8);
  const uint32_t original_length = U32(begin + 12);
  const uint32_t unit = nanoseconds_ ? 1 : 1000;
  if (fraction >= kNanosecondsPerSecond / unit) {
    return Malformed{kRecordLayer, begin + 4, "less than a second", fraction};
  }
  if (length > kPcapRecordMax) {
    return Malformed{kRecordLayer, begin + 8, "at most 262144 bytes", length};
  }
  if (length > original_length) {
    return Malformed{kRecordLayer, begin + 12, "no less than was captured", original_length};
  }
  if (length > left - kRecordHeaderSize) {
    return Malformed{kRecordLayer, file_.size(), "as many bytes as its header says",
                     left - kRecordHeaderSize};
  }
  next_ = begin + kRecordHeaderSize + length;
  return PcapRecord{U32(begin) * kNanosecondsPerSecond + int64_t{fraction} * unit,
                    file_.subspan(begin + kRecordHeaderSize, length), original_length};
}

PcapWriter::PcapWriter(Sink sink, LinkType link) : sink_(std::move(sink)), buffer_(kBufferSize) {
  const std::array<uint32_t, kFileHeaderSize / 4> header = {
      kNanosecondMagic, kVersion, 0, 0, kPcapRecordMax, static_cast<uint32_t>(link)};
  std::memcpy(buffer_.data(), header.data(), kFileHeaderSize);
  used_ = kFileHeaderSize;
}

PcapWriter::~PcapWriter() { Flush(); }

void PcapWriter::Write(int64_t nanoseconds, std::span<const uint8_t> bytes) {
  CM_CHECK(nanoseconds >= 0 && nanoseconds / kNanosecondsPerSecond <= UINT32_MAX) << nanoseconds;
  CM_CHECK(bytes.size() <= kPcapRecordMax) << bytes.size() << " bytes";
  const size_t size = kRecordHeaderSize + bytes.size();
  if (size > buffer_.size() - used_) {
    Flush();
    if (size > buffer_.size()) buffer_.resize(size);
  }
  const auto length = static_cast<uint32_t>(bytes.size());
  const std::array<uint32_t, kRecordHeaderSize / 4> header = {
      static_cast<uint32_t>(nanoseconds / kNanosecondsPerSecond),
      static_cast<uint32_t>(nanoseconds % kNanosecondsPerSecond), length, length};
  uint8_t* to = buffer_.data() + used_;
  std::memcpy(to, header.data(), kRecordHeaderSize);
  if (length > 0) std::memcpy(to + kRecordHeaderSize, bytes.data(), length);
  used_ += size;
}

void PcapWriter::Flush() {
  if (used_ > 0) sink_({buffer_.data(), used_});
  used_ = 0;
}

}  // namespace cm::mad
