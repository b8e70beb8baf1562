#include "conformance/adapters/wire/tester_end.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "conformance/adapters/sim/tester.h"
#include "model/conversation/print.h"
#include "sim/fabric/names.h"

namespace cm::live {
namespace {

// Connections that the peer has asked for are numbered behind the tester's ids.
constexpr uint32_t kAsked = 0x10000;

std::string V4Text(uint32_t v4) {
  return fmt::format("{}.{}.{}.{}", v4 >> 24, v4 >> 16 & 0xff, v4 >> 8 & 0xff, v4 & 0xff);
}

// Of either family, an IPv4 address in the last four bytes.
mad::Gid Numeric(const Address& address, const Topology& topology) {
  const std::string text = NumericHost(address, topology);
  mad::Gid numeric{};
  if (address.v6)
    inet_pton(AF_INET6, text.c_str(), numeric.data());
  else
    inet_pton(AF_INET, text.c_str(), numeric.data() + 12);
  return numeric;
}

WireRecord RecordOf(const mad::Mad& mad, uint8_t side) {
  WireRecord record{.side = side, .kind = mad::KindOf(mad.message)};
  record.unnamed = wire::CidsOf(mad.message).local == 0;
  if (const auto* rej = std::get_if<mad::Rej>(&mad.message)) {
    record.reason = rej->reason;
    record.about = rej->message_rejected;
    record.info_length = rej->reject_info_length;
  } else if (const auto* mra = std::get_if<mad::Mra>(&mad.message)) {
    record.about = mra->message_mraed;
    record.service_timeout = mra->service_timeout;
  } else if (const auto* rep = std::get_if<mad::SidrRep>(&mad.message)) {
    record.status = static_cast<SidrStatus>(rep->status);
  } else if (std::holds_alternative<mad::Opaque>(mad.message)) {
    record.attribute = mad.header.attribute_id;
    record.mad_status = mad.header.status;
  }
  return record;
}

// Wherever a message has the GUID of its sender.
void PutGuid(uint64_t guid, mad::Message* message) {
  auto* rej = std::get_if<mad::Rej>(message);
  if (auto* req = std::get_if<mad::Req>(message)) req->local_ca_guid = guid;
  if (auto* rep = std::get_if<mad::Rep>(message)) rep->local_ca_guid = guid;
  if (rej == nullptr || rej->reject_info_length != sim::LengthOf(sim::RejInfo::kGuid)) return;
  for (int i = 0; i < 8; ++i) rej->ari[i] = static_cast<uint8_t>(guid >> (56 - 8 * i));
}

}  // namespace

uint8_t TesterSide(const Topology& topology) {
  uint8_t side = 0;
  while (!topology.IsTester(side)) ++side;
  return side;
}

Topology TopologyOf(const Ends& ends) {
  Topology topology = *FindTopology("tester");
  const auto put = [&](uint8_t side, const Neighbour& neighbour) {
    DeviceInfo& device = topology.devices[topology.sides[side].device];
    device.v4 = V4Text(neighbour.v4);
    if (neighbour.v6 != mad::Gid{}) device.v6 = wire::AddressText(neighbour.v6);
  };
  // The third side has no part in it.
  DeviceInfo& other = topology.devices[topology.sides[1 - ends.peer_side].device];
  other.v4 = "198.51.100.1";
  other.v6 = "2001:db8:ffff::1";
  put(ends.peer_side, ends.peer);
  put(TesterSide(topology), ends.us);
  return topology;
}

TesterEnd::TesterEnd(const Conversation& conversation, const Profile* profile, const Ends& ends,
                     const Identity& identity, uint16_t service)
    : conversation_(conversation),
      profile_(profile),
      ends_(ends),
      identity_(identity),
      service_(service),
      topology_(TopologyOf(ends)),
      side_(TesterSide(topology_)),
      nowhere_(Numeric({.kind = AddressKind::kSilent}, topology_)),
      nowhere_v6_(Numeric({.kind = AddressKind::kSilent, .v6 = true}, topology_)),
      wire_(&topology_) {}

std::vector<sim::CmNumbers> TesterEnd::Numbers() const {
  std::vector<sim::CmNumbers> numbers(conversation_.names.ids.size());
  for (const auto& [id, request] : names_)
    if (const auto found = theirs_.find(request); found != theirs_.end())
      numbers[id.index] = found->second;
  return numbers;
}

Bytes TesterEnd::FrameOf(const line::Sends& sends) {
  TesterMad said = sends.mad;
  const bool asks = said.kind == MadKind::kReq || said.kind == MadKind::kSidrReq;
  if (asks && !said.local.of.valid()) last_request_ = said.local.plain;
  if (said.port == kService) said.port = service_;
  sim::Mad mad = sim::MadFrom(said, side_, Numbers(), topology_, profile_->limits);
  const bool own_id = !said.local.of.valid() && said.local.plain != 0;
  if (own_id) mad.local_cid = said.local.plain + identity_.first_cid;
  // Until a connection is there all say the TID of its request, which is the tester's here; an
  // answer has that of what it answers. source: linux 6.1 cm.c cm_format_mad_hdr
  const bool answers = said.kind == MadKind::kRep || said.kind == MadKind::kSidrRep ||
                       said.kind == MadKind::kDrep || said.kind == MadKind::kApr;
  const auto of = names_.find(said.remote.of);
  const bool asked_by_peer = of != names_.end() && of->second >= kAsked;
  const bool has_own_tid = asks || said.kind == MadKind::kDreq || !(answers || asked_by_peer);
  if (said.tid == 0 && own_id && has_own_tid) mad.tid = mad.local_cid;
  if (said.unresolvable)
    mad.source = {.kind = AddressKind::kSilent, .v6 = said.v6, .port = mad.source.port};
  if (of != names_.end() && mad.local_cid != 0) ours_[of->second] = mad.local_cid;
  return Sealed(mad, said.to, said.unresolvable);
}

Bytes TesterEnd::Sealed(const sim::Mad& mad, uint8_t to, bool from_nowhere) {
  const uint8_t here = topology_.sides[side_].device;
  mad::Frame frame = wire_.FrameOf({.from = here, .to = topology_.sides[to].device, .mad = mad});
  frame.link = mad::Ethernet{.destination = ends_.peer.mac, .source = ends_.us.mac};
  // Over the family of addresses by which the peer has asked.
  if (over_v6_.contains(mad.remote_cid))
    frame.ip = mad::Ipv6{.source = ends_.us.v6, .destination = ends_.peer.v6};
  if (auto* v4 = std::get_if<mad::Ipv4>(&frame.ip)) {
    v4->source = ends_.us.v4;
    v4->destination = ends_.peer.v4;
    if (from_nowhere) v4->source = sim::Last32(nowhere_);
  } else if (auto* v6 = std::get_if<mad::Ipv6>(&frame.ip); v6 != nullptr && from_nowhere) {
    v6->source = nowhere_v6_;
  }
  if (identity_.guid != 0) PutGuid(identity_.guid, &frame.mad.message);
  const auto bytes = mad::Seal(frame);
  return {bytes.view().begin(), bytes.view().end()};
}

// Who answers a request from nowhere is heard as well.
bool TesterEnd::IsForUs(const mad::Frame& frame) const {
  if (frame.mad.header.mgmt_class != mad::kCmClass) return false;
  if (const auto* v4 = std::get_if<mad::Ipv4>(&frame.ip))
    return v4->source == ends_.peer.v4 &&
           (v4->destination == ends_.us.v4 || v4->destination == sim::Last32(nowhere_));
  const auto* v6 = std::get_if<mad::Ipv6>(&frame.ip);
  return v6 != nullptr && v6->source == ends_.peer.v6 && ends_.peer.v6 != mad::Gid{} &&
         (v6->destination == ends_.us.v6 || v6->destination == nowhere_v6_);
}

uint32_t TesterEnd::KeyOf(const mad::Frame& frame, const wire::Cids& cids) {
  const MadKind kind = mad::KindOf(frame.mad.message);
  const bool asks = kind == MadKind::kReq || kind == MadKind::kSidrReq;
  if (asks && !awaited_.empty() && !asked_.contains(cids.local)) {
    const auto key = static_cast<uint32_t>(kAsked + asked_.size());
    asked_[cids.local] = key;
    if (std::holds_alternative<mad::Ipv6>(frame.ip)) over_v6_.insert(cids.local);
    names_[awaited_.front()] = key;
    awaited_.pop_front();
    sim::CmNumbers& theirs = theirs_[key];
    theirs.cid = cids.local;
    if (const auto* req = std::get_if<mad::Req>(&frame.mad.message)) theirs.qp_num = req->local_qpn;
  }
  const auto asked = asked_.find(cids.local);
  if (asked != asked_.end()) return asked->second;
  return cids.remote != 0 ? cids.remote - identity_.first_cid : 0;
}

// What an id of the peer says that this conversation does not know, and that names none of ours: as
// when the application of the one before has ended.
bool TesterEnd::IsOfAnEarlierOne(const mad::Frame& frame, const wire::Cids& cids) const {
  const MadKind kind = mad::KindOf(frame.mad.message);
  const bool asks = kind == MadKind::kReq || kind == MadKind::kSidrReq;
  return cids.local != 0 && !asked_.contains(cids.local) && !(asks && !awaited_.empty());
}

std::optional<Heard> TesterEnd::Hear(std::span<const uint8_t> bytes) {
  const auto decoded = mad::Decode(bytes, mad::LinkType::kEthernet);
  if (!decoded.ok() || !IsForUs(decoded.value())) return std::nullopt;
  const mad::Frame& frame = decoded.value();
  const wire::Cids cids = wire::CidsOf(frame.mad.message);
  constexpr uint32_t kOwnIds = 1 << 12;
  if (cids.remote != 0 && cids.remote - identity_.first_cid >= kOwnIds) return std::nullopt;
  if (cids.remote == 0 && IsOfAnEarlierOne(frame, cids)) return std::nullopt;
  Heard heard{.about = KeyOf(frame, cids), .text = {}};
  const uint32_t cid = wire::ByNobody({.frame = frame}) ? 0 : cids.local;  // the sender's
  WireRecord record = RecordOf(frame.mad, ends_.peer_side);
  record.unnamed = cid == 0;
  const std::string before = fmt::format("mad {} ", topology_.sides[ends_.peer_side].name);
  heard.text = ToString(record, topology_).substr(before.size());
  heard.text.resize(std::min(heard.text.size(), heard.text.find(" private=")));
  if (cid != 0 && !asked_.contains(cid)) {
    sim::CmNumbers& theirs = theirs_[heard.about];
    theirs.cid = cid;
    if (const auto* rep = std::get_if<mad::Rep>(&frame.mad.message)) theirs.qp_num = rep->local_qpn;
  }
  return heard;
}

std::vector<Bytes> TesterEnd::Farewells() {
  std::vector<Bytes> frames;
  for (const auto& [about, numbers] : theirs_) {
    const auto ours = ours_.find(about);
    const bool asked = asked_.contains(numbers.cid);
    if (numbers.qp_num == 0 || (asked && ours == ours_.end())) continue;
    const uint32_t local = asked ? ours->second : about + identity_.first_cid;
    frames.push_back(Sealed({.kind = MadKind::kDreq,
                             .local_cid = local,
                             .remote_cid = numbers.cid,
                             .tid = local,
                             .qp_num = numbers.qp_num},
                            ends_.peer_side, false));
  }
  return frames;
}

}  // namespace cm::live
