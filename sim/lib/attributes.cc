// Attributes of an id and its connection: queue pair attributes, ECE options, names. source:
// rdma-core 44 librdmacm/cma.c
#include "sim/lib/library.h"
#include "sim/lib/shared.h"

namespace cm::sim {
Reply Library::Notify(Context c, uint32_t id, uint8_t what) {
  return FromErrno(Execute(c.kernel, FileOf(id), command::Notify{ids_[id].handle, what}));
}

Progress Library::InitQpAttr(Context c, uint32_t id, uint8_t state) {
  const Result<response::QpAttr> attr = Execute(
      c.kernel, FileOf(id), command::InitQpAttr{ids_[id].handle, static_cast<QpState>(state)});
  if (!attr.ok()) return {.reply = Reply::Refused(attr.error())};
  return {.handed = QpAttrs{.mask = attr.value().mask, .state = state}};
}

Reply Library::SetLocalEce(uint32_t id, const EceOptions& ece) {
  const bool has_qp = ids_[id].qp != kNobody;
  if (has_qp || ece.vendor_id == 0 || ece.comp_mask != 0) return Reply::Refused(Errno::kInval);
  ids_[id].local_ece = ece;
  return Reply::Returned();
}

Progress Library::GetRemoteEce(uint32_t id) const {
  if (ids_[id].qp != kNobody) return {.reply = Reply::Refused(Errno::kInval)};
  return {.handed = ids_[id].remote_ece};
}

Reply Library::RejectEce(Context c, uint32_t id, const PrivateData& data) {
  return FromErrno(Execute(c.kernel, FileOf(id),
                           command::Reject{.id = ids_[id].handle,
                                           .reason = RejReason::kVendorOptionNotSupported,
                                           .private_data = data}));
}

// A library with the events of map 1.4 names the first two of them.
Progress Library::EventStr(Context c, uint8_t type) const {
  const bool later = c.profile->capabilities.Has(Capability::kLaterCalls);
  const bool known = type < kFirstEventTypeCount || (later && type < kFirstEventTypeCount + 2);
  return {.handed = TextHanded::Of(known ? ToString(static_cast<EventType>(type))
                                         : std::string_view("UNKNOWN EVENT"))};
}

}  // namespace cm::sim
