#include "hw_tests/lab/cm_filter.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "hw_tests/lab/bpf_program.h"

namespace lab {
namespace {

constexpr const char* kTablePath = "/sys/fs/bpf/cm_table";
constexpr const char* kToActivePath = "/sys/fs/bpf/cm_to_active";
constexpr const char* kToPassivePath = "/sys/fs/bpf/cm_to_passive";
constexpr const char* kDelayPath = "/sys/fs/bpf/cm_delay";

constexpr uint32_t kKindsRoom = 16;
constexpr uint32_t kSlots = 2 * kKindsRoom;

// An entry of the table, as the kernel's programs and this file see it.
struct Slot {
  uint64_t delay_ns = 0;
  uint32_t action = 0;
  uint32_t first = 0;
  uint32_t last = 0;
  uint32_t seen = 0;
  uint32_t hit = 0;
  uint32_t padding = 0;  // the kernel rounds the size up; so that both agree on it
};

// skb->mark of a copy (this) or of a delayed message (this and its slot), so that each message
// is judged once.
constexpr int32_t kMark = 0x4c4d0000;

constexpr std::array<std::string_view, kCmKinds> kNames = {
    "REQ", "MRA", "REJ", "REP", "RTU", "DREQ", "DREP", "SIDR_REQ", "SIDR_REP", "LAP", "APR"};

uint32_t SlotOf(CmStream stream) {
  return static_cast<uint32_t>(stream.toward) * kKindsRoom + static_cast<uint32_t>(stream.kind);
}

long Bpf(bpf_cmd command, bpf_attr& attr) { return syscall(SYS_bpf, command, &attr, sizeof(attr)); }

uint64_t Pointer(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

Problem Failed(const std::string& what) {
  return {"cm filter: " + what + ": " + strerror(errno), ProblemKind::kUnusable};
}

using Width = BpfProgram::Width;
using When = BpfProgram::When;
using Label = BpfProgram::Label;

// Leaves the start of the UDP header in register 8, or goes to `pass`. A packet with IP options or
// extension headers is none of ours.
void FindUdp(BpfProgram& p, Label pass) {
  constexpr int32_t kEthernet = 14;
  const Label ipv6 = p.NewLabel();
  const Label found = p.NewLabel();
  p.LoadPacket(Width::kHalf, 12);
  p.JumpIf(0, When::kEqual, 0x86dd, ipv6);
  p.JumpIf(0, When::kNotEqual, 0x0800, pass);
  p.LoadPacket(Width::kByte, kEthernet);
  p.JumpIf(0, When::kNotEqual, 0x45, pass);
  p.LoadPacket(Width::kByte, kEthernet + 9);
  p.JumpIf(0, When::kNotEqual, 17, pass);
  p.Set(8, kEthernet + 20);
  p.Jump(found);
  p.Place(ipv6);
  p.LoadPacket(Width::kByte, kEthernet + 6);
  p.JumpIf(0, When::kNotEqual, 17, pass);
  p.Set(8, kEthernet + 40);
  p.Place(found);
}

// Leaves the kind of a CM message in register 0, or goes to `pass`. Behind the UDP header stand
// the base transport header (12 bytes), the datagram header (8) and the MAD.
void FindKind(BpfProgram& p, Label pass) {
  constexpr int32_t kBth = 8;
  constexpr int32_t kMad = kBth + 12 + 8;
  p.LoadPacketAt(Width::kHalf, 8, 2);
  p.JumpIf(0, When::kNotEqual, 4791, pass);
  p.LoadPacketAt(Width::kByte, 8, kBth);
  p.JumpIf(0, When::kNotEqual, 0x64, pass);  // UD SEND only
  p.LoadPacketAt(Width::kWord, 8, kBth + 4);
  p.And(0, 0xffffff);
  p.JumpIf(0, When::kNotEqual, 1, pass);  // the general services QP
  p.LoadPacketAt(Width::kHalf, 8, kMad);
  p.JumpIf(0, When::kNotEqual, 0x0107, pass);  // base version 1, class CM
  p.LoadPacketAt(Width::kHalf, 8, kMad + 16);
  p.Add(0, -0x10);
  p.JumpIf(0, When::kAbove, static_cast<int32_t>(kCmKinds) - 1, pass);
}

// Leaves the slot whose number is in register 9 in register 7.
void FindSlot(BpfProgram& p, int table, Label pass) {
  p.Store(Width::kWord, 10, -4, 9);
  p.SetMap(1, table);
  p.Copy(2, 10);
  p.Add(2, -4);
  p.Call(BPF_FUNC_map_lookup_elem);
  p.JumpIf(0, When::kEqual, 0, pass);
  p.Copy(7, 0);
}

// At the ingress of a node's link.
std::vector<bpf_insn> JudgeProgram(int table, Toward toward) {
  constexpr int32_t kPass = 0;   // TC_ACT_OK
  constexpr int32_t kShot = 2;   // TC_ACT_SHOT
  constexpr int32_t kNext = -1;  // TC_ACT_UNSPEC: the link's next filter, which leads to the ifb
  BpfProgram p;
  const Label pass = p.NewLabel();
  const Label duplicate = p.NewLabel();
  const Label delay = p.NewLabel();
  p.Copy(6, 1);
  p.Load(Width::kWord, 1, 6, offsetof(__sk_buff, mark));
  p.JumpIf(1, When::kNotEqual, 0, pass);
  FindUdp(p, pass);
  FindKind(p, pass);
  p.Copy(9, 0);
  p.Add(9, static_cast<int32_t>(toward) * static_cast<int32_t>(kKindsRoom));
  FindSlot(p, table, pass);
  // One processor, so counting needs no atomic instruction.
  p.Load(Width::kWord, 1, 7, offsetof(Slot, seen));
  p.Add(1, 1);
  p.Store(Width::kWord, 7, offsetof(Slot, seen), 1);
  p.Load(Width::kWord, 2, 7, offsetof(Slot, action));
  p.JumpIf(2, When::kEqual, static_cast<int32_t>(CmAction::kNone), pass);
  p.Load(Width::kWord, 3, 7, offsetof(Slot, first));
  p.JumpIfRegister(1, When::kBelow, 3, pass);
  p.Load(Width::kWord, 3, 7, offsetof(Slot, last));
  p.JumpIfRegister(1, When::kAbove, 3, pass);
  p.Load(Width::kWord, 1, 7, offsetof(Slot, hit));
  p.Add(1, 1);
  p.Store(Width::kWord, 7, offsetof(Slot, hit), 1);
  p.JumpIf(2, When::kEqual, static_cast<int32_t>(CmAction::kDuplicate), duplicate);
  p.JumpIf(2, When::kEqual, static_cast<int32_t>(CmAction::kDelay), delay);
  p.Set(0, kShot);
  p.Exit();
  p.Place(duplicate);
  p.Set(1, kMark);
  p.Store(Width::kWord, 6, offsetof(__sk_buff, mark), 1);
  p.Copy(1, 6);
  p.Load(Width::kWord, 2, 6, offsetof(__sk_buff, ifindex));
  p.Set(3, BPF_F_INGRESS);
  p.Call(BPF_FUNC_clone_redirect);
  p.Place(pass);
  p.Set(0, kPass);
  p.Exit();
  p.Place(delay);
  p.Add(9, kMark);
  p.Store(Width::kWord, 6, offsetof(__sk_buff, mark), 9);
  p.Set(0, kNext);
  p.Exit();
  return p.Finish();
}

// At the egress of the ifb device: says when its fair queue shall let the message go. The time
// must be set here, since the redirection forgets it.
std::vector<bpf_insn> DelayProgram(int table) {
  BpfProgram p;
  const Label pass = p.NewLabel();
  p.Copy(6, 1);
  p.Load(Width::kWord, 9, 6, offsetof(__sk_buff, mark));
  p.And(9, 0xffff);
  FindSlot(p, table, pass);
  p.Call(BPF_FUNC_ktime_get_ns);
  p.Load(Width::kDouble, 2, 7, offsetof(Slot, delay_ns));
  p.AddRegister(2, 0);
  p.Copy(1, 6);
  p.Set(3, BPF_SKB_TSTAMP_DELIVERY_MONO);
  p.Call(BPF_FUNC_skb_set_tstamp);
  p.Place(pass);
  p.Set(0, 0);
  p.Exit();
  return p.Finish();
}

int MakeTable() {
  bpf_attr attr = {};
  attr.map_type = BPF_MAP_TYPE_ARRAY;
  attr.key_size = sizeof(uint32_t);
  attr.value_size = sizeof(Slot);
  attr.max_entries = kSlots;
  return static_cast<int>(Bpf(BPF_MAP_CREATE, attr));
}

bool Pin(int fd, const char* path) {
  unlink(path);
  bpf_attr attr = {};
  attr.pathname = Pointer(path);
  attr.bpf_fd = static_cast<uint32_t>(fd);
  return Bpf(BPF_OBJ_PIN, attr) == 0;
}

bool LoadAndPin(const std::vector<bpf_insn>& instructions, const char* path) {
  bpf_attr attr = {};
  attr.prog_type = BPF_PROG_TYPE_SCHED_CLS;
  attr.insns = Pointer(instructions.data());
  attr.insn_cnt = static_cast<uint32_t>(instructions.size());
  attr.license = Pointer("");
  const int fd = static_cast<int>(Bpf(BPF_PROG_LOAD, attr));
  if (fd < 0) return false;
  const bool pinned = Pin(fd, path);
  close(fd);
  return pinned;
}

bool WriteSlot(int table, uint32_t key, const Slot& slot) {
  bpf_attr attr = {};
  attr.map_fd = static_cast<uint32_t>(table);
  attr.key = Pointer(&key);
  attr.value = Pointer(&slot);
  return Bpf(BPF_MAP_UPDATE_ELEM, attr) == 0;
}

bool ReadSlot(int table, uint32_t key, Slot& slot) {
  bpf_attr attr = {};
  attr.map_fd = static_cast<uint32_t>(table);
  attr.key = Pointer(&key);
  attr.value = Pointer(&slot);
  return Bpf(BPF_MAP_LOOKUP_ELEM, attr) == 0;
}

}  // namespace

std::string_view NameOf(CmKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::optional<CmKind> CmKindNamed(std::string_view name) {
  for (uint32_t i = 0; i < kCmKinds; ++i) {
    if (kNames[i] == name) return static_cast<CmKind>(i);
  }
  return std::nullopt;
}

Outcome<CmFilter> CmFilter::Install() {
  const int table = MakeTable();
  if (table < 0) return Failed("no table");
  CmFilter filter(table);
  if (!Pin(table, kTablePath)) return Failed(kTablePath);
  if (!LoadAndPin(JudgeProgram(table, Toward::kActive), kToActivePath) ||
      !LoadAndPin(JudgeProgram(table, Toward::kPassive), kToPassivePath) ||
      !LoadAndPin(DelayProgram(table), kDelayPath)) {
    return Failed("the kernel does not take the program");
  }
  return filter;
}

Outcome<CmFilter> CmFilter::Open() {
  bpf_attr attr = {};
  attr.pathname = Pointer(kTablePath);
  const long fd = Bpf(BPF_OBJ_GET, attr);
  if (fd < 0) return Failed(kTablePath);
  return CmFilter(static_cast<int>(fd));
}

CmFilter::CmFilter(CmFilter&& other) noexcept : table_(std::exchange(other.table_, -1)) {}

CmFilter& CmFilter::operator=(CmFilter&& other) noexcept {
  std::swap(table_, other.table_);
  return *this;
}

CmFilter::~CmFilter() {
  if (table_ >= 0) close(table_);
}

std::optional<Problem> CmFilter::Set(CmStream stream, const CmFault& fault) {
  Slot slot;
  if (!ReadSlot(table_, SlotOf(stream), slot)) return Failed("cannot read the table");
  slot.delay_ns = fault.delay_ns;
  slot.action = static_cast<uint32_t>(fault.action);
  slot.first = fault.first;
  slot.last = fault.last;
  slot.seen = 0;
  slot.hit = 0;
  if (!WriteSlot(table_, SlotOf(stream), slot)) return Failed("cannot write the table");
  return std::nullopt;
}

std::optional<Problem> CmFilter::ClearAll() {
  for (Toward toward : {Toward::kActive, Toward::kPassive}) {
    for (uint32_t kind = 0; kind < kCmKinds; ++kind) {
      const CmStream stream = {toward, static_cast<CmKind>(kind)};
      if (std::optional<Problem> problem = Set(stream, CmFault())) return problem;
    }
  }
  return std::nullopt;
}

Outcome<CmCount> CmFilter::Get(CmStream stream) const {
  Slot slot;
  if (!ReadSlot(table_, SlotOf(stream), slot)) return Failed("cannot read the table");
  const CmFault fault = {static_cast<CmAction>(slot.action), slot.first, slot.last, slot.delay_ns};
  return CmCount{fault, slot.seen, slot.hit};
}

}  // namespace lab
