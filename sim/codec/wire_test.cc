// Messages become bytes and messages again.
#include "sim/codec/wire.h"

#include <endian.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/mad/cma_header.h"
#include "model/mad/frame.h"
#include "sim/fabric/names.h"

namespace cm::sim {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

constexpr uint8_t kActive = 0;
constexpr uint8_t kPassive = 1;
constexpr uint32_t kCid = 0x44332211;

class WireTest : public testing::Test {
 protected:
  // Through 256 bytes.
  std::optional<Mad> ThereAndBack(const Mad& mad) const {
    const auto bytes = mad::Encode(wire_.Written(mad));
    const mad::Decoded<mad::Mad> decoded = mad::DecodeMad(bytes);
    return decoded.ok() ? wire_.Read(decoded.value(), mad.sender) : std::nullopt;
  }

  static Mad Request() {
    return {.kind = MadKind::kReq,
            .local_cid = kCid,
            .tid = kCid,
            .port = 7471,
            .sender = kActive,
            .qp_num = 17,
            .response_timeout = 20,
            .max_retries = 15,
            .ack_timeout = 19,
            .conn = {.responder_resources = 1,
                     .initiator_depth = 2,
                     .flow_control = 1,
                     .retry_count = 7,
                     .rnr_retry_count = 6},
            .ece = {.vendor_id = 0x123456, .options = 0x789abcde},
            .source = {.kind = AddressKind::kSide, .side = kActive, .port = 40001},
            .destination = {.kind = AddressKind::kSide, .side = kPassive, .port = 7471},
            .data = PrivateData::Counting(56)};
  }

  static Mad Answer(MadKind kind) {
    return {.kind = kind, .local_cid = 7, .remote_cid = kCid, .tid = kCid, .sender = kPassive};
  }

  // Opcode, number of the packet, and length of each frame.
  std::vector<std::string> Data(DataNote data, bool lost = false) {
    std::vector<std::string> frames;
    const WireNote note{.from = kActive,
                        .to = kPassive,
                        .lost = lost,
                        .mad = {},
                        .data = std::make_shared<DataNote>(std::move(data))};
    for (const std::vector<uint8_t>& frame : wire_.FramesOf(note)) {
      constexpr size_t kBth = 14 + 20 + 8;
      const uint32_t number = frame[kBth + 9] << 16 | frame[kBth + 10] << 8 | frame[kBth + 11];
      frames.push_back(fmt::format("{:x} {} {}", frame[kBth], number, frame.size()));
    }
    return frames;
  }

  const Topology* topology_ = FindTopology("two-kernels");
  Wire wire_{topology_};
};

TEST_F(WireTest, BringsARequestBackAsItWas) {
  EXPECT_EQ(ThereAndBack(Request()), Request());
  Mad unusual = Request();
  unusual.unreliable = unusual.alternate_path = true;
  unusual.p_key = 0x1234;
  unusual.cma_version = 9;
  unusual.source.v6 = unusual.destination.v6 = true;
  unusual.conn.srq = 1;
  EXPECT_EQ(ThereAndBack(unusual), unusual);
}

// source: linux 6.1 cm_msgs.h cm_req_set_qp_type, cm.c cm_format_rep
TEST_F(WireTest, BringsMessagesOfXrcBackAsTheyWere) {
  Mad asked = Request();
  asked.extended = true;
  EXPECT_EQ(ThereAndBack(asked), asked);
  Mad rep = Answer(MadKind::kRep);
  rep.extended = true;
  rep.qp_num = 18;
  rep.conn = {.responder_resources = 3, .rnr_retry_count = 5, .srq = 1};
  rep.data = PrivateData::Counting(196);
  EXPECT_EQ(ThereAndBack(rep), rep);
  const mad::Mad written = wire_.Written(rep);
  EXPECT_EQ(std::get<mad::Rep>(written.message).local_qpn, 0U);
  EXPECT_EQ(std::get<mad::Rep>(written.message).local_eecn, 18U);
}

TEST_F(WireTest, BringsAnswersBackAsTheyWere) {
  Mad rep = Answer(MadKind::kRep);
  rep.qp_num = 18;
  rep.ack_delay = 15;
  rep.conn = {.responder_resources = 3, .initiator_depth = 4, .rnr_retry_count = 5};
  rep.ece = {.vendor_id = 0xabcdef, .options = 1};
  rep.data = PrivateData::Counting(196);
  Mad rej = Answer(MadKind::kRej);
  rej.about = About::kOther;
  rej.reason = RejReason::kTimeout;
  rej.info = RejInfo::kGuid;
  rej.data = PrivateData::Counting(148);
  Mad mra = Answer(MadKind::kMra);
  mra.about = About::kRep;
  mra.service_timeout = 24;
  Mad dreq = Answer(MadKind::kDreq);
  dreq.qp_num = 17;
  for (const Mad& mad : {rep, rej, mra, dreq, Answer(MadKind::kRtu), Answer(MadKind::kDrep)})
    EXPECT_EQ(ThereAndBack(mad), mad) << ToString(mad.kind);
}

TEST_F(WireTest, BringsDatagramMessagesBackAsTheyWere) {
  Mad req = Request();
  req = {.kind = MadKind::kSidrReq,
         .local_cid = kCid,
         .tid = kCid,
         .space = PortSpace::kUdp,
         .port = 7471,
         .source = req.source,
         .destination = req.destination,
         .data = PrivateData::Counting(180)};
  EXPECT_EQ(ThereAndBack(req), req);
  const Mad rep{.kind = MadKind::kSidrRep,
                .remote_cid = kCid,
                .tid = kCid,
                .sender = kPassive,
                .qp_num = 19,
                .qkey = kDatagramQkey,
                .status = SidrStatus::kReject,
                .data = PrivateData::Counting(136)};
  EXPECT_EQ(ThereAndBack(rep), rep);
}

TEST_F(WireTest, ReadsNothingThatIsNobodys) {
  mad::Mad mad = wire_.Written(Request());
  std::get<mad::Req>(mad.message).local_ca_guid += 100;
  EXPECT_EQ(wire_.Read(mad, kActive), std::nullopt);
  mad = wire_.Written(Request());
  std::get<mad::Req>(mad.message).service_id = 1;
  EXPECT_EQ(wire_.Read(mad, kActive), std::nullopt);
}

// The numbers of the known test vector, where Linux does not draw them.
TEST_F(WireTest, WritesARequestAsLinuxDoes) {
  const mad::Mad mad = wire_.Written(Request());
  const auto& req = std::get<mad::Req>(mad.message);
  EXPECT_EQ(mad.header.tid, 0x0000000211223344u);
  EXPECT_EQ(req.service_id, 0x01061D2Fu);
  EXPECT_EQ(req.primary_flow_label, 0x3090Eu);
  EXPECT_EQ(req.primary_local_ack_timeout, 19);
  EXPECT_EQ(req.primary_hop_limit, 64);
  EXPECT_EQ(req.pkey, 0xffff);
  EXPECT_EQ(req.path_mtu, 3);
  EXPECT_EQ(mad::CmaHeaderOf(req).port, 40001);
}

TEST_F(WireTest, FramesAConnectionBetweenItsAddresses) {
  WireNote request{.from = kActive, .to = kPassive, .mad = Request()};
  request.mad.source.v6 = request.mad.destination.v6 = true;
  const WireNote reply{.from = kPassive, .to = kActive, .mad = Answer(MadKind::kRep)};
  const mad::Frame there = wire_.FrameOf(request);
  const mad::Frame back = wire_.FrameOf(reply);
  ASSERT_TRUE(std::holds_alternative<mad::Ipv6>(there.ip));
  ASSERT_TRUE(std::holds_alternative<mad::Ipv6>(back.ip));
  EXPECT_EQ(std::get<mad::Ipv6>(there.ip).source, std::get<mad::Ipv6>(back.ip).destination);
  EXPECT_EQ(wire_.FrameOf(request).bth.psn, there.bth.psn + 1);
}

TEST_F(WireTest, HasTheIdentityOfADeviceThatProgramsSee) {
  const mad::Frame asked = wire_.FrameOf({.from = kActive, .to = kPassive, .mad = Request()});
  EXPECT_EQ(htobe64(std::get<mad::Req>(asked.mad.message).local_ca_guid),
            GuidOf(*topology_, kActive));
  EXPECT_EQ(std::get<mad::Ethernet>(asked.link).source, MacOf(kActive));
}

// source: linux 6.1 cm.c cm_req_handler; observed 6.1-rxe
TEST_F(WireTest, SaysOfAnInvalidGidTheFirstOneOfThePort) {
  WireNote request{.from = kActive, .to = kPassive, .mad = Request()};
  request.mad.p_key = 0x1234;
  Mad refusal{.kind = MadKind::kRej, .remote_cid = kCid, .tid = kCid, .sender = kPassive};
  refusal.reason = RejReason::kInvalidGid;
  refusal.info = RejInfo::kPortGid;
  wire_.FrameOf(request);
  const mad::Frame refused = wire_.FrameOf({.from = kPassive, .to = kActive, .mad = refusal});
  const auto& rej = std::get<mad::Rej>(refused.mad.message);
  EXPECT_EQ(rej.reject_info_length, 16);
  // Its hardware address is 52:54:00:00:00:02.
  EXPECT_THAT(std::span(rej.ari).first(16),
              ElementsAre(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xff, 0xfe, 0, 0, 2));
}

TEST_F(WireTest, SaysOfAnInvalidAlternateGidTheOneOfThePathThatTheRequestCameBy) {
  WireNote request{.from = kActive, .to = kPassive, .mad = Request()};
  request.mad.alternate_path = true;
  Mad refusal{.kind = MadKind::kRej, .remote_cid = kCid, .tid = kCid, .sender = kPassive};
  refusal.reason = RejReason::kInvalidAltGid;
  refusal.info = RejInfo::kPathGid;
  for (const bool v6 : {false, true}) {
    request.mad.source.v6 = request.mad.destination.v6 = v6;
    const mad::Frame asked = wire_.FrameOf(request);
    const mad::Frame refused = wire_.FrameOf({.from = kPassive, .to = kActive, .mad = refusal});
    const auto& rej = std::get<mad::Rej>(refused.mad.message);
    EXPECT_EQ(rej.reject_info_length, 16);
    EXPECT_THAT(std::span(rej.ari).first(16),
                ElementsAreArray(std::get<mad::Req>(asked.mad.message).primary_remote_gid))
        << (v6 ? "v6" : "v4");
  }
}

// source: linux 6.1 cm.c cm_issue_rej
TEST_F(WireTest, RefusesWithoutAnIdWithTheVendorOfTheRequestInItsPlace) {
  WireNote request{.from = kActive, .to = kPassive, .mad = Request()};
  request.mad.ece.vendor_id = 0x2c9;
  Mad refusal{.kind = MadKind::kRej, .remote_cid = kCid, .tid = kCid, .sender = kPassive};
  refusal.reason = RejReason::kInvalidServiceId;
  wire_.FrameOf(request);
  const mad::Frame refused = wire_.FrameOf({.from = kPassive, .to = kActive, .mad = refusal});
  EXPECT_EQ(std::get<mad::Rej>(refused.mad.message).local_cid, 0x2c9u);
  // Of an id that has one.
  refusal.local_cid = 7;
  const mad::Frame rejected = wire_.FrameOf({.from = kPassive, .to = kActive, .mad = refusal});
  EXPECT_EQ(std::get<mad::Rej>(rejected.mad.message).local_cid, 7u);
  // Of an id that its listener has not taken.
  refusal.local_cid = 0;
  refusal.reason = RejReason::kConsumerDefined;
  const mad::Frame dropped = wire_.FrameOf({.from = kPassive, .to = kActive, .mad = refusal});
  EXPECT_EQ(std::get<mad::Rej>(dropped.mad.message).local_cid, 0u);
}

// Two addresses of each device; the second one is a GID of its own.
TEST(Wire, FramesAConnectionBetweenSecondAddresses) {
  Topology topology = *FindTopology("two-kernels");
  topology.devices[kActive].more = {{.v4 = "10.5.0.1", .v6 = "fd05::1"}};
  topology.devices[kPassive].more = {{.v4 = "10.5.1.1", .v6 = "fd05:1::1"}};
  Wire wire(&topology);
  const Address from{.kind = AddressKind::kSide, .side = kActive, .port = 40001, .nth = 1};
  const Address to{.kind = AddressKind::kSide, .side = kPassive, .port = 7471, .nth = 1};
  const Mad request{.kind = MadKind::kReq,
                    .local_cid = kCid,
                    .tid = kCid,
                    .port = 7471,
                    .sender = kActive,
                    .source = from,
                    .destination = to,
                    .data = PrivateData::Counting(56)};
  const Mad reply{
      .kind = MadKind::kRep, .local_cid = 7, .remote_cid = kCid, .tid = kCid, .sender = kPassive};
  const Mad ready{.kind = MadKind::kRtu, .local_cid = kCid, .remote_cid = 7, .sender = kActive};
  const mad::Frame there = wire.FrameOf({.from = kActive, .to = kPassive, .mad = request});
  const mad::Frame back = wire.FrameOf({.from = kPassive, .to = kActive, .mad = reply});
  const mad::Frame again = wire.FrameOf({.from = kActive, .to = kPassive, .mad = ready});
  constexpr uint32_t kThere = 0x0a050101;
  constexpr uint32_t kHere = 0x0a050001;
  for (const mad::Frame* frame : {&there, &again}) {
    EXPECT_EQ(std::get<mad::Ipv4>(frame->ip).source, kHere);
    EXPECT_EQ(std::get<mad::Ipv4>(frame->ip).destination, kThere);
  }
  EXPECT_EQ(std::get<mad::Ipv4>(back.ip).source, kThere);
  EXPECT_EQ(std::get<mad::Ipv4>(back.ip).destination, kHere);
  EXPECT_EQ(wire.Read(there.mad, kActive), request);
}

TEST_F(WireTest, NamesTheServiceInTheAnswerToALookup) {
  Mad req = Request();
  req.kind = MadKind::kSidrReq;
  req.space = PortSpace::kUdp;
  wire_.FrameOf({.from = kActive, .to = kPassive, .mad = req});
  const mad::Frame answer =
      wire_.FrameOf({.from = kPassive, .to = kActive, .mad = Answer(MadKind::kSidrRep)});
  EXPECT_EQ(std::get<mad::SidrRep>(answer.mad.message).service_id, 0x01111D2Fu);
}

// source: IBA 9.2 (opcodes), 9.4 (one packet number each), 9.7.5 (acknowledgements)
TEST_F(WireTest, CutsDataIntoPacketsThatAreNumberedFromThatOfTheRequest) {
  const WireNote request{.from = kActive, .to = kPassive, .mad = Request()};
  const mad::Frame asked = wire_.FrameOf(request);
  const uint32_t first = std::get<mad::Req>(asked.mad.message).starting_psn;
  const auto is = [&](std::string_view opcode, uint32_t after, size_t length) {
    return fmt::format("{} {} {}", opcode, first + after, length);
  };
  constexpr size_t kAround = 14 + 20 + 8 + 12 + 4;
  DataNote data{.answer = DataNote::Answer::kNotReady,
                .source_number = 17,
                .number = 18,
                .bytes = std::vector<uint8_t>(2050)};
  EXPECT_THAT(Data(data),
              ElementsAre(is("0", 0, kAround + 1024), is("1", 1, kAround + 1024),
                          is("2", 2, kAround + 4), "11 " + std::to_string(first) + " 62"));
  // The same again, which does not arrive; and then does.
  data.answer = DataNote::Answer::kNone;
  EXPECT_THAT(Data(data, true), ElementsAre(is("0", 0, kAround + 1024), is("1", 1, kAround + 1024),
                                            is("2", 2, kAround + 4)));
  data.answer = DataNote::Answer::kAck;
  EXPECT_EQ(Data(data).back(), is("11", 2, kAround + 4));
  // What comes behind one that is missing is answered with the numbers of that one.
  data.answer = DataNote::Answer::kOutOfSequence;
  data.message = 5;
  data.first_packet = 9;
  data.missing_message = 4;
  data.missing_packet = 7;
  EXPECT_EQ(Data(data).back(), "11 " + std::to_string(first + 7) + " 62");
  // Its answer has three packets, so three numbers are its.
  data.answer = DataNote::Answer::kAck;
  data.first_packet = 3;
  data.what = DataNote::What::kRead;
  data.length = 2050;
  EXPECT_THAT(Data(data), ElementsAre(is("c", 3, kAround + 16), is("d", 3, kAround + 4 + 1024),
                                      is("e", 4, kAround + 1024), is("f", 5, kAround + 4 + 4)));
  data.first_packet = 6;
  data.what = DataNote::What::kFetchAndAdd;
  data.bytes.clear();
  EXPECT_THAT(Data(data), ElementsAre(is("14", 6, kAround + 28), is("12", 6, kAround + 12)));
  data.first_packet = 7;
  data.what = DataNote::What::kWrite;
  data.immediate = 5;
  EXPECT_THAT(Data(data), ElementsAre(is("b", 7, kAround + 20), is("11", 7, kAround + 4)));
}

// source: IBA 9.2.1 (AckReq is a request's), 9.4.1.1 (immediate data in network order)
TEST_F(WireTest, PutsImmediateDataAndFlagsWhereTheyBelong) {
  const auto frames_of = [&](DataNote data) {
    return wire_.FramesOf({.from = kActive,
                           .to = kPassive,
                           .mad = {},
                           .data = std::make_shared<DataNote>(std::move(data))});
  };
  constexpr size_t kBth = 14 + 20 + 8;
  DataNote data{.what = DataNote::What::kWrite,
                .solicited = true,
                .answer = DataNote::Answer::kAck,
                .remote_address = 0x1122334455667788,
                .remote_key = 7,
                .length = 0};
  EXPECT_EQ(frames_of(data)[0][kBth + 1] >> 7, 0);  // the peer has no completion
  data.immediate = 0x01020304;
  const std::vector<uint8_t> frame = frames_of(data)[0];
  EXPECT_EQ(frame[kBth + 1] >> 7, 1);
  EXPECT_EQ(frame[kBth + 8] >> 7, 1);
  EXPECT_THAT(std::span(frame).subspan(kBth + 12, 20),
              ElementsAre(0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0, 0, 0, 7, 0, 0, 0, 0, 1,
                          2, 3, 4));
  const std::vector<uint8_t> read = frames_of(
      {.what = DataNote::What::kRead, .solicited = true, .answer = DataNote::Answer::kAck})[1];
  EXPECT_EQ(read[kBth + 1] >> 7, 0);
  EXPECT_EQ(read[kBth + 8] >> 7, 0);
}

// What follows the IP header is as long as it says, with padding, and its checksum is right.
TEST_F(WireTest, MakesWholeFramesOfData) {
  const WireNote note{.from = kActive,
                      .to = kPassive,
                      .mad = {},
                      .data = std::make_shared<DataNote>(
                          DataNote{.datagram = true, .source_number = 17, .bytes = {1, 2, 3}})};
  const std::vector<std::vector<uint8_t>> frames = wire_.FramesOf(note);
  ASSERT_EQ(frames.size(), 1U);
  const std::vector<uint8_t>& frame = frames[0];
  EXPECT_EQ(frame.size(), 14U + 20 + 8 + 12 + 8 + 4 + 4);
  EXPECT_EQ(frame[16] << 8 | frame[17], static_cast<int>(frame.size()) - 14);
  uint32_t sum = 0;
  for (size_t at = 14; at < 34; at += 2) sum += frame[at] << 8 | frame[at + 1];
  EXPECT_EQ((sum >> 16) + (sum & 0xffff), 0xffffU);
  EXPECT_EQ(frame[14 + 20 + 8 + 1] >> 4 & 3, 1);  // bytes of padding
}

}  // namespace
}  // namespace cm::sim
