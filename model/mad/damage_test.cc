// Malformed frames are refused by layer; the bits that the CRC does not cover are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/mad/captured.h"
#include "model/mad/frame.h"
#include "model/mad/icrc.h"
#include "model/mad/text.h"
#include "model/mad/vector.h"

namespace cm::mad {
namespace {

using testing::ElementsAre;

Frame OverIpv6() {
  Frame frame = VectorFrame();
  frame.ip = Ipv6{.source = {0xfd, 1}, .destination = {0xfd, 2}};
  return frame;
}

Frame Tagged() {
  Frame frame = VectorFrame();
  frame.vlan = Vlan{};
  return frame;
}

Frame Behind(const Link& link, Frame frame) {
  frame.link = link;
  return frame;
}

std::vector<Frame> EveryShape() {
  return {VectorFrame(),
          Tagged(),
          OverIpv6(),
          Behind(NoLink{}, VectorFrame()),
          Behind(NoLink{}, OverIpv6()),
          Behind(Sll{}, VectorFrame()),
          Behind(Sll2{}, OverIpv6())};
}

// The layer in which a frame that is cut after `size` bytes ends.
std::string_view LayerAt(const Frame& frame, size_t size) {
  std::string_view name;
  for (const Layer& layer : LayersOf(frame)) {
    // The body of a message is no layer of its own where lengths are concerned.
    const bool in_mad = layer.name == "REQ" || layer.name == "cma";
    if (layer.offset <= size && !in_mad) name = layer.name;
  }
  return name;
}

TEST(Damage, EveryTruncationIsRefusedByNameAndPlace) {
  for (Frame frame : EveryShape()) {
    const FrameBytes bytes = Seal(frame);
    for (size_t size = 0; size < bytes.size(); ++size) {
      const auto decoded = Decode(bytes.view().first(size), LinkTypeOf(frame));
      ASSERT_FALSE(decoded.ok()) << size;
      // Raw IP of no bytes is neither of version 4 nor of 6.
      if (size > 0) {
        ASSERT_EQ(decoded.error().layer, LayerAt(frame, size)) << size;
      }
      ASSERT_EQ(decoded.error().offset, size);
      ASSERT_FALSE(decoded.error().foreign);
    }
  }
}

TEST(Damage, BytesAfterTheFrameAreRefused) {
  Bytes bytes = VectorBytes();
  bytes.push_back(0);
  EXPECT_EQ(ToString(Decode(bytes, LinkType::kEthernet).error()),
            "icrc at 322: expected the end of the frame, found 1");
}

struct Wrong {
  std::string path;
  uint64_t value;
  std::string error;
  bool foreign;
};

void ExpectRefused(const Frame& good, const Wrong& wrong) {
  Frame frame = good;
  FrameBytes bytes = Seal(frame);
  const auto place = Find(LayersOf(frame), wrong.path);
  ASSERT_TRUE(place) << wrong.path;
  Write(bytes.view(), *place, wrong.value);
  const auto decoded = Decode(bytes.view(), LinkTypeOf(frame));
  ASSERT_FALSE(decoded.ok()) << wrong.path;
  EXPECT_EQ(ToString(decoded.error()), wrong.error);
  EXPECT_EQ(decoded.error().foreign, wrong.foreign) << wrong.path;
}

TEST(Damage, AFieldOutsideItsRangeIsRefusedByName) {
  const std::vector<Wrong> all = {
      {"ethernet.type", 0x0806,
       "ethernet at 12: expected 0x0800 or 0x86dd, IPv4 or IPv6, found 2054", true},
      {"ipv4.version", 5, "ipv4 at 14: expected version 4, found 5", false},
      {"ipv4.ihl", 6, "ipv4 at 14: expected a header of 5 words, found 6", false},
      {"ipv4.ihl", 4, "ipv4 at 14: expected a header of 5 words, found 4", false},
      {"ipv4.total_length", 309, "ipv4 at 16: expected the length of all the rest, found 309",
       false},
      {"ipv4.total_length", 307, "ipv4 at 16: expected the length of all the rest, found 307",
       false},
      {"ipv4.more_fragments", 1, "ipv4 at 20: expected no more fragments, found 1", true},
      {"ipv4.fragment_offset", 1, "ipv4 at 20: expected no fragment, found 1", true},
      {"ipv4.protocol", 6, "ipv4 at 23: expected protocol 17, UDP, found 6", true},
      {"udp.destination_port", 4792, "udp at 36: expected port 4791, found 4792", true},
      {"udp.length", 287, "udp at 38: expected the length of all the rest, found 287", false},
      {"udp.length", 289, "udp at 38: expected the length of all the rest, found 289", false},
      {"bth.opcode", 0x04, "bth at 42: expected opcode 0x64, UD SEND ONLY, found 4", true},
      {"bth.opcode", 0x65, "bth at 42: expected opcode 0x64, UD SEND ONLY, found 101", true},
      {"bth.pad_count", 1, "bth at 43: expected no padding, found 1", false},
      {"bth.transport_version", 1, "bth at 43: expected transport version 0, found 1", false},
      {"bth.destination_qp", 17, "bth at 47: expected queue pair 1, found 17", true},
      {"mad.base_version", 2, "mad at 62: expected base version 1, found 2", false},
  };
  for (const Wrong& wrong : all) ExpectRefused(VectorFrame(), wrong);
}

TEST(Damage, AFieldOutsideItsRangeIsRefusedByNameInEveryShape) {
  ExpectRefused(Tagged(),
                {"vlan.type", 0x8100,
                 "vlan at 16: expected 0x0800 or 0x86dd, IPv4 or IPv6, found 33024", true});
  ExpectRefused(OverIpv6(), {"ipv6.version", 4, "ipv6 at 14: expected version 6, found 4", false});
  ExpectRefused(OverIpv6(), {"ipv6.payload_length", 287,
                             "ipv6 at 18: expected the length of what follows, found 287", false});
  ExpectRefused(OverIpv6(),
                {"ipv6.next_header", 6, "ipv6 at 20: expected next header 17, UDP, found 6", true});
  ExpectRefused(Behind(NoLink{}, VectorFrame()),
                {"ipv4.version", 7, "ipv4 at 0: expected version 4, found 7", false});
  ExpectRefused(
      Behind(Sll{}, VectorFrame()),
      {"sll.protocol", 4, "sll at 14: expected 0x0800 or 0x86dd, IPv4 or IPv6, found 4", true});
  ExpectRefused(
      Behind(Sll2{}, VectorFrame()),
      {"sll2.protocol", 4, "sll2 at 0: expected 0x0800 or 0x86dd, IPv4 or IPv6, found 4", true});
}

// The paths of the fields in which a flipped bit leaves the CRC right.
std::set<std::string> Unseen(Frame frame) {
  const FrameBytes bytes = Seal(frame);
  std::set<std::string> unseen;
  for (const Layer& layer : LayersOf(frame)) {
    for (const Field& field : layer.fields) {
      for (uint32_t bit = field.begin(); bit < field.end(); ++bit) {
        FrameBytes damaged = bytes;
        damaged.view()[layer.offset + bit / 8] ^= static_cast<uint8_t>(0x80 >> bit % 8);
        const auto view = damaged.view();
        Icrc icrc{.value = IcrcOf(view.first(view.size() - 4).subspan(IpOffset(frame)))};
        if (icrc == Get<Icrc>(view.data() + view.size() - 4)) {
          unseen.insert(std::string(layer.name) + '.' + std::string(field.name));
        }
      }
    }
  }
  return unseen;
}

// source: linux 6.1 rxe_icrc.c rxe_icrc_hdr; the link is no part of the packet
TEST(Damage, EveryFlippedBitIsSeenByTheCrcButThoseThatRoutersMayChange) {
  EXPECT_THAT(
      Unseen(Tagged()),
      ElementsAre("bth.becn", "bth.fecn", "bth.reserved_4", "ethernet.destination",
                  "ethernet.source", "ethernet.type", "ipv4.checksum", "ipv4.tos", "ipv4.ttl",
                  "udp.checksum", "vlan.dei", "vlan.pcp", "vlan.type", "vlan.vid"));
  EXPECT_THAT(Unseen(Behind(NoLink{}, OverIpv6())),
              ElementsAre("bth.becn", "bth.fecn", "bth.reserved_4", "ipv6.flow_label",
                          "ipv6.hop_limit", "ipv6.traffic_class", "udp.checksum"));
}

TEST(Damage, EveryFlippedBitOfAnIpv4HeaderIsSeenByItsChecksum) {
  Frame frame = VectorFrame();
  Seal(frame);
  const Ipv4 good = std::get<Ipv4>(frame.ip);
  for (size_t bit = 0; bit < kSize<Ipv4> * 8; ++bit) {
    std::array<uint8_t, kSize<Ipv4>> bytes;
    Put(good, bytes.data());
    bytes[bit / 8] ^= static_cast<uint8_t>(0x80 >> bit % 8);
    const auto damaged = Get<Ipv4>(bytes.data());
    EXPECT_NE(damaged.checksum, ChecksumOf(damaged)) << bit;
  }
}

}  // namespace
}  // namespace cm::mad
