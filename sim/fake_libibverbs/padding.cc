#include "sim/fake_libibverbs/padding.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr uint8_t kNop = 0x90;
constexpr uint8_t kInt3 = 0xcc;

// The bytes of an operand in memory, from its ModR/M byte on; 0 for a register, which no padding
// has.
size_t OperandLength(uint8_t modrm) {
  const bool has_sib = (modrm & 7U) == 4;
  const size_t before = has_sib ? 2 : 1;
  switch (modrm >> 6U) {
    case 0:
      return (modrm & 7U) == 5 || has_sib ? 0 : before;  // no padding has these
    case 1:
      return before + 1;
    case 2:
      return before + 4;
    default:
      return 0;
  }
}

// The length of the instruction that does nothing; 0 for any other one.
size_t NopLength(std::span<const uint8_t> code) {
  size_t at = 0;
  while (at < code.size() && (code[at] == 0x66 || code[at] == 0x2e)) ++at;
  if (at == code.size()) return 0;
  if (code[at] == kNop) return at + 1;
  if (code[at] == kInt3 && at == 0) return 1;
  if (code.size() - at < 3 || code[at] != 0x0f || code[at + 1] != 0x1f) return 0;
  const size_t operand = OperandLength(code[at + 2]);
  const size_t length = at + 2 + operand;
  return operand == 0 || length > code.size() ? 0 : length;
}

}  // namespace

bool IsPadding(std::span<const uint8_t> code, size_t size) {
  for (size_t at = 0; at < size;) {
    const size_t length = NopLength(code.subspan(at));
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace cm::sim::fake_libibverbs
