#include "model/base/digest.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace cm {
namespace {

uint64_t OfRawBytes(std::string_view text) {
  Digest digest;
  for (const char c : text) digest.U8(static_cast<uint8_t>(c));
  return digest.Value();
}

// Known answers of XXH64 with seed 0, as its own tools and bindings document them; the last one is
// longer than the 32 bytes of a stripe.
TEST(Digest, IsXxh64) {
  EXPECT_EQ(OfRawBytes(""), 0xEF46DB3751D8E999u);
  EXPECT_EQ(OfRawBytes("a"), 0xD24EC4F1A98C6E5Bu);
  EXPECT_EQ(OfRawBytes("abc"), 0x44BC2CF5AD770999u);
  EXPECT_EQ(OfRawBytes("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1u);
}

TEST(Digest, WritesNumbersLittleEndian) {
  Digest digest;
  digest.U16(0x0201);
  digest.U32(0x06050403);
  digest.U64(0x0e0d0c0b0a090807);
  digest.I64(-2);
  EXPECT_EQ(digest.Value(), OfRawBytes("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e"
                                       "\xfe\xff\xff\xff\xff\xff\xff\xff"));
}

TEST(Digest, KeepsNeighbouringTextsApart) {
  Digest one;
  one.Text("ab");
  one.Text("c");
  Digest other;
  other.Text("a");
  other.Text("bc");
  EXPECT_NE(one.Value(), other.Value());
}

TEST(Digest, KeepsNeighbouringBytesApart) {
  constexpr std::array<uint8_t, 3> kBytes = {0, 0, 0};
  const std::span<const uint8_t> bytes(kBytes);
  Digest one;
  one.Bytes(bytes.first(1));
  one.Bytes(bytes.first(2));
  Digest other;
  other.Bytes(bytes.first(2));
  other.Bytes(bytes.first(1));
  EXPECT_NE(one.Value(), other.Value());
}

TEST(Digest, StartsAgainWhenCleared) {
  Digest digest;
  digest.U64(7);
  digest.Clear();
  EXPECT_EQ(digest.Value(), 0xEF46DB3751D8E999u);
}

}  // namespace
}  // namespace cm
