#include "sim/ib_cm/messages.h"

namespace cm::sim {

Mad MessageFrom(const IbId& id, MadKind kind) {
  Mad mad;
  mad.kind = kind;
  mad.local_cid = id.local_cid;
  mad.remote_cid = id.remote_cid;
  mad.tid = id.tid;
  mad.sender = id.device;
  return mad;
}

Mad DreqFrom(const IbId& id) {
  Mad dreq = MessageFrom(id, MadKind::kDreq);
  dreq.tid = id.local_cid;
  dreq.qp_num = id.remote_qpn;
  return dreq;
}

Mad RejFrom(const IbId& id, About about, RejReason reason) {
  Mad rej = MessageFrom(id, MadKind::kRej);
  rej.about = about;
  rej.reason = reason;
  return rej;
}

Mad MraFrom(const IbId& id, About about, int service_timeout) {
  Mad mra = MessageFrom(id, MadKind::kMra);
  mra.about = about;
  mra.service_timeout = static_cast<uint8_t>(service_timeout);
  return mra;
}

Mad AnswerTo(const Mad& mad, uint8_t device, MadKind kind) {
  Mad answer;
  answer.kind = kind;
  answer.remote_cid = mad.local_cid;
  answer.tid = mad.tid;
  answer.sender = device;
  return answer;
}

}  // namespace cm::sim
