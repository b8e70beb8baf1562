#include "model/base/digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

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

// What XXH64 of libxxhash says of the 1300 bytes in one piece.
TEST(Digest, IsTheSameInPiecesOfAnySize) {
  std::vector<uint8_t> bytes(1300);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  Digest one_by_one;
  for (const uint8_t byte : bytes) one_by_one.U8(byte);
  EXPECT_EQ(one_by_one.Value(), 0x511c840aa9135a9au);
  const auto in_pieces = [&](size_t size) {
    Digest digest;
    for (size_t at = 0; at < bytes.size(); at += size)
      digest.Bytes(std::span(bytes).subspan(at, std::min(size, bytes.size() - at)));
    return digest.Value();
  };
  const auto by_bytes = [&](size_t size) {
    Digest digest;
    for (size_t at = 0; at < bytes.size(); at += size) {
      const size_t end = std::min(at + size, bytes.size());
      digest.U32(static_cast<uint32_t>(end - at));
      for (size_t i = at; i < end; ++i) digest.U8(bytes[i]);
    }
    return digest.Value();
  };
  for (const size_t size : {1, 7, 508, 509, 512, 513, 1300})
    EXPECT_EQ(in_pieces(size), by_bytes(size)) << size;
}

TEST(Digest, StartsAgainWhenCleared) {
  Digest digest;
  digest.U64(7);
  digest.Clear();
  EXPECT_EQ(digest.Value(), 0xEF46DB3751D8E999u);
}

}  // namespace
}  // namespace cm
