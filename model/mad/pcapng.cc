#include "model/mad/pcapng.h"

namespace cm::mad {
namespace {

constexpr uint32_t kSection = 0x0a0d0d0a;
constexpr uint32_t kInterface = 1;
constexpr uint32_t kPacket = 6;
constexpr uint32_t kByteOrder = 0x1a2b3c4d;
constexpr uint16_t kPcapngVersion = 1;
constexpr uint16_t kEthernet = 1;
constexpr uint16_t kComment = 1;
constexpr uint16_t kResolution = 9;  // of the interface; its value is that of nanoseconds as well
constexpr size_t kLongestOption = 0xffff;

// Little-endian, and filled up to words.
class Words {
 public:
  void U16(uint16_t value) {
    text_ += static_cast<char>(value & 0xff);
    text_ += static_cast<char>(value >> 8);
  }
  void U32(uint32_t value) {
    U16(static_cast<uint16_t>(value));
    U16(static_cast<uint16_t>(value >> 16));
  }
  void Filled(std::string_view bytes) {
    text_ += bytes;
    text_.resize((text_.size() + 3) / 4 * 4);
  }
  void Option(uint16_t code, std::string_view value) {
    value = value.substr(0, kLongestOption);
    U16(code);
    U16(static_cast<uint16_t>(value.size()));
    Filled(value);
  }
  void EndOfOptions() { U32(0); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string Block(uint32_t type, const std::string& body) {
  constexpr uint32_t kAround = 12;
  Words block;
  block.U32(type);
  block.U32(static_cast<uint32_t>(body.size()) + kAround);
  block.Filled(body);
  block.U32(static_cast<uint32_t>(body.size()) + kAround);
  return block.text();
}

}  // namespace

PcapngWriter::PcapngWriter(std::string_view comment) {
  Words section;
  section.U32(kByteOrder);
  section.U16(kPcapngVersion);
  section.U16(0);
  section.U32(0xffffffff);  // of unknown length
  section.U32(0xffffffff);
  if (!comment.empty()) {
    section.Option(kComment, comment);
    section.EndOfOptions();
  }
  Words interface;
  interface.U16(kEthernet);
  interface.U16(0);
  interface.U32(0);  // whole frames
  interface.Option(kResolution, std::string_view("\x09", 1));
  interface.EndOfOptions();
  file_ = Block(kSection, section.text()) + Block(kInterface, interface.text());
}

void PcapngWriter::Write(int64_t nanoseconds, std::span<const uint8_t> frame,
                         std::string_view comment) {
  const auto time = static_cast<uint64_t>(nanoseconds);
  const auto size = static_cast<uint32_t>(frame.size());
  Words packet;
  packet.U32(0);  // the interface
  packet.U32(static_cast<uint32_t>(time >> 32));
  packet.U32(static_cast<uint32_t>(time));
  packet.U32(size);
  packet.U32(size);
  packet.Filled({reinterpret_cast<const char*>(frame.data()), frame.size()});
  if (!comment.empty()) {
    packet.Option(kComment, comment);
    packet.EndOfOptions();
  }
  file_ += Block(kPacket, packet.text());
}

}  // namespace cm::mad
