#include "tools/bench/wire_bytes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/base/check.h"
#include "model/mad/frame.h"
#include "model/mad/messages.h"

namespace cm::bench {
namespace {

template <typename Body>
Body Begun(const sim::Mad& mad) {
  Body body;
  body.local_cid = mad.local_cid;
  body.remote_cid = mad.remote_cid;
  std::ranges::copy(
      mad.data.bytes().first(std::min<size_t>(mad.data.size(), body.private_data.size())),
      body.private_data.begin());
  return body;
}

mad::Req RequestOf(const sim::Mad& mad) {
  constexpr size_t kCmaHeader = 36;  // addresses, which the benchmark does not use
  mad::Req req;
  req.local_cid = mad.local_cid;
  req.service_id = (uint64_t{0x0106} << 16) | mad.port;
  req.local_ca_guid = mad.sender;
  req.local_qpn = mad.qp_num;
  req.responder_resources = mad.conn.responder_resources;
  req.initiator_depth = mad.conn.initiator_depth;
  req.retry_count = mad.conn.retry_count & 7;
  req.max_cm_retries = mad.max_retries & 15;
  req.remote_cm_response_timeout = mad.response_timeout & 31;
  req.primary_local_ack_timeout = mad.ack_timeout & 31;
  std::ranges::copy(mad.data.bytes(), req.private_data.begin() + kCmaHeader);
  return req;
}

mad::Message MessageOf(const sim::Mad& mad) {
  switch (mad.kind) {
    case MadKind::kReq:
      return RequestOf(mad);
    case MadKind::kRep: {
      auto rep = Begun<mad::Rep>(mad);
      rep.local_qpn = mad.qp_num;
      rep.local_ca_guid = mad.sender;
      rep.target_ack_delay = mad.ack_delay & 31;
      return rep;
    }
    case MadKind::kDreq: {
      auto dreq = Begun<mad::Dreq>(mad);
      dreq.remote_qpn_eecn = mad.qp_num;
      return dreq;
    }
    case MadKind::kRtu:
      return Begun<mad::Rtu>(mad);
    case MadKind::kDrep:
      return Begun<mad::Drep>(mad);
    case MadKind::kMra:
      return Begun<mad::Mra>(mad);
    default:
      return Begun<mad::Rej>(mad);
  }
}

}  // namespace

void CarryAsBytes(const sim::Mad& mad) {
  const mad::Mad sent = mad::MakeMad(MessageOf(mad), mad.local_cid);
  const std::array<uint8_t, mad::kMadSize> bytes = mad::Encode(sent);
  const mad::Decoded<mad::Mad> received = mad::DecodeMad(bytes);
  CM_CHECK(received.ok() && received.value() == sent);
}

}  // namespace cm::bench
