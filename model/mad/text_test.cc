#include "model/mad/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "model/mad/constraints.h"
#include "model/mad/frame.h"
#include "model/mad/vector.h"

namespace cm::mad {
namespace {

using testing::HasSubstr;

Frame Sealed() {
  Frame frame = VectorFrame();
  Seal(frame);
  return frame;
}

TEST(Text, IsALineForEachLayer) {
  const std::string text = ToText(Sealed());
  EXPECT_THAT(text, testing::StartsWith(
                        "ethernet destination=52:54:00:00:00:02 source=52:54:00:00:00:01 "
                        "type=0x0800\n"
                        "ipv4 version=4 ihl=5 tos=0x00 total_length=308 id=1 dont_fragment=1 "
                        "more_fragments=0 fragment_offset=0 ttl=64 protocol=17 checksum=0x25b6 "
                        "source=10.0.0.1 destination=10.0.0.2\n"
                        "udp source_port=55410 destination_port=4791 length=288 checksum=0x0000\n"
                        "bth opcode=0x64 "));
  EXPECT_THAT(text, HasSubstr("\nmad base_version=1 mgmt_class=0x07 class_version=2 method=0x03 "
                              "status=0x0000 tid=0x0000000211223344 attribute_id=REQ "));
  EXPECT_THAT(text, HasSubstr("\nREQ local_cid=0x44332211 vendor_id=0x000000 "
                              "service_id=0x0000000001061d2f "));
  EXPECT_THAT(text, HasSubstr(" primary_local_gid=::ffff:10.0.0.1 "));
  EXPECT_THAT(text, HasSubstr("\ncma cma_version=0 ip_version=4 port=40001 "
                              "source_address=::10.0.0.1 destination_address=::10.0.0.2\n"));
  EXPECT_THAT(text, testing::EndsWith("\nicrc value=0x5ee84ed2\n"));
}

TEST(Text, ShowsReservedBitsOnlyWhenTheyAreSet) {
  Frame frame = Sealed();
  EXPECT_THAT(ToText(frame), testing::Not(HasSubstr("reserved")));
  std::get<Req>(frame.mad.message).reserved_95 = 5;
  EXPECT_THAT(ToText(frame), HasSubstr(" reserved_95=0x5 "));
}

TEST(Text, NamesReasonsAndWritesPrivateDataAsItIs) {
  Rej rej;
  rej.reason = RejReason::kConsumerDefined;
  rej.private_data = {'f', 'u', 'l', 'l'};
  rej.ari = {1, 0xff};
  EXPECT_THAT(ToText(MakeMad(rej, 1)),
              HasSubstr(" reason=IB_CM_REJ_CONSUMER_DEFINED ari=0x01ff private_data=\"full\"\n"));
}

TEST(Text, LooksFieldsUpByTheirPaths) {
  const Frame frame = Sealed();
  EXPECT_EQ(ValueOf(frame, "bth.destination_qp"), 1U);
  EXPECT_EQ(ValueOf(frame, "REQ.path_mtu"), 3U);
  EXPECT_EQ(ValueOf(frame, "cma.port"), 40001U);
  EXPECT_EQ(ValueOf(frame.mad, "mad.tid"), 0x211223344U);
  for (const char* path :
       {"REP.local_cid", "REQ.nothing", "REQ", "", "REQ.private_data", "ipv6.id"}) {
    EXPECT_EQ(ValueOf(frame, path), std::nullopt) << path;
  }
  Frame foreign_service = frame;
  std::get<Req>(foreign_service.mad.message).service_id = 1;
  EXPECT_EQ(ValueOf(foreign_service, "cma.port"), std::nullopt);
}

TEST(Text, NamesEveryAttributeOnce) {
  std::set<std::string> names;
  for (uint16_t attribute = 0x10; attribute <= 0x1c; ++attribute) {
    names.insert(AttributeText(static_cast<uint16_t>(attribute)));
  }
  EXPECT_EQ(names.size(), 13U);
  EXPECT_EQ(AttributeText(0x30), "0x0030");
}

}  // namespace
}  // namespace cm::mad
