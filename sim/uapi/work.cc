// Posting of work requests and polling of completions; memory windows; XRC domains, and the shared
// receive queues and queue pairs in them.
#include <algorithm>
#include <utility>

#include "sim/uapi/bytes.h"
#include "sim/uapi/refusals.h"
#include "sim/uapi/regions.h"
#include "sim/uapi/verbs_end.h"
#include "sim/uapi/verbs_end_parts.h"

namespace cm::sim::uapi {
namespace {

// source: <infiniband/verbs.h> enum ibv_wr_opcode
enum class WrOpcode : uint32_t {
  kWrite,
  kWriteWithImmediate,
  kSend,
  kSendWithImmediate,
  kRead,
  kCompareAndSwap,
  kFetchAndAdd,
  kInvalidateLocally,
  kBindWindow,
  kSendWithInvalidate
};
// source: <infiniband/verbs.h> enum ibv_wc_opcode, ibv_wc_flags
constexpr uint32_t kReceivedByWrite = 129;
constexpr uint32_t kHasHeader = 1;
constexpr uint32_t kHasImmediate = 2;
constexpr uint32_t kHasInvalidated = 8;
constexpr uint32_t kFence = 1;  // enum ibv_send_flags

std::optional<WcOpcode> OpcodeOf(WrOpcode opcode) {
  switch (opcode) {
    case WrOpcode::kWrite:
    case WrOpcode::kWriteWithImmediate:
      return WcOpcode::kWrite;
    case WrOpcode::kSend:
    case WrOpcode::kSendWithImmediate:
    case WrOpcode::kSendWithInvalidate:
      return WcOpcode::kSend;
    case WrOpcode::kRead:
      return WcOpcode::kRead;
    case WrOpcode::kCompareAndSwap:
      return kCompareAndSwap;
    case WrOpcode::kFetchAndAdd:
      return kFetchAndAdd;
    case WrOpcode::kInvalidateLocally:
      return kInvalidateLocally;
    case WrOpcode::kBindWindow:
      return kBindWindow;
  }
  return std::nullopt;
}

// An address within a region, as an offset there; an address outside of it has no region.
Piece Place(uint32_t number, const Region& region, uint64_t address, uint32_t length) {
  const uint64_t offset = address - region.address;
  if (address < region.address || offset > UINT32_MAX) return {.length = length};
  return {.region = number, .offset = static_cast<uint32_t>(offset), .length = length};
}

}  // namespace

Piece VerbsEnd::PieceOf(uint32_t process, const PieceRecord& record) const {
  const uint32_t number = record.key - 1;
  if (number >= verbs().regions().all().size()) return {.length = record.length};
  const Region& region = verbs().regions()[number];
  if (!region.external || region.process != process) return {.length = record.length};
  return Place(number, region, record.address, record.length);
}

Piece VerbsEnd::RemoteOf(const WorkRecord& record, uint32_t length) const {
  const uint32_t number = record.remote_key - 1;
  if (number >= verbs().regions().all().size()) return {.length = length};
  return Place(number, verbs().regions()[number], record.remote_address, length);
}

Result<WorkRequest> VerbsEnd::WorkOf(uint32_t process, const Request& request) const {
  const auto record = As<WorkRecord>(request.bytes);
  const size_t end = sizeof(WorkRecord) + record.pieces * sizeof(PieceRecord);
  if (request.bytes.size() < end + record.inline_length) return Errno::kInval;
  const std::span<const uint8_t> bytes(request.bytes);
  WorkRequest work;
  work.wr_id = record.wr_id;
  for (uint32_t i = 0; i < record.pieces; ++i) {
    const auto piece = As<PieceRecord>(bytes.subspan(sizeof(WorkRecord) + i * sizeof(PieceRecord)));
    if (piece.length != 0)
      work.pieces.push_back(PieceOf(process, piece));
    else
      ++work.empty_pieces;
  }
  work.is_inline = (record.flags & kInline) != 0;
  if (!work.is_inline) return work;
  const std::span<const uint8_t> data = bytes.subspan(end, record.inline_length);
  work.pieces.clear();
  work.data.assign(data.begin(), data.end());
  return work;
}

// Destination of a datagram, and the GRH at its receiver.
void VerbsEnd::SendTo(const OwnQp& own, const WorkRecord& record, WorkRequest* work) const {
  const Topology& topology = world_->topology();
  const bool to_group = record.to_number == kMulticastQpNumber;
  if (to_group)
    work->group = record.to_gid;
  else
    work->to = {.device = DeviceWith(topology, record.to_gid).value_or(kNoDevice),
                .number = record.to_number};
  const uint8_t port = verbs().at(own.qp).device;
  const Gid from = SourceGid(topology, port, record.to_gid);
  work->header = RouteHeader(from, record.to_gid, work->length());
}

// An atomic operation takes eight bytes at an aligned address; iWARP has none. False: it is
// refused. source: rdma-core 44 rxe.c validate_send_wr; linux 6.1 rxe_opcode.c rxe_wr_opcode_info,
// siw_verbs.c siw_post_send
bool VerbsEnd::MakeAtomic(const OwnQp& own, const WorkRecord& record, WorkRequest* work) const {
  constexpr uint32_t kLength = sizeof(uint64_t);
  const bool aligned = record.remote_address % kLength == 0;
  if (OverIwarp() || own.unreliable || work->is_inline || work->length() < kLength || !aligned)
    return false;
  work->remote = RemoteOf(record, kLength);
  const AtomicOperands operands{.compare_or_add = record.compare_or_add, .swap = record.swap};
  const std::span<const uint8_t> bytes = BytesOf(operands);
  work->data.assign(bytes.begin(), bytes.end());
  return true;
}

// The memory or the window of the peer that it is about. EINVAL: it is refused.
Errno VerbsEnd::AddRemote(const OwnQp& own, const Request& request, WorkRequest* work) const {
  const auto record = As<WorkRecord>(request.bytes);
  const auto opcode = static_cast<WrOpcode>(record.opcode);
  const bool invalidates =
      opcode == WrOpcode::kSendWithInvalidate || opcode == WrOpcode::kInvalidateLocally;
  if (invalidates || opcode == WrOpcode::kBindWindow) {
    if (!HasWindows(world_->profile()) || verbs().at(own.qp).datagram) return Errno::kInval;
    work->window =
        invalidates ? WindowUse{.key = record.immediate} : BindingIn(own.process, request);
    return Errno::kNone;
  }
  work->remote = RemoteOf(record, work->length());
  if (IsAtomic(work->opcode) && !MakeAtomic(own, record, work)) return Errno::kInval;
  const bool of_memory = work->opcode != WcOpcode::kSend;
  if (of_memory && Windows::Has(record.remote_key))
    work->window = WindowUse{.key = record.remote_key, .address = record.remote_address};
  return Errno::kNone;
}

Outcome VerbsEnd::PostSend(const OwnQp& own, const Request& request) {
  const auto record = As<WorkRecord>(request.bytes);
  const auto opcode = static_cast<WrOpcode>(record.opcode);
  const std::optional<WcOpcode> known = OpcodeOf(opcode);
  Result<WorkRequest> made = WorkOf(own.process, request);
  const bool datagram = verbs().at(own.qp).datagram;
  if (!known || !made.ok() || (datagram && known != WcOpcode::kSend)) return Refused(Errno::kInval);
  WorkRequest work = std::move(made.value());
  work.opcode = *known;
  work.signaled = own.signal_all || (record.flags & kSignaled) != 0;
  work.solicited = (record.flags & kSolicited) != 0;
  work.fenced = (record.flags & kFence) != 0;
  if (opcode == WrOpcode::kSendWithImmediate || opcode == WrOpcode::kWriteWithImmediate)
    work.immediate = record.immediate;
  if (datagram) SendTo(own, record, &work);
  if (verbs().at(own.qp).xrc.role == XrcRole::kInitiator) work.srq_number = record.to_number;
  if (const Errno error = AddRemote(own, request, &work); error != Errno::kNone)
    return Refused(error);
  return DoneUnless(verbs().PostSend(world_->Context(), own.qp, std::move(work), request.more));
}

Outcome VerbsEnd::PostReceive(const OwnQp& own, const Request& request) {
  Result<WorkRequest> work = WorkOf(own.process, request);
  if (!work.ok()) return Refused(work.error());
  work.value().opcode = WcOpcode::kReceive;
  return DoneUnless(verbs().PostReceive(own.qp, std::move(work.value())));
}

Outcome VerbsEnd::PostToSrq(const OwnSrq& own, const Request& request) {
  Result<WorkRequest> work = WorkOf(own.process, request);
  if (!work.ok()) return Refused(work.error());
  work.value().opcode = WcOpcode::kReceive;
  return DoneUnless(verbs().srqs().Post(own.srq, std::move(work.value())));
}

CompletionRecord VerbsEnd::PollOne(uint32_t cq) {
  const Cq::Entry entry = verbs().cqs().Take(cq);
  const Finished& done = entry.finished;
  CompletionRecord record;
  record.wr_id = done.wr_id;
  record.status = static_cast<uint32_t>(done.completion.status);
  record.opcode = done.by_write ? kReceivedByWrite : static_cast<uint32_t>(done.completion.opcode);
  record.length = done.completion.length;
  record.qp_number = entry.qp_number;
  record.source_number = done.source_number;
  record.immediate = done.immediate.value_or(done.invalidated.value_or(0));
  if (done.immediate) record.flags |= kHasImmediate;
  if (done.invalidated) record.flags |= kHasInvalidated;
  const bool received = done.completion.opcode == WcOpcode::kReceive;
  if (received && entry.datagram) record.flags |= kHasHeader;
  return record;
}

Outcome VerbsEnd::Poll(OwnCq* own, uint64_t at_most) {
  Outcome outcome;
  for (uint64_t i = 0; i < at_most && !verbs().cqs()[own->cq].done.empty(); ++i) {
    const CompletionRecord record = PollOne(own->cq);
    const std::span<const uint8_t> bytes = BytesOf(record);
    outcome.answer.bytes.insert(outcome.answer.bytes.end(), bytes.begin(), bytes.end());
    ++outcome.answer.value;
  }
  return outcome;
}

Outcome VerbsEnd::CarryWindow(uint32_t process, uint8_t kernel, const Request& request) {
  if (request.op == Op::kAllocMw)
    return AllocateWindow(process, kernel, As<WindowRecord>(request.bytes));
  const std::vector<Window>& all = verbs().windows().all();
  const uint32_t number = request.on - 1;
  if (number >= all.size() || !all[number].live || all[number].process != process)
    return Refused(Errno::kInval);
  verbs().windows().Deallocate(number, &verbs().regions());
  return {};
}

Outcome VerbsEnd::AllocateWindow(uint32_t process, uint8_t kernel, const WindowRecord& asked) {
  constexpr uint32_t kTypeTwo = 2;
  const std::vector<uint8_t> devices = DevicesOf(world_->topology(), kernel);
  if (asked.device >= devices.size()) return Refused(Errno::kNoDev);
  if (const Errno error = WhyNoWindow(asked, world_->profile()); error != Errno::kNone)
    return Refused(error);
  Windows& windows = verbs().windows();
  const uint32_t number = windows.Allocate({.belongs_to_qp = asked.type == kTypeTwo,
                                            .device = devices[asked.device],
                                            .process = process,
                                            .domain = DomainOf(process, asked.domain)});
  return Record(int64_t{number} + 1, windows.all()[number].key);
}

void VerbsEnd::ForgetWindows(uint32_t process) {
  Windows& windows = verbs().windows();
  for (uint32_t number = 0; number < windows.all().size(); ++number) {
    const Window& window = windows.all()[number];
    if (window.live && window.process == process) windows.Deallocate(number, &verbs().regions());
  }
}

// A region of another process is none.
WindowUse VerbsEnd::BindingIn(uint32_t process, const Request& request) const {
  const std::span<const uint8_t> bytes(request.bytes);
  const auto record = As<BindRecord>(bytes.subspan(std::min(sizeof(WorkRecord), bytes.size())));
  WindowUse use{.binding = {.window = record.window,
                            .key = record.key,
                            .access = record.access,
                            .address = record.address,
                            .length = record.length}};
  const uint32_t number = record.region - 1;
  if (number >= verbs().regions().all().size()) return use;
  const Region& region = verbs().regions()[number];
  if (region.external && region.process == process) use.binding.region = number;
  return use;
}

Outcome VerbsEnd::TakeEvent(uint32_t process, const Request& request) {
  uint32_t first = 0;
  const std::span<const uint8_t> bytes(request.bytes);
  for (size_t at = 0; at + sizeof(uint32_t) <= bytes.size(); at += sizeof(uint32_t)) {
    const auto number = As<uint32_t>(bytes.subspan(at));
    const OwnCq* const own = Find(&cqs_, process, number);
    if (own == nullptr) return Refused(Errno::kInval);
    if (at == 0) first = number;
    const CompletionQueues& known = verbs().cqs();
    if (known[own->cq].events.unread == 0) continue;
    if (request.op == Op::kPollEvents) return Value(1);
    verbs().cqs().EventsOf(own->cq).Take();
    return Value(number);
  }
  if (request.op == Op::kPollEvents) return {};
  if (request.more != 0) return Refused(Errno::kAgain);
  return {.answer = {.waits = true}, .what = Awaited::kCompletion, .on = first};
}

Outcome VerbsEnd::CarryXrcd(uint32_t process, uint8_t kernel, const Request& request) {
  if (!HasXrc(world_->profile())) return Refused(Errno::kNotSup);
  if (request.op == Op::kCloseXrcd) return DoneUnless(xrc_domains_.Close(process, request.on));
  const auto record = As<XrcdRecord>(request.bytes);
  const std::vector<uint8_t> devices = DevicesOf(world_->topology(), kernel);
  if (record.device >= devices.size()) return Refused(Errno::kNoDev);
  const Errno error = xrc_domains_.Open(process, devices[record.device], record, last_number_ + 1);
  if (error != Errno::kNone) return Refused(error);
  return Value(++last_number_);
}

// source: linux 6.1 uverbs_cmd.c __uverbs_create_xsrq
Outcome VerbsEnd::CreateXrcSrq(uint32_t process, const SrqRecord& asked) {
  const XrcDomains::Opened* const opened = xrc_domains_.Find(process, asked.xrcd);
  const OwnCq* const queue = Find(&cqs_, process, asked.queue);
  if (opened == nullptr || queue == nullptr) return Refused(Errno::kInval);
  SharedQueues& srqs = verbs().srqs();
  const uint32_t srq = srqs.CreateForXrc(
      RoomFor(asked.room),
      {.xrc_domain = opened->domain, .domain = DomainOf(process, asked.domain), .cq = queue->cq});
  srqs.Limit(srq, asked.limit);
  srqs_[++last_number_] = {
      .process = process, .srq = srq, .told = asked.told, .queue = asked.queue, .xrcd = asked.xrcd};
  Use(asked.queue);
  xrc_domains_.Enter(asked.xrcd);
  return Record(last_number_, srqs[srq].xrc.number);
}

// A target has no queues of its own, and is on the device of its domain. source: linux 6.1
// uverbs_cmd.c create_qp
Outcome VerbsEnd::CreateXrcQp(uint32_t process, uint8_t device, const QpRecord& record) {
  const bool sends = record.type == kXrcSend;
  OwnQp own{.process = process, .device = device, .told = record.told};
  QpRoom room{.sends = {.work = 0, .pieces = 0},
              .receives = {.work = 0, .pieces = 0},
              .inlined = UINT32_MAX};
  if (sends) {
    const OwnCq* const queue = Find(&cqs_, process, record.send_queue);
    if (queue == nullptr || !IsQpRoom(record, true, false)) return Refused(Errno::kInval);
    room.sends = RoomFor(record.sends);
    own.send_queue = record.send_queue;
    own.signal_all = record.signal_all != 0;
    own.qp = verbs().Create(device, false, kNobody, room, DomainOf(process, record.domain),
                            {.role = XrcRole::kInitiator});
    verbs().ReportTo(own.qp, queue->cq, kNobody);
    Use(own.send_queue);
  } else {
    const XrcDomains::Opened* const opened = xrc_domains_.Find(process, record.xrcd);
    if (opened == nullptr || opened->device != device) return Refused(Errno::kInval);
    own.xrcd = record.xrcd;
    own.qp = verbs().Create(device, false, kNobody, room, 0,
                            {.role = XrcRole::kTarget, .domain = opened->domain});
    xrc_domains_.Enter(own.xrcd);
  }
  qps_[++last_number_] = own;
  return Record(last_number_, verbs().at(own.qp).number);
}

// The queue pair exists until the last of its users has destroyed it. source: linux 6.1 verbs.c
// ib_open_qp, __ib_destroy_shared_qp
Outcome VerbsEnd::OpenQp(uint32_t process, const Request& request) {
  const auto record = As<QpRecord>(request.bytes);
  const XrcDomains::Opened* const opened = xrc_domains_.Find(process, record.xrcd);
  if (opened == nullptr) return Refused(Errno::kInval);
  const auto is_meant = [&](const auto& one) {
    const Qp& qp = verbs().at(one.second.qp);
    return qp.xrc.role == XrcRole::kTarget && qp.xrc.domain == opened->domain &&
           qp.number == request.more;
  };
  const auto found = std::ranges::find_if(qps_, is_meant);
  if (found == qps_.end()) return Refused(Errno::kInval);
  OwnQp own = found->second;
  own.process = process;
  own.told = record.told;
  own.xrcd = record.xrcd;
  xrc_domains_.Enter(own.xrcd);
  qps_[++last_number_] = own;
  return Value(last_number_);
}

bool VerbsEnd::IsShared(uint32_t number) const {
  const uint32_t qp = qps_.at(number).qp;
  // Targets of XRC alone can be opened by others: the rest need no look at all queue pairs.
  if (qps_.at(number).xrcd == 0) return false;
  return std::ranges::any_of(
      qps_, [&](const auto& one) { return one.first != number && one.second.qp == qp; });
}

// All users of a target see what one of them has set.
void VerbsEnd::ShareConnection(const OwnQp& own) {
  if (own.xrcd == 0) return;
  for (auto& [number, other] : qps_)
    if (other.qp == own.qp) other.connection = own.connection;
}

}  // namespace cm::sim::uapi
