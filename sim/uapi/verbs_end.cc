#include "sim/uapi/verbs_end.h"

#include <algorithm>
#include <bit>

#include "sim/uapi/bytes.h"
#include "sim/uapi/refusals.h"
#include "sim/uapi/regions.h"
#include "sim/uapi/verbs_end_parts.h"
#include "sim/verbs/regions.h"

namespace cm::sim::uapi {
namespace {

// source: <infiniband/verbs.h> enum ibv_qp_attr_mask
constexpr uint32_t kStateMask = 0x1;
constexpr uint32_t kAccessMask = 0x8;
constexpr uint32_t kPortMask = 0x20;
constexpr uint32_t kQkeyMask = 0x40;
// Required and optional attributes of each transition. source: linux 6.1 verbs.c qp_state_table
constexpr uint32_t kInitMask = 0x30;
constexpr uint32_t kReceiveMask = 0x129180;
constexpr uint32_t kSendMask = 0x12e00;
constexpr uint32_t kUnreliableReceiveMask = 0x101180;
constexpr uint32_t kUnreliableSendMask = 0x10000;
constexpr uint32_t kTargetSendMask = 0x10200;
constexpr uint32_t kRetryMask = 0x400;
constexpr uint32_t kRnrRetryMask = 0x800;
constexpr uint32_t kDepthMask = 0x2000;
constexpr uint32_t kResourcesMask = 0x20000;
// source: <infiniband/verbs.h> enum ibv_srq_attr_mask
constexpr uint32_t kSrqMaxWorkMask = 1;
constexpr uint32_t kSrqLimitMask = 2;

template <typename Own>
std::vector<uint32_t> NumbersOf(const std::map<uint32_t, Own>& objects, uint32_t process) {
  std::vector<uint32_t> numbers;
  for (const auto& [number, own] : objects)
    if (own.process == process) numbers.push_back(number);
  return numbers;
}

}  // namespace

Outcome VerbsEnd::Carry(Asker asker, uint8_t kernel, const Request& request) {
  using enum Op;
  const uint32_t process = asker.process;
  const Op op = request.op;
  if (OverIwarp()) FollowConnections();
  TellNews();
  if (op == kCreateCq) return CreateCq(process, request);
  if (op == kCreateSrq) return CreateSrq(process, As<SrqRecord>(request.bytes));
  if (op == kCreateQp) return CreateQp(process, kernel, request);
  if (op == kOpenQp) return OpenQp(process, request);
  if (IsOneOf(op, kOpenXrcd, kCloseXrcd)) return CarryXrcd(process, kernel, request);
  if (IsOneOf(op, kRegister, kDeregister, kReregister))
    return CarryRegion(process, kernel, request);
  if (IsOneOf(op, kAllocMw, kDeallocMw)) return CarryWindow(process, kernel, request);
  if (IsOneOf(op, kTakeEvent, kPollEvents)) return TakeEvent(process, request);
  if (IsOneOf(op, kDestroyCq, kResizeCq, kPoll, kArm)) return CarryCq(process, request);
  if (IsOneOf(op, kDestroySrq, kModifySrq, kQuerySrq, kPostToSrq))
    return CarrySrq(process, request);
  return CarryQp(asker, request);
}

Outcome VerbsEnd::CarryCq(uint32_t process, const Request& request) {
  OwnCq* const cq = Find(&cqs_, process, request.on);
  if (cq == nullptr) return Refused(Errno::kInval);
  if (request.op == Op::kDestroyCq) return DestroyCq(request.on);
  if (request.op == Op::kResizeCq) return ResizeCq(*cq, request.more);
  if (request.op == Op::kPoll) return Poll(cq, request.more);
  verbs().cqs().EventsOf(cq->cq).Arm(request.more != 0);
  return Value(0);
}

Outcome VerbsEnd::CarrySrq(uint32_t process, const Request& request) {
  const OwnSrq* const own = Find(&srqs_, process, request.on);
  if (own == nullptr) return Refused(Errno::kInval);
  if (request.op == Op::kDestroySrq) return DestroySrq(request.on);
  if (request.op == Op::kQuerySrq) return QuerySrq(*own);
  if (request.op == Op::kPostToSrq) return PostToSrq(*own, request);
  return DoneUnless(ModifySrq(*own, As<SrqRecord>(request.bytes)));
}

Outcome VerbsEnd::CarryQp(Asker asker, const Request& request) {
  OwnQp* const own = Find(&qps_, asker.process, request.on);
  if (own == nullptr) return Refused(Errno::kInval);
  if (request.op == Op::kDestroyQp) {
    verbs().SendRest(world_->Context(), own->qp);
    DestroyQp(request.on);
    return Released(request.on);
  }
  if (request.op == Op::kModifyQp) {
    const Errno error = Modify(asker, own, As<ModifyRecord>(request.bytes));
    ShareConnection(*own);
    return DoneUnless(error);
  }
  if (request.op == Op::kQueryQp) {
    // source: linux 6.1 siw_verbs.c siw_query_qp, which returns no state
    const QpState state = OverIwarp() ? QpState::kReset : verbs().at(own->qp).state;
    return Record(static_cast<int64_t>(state), CapacityOf(*own));
  }
  if (IsOneOf(request.op, Op::kAttach, Op::kDetach)) return Attach(*own, request);
  if (request.op == Op::kPostSend) return PostSend(*own, request);
  if (request.op == Op::kPostReceive) return PostReceive(*own, request);
  return Refused(Errno::kNoSys);
}

// source: linux 6.1 rxe_qp.c rxe_qp_to_init, siw_verbs.c siw_query_qp
CapacityRecord VerbsEnd::CapacityOf(const OwnQp& own) const {
  const QpRoom& room = verbs().at(own.qp).room;
  CapacityRecord capacity{.sends = {.work = room.sends.work, .pieces = room.sends.pieces}};
  if (verbs().at(own.qp).srq == kNobody)
    capacity.receives = {.work = room.receives.work, .pieces = room.receives.pieces};
  return capacity;
}

Outcome VerbsEnd::CreateCq(uint32_t process, const Request& request) {
  if (!IsCqSize(request.more, OverIwarp())) return Refused(Errno::kInval);
  const uint32_t cq = verbs().cqs().Create(HeldWhereAskedFor(request.more));
  cqs_[++last_number_] = {.process = process, .cq = cq, .told = As<ToldRecord>(request.bytes)};
  return Value(last_number_);
}

// Not to less than the queue holds. source: linux 6.1 rxe_cq.c rxe_cq_chk_attr
Outcome VerbsEnd::ResizeCq(const OwnCq& own, uint64_t completions) {
  if (!IsCqSize(completions, OverIwarp()) || completions < verbs().cqs()[own.cq].done.size())
    return Refused(Errno::kInval);
  verbs().cqs().Resize(own.cq, HeldWhereAskedFor(completions));
  return Value(0);
}

Outcome VerbsEnd::DestroyCq(uint32_t cq) {
  if (cqs_[cq].used > 0) return Refused(Errno::kBusy);
  verbs().cqs().Destroy(cqs_[cq].cq);
  cqs_.erase(cq);
  return Released(cq);
}

// The size of a ring is a power of two, of which Soft-RoCE leaves one entry free. source: linux 6.1
// rxe_queue.c rxe_queue_init, siw_verbs.c siw_create_qp
uint32_t VerbsEnd::HeldWhereAskedFor(uint64_t work) const {
  const bool leaves_one = !OverIwarp();
  const uint64_t most =
      std::min<uint64_t>(work, leaves_one ? DeviceLimits::kWork : SiwLimits::kCompletions);
  if (most == 0) return 0;
  return leaves_one ? std::bit_ceil(static_cast<uint32_t>(most) + 1) - 1
                    : std::bit_ceil(static_cast<uint32_t>(most));
}

Room VerbsEnd::RoomFor(const RoomRecord& asked) const {
  return {.work = HeldWhereAskedFor(asked.work), .pieces = asked.pieces};
}

Outcome VerbsEnd::CreateSrq(uint32_t process, const SrqRecord& asked) {
  if (!IsSrqRoom(asked.room, OverIwarp())) return Refused(Errno::kInval);
  if (asked.xrcd != 0) return CreateXrcSrq(process, asked);
  const uint32_t srq = verbs().srqs().Create(RoomFor(asked.room));
  verbs().srqs().Limit(srq, asked.limit);
  srqs_[++last_number_] = {.process = process, .srq = srq, .told = asked.told};
  return Value(last_number_);
}

// Not to less than the queue holds, nor to less than the limit. Changes all or nothing. source:
// linux 6.1 rxe_srq.c rxe_srq_chk_attr, rxe_queue.c resize_finish
Errno VerbsEnd::ModifySrq(const OwnSrq& own, const SrqRecord& asked) {
  const Srq& srq = verbs().srqs()[own.srq];
  const bool resizes = (asked.mask & kSrqMaxWorkMask) != 0;
  const bool limits = (asked.mask & kSrqLimitMask) != 0;
  const uint32_t held = HeldWhereAskedFor(asked.room.work);
  if (resizes && (!IsSrqRoom({.work = asked.room.work}, OverIwarp()) ||
                  asked.room.work < srq.limit || held < srq.receives.size()))
    return Errno::kInval;
  if (limits && asked.limit > srq.room.work) return Errno::kInval;
  if (resizes) verbs().srqs().Resize(own.srq, held);
  if (limits) verbs().srqs().Limit(own.srq, asked.limit);
  return Errno::kNone;
}

Outcome VerbsEnd::QuerySrq(const OwnSrq& own) const {
  const Srq& srq = verbs().srqs()[own.srq];
  return Record(
      0, SrqRecord{.room = {.work = srq.room.work, .pieces = srq.room.pieces}, .limit = srq.limit});
}

Outcome VerbsEnd::DestroySrq(uint32_t srq) {
  for (const auto& [number, qp] : qps_)
    if (qp.srq == srq) return Refused(Errno::kBusy);
  const OwnSrq own = srqs_[srq];
  verbs().srqs().Destroy(own.srq);
  Release(own.queue);
  if (own.xrcd != 0) xrc_domains_.Leave(own.xrcd);
  srqs_.erase(srq);
  return Released(srq);
}

// A queue of a queue pair, or a shared one, reports to the completion queue; 0: there is none.
void VerbsEnd::Use(uint32_t queue) {
  if (queue != 0) ++cqs_[queue].used;
}

// It reports there no longer.
void VerbsEnd::Release(uint32_t queue) {
  if (queue != 0) --cqs_[queue].used;
}

// Pending events of an object are dropped with it; taken events must be acknowledged.
Outcome VerbsEnd::Released(uint32_t object) {
  const uint32_t taken = device_events_->Release(object);
  return taken == 0 ? Value(0) : Record(0, taken);
}

template <typename Own>
void VerbsEnd::Tell(const std::map<uint32_t, Own>& objects, uint32_t Own::*index,
                    const News& news) {
  for (const auto& [number, own] : objects)
    if (own.*index == news.object) device_events_->Tell(own.process, own.told, number, news.what);
}

void VerbsEnd::TellNews() {
  for (const News& news : verbs().TakeNews()) {
    switch (news.what) {
      case ObjectEvent::kCqErr:
        Tell(cqs_, &OwnCq::cq, news);
        break;
      case ObjectEvent::kSrqLimitReached:
        Tell(srqs_, &OwnSrq::srq, news);
        break;
      case ObjectEvent::kQpLastWqeReached:
        if (world_->profile().dialect.last_receive_is_told) Tell(qps_, &OwnQp::qp, news);
        break;
      case ObjectEvent::kSqDrained:
        Tell(qps_, &OwnQp::qp, news);
        break;
    }
  }
}

// A queue pair of another type may not use a shared receive queue of XRC. source: linux 6.1
// uverbs_cmd.c create_qp
Outcome VerbsEnd::CreateQp(uint32_t process, uint8_t kernel, const Request& request) {
  const auto record = As<QpRecord>(request.bytes);
  const std::vector<uint8_t> devices = DevicesOf(world_->topology(), kernel);
  if (record.device >= devices.size()) return Refused(Errno::kNoDev);
  const bool xrc = record.type == kXrcSend || record.type == kXrcReceive;
  if (xrc && HasXrc(world_->profile())) return CreateXrcQp(process, devices[record.device], record);
  if (const Errno error = WhyNoQp(record.type, OverIwarp()); error != Errno::kNone)
    return Refused(error);
  const uint8_t device = devices[record.device];
  const OwnSrq* const srq = Find(&srqs_, process, record.srq);
  const bool has_srq = record.srq != QpRecord{}.srq;
  const bool usable = srq != nullptr && srq->xrcd == 0;
  const bool cqs_known = Find(&cqs_, process, record.send_queue) != nullptr &&
                         Find(&cqs_, process, record.receive_queue) != nullptr;
  if (!cqs_known || (has_srq && !usable) || !IsQpRoom(record, has_srq, OverIwarp()))
    return Refused(Errno::kInval);
  const bool datagram = static_cast<QpType>(record.type) == QpType::kUd;
  // The fake libibverbs checks the length of inline data.
  const QpRoom room{
      .sends = RoomFor(record.sends), .receives = RoomFor(record.receives), .inlined = UINT32_MAX};
  const uint32_t qp = verbs().Create(device, datagram, has_srq ? srq->srq : kNobody, room,
                                     DomainOf(process, record.domain));
  verbs().ReportTo(qp, cqs_[record.send_queue].cq, cqs_[record.receive_queue].cq);
  qps_[++last_number_] = {.process = process,
                          .device = device,
                          .qp = qp,
                          .send_queue = record.send_queue,
                          .receive_queue = record.receive_queue,
                          .srq = record.srq,
                          .signal_all = record.signal_all != 0,
                          .unreliable = static_cast<QpType>(record.type) == QpType::kUc,
                          .told = record.told};
  for (const uint32_t cq : {record.send_queue, record.receive_queue}) Use(cq);
  return Record(last_number_, verbs().at(qp).number);
}

// A connection over iWARP ends with its queue pair.
void VerbsEnd::Break(const OwnQp& own) {
  const uint32_t number = verbs().at(own.qp).number;
  if (const std::optional<uint32_t> id = device_file_->IdThatNames(own.device, number))
    QueuePairBreaks(world_->Kernel(), *id);
}

void VerbsEnd::DestroyQp(uint32_t number) {
  const OwnQp own = qps_[number];
  if (!IsShared(number)) {
    Break(own);
    TellNews();  // before its slot is reused
    verbs().Destroy(own.qp);
  }
  for (const uint32_t cq : {own.send_queue, own.receive_queue}) Release(cq);
  if (own.xrcd != 0) xrc_domains_.Leave(own.xrcd);
  qps_.erase(number);
}

Outcome VerbsEnd::CarryRegion(uint32_t process, uint8_t kernel, const Request& request) {
  Regions* const regions = &verbs().regions();
  if (request.op == Op::kDeregister) return Deregister(regions, process, request.on);
  if (request.op == Op::kReregister) return Reregister(regions, process, request);
  const auto record = As<RegionRecord>(request.bytes);
  const std::vector<uint8_t> devices = DevicesOf(world_->topology(), kernel);
  if (record.device >= devices.size()) return Refused(Errno::kNoDev);
  return Register(regions, process, devices[record.device], record);
}

// Over InfiniBand the SA decides which group an address belongs to. One that is attached already
// stays so. source: linux 6.1 uverbs_cmd.c ib_uverbs_attach_mcast, rxe_mcast.c __rxe_init_mca
Outcome VerbsEnd::Attach(const OwnQp& own, const Request& request) {
  const auto group = As<Gid>(request.bytes);
  const bool any = world_->profile().transport == Transport::kInfiniband;
  if (!verbs().at(own.qp).datagram || !(any || IsGroup(group))) return Refused(Errno::kInval);
  const auto is_in = [&](const OwnQp& one) {
    return std::ranges::count(verbs().at(one.qp).groups, group) != 0;
  };
  if (request.op == Op::kDetach)
    return verbs().Detach(own.qp, group) ? Value(0) : Refused(Errno::kInval);
  if (is_in(own)) return Value(0);
  const auto members = std::ranges::count_if(
      qps_, [&](const auto& one) { return one.second.device == own.device && is_in(one.second); });
  if (!any && members >= DeviceLimits::kMembers) return Refused(Errno::kNoMem);
  verbs().Attach(own.qp, group);
  return Value(0);
}

// What it is to answer at most is not checked. source: linux 6.1 rxe_qp.c rxe_qp_chk_attr
bool VerbsEnd::HasDepth(const ModifyRecord& record) const {
  return (record.mask & kDepthMask) == 0 ||
         record.max_rd_atomic <= world_->profile().limits.max_depth;
}

Errno VerbsEnd::Modify(Asker asker, OwnQp* own, const ModifyRecord& record) {
  if ((record.mask & kStateMask) != 0 && record.state > static_cast<uint32_t>(QpState::kErr))
    return Errno::kInval;
  const bool on_port = (record.mask & kPortMask) != 0;
  if (on_port && (record.port == 0 || record.port > world_->topology().PortsOf(own->device)))
    return Errno::kInval;
  if (!OverIwarp() && !HasDepth(record)) return Errno::kInval;
  Connection& connection = own->connection;
  const Connection before = connection;
  if ((record.mask & kAccessMask) != 0) {
    connection.remote_write = (record.access & kRemoteWrite) != 0;
    connection.remote_read = (record.access & kRemoteRead) != 0;
    connection.remote_atomic = (record.access & kRemoteAtomic) != 0;
  }
  if ((record.mask & kRetryMask) != 0) connection.retry_count = record.retry_count;
  if ((record.mask & kRnrRetryMask) != 0) connection.rnr_retry_count = record.rnr_retry_count;
  if ((record.mask & kDepthMask) != 0) connection.initiator_depth = record.max_rd_atomic;
  if ((record.mask & kResourcesMask) != 0)
    connection.responder_resources = record.max_dest_rd_atomic;
  const Errno moved = (record.mask & kStateMask) != 0 ? Move(asker, own, record) : Errno::kNone;
  if (moved != Errno::kNone) {
    connection = before;
    return moved;
  }
  if (on_port) verbs().MoveTo(own->qp, static_cast<uint8_t>(own->device + record.port - 1));
  if (connection != before && !OverIwarp()) verbs().Connect(own->qp, connection);
  return Errno::kNone;
}

Errno VerbsEnd::Move(Asker asker, OwnQp* own, const ModifyRecord& record) {
  const auto state = static_cast<QpState>(record.state);
  const bool datagram = verbs().at(own->qp).datagram;
  switch (state) {
    case QpState::kInit: {
      // source: linux 6.1 siw_qp.c siw_qp_modify: one that was connected stays as it is
      if (OverIwarp()) {
        static_cast<void>(verbs().Initialize(own->qp, false));
        return Errno::kNone;
      }
      const uint32_t wanted = kInitMask | (datagram ? kQkeyMask : kAccessMask);
      const uint32_t other = datagram ? kAccessMask : kQkeyMask;
      if ((record.mask & (wanted | other)) != wanted) return Errno::kInval;
      return verbs().Initialize(own->qp, datagram);
    }
    case QpState::kRtr:
      return ToReceive(asker, own, record);
    case QpState::kRts:
      return ToSend(own, record);
    case QpState::kSqd:
      return OverIwarp() ? Errno::kNone : verbs().Modify(own->qp, state);
    case QpState::kErr: {
      const Errno error = verbs().Modify(own->qp, state);
      Break(*own);
      return error;
    }
    case QpState::kReset:
    case QpState::kSqe:
      break;
  }
  return verbs().Modify(own->qp, state);
}

// Over iWARP the provider moves the queue pair, with the connection.
Errno VerbsEnd::ToReceive(Asker asker, OwnQp* own, const ModifyRecord& record) {
  if (OverIwarp()) return Errno::kNone;
  if (verbs().at(own->qp).datagram) return verbs().Modify(own->qp, QpState::kRtr);
  const bool answers = !own->unreliable && verbs().at(own->qp).xrc.role != XrcRole::kInitiator;
  const uint32_t wanted = answers ? kReceiveMask : kUnreliableReceiveMask;
  if ((record.mask & wanted) != wanted) return Errno::kInval;
  const std::optional<uint8_t> device = DeviceWith(world_->topology(), record.peer_gid);
  QpAddress& peer = own->connection.peer;
  peer = {.device = device.value_or(kNoDevice), .number = record.peer_number};
  // The path that the kernel returned, if these are the attributes that it returned.
  const std::optional<response::QpAttr> given = device_file_->LastAttributes(asker);
  const bool same = given && given->peer_device == peer.device && given->peer_number == peer.number;
  const Errno error =
      verbs().Modify(own->qp, QpState::kRtr, true, same ? given->resolves : Errno::kNone);
  if (error == Errno::kNone) verbs().Connect(own->qp, own->connection);
  return error;
}

// source: linux 6.1 siw_qp.c siw_qp_nextstate_from_idle: requires a stream
Errno VerbsEnd::ToSend(OwnQp* own, const ModifyRecord& record) {
  if (OverIwarp()) return own->connected ? Errno::kNone : Errno::kInval;
  const Qp& qp = verbs().at(own->qp);
  if (qp.datagram) return verbs().Modify(own->qp, QpState::kRts);
  uint32_t wanted = own->unreliable ? kUnreliableSendMask : kSendMask;
  if (qp.xrc.role == XrcRole::kTarget) wanted = kTargetSendMask;
  if (qp.state == QpState::kRtr && (record.mask & wanted) != wanted) return Errno::kInval;
  const Errno error = verbs().Modify(own->qp, QpState::kRts, true);
  if (error == Errno::kNone) verbs().Connect(own->qp, own->connection);
  return error;
}

bool VerbsEnd::WouldMove(Asker asker, const Request& modify, std::optional<QpState> from) const {
  const auto found = qps_.find(modify.on);
  if (found == qps_.end() || found->second.process != asker.process || OverIwarp()) return false;
  const OwnQp& own = found->second;
  const auto record = As<ModifyRecord>(modify.bytes);
  const QpState now = from.value_or(verbs().at(own.qp).state);
  const auto has = [&record](uint32_t mask) { return (record.mask & mask) == mask; };
  const Qp& qp = verbs().at(own.qp);
  if (own.unreliable || qp.datagram || qp.xrc.role != XrcRole::kNone || !HasDepth(record) ||
      !has(kStateMask))
    return false;
  const auto state = static_cast<QpState>(record.state);
  if (state == QpState::kInit)
    return (now == QpState::kReset || now == QpState::kInit) && has(kInitMask | kAccessMask) &&
           !has(kQkeyMask) && record.port > 0 &&
           record.port <= world_->topology().PortsOf(own.device);
  if (has(kPortMask)) return false;
  if (state == QpState::kRts) return now == QpState::kRtr && has(kSendMask);
  if (state != QpState::kRtr || now != QpState::kInit || !has(kReceiveMask)) return false;
  const std::optional<response::QpAttr> given = device_file_->LastAttributes(asker);
  return !given || given->resolves == Errno::kNone;
}

bool VerbsEnd::WouldDestroyCq(uint32_t process, uint32_t number) const {
  const auto found = cqs_.find(number);
  return found != cqs_.end() && found->second.process == process && found->second.used == 0 &&
         !device_events_->HasTaken(number);
}

void VerbsEnd::Forget(uint32_t process) {
  for (const uint32_t number : NumbersOf(qps_, process)) {
    DestroyQp(number);
    device_events_->Release(number);
  }
  for (const uint32_t number : NumbersOf(srqs_, process)) DestroySrq(number);
  for (const uint32_t number : NumbersOf(cqs_, process)) DestroyCq(number);
  xrc_domains_.Forget(process);
  ForgetWindows(process);
  DeregisterAll(&verbs().regions(), process);
}

}  // namespace cm::sim::uapi
