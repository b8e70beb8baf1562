// Blocks of a capture with comments.
#include "model/mad/pcapng.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cm::mad {
namespace {

using testing::HasSubstr;

struct Block {
  uint32_t type;
  std::string body;
};

uint32_t U32(const std::string& file, size_t at) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<uint8_t>(file[at + i]);
  return value;
}

// Empty where a length is wrong.
std::vector<Block> BlocksOf(const std::string& file) {
  std::vector<Block> blocks;
  for (size_t at = 0; at < file.size();) {
    const uint32_t length = at + 8 <= file.size() ? U32(file, at + 4) : 0;
    if (length < 12 || length % 4 != 0 || length > file.size() - at ||
        U32(file, at + length - 4) != length)
      return {};
    blocks.push_back({U32(file, at), file.substr(at + 8, length - 12)});
    at += length;
  }
  return blocks;
}

// source: draft-ietf-opsawg-pcapng 4.1 to 4.3
TEST(PcapngTest, EveryFrameHasItsTimeAndItsComment) {
  PcapngWriter writer("a conversation");
  const std::array<uint8_t, 5> frame{'h', 'e', 'l', 'l', 'o'};
  writer.Write(0x100000002, frame, "peer: REP");
  writer.Write(7, frame, "");
  const std::vector<Block> blocks = BlocksOf(writer.file());
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0].type, 0x0a0d0d0a);
  EXPECT_EQ(U32(blocks[0].body, 0), 0x1a2b3c4d);
  EXPECT_THAT(blocks[0].body, HasSubstr("a conversation"));
  EXPECT_EQ(blocks[1].type, 1U);
  EXPECT_EQ(blocks[2].type, 6U);
  EXPECT_EQ(U32(blocks[2].body, 4), 1U);
  EXPECT_EQ(U32(blocks[2].body, 8), 2U);
  EXPECT_EQ(U32(blocks[2].body, 12), frame.size());
  EXPECT_THAT(blocks[2].body, HasSubstr("hello"));
  EXPECT_THAT(blocks[2].body, HasSubstr("peer: REP"));
  EXPECT_EQ(blocks[3].body.size(), 28U);
}

}  // namespace
}  // namespace cm::mad
