// Frames against bytes from other sources: a vector of another implementation, and messages of real
// kernels.
#include "model/mad/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <variant>

#include "model/mad/captured.h"
#include "model/mad/cma_header.h"
#include "model/mad/icrc.h"
#include "model/mad/vector.h"

namespace cm::mad {
namespace {

using testing::ElementsAreArray;
using testing::Pair;
using testing::UnorderedElementsAre;

Decoded<Frame> DecodeEthernet(std::span<const uint8_t> bytes) {
  return Decode(bytes, LinkType::kEthernet);
}

TEST(Frame, IsTheVectorToTheByteWhenSealed) {
  Frame frame = VectorFrame();
  EXPECT_THAT(Seal(frame).view(), ElementsAreArray(VectorBytes()));
  EXPECT_EQ(frame.icrc.value, 0x5ee84ed2);
}

TEST(Frame, IsReadFromTheVectorAsItWasSaid) {
  const Bytes bytes = VectorBytes();
  Frame expected = VectorFrame();
  Seal(expected);
  EXPECT_TRUE(DecodeEthernet(bytes).value() == expected);
}

// source: <zlib.h> crc32 of "123456789", which every description of this CRC gives
TEST(Crc, IsThatOfEthernet) {
  const std::array<uint8_t, 9> digits = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  EXPECT_EQ(~Crc32(~uint32_t{0}, digits), 0xcbf43926);
  const std::array<uint8_t, 8> lrh = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  EXPECT_EQ(Crc32(~uint32_t{0}, lrh), 0xdebb20e3);  // source: linux 6.1 rxe_icrc.c
}

// 167 frames of 16 conversations.
TEST(Captures, AreReadAndWrittenToTheSameBytes) {
  ASSERT_EQ(CapturedFrames().size(), 167U);
  for (const Bytes& bytes : CapturedFrames()) {
    const Decoded<Frame> frame = DecodeEthernet(bytes);
    ASSERT_TRUE(frame.ok()) << ToString(frame.error());
    ASSERT_THAT(Encode(frame.value()).view(), ElementsAreArray(bytes));
  }
}

TEST(Captures, HaveTheCrcAndTheChecksumThatTheyOughtToHave) {
  for (const Bytes& bytes : CapturedFrames()) {
    Frame frame = DecodeEthernet(bytes).value();
    ASSERT_EQ(frame.icrc.value, IcrcOf(frame));
    if (const auto* v4 = std::get_if<Ipv4>(&frame.ip)) {
      ASSERT_EQ(v4->checksum, ChecksumOf(*v4));
    }
    ASSERT_THAT(Seal(frame).view(), ElementsAreArray(bytes));
  }
}

// The counts are tshark's: tshark -T fields -e infiniband.mad.attributeid.
TEST(Captures, HoldEachMessageAsOftenAsTsharkSays) {
  std::map<MadKind, int> counts;
  for (const Bytes& bytes : CapturedFrames()) {
    const Frame frame = DecodeEthernet(bytes).value();
    EXPECT_EQ(frame.mad.header.attribute_id, AttributeOf(frame.mad.message));
    ++counts[frame.mad.header.kind()];
  }
  EXPECT_THAT(counts, UnorderedElementsAre(Pair(MadKind::kReq, 49), Pair(MadKind::kMra, 5),
                                           Pair(MadKind::kRej, 6), Pair(MadKind::kRep, 41),
                                           Pair(MadKind::kRtu, 25), Pair(MadKind::kDreq, 25),
                                           Pair(MadKind::kDrep, 8), Pair(MadKind::kSidrReq, 4),
                                           Pair(MadKind::kSidrRep, 4)));
}

// source: linux 6.1 cma.c cma_format_hdr
TEST(Captures, SayInTheHeaderOfRdmaCmFromWhereTheyCome) {
  for (const Bytes& bytes : CapturedFrames()) {
    const Frame frame = DecodeEthernet(bytes).value();
    const auto* req = std::get_if<Req>(&frame.mad.message);
    if (req == nullptr) continue;
    const CmaHeader cma = CmaHeaderOf(*req);
    EXPECT_EQ(cma.cma_version, 0);
    EXPECT_EQ(cma.ip_version, std::holds_alternative<Ipv4>(frame.ip) ? 4 : 6);
    EXPECT_EQ(ServiceOf(req->service_id)->space, PortSpace::kTcp);
    const size_t skipped = cma.ip_version == 4 ? 12 : 0;  // the GID of IPv4 is a mapped one
    EXPECT_TRUE(std::equal(cma.source_address.begin() + skipped, cma.source_address.end(),
                           req->primary_local_gid.begin() + skipped));
  }
}

TEST(Frame, HasAnOpaqueBodyWhenItsLayoutIsNotKnown) {
  for (const uint16_t attribute : {kSapAttribute, kSprAttribute, kClassPortInfo}) {
    Frame frame = VectorFrame();
    Opaque opaque;
    opaque.body[231] = 7;
    frame.mad = MakeMad(opaque, 1);
    frame.mad.header.attribute_id = attribute;
    const FrameBytes bytes = Seal(frame);
    EXPECT_TRUE(DecodeEthernet(bytes.view()).value() == frame);
  }
  Frame other_class = VectorFrame();
  other_class.mad.header.mgmt_class = 3;
  EXPECT_TRUE(
      std::holds_alternative<Opaque>(DecodeEthernet(Seal(other_class).view()).value().mad.message));
  Frame other_version = VectorFrame();
  other_version.mad.header.class_version = 1;
  EXPECT_TRUE(std::holds_alternative<Opaque>(
      DecodeEthernet(Seal(other_version).view()).value().mad.message));
}

TEST(Frame, CarriesTheSameBehindEveryLink) {
  Frame plain = VectorFrame();
  Frame tagged = plain;
  tagged.vlan = Vlan{.pcp = 5, .dei = true, .vid = 0xabc};
  const FrameBytes bytes = Seal(tagged);
  EXPECT_EQ(bytes.size(), 326U);
  EXPECT_THAT(bytes.view().subspan(12, 6), ElementsAreArray({0x81, 0x00, 0xba, 0xbc, 0x08, 0x00}));
  EXPECT_THAT(bytes.view().subspan(18), ElementsAreArray(Seal(plain).view().subspan(14)));
  for (const Link& link : {Link(NoLink{}), Link(Sll{}), Link(Sll2{})}) {
    Frame frame = plain;
    frame.link = link;
    const FrameBytes other = Seal(frame);
    EXPECT_TRUE(Decode(other.view(), LinkTypeOf(frame)).value() == frame);
    EXPECT_THAT(other.view().subspan(IpOffset(frame)),
                ElementsAreArray(Seal(plain).view().subspan(14)));
  }
}

TEST(Mad, IsReadAndWrittenWithoutAFrame) {
  const Mad mad = VectorFrame().mad;
  const auto bytes = Encode(mad);
  const Bytes vector = VectorBytes();
  EXPECT_THAT(bytes, ElementsAreArray(std::span(vector).subspan(62, 256)));
  EXPECT_TRUE(DecodeMad(bytes).value() == mad);
  EXPECT_EQ(ToString(DecodeMad(std::span(bytes).first(255)).error()),
            "mad at 255: expected 256 bytes, found 255");
  EXPECT_EQ(ToString(DecodeMad(vector).error()), "mad at 0: expected base version 1, found 82");
}

TEST(ServiceId, IsPortSpaceAndPort) {
  EXPECT_EQ(MakeServiceId(PortSpace::kTcp, 7471), 0x01061d2fU);
  EXPECT_EQ(ServiceOf(0x01061d2f), (Service{PortSpace::kTcp, 7471}));
  EXPECT_EQ(ServiceOf(0x013f0001), (Service{PortSpace::kIb, 1}));
  EXPECT_FALSE(ServiceOf(0x0200000000000001));  // one that the communication manager assigns
  EXPECT_FALSE(ServiceOf(0x01071d2f));
}

}  // namespace
}  // namespace cm::mad
