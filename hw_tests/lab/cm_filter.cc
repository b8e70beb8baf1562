#include "hw_tests/lab/cm_filter.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "hw_tests/lab/bpf_program.h"

namespace lab {
namespace {

constexpr const char* kTablePath = "/sys/fs/bpf/cm_table";
constexpr const char* kToActivePath = "/sys/fs/bpf/cm_to_active";
constexpr const char* kToPassivePath = "/sys/fs/bpf/cm_to_passive";
constexpr const char* kDelayPath = "/sys/fs/bpf/cm_delay";

// Layout of the table: a counter for each kind and direction, then for each direction the time
// until which a message is held, then the rules; no rule follows the first empty one.
constexpr uint32_t kKindsRoom = 16;
constexpr uint32_t kHeldAt = 2 * kKindsRoom;
constexpr uint32_t kRulesAt = kHeldAt + 2;
constexpr uint32_t kRules = 32;
constexpr uint32_t kEntries = kRulesAt + kRules;

// An entry of the table, as the BPF programs and this file access it.
struct Entry {
  uint64_t delay_ns = 0;
  uint64_t until_ns = 0;  // on CLOCK_MONOTONIC
  uint32_t streams = 0;   // a bit for each kind and direction
  uint32_t action = 0;
  uint32_t first = 0;
  uint32_t last = 0;
  uint32_t seen = 0;
  uint32_t hit = 0;
};

constexpr int32_t kHeldNs = 5'000'000;

// skb->mark of a copy (this) or of a delayed message (this and its rule), so that each message is
// judged once.
constexpr int32_t kMark = 0x4c4d0000;

// A kind's place among the counters, and its bit, follow its attribute ID.
constexpr uint32_t kFirstId = cm::RowOf(cm::MadKind::kReq).attribute_id;
constexpr uint32_t kLastId = cm::RowOf(cm::MadKind::kApr).attribute_id;

constexpr bool IsFiltered(cm::MadKind kind) {
  const uint32_t id = cm::RowOf(kind).attribute_id;
  return kFirstId <= id && id <= kLastId;
}
constexpr uint32_t PlaceOf(cm::MadKind kind) { return cm::RowOf(kind).attribute_id - kFirstId; }
constexpr auto kFiltered = cm::KindsThat<IsFiltered>();
static_assert(kFiltered.size() == kLastId - kFirstId + 1 && kFiltered.size() <= kKindsRoom);

uint32_t BitsOf(cm::MadKinds kinds) {
  uint32_t bits = 0;
  for (const cm::MadKind kind : kFiltered)
    if (kinds.Has(kind)) bits |= 1u << PlaceOf(kind);
  return bits;
}

cm::MadKinds KindsOf(uint32_t bits) {
  if (bits == BitsOf(cm::MadKinds::All())) return cm::MadKinds::All();
  cm::MadKinds kinds;
  for (const cm::MadKind kind : kFiltered)
    if ((bits & (1u << PlaceOf(kind))) != 0) kinds = kinds | cm::MadKinds(kind);
  return kinds;
}

long Bpf(bpf_cmd command, bpf_attr& attr) { return syscall(SYS_bpf, command, &attr, sizeof(attr)); }

uint64_t Pointer(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

Problem Failed(const std::string& what) {
  return {"cm filter: " + what + ": " + strerror(errno), ProblemKind::kUnusable};
}

using Width = BpfProgram::Width;
using When = BpfProgram::When;
using Label = BpfProgram::Label;

// Leaves the start of the UDP header in register 8, or jumps to `pass`. A packet with IP options or
// extension headers is not a CM message.
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

// Leaves the place of the kind of a CM message in register 0, or jumps to `pass`. The UDP header is
// followed by the base transport header (12 bytes), the datagram header (8) and the MAD.
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
  p.Add(0, -static_cast<int32_t>(kFirstId));
  p.JumpIf(0, When::kAbove, static_cast<int32_t>(kLastId - kFirstId), pass);
}

// Stack slots of the programs.
constexpr int16_t kKey = -4;
constexpr int16_t kDecided = -8;  // the number of the rule that decides, or kNobody
constexpr int16_t kNow = -16;
constexpr int32_t kNobody = kRules;

// Leaves the entry with index `number` plus `from` in register 0. Clobbers registers 1 to 5.
void FindEntry(BpfProgram& p, int table, BpfProgram::Register number, uint32_t from, Label pass) {
  p.Copy(2, number);
  p.Add(2, static_cast<int32_t>(from));
  p.Store(Width::kWord, 10, kKey, 2);
  p.SetMap(1, table);
  p.Copy(2, 10);
  p.Add(2, kKey);
  p.Call(BPF_FUNC_map_lookup_elem);
  p.JumpIf(0, When::kEqual, 0, pass);
}

// Adds 1 to a number of the entry in register 0, and leaves it in register 1. The guest has one
// CPU, so no atomic instruction is needed.
void CountOne(BpfProgram& p, int16_t number) {
  p.Load(Width::kWord, 1, 0, number);
  p.Add(1, 1);
  p.Store(Width::kWord, 0, number, 1);
}

// Makes one rule count the message whose stream is the bit in register 8, and decide about it if no
// earlier rule did. Jumps to `end` after the last rule.
void AskRule(BpfProgram& p, int table, uint32_t rule, Label end, Label pass) {
  const Label matches = p.NewLabel();
  const Label in_time = p.NewLabel();
  const Label next = p.NewLabel();
  p.Set(9, static_cast<int32_t>(rule));
  FindEntry(p, table, 9, kRulesAt, pass);
  p.Load(Width::kWord, 1, 0, offsetof(Entry, action));
  p.JumpIf(1, When::kEqual, static_cast<int32_t>(CmAction::kNone), end);
  p.Load(Width::kWord, 1, 0, offsetof(Entry, streams));
  p.JumpIfRegister(1, When::kSharesBits, 8, matches);
  p.Jump(next);
  p.Place(matches);
  p.Load(Width::kDouble, 1, 0, offsetof(Entry, until_ns));
  p.Load(Width::kDouble, 2, 10, kNow);
  p.JumpIfRegister(2, When::kBelow, 1, in_time);
  p.Jump(next);
  p.Place(in_time);
  CountOne(p, offsetof(Entry, seen));
  p.Load(Width::kWord, 2, 10, kDecided);
  p.JumpIf(2, When::kNotEqual, kNobody, next);
  p.Load(Width::kWord, 2, 0, offsetof(Entry, first));
  p.JumpIfRegister(1, When::kBelow, 2, next);
  p.Load(Width::kWord, 2, 0, offsetof(Entry, last));
  p.JumpIfRegister(1, When::kAbove, 2, next);
  CountOne(p, offsetof(Entry, hit));
  p.Store(Width::kWord, 10, kDecided, 9);
  p.Place(next);
}

// Counts the message whose kind is in register 0 and applies all rules to it.
void AskRules(BpfProgram& p, int table, Toward toward, Label end, Label pass) {
  p.Copy(9, 0);
  FindEntry(p, table, 9, static_cast<uint32_t>(toward) * kKindsRoom, pass);
  CountOne(p, offsetof(Entry, seen));
  p.Set(8, 1 << (static_cast<int32_t>(toward) * static_cast<int32_t>(kKindsRoom)));
  p.ShiftLeft(8, 9);
  p.Call(BPF_FUNC_ktime_get_ns);
  p.Store(Width::kDouble, 10, kNow, 0);
  p.Set(1, kNobody);
  p.Store(Width::kWord, 10, kDecided, 1);
  for (uint32_t rule = 0; rule < kRules; ++rule) AskRule(p, table, rule, end, pass);
}

// At the ingress of a node's link.
std::vector<bpf_insn> JudgeProgram(int table, Toward toward) {
  constexpr int32_t kPass = 0;  // TC_ACT_OK
  constexpr int32_t kShot = 2;  // TC_ACT_SHOT
  constexpr int32_t kNext =
      -1;  // TC_ACT_UNSPEC: the link's next filter, which redirects to the ifb
  BpfProgram p;
  const Label pass = p.NewLabel();
  const Label end = p.NewLabel();
  const Label duplicate = p.NewLabel();
  const Label reorder = p.NewLabel();
  const Label later = p.NewLabel();
  p.Copy(6, 1);
  p.Load(Width::kWord, 1, 6, offsetof(__sk_buff, mark));
  p.JumpIf(1, When::kNotEqual, 0, pass);
  FindUdp(p, pass);
  FindKind(p, pass);
  AskRules(p, table, toward, end, pass);
  p.Place(end);
  p.Load(Width::kWord, 9, 10, kDecided);
  p.JumpIf(9, When::kEqual, kNobody, pass);
  FindEntry(p, table, 9, kRulesAt, pass);
  p.Load(Width::kWord, 1, 0, offsetof(Entry, action));
  p.JumpIf(1, When::kEqual, static_cast<int32_t>(CmAction::kDuplicate), duplicate);
  p.JumpIf(1, When::kEqual, static_cast<int32_t>(CmAction::kDelay), later);
  p.JumpIf(1, When::kEqual, static_cast<int32_t>(CmAction::kReorder), reorder);
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
  p.Place(reorder);
  p.Set(7, static_cast<int32_t>(toward));
  FindEntry(p, table, 7, kHeldAt, pass);
  p.Load(Width::kDouble, 1, 0, offsetof(Entry, until_ns));
  p.Load(Width::kDouble, 2, 10, kNow);
  p.JumpIfRegister(2, When::kBelow, 1, pass);
  p.Add(2, kHeldNs);
  p.Store(Width::kDouble, 0, offsetof(Entry, until_ns), 2);
  p.Place(later);
  p.Add(9, kMark);
  p.Store(Width::kWord, 6, offsetof(__sk_buff, mark), 9);
  p.Set(0, kNext);
  p.Exit();
  return p.Finish();
}

// How a program sets when a message is released: kernels before 5.18 have no helper for it, and
// take what is stored.
enum class SetsTime : uint8_t { kByHelper, kByStoring };

// At the egress of the ifb device: sets when its fair queue releases the message. The time must be
// set here, because the redirection clears it.
std::vector<bpf_insn> DelayProgram(int table, SetsTime how) {
  BpfProgram p;
  const Label pass = p.NewLabel();
  p.Copy(6, 1);
  p.Load(Width::kWord, 9, 6, offsetof(__sk_buff, mark));
  p.And(9, 0xffff);
  FindEntry(p, table, 9, kRulesAt, pass);
  p.Copy(7, 0);
  p.Call(BPF_FUNC_ktime_get_ns);
  p.Load(Width::kDouble, 2, 7, offsetof(Entry, delay_ns));
  p.AddRegister(2, 0);
  if (how == SetsTime::kByHelper) {
    p.Copy(1, 6);
    p.Set(3, BPF_SKB_TSTAMP_DELIVERY_MONO);
    p.Call(BPF_FUNC_skb_set_tstamp);
  } else {
    p.Store(Width::kDouble, 6, offsetof(__sk_buff, tstamp), 2);
  }
  p.Place(pass);
  p.Set(0, 0);
  p.Exit();
  return p.Finish();
}

int MakeTable() {
  bpf_attr attr = {};
  attr.map_type = BPF_MAP_TYPE_ARRAY;
  attr.key_size = sizeof(uint32_t);
  attr.value_size = sizeof(Entry);
  attr.max_entries = kEntries;
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

bool Write(int table, uint32_t key, const Entry& entry) {
  bpf_attr attr = {};
  attr.map_fd = static_cast<uint32_t>(table);
  attr.key = Pointer(&key);
  attr.value = Pointer(&entry);
  return Bpf(BPF_MAP_UPDATE_ELEM, attr) == 0;
}

bool Read(int table, uint32_t key, Entry& entry) {
  bpf_attr attr = {};
  attr.map_fd = static_cast<uint32_t>(table);
  attr.key = Pointer(&key);
  attr.value = Pointer(&entry);
  return Bpf(BPF_MAP_LOOKUP_ELEM, attr) == 0;
}

bool IsEmpty(const Entry& entry) { return entry.action == static_cast<uint32_t>(CmAction::kNone); }

uint64_t NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

Entry EntryOf(const CmRule& rule) {
  const uint64_t now = NowNs();
  const bool ends = rule.window_ns < kForEver - now;
  return {.delay_ns = rule.action == CmAction::kReorder ? kHeldNs : rule.delay_ns,
          .until_ns = ends ? now + rule.window_ns : kForEver,
          .streams = BitsOf(rule.kinds) << (static_cast<uint32_t>(rule.toward) * kKindsRoom),
          .action = static_cast<uint32_t>(rule.action),
          .first = rule.first,
          .last = rule.last};
}

CmRuleCount CountOf(const Entry& entry) {
  const Toward toward = entry.streams < (1u << kKindsRoom) ? Toward::kActive : Toward::kPassive;
  const auto action = static_cast<CmAction>(entry.action);
  const uint64_t now = NowNs();
  const uint64_t left = entry.until_ns > now ? entry.until_ns - now : 0;
  return {.rule = {.toward = toward,
                   .kinds = KindsOf(entry.streams >> (static_cast<uint32_t>(toward) * kKindsRoom)),
                   .action = action,
                   .first = entry.first,
                   .last = entry.last,
                   .delay_ns = action == CmAction::kReorder ? 0 : entry.delay_ns,
                   .window_ns = entry.until_ns == kForEver ? kForEver : left},
          .seen = entry.seen,
          .hit = entry.hit};
}

}  // namespace

Outcome<CmFilter> CmFilter::Install() {
  const int table = MakeTable();
  if (table < 0) return Failed("no table");
  CmFilter filter(table);
  if (!Pin(table, kTablePath)) return Failed(kTablePath);
  if (!LoadAndPin(JudgeProgram(table, Toward::kActive), kToActivePath) ||
      !LoadAndPin(JudgeProgram(table, Toward::kPassive), kToPassivePath) ||
      !(LoadAndPin(DelayProgram(table, SetsTime::kByHelper), kDelayPath) ||
        LoadAndPin(DelayProgram(table, SetsTime::kByStoring), kDelayPath))) {
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

CmFilter::~CmFilter() {
  if (table_ >= 0) close(table_);
}

std::optional<Problem> CmFilter::Add(const CmRule& rule) {
  for (uint32_t key = kRulesAt; key < kEntries; ++key) {
    Entry entry;
    if (!Read(table_, key, entry)) return Failed("cannot read the table");
    if (!IsEmpty(entry)) continue;
    if (!Write(table_, key, EntryOf(rule))) return Failed("cannot write the table");
    return std::nullopt;
  }
  return Problem{"cm filter: there is no room for another rule"};
}

std::optional<Problem> CmFilter::ClearAll() {
  for (uint32_t key = 0; key < kEntries; ++key) {
    if (!Write(table_, key, Entry())) return Failed("cannot write the table");
  }
  return std::nullopt;
}

Outcome<std::vector<CmRuleCount>> CmFilter::Rules() const {
  std::vector<CmRuleCount> rules;
  for (uint32_t key = kRulesAt; key < kEntries; ++key) {
    Entry entry;
    if (!Read(table_, key, entry)) return Failed("cannot read the table");
    if (IsEmpty(entry)) break;
    rules.push_back(CountOf(entry));
  }
  return rules;
}

Outcome<uint32_t> CmFilter::Seen(Toward toward, cm::MadKind kind) const {
  Entry entry;
  if (!Read(table_, static_cast<uint32_t>(toward) * kKindsRoom + PlaceOf(kind), entry))
    return Failed("cannot read the table");
  return entry.seen;
}

}  // namespace lab
