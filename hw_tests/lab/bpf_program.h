// Writes a BPF program with labels in place of relative jumps.
//
// 1. Contains only what the lab's packet filter needs; registers are the kernel's BPF_REG_0 to 10.
// 2. A label may be used before it is placed. Finish fills the jumps in.
#ifndef HW_TESTS_LAB_BPF_PROGRAM_H_
#define HW_TESTS_LAB_BPF_PROGRAM_H_

#include <linux/bpf.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab {

class BpfProgram {
 public:
  using Register = uint8_t;
  enum class Width : uint8_t { kByte = BPF_B, kHalf = BPF_H, kWord = BPF_W, kDouble = BPF_DW };
  enum class When : uint8_t {
    kEqual = BPF_JEQ,
    kNotEqual = BPF_JNE,
    kAbove = BPF_JGT,  // unsigned
    kBelow = BPF_JLT,  // unsigned
    kSharesBits = BPF_JSET,
  };
  struct Label {
    size_t index = 0;
  };

  Label NewLabel();
  void Place(Label label);

  void Set(Register to, int32_t value);
  void Copy(Register to, Register from);
  void Add(Register to, int32_t value);
  void AddRegister(Register to, Register from);
  void And(Register to, int32_t mask);
  void ShiftLeft(Register to, Register by);
  void SetMap(Register to, int map_fd);

  void Load(Width width, Register to, Register base, int16_t offset);
  void Store(Width width, Register base, int16_t offset, Register from);
  // Reads from the packet, in host byte order, into register 0; register 6 holds the packet. A read
  // beyond the end of the packet ends the program with 0. Registers 1 to 5 are clobbered.
  void LoadPacket(Width width, int32_t offset);
  void LoadPacketAt(Width width, Register base, int32_t offset);

  void Jump(Label to);
  void JumpIf(Register left, When when, int32_t right, Label to);
  void JumpIfRegister(Register left, When when, Register right, Label to);
  void Call(int32_t helper);
  void Exit();

  std::vector<bpf_insn> Finish() const;

 private:
  struct Use {
    size_t instruction = 0;
    size_t label = 0;
  };

  void Append(int code, Register to, Register from, int16_t offset, int32_t value);
  void AppendJump(int code, Register left, Register right, int32_t value, Label to);

  std::vector<bpf_insn> instructions_;
  std::vector<size_t> places_;
  std::vector<Use> uses_;
};

}  // namespace lab

#endif  // HW_TESTS_LAB_BPF_PROGRAM_H_
