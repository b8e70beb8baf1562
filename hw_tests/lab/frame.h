// The frames that the host and the guest's agent exchange over the virtio-serial port.
//
// 1. A frame is a header of 12 bytes (length of the payload, command number, type; little-endian
//    32-bit numbers) and the payload.
// 2. The command number ties an answer to its command: later output of a command's remaining
//    children never counts as output of the next one.
// 3. A header that Encode cannot have written makes the decoder broken for good, because the stream
//    no longer shows where the next frame begins.
#ifndef HW_TESTS_LAB_FRAME_H_
#define HW_TESTS_LAB_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lab {

enum class FrameType : uint32_t {
  kRun = 1,     // host to guest: a shell command
  kKill = 2,    // host to guest: kill the running command; without payload
  kReady = 3,   // guest to host: the agent reads commands; without payload
  kOutput = 4,  // guest to host: some standard output
  kError = 5,   // guest to host: some standard error output
  kExit = 6,    // guest to host: the command has ended; see EncodeExit
};

struct Frame {
  FrameType type = FrameType::kRun;
  uint32_t command = 0;
  std::string payload;

  friend bool operator==(const Frame&, const Frame&) = default;
};

inline constexpr size_t kFrameHeaderBytes = 12;
inline constexpr size_t kFramePayloadMax = 1 << 20;

// The bytes of one frame. A payload longer than kFramePayloadMax is a bug of the caller; it is cut,
// so that the receiver keeps the frame boundary.
std::string Encode(const Frame& frame);

// Splits a stream of bytes, arriving in any pieces, into frames.
class FrameDecoder {
 public:
  void Append(std::string_view bytes);

  // The next whole frame; empty when more bytes are needed or the stream is broken.
  std::optional<Frame> Next();

  bool broken() const { return broken_; }

 private:
  std::string buffer_;
  size_t used_ = 0;
  bool broken_ = false;
};

// How a command ended, as the payload of a kExit frame.
struct Exit {
  int32_t status = 0;     // like the shell's $?: exit code, or 128 + signal
  uint64_t guest_ns = 0;  // duration on the guest's clock

  friend bool operator==(const Exit&, const Exit&) = default;
};

std::string EncodeExit(const Exit& exit);
std::optional<Exit> DecodeExit(std::string_view payload);

}  // namespace lab

#endif  // HW_TESTS_LAB_FRAME_H_
