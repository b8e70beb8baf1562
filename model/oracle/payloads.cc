// What messages carry, by the calls that send them.
#include <algorithm>
#include <optional>

#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

// A message has 24 bits for the vendor.
EceOptions OnTheWire(const EceOptions& ece) {
  return {.vendor_id = ece.vendor_id & 0xffffff, .options = ece.options};
}

}  // namespace

// What CONNECT_REQUEST will carry: depths as the receiver sees them, counts clamped.
Payload Oracle::RequestPayload(const call::Connect& call, bool has_qp) const {
  const Limits& limits = profile_.limits;
  Payload payload;
  const auto depth = [&](uint8_t given) {
    return call.param && given != kDeviceMaximum ? given : limits.max_depth;
  };
  const ConnParam param = call.param.value_or(ConnParam{});
  payload.conn.responder_resources = depth(param.initiator_depth);
  payload.conn.initiator_depth = depth(param.responder_resources);
  payload.conn.flow_control = call.param ? param.flow_control : 0;
  payload.conn.retry_count = std::min(param.retry_count, limits.max_retry_count);
  payload.conn.rnr_retry_count = std::min(param.rnr_retry_count, limits.max_retry_count);
  payload.conn.srq = has_qp ? SharesReceives(call.id) : param.srq;
  payload.ece = OnTheWire(facts_.id(call.id).ece);
  payload.data = param.private_data.Resized(limits.request_data);
  if (!call.param) payload.data = PrivateData().Resized(limits.request_data);
  return payload;
}

// What the active side's event will carry.
Payload Oracle::ReplyPayload(const call::Accept& call, const IdState& id) const {
  const Limits& limits = profile_.limits;
  Payload payload;
  const Payload request =
      id.request_payload == kNoPayload ? Payload{} : facts_.payloads[id.request_payload];
  const ConnFields& requested = facts_.id(call.id).depths.value_or(request.conn);
  const ConnParam param = call.param.value_or(ConnParam{});
  const auto depth = [&](uint8_t given, uint8_t offered) {
    return call.param && given != kDeviceMaximum ? given : std::min(offered, limits.max_depth);
  };
  payload.conn.responder_resources = depth(param.initiator_depth, requested.initiator_depth);
  payload.conn.initiator_depth = depth(param.responder_resources, requested.responder_resources);
  payload.conn.flow_control = call.param ? param.flow_control : 0;
  payload.conn.rnr_retry_count = std::min(param.rnr_retry_count, limits.max_retry_count);
  payload.conn.srq = id.qp != QpPhase::kNone ? SharesReceives(call.id) : param.srq;
  // The vendor is the one that was received, the options are those of who answers.
  payload.ece = {.vendor_id = request.ece.vendor_id, .options = facts_.id(call.id).ece.options};
  payload.data = param.private_data.Resized(limits.reply_data);
  if (!call.param) payload.data = PrivateData().Resized(limits.reply_data);
  return payload;
}

// The library keeps what a call names, also where the kernel refuses the call; an rdma_accept that
// leaves it open sends that. source: rdma-core 44 cma.c rdma_connect, rdma_accept
void Oracle::LearnDepths(const Call& call) {
  const std::optional<ConnParam>* param = ParamOf(call);
  const bool connects = std::holds_alternative<call::Connect>(call);
  if (param == nullptr || !*param || (!connects && LeavesDepthOpen(*param))) return;
  IdInfo& info = facts_.id(IdOf(call));
  const bool looked_at = info.space == PortSpace::kTcp;
  if (info.interface == kNoDevice || (looked_at && DepthTooLarge(call, profile_.limits))) return;
  const auto named = [&](uint8_t depth) {
    return depth == kDeviceMaximum ? profile_.limits.max_depth : depth;
  };
  info.depths = ConnFields{.responder_resources = named((*param)->responder_resources),
                           .initiator_depth = named((*param)->initiator_depth)};
}

// Of datagrams only the private data comes along.
Payload Oracle::DatagramPayload(const std::optional<ConnParam>& param, uint8_t length) const {
  return {.data = (param ? param->private_data : PrivateData()).Resized(length)};
}

// Where the service is that was asked for: rdma_accept names its queue pair, and rdma_establish
// names none.
Payload Oracle::ServicePayload(const Call& call, const IdState& id) const {
  const auto* accept = std::get_if<call::Accept>(&call);
  const std::optional<ConnParam> param = accept != nullptr ? accept->param : std::nullopt;
  Payload payload = DatagramPayload(param, profile_.limits.datagram_reply_data);
  payload.qkey = QkeyOf(facts_.SpaceOf(id));
  const bool drawn = accept != nullptr && id.qp != QpPhase::kNone;
  if (!drawn) payload.qp_num = param ? param->qp_num & 0xffffff : 0;
  return payload;
}

}  // namespace cm::model
