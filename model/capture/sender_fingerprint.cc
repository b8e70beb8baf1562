#include "model/capture/sender_fingerprint.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "model/capture/relations.h"

namespace cm::wire {

using mad::Constraint;

namespace {

Constraint Fills(std::string_view id, std::optional<MadKind> message, std::string_view field,
                 uint64_t low, uint64_t high, mad::Condition when = {}) {
  return {.id = id,
          .message = message,
          .field = field,
          .low = low,
          .high = high,
          .when = when,
          .says = "Linux fills the field so.",
          .source = "linux 6.1 cm.c, cma.c"};
}

// A path beyond the local subnet, as in RoCE v2, has no LIDs. source: linux 6.1 cm.c cm_format_req
std::vector<Constraint> FilledOverRoce() {
  using enum MadKind;
  constexpr mad::Condition kNear = {"REQ.primary_hop_limit", 0, 1};
  constexpr mad::Condition kFar = {"REQ.primary_hop_limit", 2, 0xff};
  return {
      Fills("linux-req-pkey", kReq, "REQ.pkey", 0xffff, 0xffff),
      Fills("linux-req-rate", kReq, "REQ.primary_packet_rate", 0, 0),
      Fills("linux-req-local-lid", kReq, "REQ.primary_local_lid", 0xffff, 0xffff, kFar),
      Fills("linux-req-remote-lid", kReq, "REQ.primary_remote_lid", 0xffff, 0xffff, kFar),
      Fills("linux-req-subnet-local", kReq, "REQ.primary_subnet_local", 0, 0, kFar),
      Fills("linux-req-subnet-local", kReq, "REQ.primary_subnet_local", 1, 1, kNear),
      Fills("linux-req-alternate-local-lid", kReq, "REQ.alternate_local_lid", 0, 0),
      Fills("linux-req-alternate-remote-lid", kReq, "REQ.alternate_remote_lid", 0, 0),
      Fills("linux-req-alternate-flow-label", kReq, "REQ.alternate_flow_label", 0, 0),
      Fills("linux-req-alternate-packet-rate", kReq, "REQ.alternate_packet_rate", 0, 0),
      Fills("linux-req-alternate-traffic-class", kReq, "REQ.alternate_traffic_class", 0, 0),
      Fills("linux-req-alternate-hop-limit", kReq, "REQ.alternate_hop_limit", 0, 0),
      Fills("linux-req-alternate-sl", kReq, "REQ.alternate_sl", 0, 0),
      Fills("linux-req-alternate-subnet-local", kReq, "REQ.alternate_subnet_local", 0, 0),
      Fills("linux-req-alternate-local-ack-timeout", kReq, "REQ.alternate_local_ack_timeout", 0, 0),
      Fills("linux-sidr-req-pkey", kSidrReq, "SIDR_REQ.pkey", 0xffff, 0xffff)};
}

// Field values of Linux with that profile.
std::vector<Constraint> FilledByOne(const Profile& profile) {
  using enum MadKind;
  std::vector<Constraint> rows;
  rows.reserve(40);
  const auto fills = [&](std::string_view id, std::optional<MadKind> message,
                         std::string_view field, uint64_t low, uint64_t high,
                         mad::Condition when = {}) {
    rows.push_back(Fills(id, message, field, low, high, when));
  };
  const Timing& timing = profile.timing;
  const auto exponent = static_cast<uint64_t>(timing.response_timeout);
  const auto retries = static_cast<uint64_t>(timing.max_retries);
  const auto delay = static_cast<uint64_t>(timing.ack_delay);
  const auto patience = static_cast<uint64_t>(timing.mra_service_timeout);
  fills("linux-req-remote-timeout", kReq, "REQ.remote_cm_response_timeout", exponent, exponent);
  fills("linux-req-local-timeout", kReq, "REQ.local_cm_response_timeout", exponent, exponent);
  fills("linux-req-cm-retries", kReq, "REQ.max_cm_retries", retries, retries);
  fills("linux-req-ack-timeout", kReq, "REQ.primary_local_ack_timeout", delay, 31);
  fills("linux-req-qkey", kReq, "REQ.local_qkey", 0, 0);
  fills("linux-req-local-eecn", kReq, "REQ.local_eecn", 0, 0);
  fills("linux-req-remote-eecn", kReq, "REQ.remote_eecn", 0, 0);
  fills("linux-req-rdc", kReq, "REQ.rdc_exists", 0, 0);
  fills("linux-req-sap", kReq, "REQ.sap_supported", 0, 0);
  fills("linux-mra-timeout", kMra, "MRA.service_timeout", patience, patience);
  fills("linux-rep-qkey", kRep, "REP.local_qkey", 0, 0);
  fills("linux-rep-failover", kRep, "REP.failover_accepted", 0, 0);
  fills("linux-rep-ack-delay", kRep, "REP.target_ack_delay", delay, delay);
  fills("linux-solicited", mad::kEveryMessage, "bth.solicited_event", 0, 0);
  fills("linux-sidr-rep-status", kSidrRep, "SIDR_REP.status", 0, 2);
  fills("linux-sidr-rep-info", kSidrRep, "SIDR_REP.additional_info_length", 0, 0);
  fills("linux-sidr-rep-qpn", kSidrRep, "SIDR_REP.qpn", 0, 0, {"SIDR_REP.status", 1, 2});
  if (profile.transport == Transport::kRoce) {
    const std::vector<Constraint> more = FilledOverRoce();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

// True when the packet around a MAD is one of Soft-RoCE, in all but at most one of these fields.
// source: linux 6.1 rxe_net.c prepare_udp_hdr, rxe_req.c init_req_packet
bool IsPacketOfSoftRoce(const mad::Frame& frame) {
  const std::array<bool, 4> as = {frame.udp.source_port == mad::kRxeSourcePort,
                                  frame.udp.checksum == 0, frame.bth.ack_request,
                                  !frame.bth.migration_state};
  return std::count(as.begin(), as.end(), false) <= 1;
}

// Number of fields that differ from the family's values. Rules conditional on another field count
// once in total: the condition may be what differs.
size_t FilledOtherwise(const CapturedMessage& sighting, std::span<const Constraint> filled) {
  const FrameFields fields(sighting.frame);
  size_t otherwise = 0;
  bool dependent = false;
  for (size_t i = 0, end = 0; i < filled.size(); i = end) {
    while (end < filled.size() && filled[end].id == filled[i].id) ++end;
    if (!FirstBreach(sighting, fields, true, {}, false, filled.subspan(i, end - i))) continue;
    if (filled[i].when.field.empty())
      ++otherwise;
    else
      dependent = true;
  }
  return otherwise + (dependent ? 1 : 0);
}

}  // namespace

std::vector<Constraint> FilledBy(const ProfileSet& profiles) {
  if (profiles.size() == 1) return FilledByOne(*profiles.front());
  std::vector<std::vector<Constraint>> of_each;
  for (const Profile* profile : profiles) of_each.push_back(FilledByOne(*profile));
  std::vector<Constraint> rows;
  if (of_each.empty()) return rows;
  std::string_view last;
  for (const Constraint& first : of_each.front()) {
    if (std::exchange(last, first.id) == first.id) continue;
    std::vector<Constraint> alternatives;
    bool all = true;
    for (const std::vector<Constraint>& one : of_each) {
      bool has = false;
      for (const Constraint& row : one) {
        if (row.id != first.id) continue;
        has = true;
        if (std::find(alternatives.begin(), alternatives.end(), row) == alternatives.end())
          alternatives.push_back(row);
      }
      all = all && has;
    }
    if (all) rows.insert(rows.end(), alternatives.begin(), alternatives.end());
  }
  return rows;
}

bool SenderFingerprint::IsOver(Transport transport) const {
  return std::all_of(profiles_.begin(), profiles_.end(),
                     [=](const Profile* profile) { return profile->transport == transport; });
}

bool SenderFingerprint::IsTooMany(uint64_t requests) const {
  return std::any_of(profiles_.begin(), profiles_.end(), [=](const Profile* profile) {
    const uint32_t most = profile->limits.max_outstanding;
    return most != 0 && requests >= most;
  });
}

SenderFingerprint SenderFingerprint::InLine() const {
  SenderFingerprint waiting = *this;
  waiting.waits_in_line_ = true;
  return waiting;
}

ProfileSet SoftRoce() {
  ProfileSet profiles;
  for (const Profile& profile : cm::Profiles())
    if (profile.name.ends_with("-rxe")) profiles.push_back(&profile);
  return profiles;
}

const Nodes::Families& Nodes::OfSoftRoce() {
  static const Families families(SoftRoce());
  return families;
}

Nodes::Nodes(const ProfileSet& given) : given_(given) {}

void Nodes::Enter(const mad::Gid& address) { ++nodes_[address].exchanges; }

void Nodes::Leave(const mad::Gid& address) {
  const auto found = nodes_.find(address);
  if (found != nodes_.end() && --found->second.exchanges == 0) nodes_.erase(found);
}

// A REQ or REP decides, because most of its fields are constant; for other messages only the
// packet.
const SenderFingerprint& Nodes::FamilyOf(const CapturedMessage& sighting) {
  const auto found = nodes_.find(sighting.from);
  Node* node = found == nodes_.end() ? nullptr : &found->second;
  const uint64_t exchanges = node == nullptr ? 0 : node->exchanges;
  if (given_.usual.is_known()) return given_.Of(exchanges);
  if (node != nullptr && node->kind != Kind::kUnclear)
    return node->kind == Kind::kSoftRoce ? OfSoftRoce().Of(exchanges) : anybody_;
  const bool tells = sighting.kind() == MadKind::kReq || sighting.kind() == MadKind::kRep;
  const bool like = IsPacketOfSoftRoce(sighting.frame) &&
                    (!tells || FilledOtherwise(sighting, OfSoftRoce().usual.filled()) <= 1);
  if (tells && node != nullptr) node->kind = like ? Kind::kSoftRoce : Kind::kOther;
  return like ? OfSoftRoce().Of(exchanges) : anybody_;
}

std::optional<uint64_t> Nodes::OtherGuid(const mad::Gid& address, uint64_t guid) {
  uint64_t& known = nodes_[address].guid;
  if (known != 0 && known != guid) return known;
  known = guid;
  return std::nullopt;
}

}  // namespace cm::wire
