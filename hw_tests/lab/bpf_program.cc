#include "hw_tests/lab/bpf_program.h"

namespace lab {

BpfProgram::Label BpfProgram::NewLabel() {
  places_.push_back(0);
  return {places_.size() - 1};
}

void BpfProgram::Place(Label label) { places_[label.index] = instructions_.size(); }

void BpfProgram::Set(Register to, int32_t value) {
  Append(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value);
}

void BpfProgram::Copy(Register to, Register from) {
  Append(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

void BpfProgram::Add(Register to, int32_t value) {
  Append(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, value);
}

void BpfProgram::AddRegister(Register to, Register from) {
  Append(BPF_ALU64 | BPF_ADD | BPF_X, to, from, 0, 0);
}

void BpfProgram::And(Register to, int32_t mask) {
  Append(BPF_ALU64 | BPF_AND | BPF_K, to, 0, 0, mask);
}

void BpfProgram::ShiftLeft(Register to, Register by) {
  Append(BPF_ALU64 | BPF_LSH | BPF_X, to, by, 0, 0);
}

// The only instruction of two slots: a 64-bit constant, here the map of a descriptor.
void BpfProgram::SetMap(Register to, int map_fd) {
  Append(BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, map_fd);
  Append(0, 0, 0, 0, 0);
}

void BpfProgram::Load(Width width, Register to, Register base, int16_t offset) {
  Append(BPF_LDX | BPF_MEM | static_cast<int>(width), to, base, offset, 0);
}

void BpfProgram::Store(Width width, Register base, int16_t offset, Register from) {
  Append(BPF_STX | BPF_MEM | static_cast<int>(width), base, from, offset, 0);
}

void BpfProgram::LoadPacket(Width width, int32_t offset) {
  Append(BPF_LD | BPF_ABS | static_cast<int>(width), 0, 0, 0, offset);
}

void BpfProgram::LoadPacketAt(Width width, Register base, int32_t offset) {
  Append(BPF_LD | BPF_IND | static_cast<int>(width), 0, base, 0, offset);
}

void BpfProgram::Jump(Label to) { AppendJump(BPF_JMP | BPF_JA, 0, 0, 0, to); }

void BpfProgram::JumpIf(Register left, When when, int32_t right, Label to) {
  AppendJump(BPF_JMP | BPF_K | static_cast<int>(when), left, 0, right, to);
}

void BpfProgram::JumpIfRegister(Register left, When when, Register right, Label to) {
  AppendJump(BPF_JMP | BPF_X | static_cast<int>(when), left, right, 0, to);
}

void BpfProgram::Call(int32_t helper) { Append(BPF_JMP | BPF_CALL, 0, 0, 0, helper); }

void BpfProgram::Exit() { Append(BPF_JMP | BPF_EXIT, 0, 0, 0, 0); }

std::vector<bpf_insn> BpfProgram::Finish() const {
  std::vector<bpf_insn> finished = instructions_;
  for (const Use& use : uses_) {
    const ptrdiff_t distance =
        static_cast<ptrdiff_t>(places_[use.label]) - static_cast<ptrdiff_t>(use.instruction) - 1;
    finished[use.instruction].off = static_cast<int16_t>(distance);
  }
  return finished;
}

void BpfProgram::Append(int code, Register to, Register from, int16_t offset, int32_t value) {
  bpf_insn instruction = {};
  instruction.code = static_cast<uint8_t>(code);
  instruction.dst_reg = to & 0xf;
  instruction.src_reg = from & 0xf;
  instruction.off = offset;
  instruction.imm = value;
  instructions_.push_back(instruction);
}

void BpfProgram::AppendJump(int code, Register left, Register right, int32_t value, Label to) {
  uses_.push_back({instructions_.size(), to.index});
  Append(code, left, right, 0, value);
}

}  // namespace lab
