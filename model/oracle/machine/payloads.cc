#include "model/oracle/machine/payloads.h"

#include <algorithm>
#include <utility>

namespace cm::model {
namespace {

// A message has 24 bits for the vendor.
EceOptions OnTheWire(const EceOptions& ece) {
  return {.vendor_id = ece.vendor_id & 0xffffff, .options = ece.options};
}

// Whether the id's queue pair takes its receives from a shared queue.
uint8_t SharesReceives(const ConversationFacts& facts, IdRef id) {
  return facts.work.of(id).shares ? 1 : 0;
}

// The depth that a call names, or else the device's.
uint8_t DepthOf(const std::optional<ConnParam>& param, uint8_t given, uint8_t otherwise) {
  return param && given != kDeviceMaximum ? given : otherwise;
}

ConnFields Swapped(ConnFields conn) {
  std::swap(conn.responder_resources, conn.initiator_depth);
  return conn;
}

}  // namespace

Payload RequestPayload(const ConversationFacts& facts, const call::Connect& call, bool has_qp) {
  const Limits& limits = facts.profile().limits;
  Payload payload;
  const ConnParam param = call.param.value_or(ConnParam{});
  payload.conn.responder_resources = DepthOf(call.param, param.initiator_depth, limits.max_depth);
  payload.conn.initiator_depth = DepthOf(call.param, param.responder_resources, limits.max_depth);
  payload.conn.flow_control = call.param ? param.flow_control : 0;
  payload.conn.retry_count = std::min(param.retry_count, limits.max_retry_count);
  payload.conn.rnr_retry_count = std::min(param.rnr_retry_count, limits.max_retry_count);
  payload.conn.srq = has_qp ? SharesReceives(facts, call.id) : param.srq;
  payload.ece = OnTheWire(facts.id(call.id).ece);
  payload.data = param.private_data.Resized(limits.request_data);
  return payload;
}

Payload ReplyPayload(const ConversationFacts& facts, const call::Accept& call, const IdState& id) {
  const Limits& limits = facts.profile().limits;
  Payload payload;
  const Payload request =
      id.request_payload == kNoPayload ? Payload{} : facts.payloads[id.request_payload];
  const ConnFields& requested = facts.id(call.id).depths.value_or(request.conn);
  const ConnParam param = call.param.value_or(ConnParam{});
  const auto depth = [&](uint8_t given, uint8_t offered) {
    return DepthOf(call.param, given, std::min(offered, limits.max_depth));
  };
  payload.conn.responder_resources = depth(param.initiator_depth, requested.initiator_depth);
  payload.conn.initiator_depth = depth(param.responder_resources, requested.responder_resources);
  payload.conn.flow_control = call.param ? param.flow_control : 0;
  payload.conn.rnr_retry_count = std::min(param.rnr_retry_count, limits.max_retry_count);
  payload.conn.srq = id.qp != QpPhase::kNone ? SharesReceives(facts, call.id) : param.srq;
  // The vendor is the one that was received, the options are those of who answers.
  payload.ece = {.vendor_id = request.ece.vendor_id, .options = facts.id(call.id).ece.options};
  payload.data = param.private_data.Resized(limits.reply_data);
  return payload;
}

Payload DatagramPayload(const std::optional<ConnParam>& param, uint8_t length) {
  return {.data = (param ? param->private_data : PrivateData()).Resized(length)};
}

Payload ServicePayload(const ConversationFacts& facts, const Call& call, const IdState& id) {
  const auto* accept = std::get_if<call::Accept>(&call);
  const std::optional<ConnParam> param = accept != nullptr ? accept->param : std::nullopt;
  Payload payload = DatagramPayload(param, facts.profile().limits.datagram_reply_data);
  payload.qkey = QkeyOf(facts.SpaceOf(id));
  const bool drawn = accept != nullptr && id.qp != QpPhase::kNone;
  if (!drawn) payload.qp_num = param ? param->qp_num & 0xffffff : 0;
  return payload;
}

Payload IwRequestPayload(const ConversationFacts& facts, const call::Connect& call) {
  const ConnParam param = call.param.value_or(ConnParam{});
  Payload payload;
  payload.conn.responder_resources =
      DepthOf(call.param, param.initiator_depth, facts.profile().limits.max_depth);
  payload.conn.initiator_depth =
      DepthOf(call.param, param.responder_resources, facts.profile().limits.max_depth);
  payload.data = param.private_data;
  return payload;
}

// The passive side's initiator depth is at most the peer's responder resources, and its responder
// resources are at least the peer's initiator depth; each end gets its own view.
// source: linux 6.1 siw_cm.c siw_accept, siw_proc_mpareply, cma.c cma_iw_handler
Details AgreedOverIwarp(ConversationFacts& facts, const call::Accept& call, const IdState& id) {
  const ConnParam param = call.param.value_or(ConnParam{});
  const ConnFields asked =
      id.request_payload == kNoPayload ? ConnFields{} : facts.payloads[id.request_payload].conn;
  const ConnFields open = facts.id(call.id).depths.value_or(asked);
  const auto depth = [&](uint8_t given, uint8_t offered) {
    return DepthOf(call.param, given, std::min(offered, facts.profile().limits.max_depth));
  };
  const uint8_t reads =
      std::min(depth(param.initiator_depth, open.initiator_depth), asked.initiator_depth);
  const uint8_t answers = std::max(depth(param.responder_resources, open.responder_resources),
                                   asked.responder_resources);
  Payload reply;
  reply.conn.initiator_depth = reads;
  reply.conn.responder_resources = answers;
  reply.data = param.private_data;
  Payload told;
  told.conn.initiator_depth = answers;
  told.conn.responder_resources = reads;
  return {.payload = facts.payloads.Intern(reply),
          .reason = facts.payloads.Intern({.data = reply.data}),
          .told = facts.payloads.Intern(told)};
}

std::optional<Payload> TesterPayload(const TesterMad& mad, const Limits& limits) {
  Payload payload;
  switch (mad.kind) {
    case MadKind::kReq:
    case MadKind::kRep:
      payload.conn = Swapped(mad.conn);
      if (mad.kind == MadKind::kRep) payload.conn.retry_count = 0;
      payload.qp_num = mad.qp.plain == 0 ? kTesterQpNumber : mad.qp.plain;
      payload.data =
          mad.data.Resized(mad.kind == MadKind::kReq ? limits.request_data : limits.reply_data);
      break;
    case MadKind::kRej:
      payload.data = mad.data.Resized(limits.reject_data);
      break;
    case MadKind::kSidrReq:
      payload.data = mad.data.Resized(limits.datagram_request_data);
      break;
    case MadKind::kSidrRep:
      payload.data = mad.data.Resized(limits.datagram_reply_data);
      if (mad.status != SidrStatus::kSuccess || mad.qkey != kDatagramQkey) break;
      payload.qkey = mad.qkey;
      payload.qp_num = mad.qp.plain == 0 ? kTesterQpNumber : mad.qp.plain;
      break;
    case MadKind::kMra:
    case MadKind::kRtu:
    case MadKind::kDreq:
    case MadKind::kDrep:
    case MadKind::kLap:
    case MadKind::kApr:
    case MadKind::kOther:
    case MadKind::kMpaRequest:
    case MadKind::kMpaReply:
    case MadKind::kMpaReject:
    case MadKind::kFin:
      return std::nullopt;
  }
  return payload;
}

}  // namespace cm::model
