#include "conformance/adapters/sim/tester.h"

#include <algorithm>

namespace cm {
namespace {

constexpr uint16_t kPort = 40001;  // that it asks from
// Of a plain number in the place of the receiver's: nobody there has it.
constexpr uint32_t kNobodysCid = 0x40000000;
constexpr uint32_t kNobodysQp = 0x800000;

uint8_t RoomFor(MadKind kind, const Limits& limits) {
  switch (kind) {
    case MadKind::kReq:
      return limits.request_data;
    case MadKind::kRep:
      return limits.reply_data;
    case MadKind::kRej:
      return limits.reject_data;
    case MadKind::kSidrReq:
      return limits.datagram_request_data;
    case MadKind::kSidrRep:
      return limits.datagram_reply_data;
    default:
      return 0;
  }
}

bool NamesReceiversQp(MadKind kind) { return kind == MadKind::kDreq || kind == MadKind::kLap; }

bool NamesSendersQp(MadKind kind) {
  return kind == MadKind::kReq || kind == MadKind::kRep || kind == MadKind::kSidrRep;
}

uint32_t QpNumberOf(const TesterMad& said, const std::vector<sim::CmNumbers>& numbers) {
  if (!NamesSendersQp(said.kind) && !NamesReceiversQp(said.kind)) return 0;
  if (said.qp.of.valid()) return numbers[said.qp.of.index].qp_num;
  const bool left_out = said.qp.plain == 0;
  if (!NamesReceiversQp(said.kind)) return left_out ? kTesterQpNumber : said.qp.plain;
  if (!left_out) return said.qp.plain | kNobodysQp;
  return said.remote.of.valid() ? numbers[said.remote.of.index].qp_num : 0;
}

}  // namespace

bool HasTester(const Topology& topology) {
  return std::ranges::any_of(topology.devices, &DeviceInfo::tester);
}

sim::Mad MadFrom(const TesterMad& said, uint8_t side, const std::vector<sim::CmNumbers>& numbers,
                 const Topology& topology, const Limits& limits) {
  sim::Mad mad{.kind = said.kind};
  mad.local_cid = said.local.of.valid() ? numbers[said.local.of.index].cid : said.local.plain;
  if (said.remote.of.valid())
    mad.remote_cid = numbers[said.remote.of.index].cid;
  else if (said.remote.plain != 0)
    mad.remote_cid = said.remote.plain | kNobodysCid;
  const bool asks =
      said.kind == MadKind::kReq || said.kind == MadKind::kSidrReq || said.kind == MadKind::kDreq;
  mad.tid = said.tid != 0 ? said.tid : asks ? mad.local_cid : mad.remote_cid;
  mad.about = said.about;
  mad.reason = said.kind == MadKind::kRej ? said.reason : RejReason::kNone;
  if (mad.reason == RejReason::kTimeout) mad.info = sim::RejInfo::kGuid;
  mad.service_timeout = said.kind == MadKind::kMra ? said.service_timeout : uint8_t{0};
  mad.space = said.space;
  mad.port = said.port;
  mad.p_key = said.p_key;
  mad.unreliable = said.unreliable;
  mad.alternate_path = said.alternate_path;
  mad.mixed_gids = said.mixed_gids;
  mad.unresolvable = said.unresolvable;
  mad.cma_version = said.cma_version;
  mad.guid = topology.sides[side].device;
  mad.qp_num = QpNumberOf(said, numbers);
  mad.qkey = said.qkey;
  mad.status = said.status;
  mad.response_timeout = said.response_timeout;
  mad.max_retries = said.max_retries;
  mad.ack_timeout = said.ack_timeout;
  mad.ack_delay = said.ack_delay;
  mad.conn = said.conn;
  if (said.kind == MadKind::kRep) mad.conn.retry_count = 0;  // which a reply has no room for
  mad.source = {.kind = AddressKind::kSide, .side = side, .v6 = said.v6, .port = kPort};
  mad.destination = {.kind = AddressKind::kSide, .side = said.to, .v6 = said.v6};
  mad.data = said.data.Resized(RoomFor(said.kind, limits));
  mad.attribute = said.attribute;
  mad.method = said.method;
  mad.class_version = said.class_version;
  mad.base_version = said.base_version;
  return mad;
}

}  // namespace cm
