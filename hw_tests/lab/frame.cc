#include "hw_tests/lab/frame.h"

#include <algorithm>

namespace lab {
namespace {

constexpr size_t kExitBytes = 12;

void PutNumber(std::string& bytes, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) {
    bytes.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
  }
}

uint64_t GetNumber(std::string_view bytes, size_t at, size_t width) {
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

bool IsKnownType(uint64_t type) {
  return type >= static_cast<uint64_t>(FrameType::kRun) &&
         type <= static_cast<uint64_t>(FrameType::kExit);
}

}  // namespace

std::string Encode(const Frame& frame) {
  const size_t length = std::min(frame.payload.size(), kFramePayloadMax);
  std::string bytes;
  bytes.reserve(kFrameHeaderBytes + length);
  PutNumber(bytes, length, 4);
  PutNumber(bytes, frame.command, 4);
  PutNumber(bytes, static_cast<uint32_t>(frame.type), 4);
  bytes.append(frame.payload, 0, length);
  return bytes;
}

void FrameDecoder::Append(std::string_view bytes) {
  // The consumed prefix is removed only when it is longer than the rest, so that every byte is
  // moved at most once on average.
  if (used_ > buffer_.size() / 2) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  buffer_.append(bytes);
}

std::optional<Frame> FrameDecoder::Next() {
  const std::string_view rest = std::string_view(buffer_).substr(used_);
  if (broken_ || rest.size() < kFrameHeaderBytes) return std::nullopt;
  const uint64_t length = GetNumber(rest, 0, 4);
  const uint64_t type = GetNumber(rest, 8, 4);
  if (length > kFramePayloadMax || !IsKnownType(type)) {
    broken_ = true;
    return std::nullopt;
  }
  if (rest.size() < kFrameHeaderBytes + length) return std::nullopt;
  Frame frame;
  frame.type = static_cast<FrameType>(type);
  frame.command = static_cast<uint32_t>(GetNumber(rest, 4, 4));
  frame.payload = rest.substr(kFrameHeaderBytes, length);
  used_ += kFrameHeaderBytes + length;
  return frame;
}

std::string EncodeExit(const Exit& exit) {
  std::string payload;
  PutNumber(payload, static_cast<uint32_t>(exit.status), 4);
  PutNumber(payload, exit.guest_ns, 8);
  return payload;
}

std::optional<Exit> DecodeExit(std::string_view payload) {
  if (payload.size() != kExitBytes) return std::nullopt;
  Exit exit;
  exit.status = static_cast<int32_t>(static_cast<uint32_t>(GetNumber(payload, 0, 4)));
  exit.guest_ns = GetNumber(payload, 4, 8);
  return exit;
}

}  // namespace lab
