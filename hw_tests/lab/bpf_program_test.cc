#include "hw_tests/lab/bpf_program.h"

#include <gtest/gtest.h>

#include <vector>

namespace lab {
namespace {

using When = BpfProgram::When;
using Width = BpfProgram::Width;

TEST(BpfProgram, JumpsForwardAndBackToLabels) {
  BpfProgram program;
  const BpfProgram::Label back = program.NewLabel();
  const BpfProgram::Label out = program.NewLabel();
  program.Place(back);
  program.JumpIf(1, When::kEqual, 7, out);
  program.Add(1, 1);
  program.Jump(back);
  program.Place(out);
  program.Exit();
  const std::vector<bpf_insn> instructions = program.Finish();
  ASSERT_EQ(instructions.size(), 4u);
  EXPECT_EQ(instructions[0].off, 2);
  EXPECT_EQ(instructions[0].imm, 7);
  EXPECT_EQ(instructions[2].off, -3);
  EXPECT_EQ(instructions[3].code, BPF_JMP | BPF_EXIT);
}

TEST(BpfProgram, JumpsOverAMapCountItsTwoInstructions) {
  BpfProgram program;
  const BpfProgram::Label out = program.NewLabel();
  program.Jump(out);
  program.SetMap(1, 42);
  program.Place(out);
  program.Exit();
  const std::vector<bpf_insn> instructions = program.Finish();
  ASSERT_EQ(instructions.size(), 4u);
  EXPECT_EQ(instructions[0].off, 2);
  EXPECT_EQ(instructions[1].src_reg, BPF_PSEUDO_MAP_FD);
  EXPECT_EQ(instructions[1].imm, 42);
  EXPECT_EQ(instructions[2].code, 0);
}

TEST(BpfProgram, EncodesLoadsAndStoresWithTheirWidth) {
  BpfProgram program;
  program.Load(Width::kDouble, 2, 7, 16);
  program.Store(Width::kWord, 10, -4, 9);
  program.LoadPacket(Width::kHalf, 12);
  program.LoadPacketAt(Width::kByte, 8, 2);
  const std::vector<bpf_insn> instructions = program.Finish();
  ASSERT_EQ(instructions.size(), 4u);
  EXPECT_EQ(instructions[0].code, BPF_LDX | BPF_MEM | BPF_DW);
  EXPECT_EQ(instructions[0].dst_reg, 2);
  EXPECT_EQ(instructions[0].src_reg, 7);
  EXPECT_EQ(instructions[0].off, 16);
  EXPECT_EQ(instructions[1].code, BPF_STX | BPF_MEM | BPF_W);
  EXPECT_EQ(instructions[1].dst_reg, 10);
  EXPECT_EQ(instructions[1].src_reg, 9);
  EXPECT_EQ(instructions[1].off, -4);
  EXPECT_EQ(instructions[2].code, BPF_LD | BPF_ABS | BPF_H);
  EXPECT_EQ(instructions[2].imm, 12);
  EXPECT_EQ(instructions[3].code, BPF_LD | BPF_IND | BPF_B);
  EXPECT_EQ(instructions[3].src_reg, 8);
  EXPECT_EQ(instructions[3].imm, 2);
}

}  // namespace
}  // namespace lab
