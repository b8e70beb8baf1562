// Verdicts about fields without a row of their own in mad/constraints.h, and about messages that
// belong to no connection.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/capture/altered.h"
#include "model/capture/stored_captures.h"
#include "model/mad/cma_header.h"
#include "model/mad/text.h"

namespace cm::wire {
namespace {

const Capture& Usual() { return StoredCapture("connect_disconnect"); }  // REQ REP RTU DREQ DREP

// The rule of the first violation; empty if there is none.
std::string RuleOf(const Capture& capture, const JudgeOptions& manner = {}) {
  for (const Verdict& verdict : JudgedIn(manner, capture))
    if (verdict.violation) return verdict.violation->rule;
  return "";
}

using Fields = std::vector<std::pair<std::string_view, uint64_t>>;

Capture With(Capture capture, size_t index, const Fields& fields) {
  for (const auto& [path, value] : fields)
    capture = Altered(capture, index, std::string(path), value).capture;
  return capture;
}

// The frame from a sender that is not recognised as Linux.
Capture FromAdapter(Capture capture) {
  for (size_t i = 0; i < capture.frames.size(); ++i)
    capture =
        With(capture, i,
             {{"udp.source_port", 0xc123}, {"bth.ack_request", 0}, {"bth.migration_state", 1}});
  return capture;
}

TEST(JudgeFields, OnlySomeMessagesHaveAModifier) {
  const std::vector<std::string> rules = {"", "", "rtu-modifier", "dreq-modifier", "drep-modifier"};
  for (size_t i = 0; i < rules.size(); ++i)  // options for ECE in REQ and REP
    EXPECT_EQ(RuleOf(With(Usual(), i, {{"mad.attribute_modifier", 7}})), rules[i]) << i;
  const auto rule = [](const char* name, size_t index) {
    return RuleOf(With(StoredCapture(name), index, {{"mad.attribute_modifier", 7}}));
  };
  EXPECT_EQ(rule("reject_by_consumer", 1), "rej-modifier");
  EXPECT_EQ(rule("slow_accept_message_receipt", 2), "mra-modifier");
  EXPECT_EQ(rule("datagram_sidr", 0), "sidr-req-modifier");
  EXPECT_EQ(rule("datagram_sidr", 1), "");
}

TEST(JudgeFields, EveryEndHasAnIdAndACa) {
  Capture request = Usual();
  request.frames.resize(1);
  EXPECT_EQ(RuleOf(With(request, 0, {{"REQ.local_cid", 0}})), "req-local-cid");
  EXPECT_EQ(RuleOf(With(Usual(), 0, {{"REQ.local_ca_guid", 0}})), "req-guid");
  EXPECT_EQ(RuleOf(With(Usual(), 1, {{"REP.local_cid", 0}})), "rep-local-cid");
  EXPECT_EQ(RuleOf(With(Usual(), 1, {{"REP.local_ca_guid", 0}})), "rep-guid");
  Capture datagram = StoredCapture("datagram_sidr");
  datagram.frames.resize(1);
  EXPECT_EQ(RuleOf(With(datagram, 0, {{"SIDR_REQ.request_id", 0}})), "sidr-req-id");
  Capture receipt = StoredCapture("slow_accept_message_receipt");
  receipt.frames.resize(3);  // the MRA is the last one, and names no id that is known
  EXPECT_EQ(RuleOf(With(receipt, 2, {{"MRA.local_cid", 0}})), "mra-id");
}

TEST(JudgeFields, OnlyOfXrcAReplyNamesAnEeContext) {
  const Capture named = With(Usual(), 1, {{"REP.local_eecn", 5}});
  EXPECT_EQ(RuleOf(named), "wire-ee-context");
  EXPECT_EQ(RuleOf(With(named, 0,
                        {{"REQ.extended_transport_type", 1}, {"REQ.transport_service_type", 3}})),
            "");
  EXPECT_EQ(RuleOf(Dropped(named, 0).capture), "");  // the REQ is unknown
}

TEST(JudgeFields, EitherEndMayBeALimitedMemberOfTheDefaultPartition) {
  EXPECT_EQ(RuleOf(With(Usual(), 1, {{"bth.pkey", 0x7fff}})), "");
  EXPECT_EQ(RuleOf(With(Usual(), 1, {{"bth.pkey", 0x7ffe}})), "roce-pkey");
}

TEST(JudgeFields, AMessageGoesFromQueuePairOne) {
  EXPECT_EQ(RuleOf(With(Usual(), 4, {{"deth.source_qp", 2}})), "roce-source-qp");
}

TEST(JudgeFields, OfOtherMessagesOfTheClassThereIsAHeader) {
  constexpr uint64_t kInfo = 0x01, kSap = 0x1b;
  const auto as = [](uint64_t attribute, uint64_t method, uint64_t status) {
    Capture one = Usual();
    one.frames.resize(1);
    return With(one, 0,
                {{"mad.attribute_id", attribute}, {"mad.method", method}, {"mad.status", status}});
  };
  EXPECT_EQ(RuleOf(as(kInfo, 1, 0)), "");
  EXPECT_EQ(RuleOf(as(kInfo, 2, 0)), "");
  EXPECT_EQ(RuleOf(as(kInfo, 0x81, 0xc)), "");
  EXPECT_EQ(RuleOf(as(kInfo, 3, 0)), "wire-class-port-info");
  EXPECT_EQ(RuleOf(as(kInfo, 1, 0xc)), "wire-class-port-info");
  EXPECT_EQ(RuleOf(With(as(kInfo, 1, 0), 0, {{"mad.class_version", 1}})), "mad-class-version");
  EXPECT_EQ(RuleOf(as(kSap, 3, 0)), "wire-never-sent");
  EXPECT_EQ(RuleOf(FromAdapter(as(kSap, 3, 0))), "");
  EXPECT_EQ(RuleOf(FromAdapter(as(kSap, 1, 0))), "mad-method");
}

// REQ, REJ. source: linux 6.1 cm.c cm_issue_rej, cm_format_rej
TEST(JudgeFields, ARejectionWithoutAnIdSaysBackWhatStoodThereOrNothing) {
  const Capture ece = With(StoredCapture("reject_no_listener"), 0,
                           {{"REQ.vendor_id", 0x2c9}, {"mad.attribute_modifier", 3}});
  EXPECT_EQ(RuleOf(ece), "wire-rej-no-service");
  EXPECT_EQ(RuleOf(With(ece, 1, {{"REJ.local_cid", 0x2c9}})), "");
  EXPECT_EQ(RuleOf(With(ece, 1, {{"REJ.reason", 28}})), "");
  EXPECT_EQ(RuleOf(With(ece, 1, {{"REJ.reason", 28}, {"REJ.message_rejected", 2}})), "wire-peers");
  // Only an id can send a consumer's reason.
  EXPECT_EQ(RuleOf(With(StoredCapture("reject_by_consumer"), 1, {{"REJ.local_cid", 0}})),
            "wire-no-data");
}

TEST(JudgeFields, ARejectedGidIsOne) {
  Capture capture = StoredCapture("reject_no_listener");
  capture = With(capture, 1, {{"REJ.reason", 12}, {"REJ.reject_info_length", 16}});
  EXPECT_EQ(RuleOf(capture), "wire-rej-gid");
  auto& rej = std::get<mad::Rej>(capture.frames[1].frame.mad.message);
  rej.ari[0] = 0xfe, rej.ari[15] = 1;
  mad::Seal(capture.frames[1].frame);
  EXPECT_EQ(RuleOf(capture), "");
  EXPECT_EQ(RuleOf(With(capture, 1, {{"REJ.reason", 18}})), "");
  EXPECT_EQ(RuleOf(With(capture, 1, {{"REJ.local_cid", 5}})), "wire-rej-gid");
}

// The usual connection to another service, without an RDMA CM header.
Capture WithoutHeader(uint64_t service_id) {
  Capture capture = Usual();
  auto& req = std::get<mad::Req>(capture.frames[0].frame.mad.message);
  req.private_data = {};
  req.service_id = service_id;
  mad::Seal(capture.frames[0].frame);
  return capture;
}

TEST(JudgeFields, AServiceOfAfIbHasNoHeader) {
  EXPECT_EQ(RuleOf(WithoutHeader(mad::MakeServiceId(PortSpace::kIb, 7471))), "");
  EXPECT_EQ(RuleOf(WithoutHeader(mad::MakeServiceId(PortSpace::kTcp, 7471))), "req-cma-ip");
}

// From a user of the IB CM without RDMA CM.
TEST(JudgeFields, AServiceOfOthersMayBeAny) {
  EXPECT_EQ(RuleOf(WithoutHeader(0x0200'0000'0000'0001)), "");
  EXPECT_EQ(RuleOf(With(Usual(), 0, {{"REQ.service_id", 0x0200'0000'0000'0001}})), "wire-service");
}

}  // namespace
}  // namespace cm::wire
