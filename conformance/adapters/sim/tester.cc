#include "conformance/adapters/sim/tester.h"

#include <algorithm>

namespace cm::sim {
namespace {

constexpr uint16_t kPort = 40001;  // its source port
// A plain number in place of the receiver's: no id has it.
constexpr uint32_t kNobodysCid = 0x40000000;
// A plain number of the tester's own: no id has it either. Those of the simulator count from 1.
constexpr uint32_t kTestersCid = 0x20000000;
constexpr uint32_t kNobodysQp = 0x800000;

uint8_t RoomFor(MadKind kind, const Limits& limits) {
  if (kind == MadKind::kReq) return limits.request_data;
  if (kind == MadKind::kRep) return limits.reply_data;
  if (kind == MadKind::kRej) return limits.reject_data;
  if (kind == MadKind::kSidrReq) return limits.datagram_request_data;
  return kind == MadKind::kSidrRep ? limits.datagram_reply_data : uint8_t{0};
}

bool NamesReceiversQp(MadKind kind) { return kind == MadKind::kDreq || kind == MadKind::kLap; }

bool NamesSendersQp(MadKind kind) {
  return kind == MadKind::kReq || kind == MadKind::kRep || kind == MadKind::kSidrRep;
}

// `unused`: the bits that mark a plain number as unused, unless it is 0.
uint32_t CidOf(const TesterNumber& said, uint32_t unused, const std::vector<CmNumbers>& numbers) {
  if (said.of.valid()) return numbers[said.of.index].cid;
  return said.plain != 0 ? said.plain | unused : 0;
}

uint32_t QpNumberOf(const TesterMad& said, const std::vector<CmNumbers>& numbers) {
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

Mad MadFrom(const TesterMad& said, uint8_t side, const std::vector<CmNumbers>& numbers,
            const Topology& topology, const Limits& limits) {
  const bool asks =
      said.kind == MadKind::kReq || said.kind == MadKind::kSidrReq || said.kind == MadKind::kDreq;
  const bool rejects = said.kind == MadKind::kRej;
  const uint32_t local = CidOf(said.local, kTestersCid, numbers);
  const uint32_t remote = CidOf(said.remote, kNobodysCid, numbers);
  Mad mad{
      .kind = said.kind,
      .local_cid = local,
      .remote_cid = remote,
      .tid = said.tid != 0 ? said.tid
             : asks        ? local
                           : remote,
      .about = said.about,
      .reason = rejects ? said.reason : RejReason::kNone,
      .info = rejects && said.reason == RejReason::kTimeout ? RejInfo::kGuid : RejInfo::kNothing,
      .service_timeout = said.kind == MadKind::kMra ? said.service_timeout : uint8_t{0},
      .space = said.space,
      .port = said.port,
      .p_key = said.p_key,
      .unreliable = said.unreliable,
      .alternate_path = said.alternate_path,
      .mixed_gids = said.mixed_gids,
      .cma_version = said.cma_version,
      .sender = topology.sides[side].device,
      .qp_num = QpNumberOf(said, numbers),
      .qkey = said.qkey,
      .status = said.status,
      .response_timeout = said.response_timeout,
      .max_retries = said.max_retries,
      .ack_timeout = said.ack_timeout,
      .ack_delay = said.ack_delay,
      .conn = said.conn,
      .ece = {},
      .source = {.kind = AddressKind::kSide, .side = side, .v6 = said.v6, .port = kPort},
      .destination = {.kind = AddressKind::kSide,
                      .side = said.to,
                      .v6 = said.v6,
                      .port = said.port},
      .data = said.data.Resized(RoomFor(said.kind, limits)),
      .attribute = said.attribute,
      .method = said.method,
      .class_version = said.class_version,
      .base_version = said.base_version,
      .unresolvable = said.unresolvable};
  if (said.kind == MadKind::kRep) mad.conn.retry_count = 0;  // which a reply has no room for
  return mad;
}

}  // namespace cm::sim
