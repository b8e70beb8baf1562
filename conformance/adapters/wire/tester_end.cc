#include "conformance/adapters/wire/tester_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "conformance/adapters/sim/tester.h"
#include "model/capture/captured_message.h"
#include "model/conversation/print.h"

namespace cm::live {
namespace {

std::string V4Text(uint32_t v4) {
  return fmt::format("{}.{}.{}.{}", v4 >> 24, v4 >> 16 & 0xff, v4 >> 8 & 0xff, v4 & 0xff);
}

uint8_t TesterSide(const Topology& topology) {
  uint8_t side = 0;
  while (!topology.IsTester(side)) ++side;
  return side;
}

uint32_t V4Of(const Address& address, const Topology& topology) {
  uint32_t v4 = 0;
  uint32_t byte = 0;
  for (const char c : NumericHost(address, topology) + ".") {
    if (c == '.')
      v4 = v4 << 8 | byte, byte = 0;
    else
      byte = byte * 10 + static_cast<uint32_t>(c - '0');
  }
  return v4;
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

Topology TopologyOf(const Ends& ends) {
  Topology topology = *FindTopology("tester");
  topology.devices[topology.sides[kPassiveSide].device].v4 = V4Text(ends.peer.v4);
  topology.devices[topology.sides[TesterSide(topology)].device].v4 = V4Text(ends.us.v4);
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
      nowhere_(V4Of({.kind = AddressKind::kSilent}, topology_)),
      wire_(&topology_, profile) {}

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
  const auto make_own = [&](uint32_t* number) {
    if (*number != 0 && *number == said.local.plain) *number += identity_.first_cid;
  };
  if (!said.local.of.valid()) {
    if (said.tid == 0) make_own(&mad.tid);
    make_own(&mad.local_cid);
  }
  if (said.unresolvable) mad.source = {.kind = AddressKind::kSilent, .port = mad.source.port};
  return Sealed(mad, said.to, said.unresolvable);
}

Bytes TesterEnd::Sealed(const sim::Mad& mad, uint8_t to, bool from_nowhere) {
  const uint8_t here = topology_.sides[side_].device;
  mad::Frame frame = wire_.FrameOf({.from = here, .to = topology_.sides[to].device, .mad = mad});
  frame.link = mad::Ethernet{.destination = ends_.peer.mac, .source = ends_.us.mac};
  if (auto* v4 = std::get_if<mad::Ipv4>(&frame.ip)) {
    v4->source = ends_.us.v4;
    v4->destination = ends_.peer.v4;
    if (from_nowhere) v4->source = nowhere_;
  }
  if (identity_.guid != 0) PutGuid(identity_.guid, &frame.mad.message);
  const auto bytes = mad::Seal(frame);
  return {bytes.view().begin(), bytes.view().end()};
}

std::optional<Heard> TesterEnd::Hear(std::span<const uint8_t> bytes) {
  const auto decoded = mad::Decode(bytes, mad::LinkType::kEthernet);
  if (!decoded.ok()) return std::nullopt;
  const mad::Frame& frame = decoded.value();
  const auto* v4 = std::get_if<mad::Ipv4>(&frame.ip);
  const bool of_the_cm = frame.mad.header.mgmt_class == mad::kCmClass;
  // Who answers a request from nowhere is heard as well.
  const bool for_us =
      v4 != nullptr && (v4->destination == ends_.us.v4 || v4->destination == nowhere_);
  if (!for_us || v4->source != ends_.peer.v4 || !of_the_cm) return std::nullopt;
  const wire::Cids cids = wire::CidsOf(frame.mad.message);
  constexpr uint32_t kOwnIds = 1 << 12;
  const bool named = cids.remote != 0;
  if (named && cids.remote - identity_.first_cid >= kOwnIds) return std::nullopt;
  Heard heard{.frame = frame,
              .about = named ? cids.remote - identity_.first_cid : 0,
              .cid = wire::ByNobody({.frame = frame}) ? 0 : cids.local,
              .text = {}};
  constexpr std::string_view kBefore = "mad passive ";
  WireRecord record = RecordOf(frame.mad, kPassiveSide);
  record.unnamed = heard.cid == 0;
  heard.text = ToString(record, topology_).substr(kBefore.size());
  heard.text.resize(std::min(heard.text.size(), heard.text.find(" private=")));
  if (heard.cid != 0) {
    sim::CmNumbers& theirs = theirs_[heard.about];
    theirs.cid = heard.cid;
    if (const auto* rep = std::get_if<mad::Rep>(&frame.mad.message)) theirs.qp_num = rep->local_qpn;
  }
  return heard;
}

std::vector<Bytes> TesterEnd::Farewells() {
  std::vector<Bytes> frames;
  for (const auto& [about, numbers] : theirs_) {
    if (numbers.qp_num == 0) continue;
    const uint32_t local = about + identity_.first_cid;
    frames.push_back(Sealed({.kind = MadKind::kDreq,
                             .local_cid = local,
                             .remote_cid = numbers.cid,
                             .tid = local,
                             .qp_num = numbers.qp_num},
                            kPassiveSide, false));
  }
  return frames;
}

}  // namespace cm::live
