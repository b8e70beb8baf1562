// Capture files in the format of libpcap: reading and writing, in memory.
//
// 1. The reader accepts both byte orders, and timestamps in microseconds and in nanoseconds. For a
//    truncated or damaged file it returns every record before the damage, then a Malformed; nothing
//    is guessed.
// 2. The writer writes little-endian files with nanoseconds. A record costs a copy: no system call
//    and no allocation, except when the buffer is full or too small. source: tcpdump.org,
//    pcap-savefile(5)
#ifndef MODEL_MAD_PCAP_H_
#define MODEL_MAD_PCAP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "model/mad/frame.h"
#include "model/mad/malformed.h"

namespace cm::mad {

struct PcapRecord {
  int64_t nanoseconds = 0;  // since the epoch of the file
  std::span<const uint8_t> bytes;
  uint32_t original_length = 0;  // larger than the bytes of a truncated record
};

class PcapReader {
 public:
  // The caller keeps ownership of the file's bytes, which must stay valid.
  static Decoded<PcapReader> Open(std::span<const uint8_t> file);

  LinkType link() const { return link_; }
  bool has_nanoseconds() const { return nanoseconds_; }
  bool is_big_endian() const { return big_endian_; }
  uint32_t longest_record() const { return snap_length_; }

  // Empty at the end. After a Malformed the next is empty.
  std::optional<Decoded<PcapRecord>> Next();

 private:
  PcapReader() = default;
  uint32_t U32(size_t offset) const;

  std::span<const uint8_t> file_;
  size_t next_ = 0;
  LinkType link_ = LinkType::kEthernet;
  uint32_t snap_length_ = 0;
  bool nanoseconds_ = false;
  bool big_endian_ = false;
};

class PcapWriter {
 public:
  // Receives the output, in pieces: writes it to a file, a socket, a string.
  using Sink = std::function<void(std::span<const uint8_t>)>;

  explicit PcapWriter(Sink sink, LinkType link = LinkType::kEthernet);
  PcapWriter(const PcapWriter&) = delete;
  PcapWriter& operator=(const PcapWriter&) = delete;
  ~PcapWriter();

  // At most kPcapRecordMax bytes, at a time that fits into 32 bits of seconds since the epoch.
  void Write(int64_t nanoseconds, std::span<const uint8_t> bytes);
  // Flushes buffered output to the sink.
  void Flush();

 private:
  Sink sink_;
  std::vector<uint8_t> buffer_;
  size_t used_ = 0;
};

// Readers reject records longer than this. source: libpcap MAXIMUM_SNAPLEN
inline constexpr uint32_t kPcapRecordMax = 262144;

}  // namespace cm::mad

#endif  // MODEL_MAD_PCAP_H_
