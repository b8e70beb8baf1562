// Captures in the format of pcapng, with a comment for each frame: writing, in memory. source:
// draft-ietf-opsawg-pcapng, 4.1 to 4.3
#ifndef MODEL_MAD_PCAPNG_H_
#define MODEL_MAD_PCAPNG_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cm::mad {

// Ethernet frames with times in nanoseconds.
class PcapngWriter {
 public:
  explicit PcapngWriter(std::string_view comment);

  // Without an empty comment.
  void Write(int64_t nanoseconds, std::span<const uint8_t> frame, std::string_view comment);
  const std::string& file() const { return file_; }

 private:
  std::string file_;
};

}  // namespace cm::mad

#endif  // MODEL_MAD_PCAPNG_H_
