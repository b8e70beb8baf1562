#include "hw_tests/lab/frame.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lab {
namespace {

std::vector<Frame> DecodeInPiecesOf(size_t piece, const std::string& bytes) {
  FrameDecoder decoder;
  std::vector<Frame> frames;
  for (size_t i = 0; i < bytes.size(); i += piece) {
    decoder.Append(std::string_view(bytes).substr(i, piece));
    while (std::optional<Frame> frame = decoder.Next()) frames.push_back(*frame);
  }
  EXPECT_FALSE(decoder.broken());
  return frames;
}

TEST(Frame, ComesOutAsItWentInHoweverTheStreamIsCut) {
  const std::vector<Frame> frames = {
      {FrameType::kReady, 0, ""},
      {FrameType::kRun, 1, "echo hello"},
      {FrameType::kOutput, 0xfffffffe, std::string("\0\xff\n", 3)},
      {FrameType::kError, 7, std::string(70000, 'x')},
  };
  std::string bytes;
  for (const Frame& frame : frames) bytes += Encode(frame);
  for (size_t piece : {size_t{1}, size_t{5}, size_t{12}, size_t{4096}, bytes.size()}) {
    EXPECT_EQ(DecodeInPiecesOf(piece, bytes), frames) << "pieces of " << piece;
  }
}

TEST(Frame, HasAFixedLayout) {
  EXPECT_EQ(Encode({FrameType::kKill, 0x01020304, "ab"}),
            std::string("\x02\0\0\0\x04\x03\x02\x01\x02\0\0\0ab", 14));
}

TEST(Frame, LongerThanAllowedIsCut) {
  const std::string bytes = Encode({FrameType::kRun, 1, std::string(kFramePayloadMax + 1, 'x')});
  EXPECT_EQ(bytes.size(), kFrameHeaderBytes + kFramePayloadMax);
}

TEST(FrameDecoder, StaysBrokenAfterALengthThatCannotBe) {
  FrameDecoder decoder;
  decoder.Append(std::string("\xff\xff\xff\xff\0\0\0\0\x01\0\0\0", 12));
  EXPECT_FALSE(decoder.Next());
  EXPECT_TRUE(decoder.broken());
  decoder.Append(Encode({FrameType::kReady, 0, ""}));
  EXPECT_FALSE(decoder.Next());
}

TEST(FrameDecoder, StaysBrokenAfterAnUnknownType) {
  for (char type : {'\0', '\x07'}) {
    FrameDecoder decoder;
    decoder.Append(std::string(8, '\0') + type + std::string(3, '\0'));
    EXPECT_FALSE(decoder.Next());
    EXPECT_TRUE(decoder.broken());
  }
}

TEST(Exit, ComesOutAsItWentIn) {
  for (const Exit& exit : {Exit{0, 0}, Exit{137, 102'019'000'000}, Exit{-1, UINT64_MAX}}) {
    EXPECT_EQ(DecodeExit(EncodeExit(exit)), exit);
  }
}

TEST(Exit, OfAnotherLengthIsRefused) {
  EXPECT_FALSE(DecodeExit(""));
  EXPECT_FALSE(DecodeExit(EncodeExit({}) + "x"));
}

}  // namespace
}  // namespace lab
