#include "sim/fake_libibverbs/padding.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace cm::sim::fake_libibverbs {
namespace {

using Code = std::vector<uint8_t>;

TEST(Padding, IsNopsOfAllLengths) {
  // source: Intel 64 Software Developer's Manual, volume 2, table 4-12, and what GNU as writes
  for (const Code& nop :
       {Code{0x90}, Code{0x66, 0x90}, Code{0x0f, 0x1f, 0x00}, Code{0x0f, 0x1f, 0x40, 0x00},
        Code{0x0f, 0x1f, 0x44, 0x00, 0x00}, Code{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
        Code{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
        Code{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
        Code{0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00}, Code{0xcc}})
    EXPECT_TRUE(IsPadding(nop, nop.size())) << nop.size();
}

TEST(Padding, GoesOnOverSeveralInstructions) {
  EXPECT_TRUE(IsPadding(Code{0x0f, 0x1f, 0x40, 0x00, 0x90, 0xcc}, 6));
  EXPECT_TRUE(IsPadding(Code{0x0f, 0x1f, 0x40, 0x00}, 3)) << "the rest is padding as well";
}

TEST(Padding, IsNotTheNextFunction) {
  // A function that is not aligned: push %rbp.
  EXPECT_FALSE(IsPadding(Code{0x55, 0x48, 0x89, 0xe5}, 1));
  EXPECT_FALSE(IsPadding(Code{0x90, 0x55, 0x48, 0x89}, 2));
  EXPECT_FALSE(IsPadding(Code{0xc3}, 1));
  EXPECT_FALSE(IsPadding(Code{0x66, 0x55}, 2)) << "push %bp";
  EXPECT_FALSE(IsPadding(Code{0x0f, 0x1f, 0xc0}, 3)) << "of a register";
}

TEST(Padding, DoesNotReadBeyondItsEnd) {
  EXPECT_FALSE(IsPadding(Code{}, 1));
  EXPECT_FALSE(IsPadding(Code{0x66}, 1));
  EXPECT_FALSE(IsPadding(Code{0x0f, 0x1f}, 2));
  EXPECT_FALSE(IsPadding(Code{0x0f, 0x1f, 0x84, 0x00}, 4));
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
