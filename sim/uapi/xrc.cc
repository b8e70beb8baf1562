// Extended reliable connections: XRC domains, their shared receive queues, and queue pairs that
// send or are targets. source: linux 6.1 uverbs_cmd.c create_qp, __uverbs_create_xsrq,
// ib_uverbs_open_qp; verbs.c ib_open_qp, ib_create_qp_user, __ib_destroy_shared_qp
#include <algorithm>

#include "sim/uapi/bytes.h"
#include "sim/uapi/refusals.h"
#include "sim/uapi/verbs_end.h"

namespace cm::sim::uapi {
namespace {

Outcome MadeWithNumber(uint32_t object, uint32_t number) {
  Outcome outcome{.answer = {.value = object}};
  const std::span<const uint8_t> bytes = BytesOf(number);
  outcome.answer.bytes.assign(bytes.begin(), bytes.end());
  return outcome;
}

}  // namespace

Outcome VerbsEnd::CarryXrcd(uint32_t process, uint8_t kernel, const Request& request) {
  if (!HasXrc(world_->profile())) return Refused(Errno::kNotSup);
  if (request.op == Op::kCloseXrcd) {
    const Errno error = xrc_domains_.Close(process, request.on);
    return error == Errno::kNone ? Outcome{} : Refused(error);
  }
  const auto record = As<XrcdRecord>(request.bytes);
  const std::vector<uint8_t> devices = DevicesOf(world_->topology(), kernel);
  if (record.device >= devices.size()) return Refused(Errno::kNoDev);
  const Errno error = xrc_domains_.Open(process, devices[record.device], record, last_number_ + 1);
  if (error != Errno::kNone) return Refused(error);
  return {.answer = {.value = ++last_number_}};
}

Outcome VerbsEnd::CreateXrcSrq(uint32_t process, const SrqRecord& asked) {
  const XrcDomains::Opened* const opened = xrc_domains_.Find(process, asked.xrcd);
  const auto queue = cqs_.find(asked.queue);
  if (opened == nullptr || queue == cqs_.end() || queue->second.process != process)
    return Refused(Errno::kInval);
  SharedQueues& srqs = verbs().srqs();
  const uint32_t srq =
      srqs.CreateForXrc(RoomFor(asked.room), {.xrc_domain = opened->domain,
                                              .domain = DomainOf(process, asked.domain),
                                              .cq = queue->second.cq});
  srqs.Limit(srq, asked.limit);
  srqs_[++last_number_] = {
      .process = process, .srq = srq, .told = asked.told, .queue = asked.queue, .xrcd = asked.xrcd};
  Count(asked.queue, 1);
  xrc_domains_.Enter(asked.xrcd);
  return MadeWithNumber(last_number_, srqs[srq].xrc.number);
}

// A target has no queues of its own.
Outcome VerbsEnd::CreateXrcQp(uint32_t process, uint8_t device, const QpRecord& record) {
  const bool sends = record.type == kXrcSend;
  OwnQp own{.process = process, .device = device, .told = record.told};
  QpRoom room{.sends = {.work = 0, .pieces = 0},
              .receives = {.work = 0, .pieces = 0},
              .inlined = UINT32_MAX};
  if (sends) {
    const auto queue = cqs_.find(record.send_queue);
    const bool known = queue != cqs_.end() && queue->second.process == process;
    if (!known || !IsQpRoom(record, true, false)) return Refused(Errno::kInval);
    room.sends = RoomFor(record.sends);
    own.send_queue = record.send_queue;
    own.signal_all = record.signal_all != 0;
    own.qp = verbs().Create(device, false, kNobody, room, DomainOf(process, record.domain),
                            {.role = XrcRole::kInitiator});
    verbs().ReportTo(own.qp, queue->second.cq, kNobody);
    Count(own.send_queue, 1);
  } else {
    const XrcDomains::Opened* const opened = xrc_domains_.Find(process, record.xrcd);
    if (opened == nullptr) return Refused(Errno::kInval);
    own.xrcd = record.xrcd;
    own.qp = verbs().Create(device, false, kNobody, room, 0,
                            {.role = XrcRole::kTarget, .domain = opened->domain});
    xrc_domains_.Enter(own.xrcd);
  }
  qps_[++last_number_] = own;
  return MadeWithNumber(last_number_, verbs().at(own.qp).number);
}

// The queue pair exists until the last of its users has destroyed it.
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
  return {.answer = {.value = last_number_}};
}

bool VerbsEnd::IsShared(uint32_t number) const {
  const uint32_t qp = qps_.at(number).qp;
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
