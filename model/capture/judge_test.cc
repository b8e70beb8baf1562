// Verdicts, message by message.
#include "model/capture/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/capture/altered.h"
#include "model/capture/stored_captures.h"
#include "model/mad/text.h"
#include "model/vocabulary/profile.h"

namespace cm::wire {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Capture& Usual() { return StoredCapture("connect_disconnect"); }  // REQ REP RTU DREQ DREP

Violation OnlyViolation(const JudgeOptions& manner, const Capture& capture) {
  std::vector<Violation> all;
  for (const Verdict& verdict : JudgedIn(manner, capture))
    if (verdict.violation) all.push_back(*verdict.violation);
  EXPECT_THAT(all, SizeIs(1));
  return all.empty() ? Violation{} : all.front();
}

Totals TotalsOf(const JudgeOptions& manner, const std::vector<std::vector<uint8_t>>& frames) {
  Judge judge(manner, [](const Verdict&) {});
  uint64_t number = 0;
  for (const auto& bytes : frames)
    judge.Take(++number, 0, bytes, bytes.size(), mad::LinkType::kEthernet);
  judge.Finish();
  return judge.totals();
}

TEST(Judge, TellsAConnectionFromItsFirstMessageToItsLast) {
  const auto verdicts = JudgedIn({}, Usual());
  ASSERT_THAT(verdicts, SizeIs(1));
  EXPECT_EQ(verdicts[0].sequence, "REQ REP RTU DREQ DREP");
  EXPECT_EQ(AddressText(verdicts[0].active), "10.0.0.1");
  EXPECT_EQ(AddressText(verdicts[0].passive), "10.0.1.1");
  EXPECT_EQ(verdicts[0].active_cid, 0x55edc1bd);
  EXPECT_THAT(verdicts[0].passive_cids, testing::ElementsAre(0x56edc1bd));
  EXPECT_FALSE(verdicts[0].begins_before);
}

TEST(Judge, NamesTheRowsThatAMessageBreaksAndWhatTheyPermit) {
  const Violation wrong = OnlyViolation({}, Swapped(Usual(), 1).capture);  // RTU before REP
  EXPECT_EQ(wrong.number, 2u);
  EXPECT_THAT(wrong.rule, HasSubstr("ib-rtu-1"));
  EXPECT_THAT(wrong.source, HasSubstr("L3"));
  EXPECT_EQ(wrong.saw, "RTU");
  EXPECT_THAT(wrong.permitted, AllOf(HasSubstr("ib-retry-1"), HasSubstr("ib-destroy-1")));
}

TEST(Judge, SaysOnlyTheFirstThingThatIsWrongWithAConnection) {
  Capture capture = Altered(Usual(), 3, "DREQ.remote_qpn_eecn", 99).capture;
  capture = Altered(capture, 4, "mad.tid", 7).capture;
  EXPECT_EQ(OnlyViolation({}, capture).rule, "dreq-qpn");
}

TEST(Judge, TakesAConnectionThatItMeetsInTheMiddleFromThereOn) {
  const Capture rest = Dropped(Dropped(Usual(), 0).capture, 0).capture;
  const auto verdicts = JudgedIn({}, rest);
  ASSERT_THAT(verdicts, SizeIs(1));
  EXPECT_TRUE(verdicts[0].begins_before);
  EXPECT_FALSE(verdicts[0].violation);
  EXPECT_EQ(OnlyViolation({}, Swapped(rest, 0).capture).number, 2u);  // DREQ, then RTU
}

TEST(Judge, KnowsNobodyInTheMiddleOfACaptureThatIsWhole) {
  const auto verdicts = JudgedIn({.whole = true}, Dropped(Usual(), 0).capture);
  ASSERT_FALSE(verdicts.empty());
  EXPECT_EQ(verdicts[0].violation->rule, "wire-known");
}

TEST(Judge, TakesACaptureThatBeginsWithARequestForWhole) {
  const Capture& usual = Usual();
  Capture foreign = usual;  // a message of another connection
  mad::Frame other = With(usual.frames[4].frame, "DREP.local_cid", 7);
  foreign.frames.push_back({usual.frames[4].nanoseconds + 1'000'000,
                            With(With(other, "DREP.remote_cid", 8), "mad.tid", 9)});
  const Violation wrong = OnlyViolation({}, foreign);
  EXPECT_EQ(wrong.rule, "wire-known");
  EXPECT_THAT(wrong.permitted, HasSubstr("--incomplete"));
  EXPECT_EQ(WhatIsWrong({.missing = true}, foreign), "");
  EXPECT_EQ(WhatIsWrong({}, Dropped(foreign, 0).capture), "");  // it begins in the middle
}

TEST(Judge, SeesByItsAnswerThatTheFirstRequestIsARepeatedOne) {
  const auto from = [](const char* name, ptrdiff_t first) {
    Capture capture = StoredCapture(name);
    capture.frames.erase(capture.frames.begin(), capture.frames.begin() + first);
    return capture;
  };
  for (const Capture& capture : {from("slow_accept_message_receipt", 1),
                                 from("delay_four_seconds", 2), from("reply_lost_every_time", 3)}) {
    const auto verdicts = JudgedIn({}, capture);
    ASSERT_THAT(verdicts, SizeIs(1)) << capture.name;
    EXPECT_FALSE(verdicts[0].violation) << capture.name;
    EXPECT_TRUE(verdicts[0].begins_before) << capture.name;
    EXPECT_NE(WhatIsWrong({.whole = true}, capture), "") << capture.name;
  }
}

TEST(Judge, PermitsWhatOnlyMissingMessagesExplain) {
  const Capture without_rtu = Dropped(Usual(), 2).capture;
  EXPECT_THAT(WhatIsWrong({}, without_rtu), HasSubstr("ib-dreq-1"));
  EXPECT_EQ(WhatIsWrong({.missing = true}, without_rtu), "");
}

// A damaged RTU was sent; a damaged REP did not arrive.
TEST(Judge, TakesAMessageWithAWrongCrcForSentAndNotForReceived) {
  for (const size_t index : {0u, 1u, 2u, 3u, 4u}) {
    Capture capture = Usual();
    capture.frames[index].frame.icrc.value ^= 1;
    const bool answered = index == 0 || index == 1 || index == 3;
    EXPECT_EQ(WhatIsWrong({.whole = true}, capture).empty(), !answered) << index;
    EXPECT_THAT(WhatIsWrong({.strict = true}, capture), HasSubstr("wire-icrc")) << index;
  }
}

// An unreadable message may have announced its sender's id; the receiver has not read it.
TEST(Judge, TakesTheIdOfAMessageThatWasDamagedForSaid) {
  Capture capture = StoredCapture("reject_by_consumer");
  capture.frames[0].frame.icrc.value ^= 1;
  EXPECT_EQ(OnlyViolation({.whole = true}, capture).rule, "wire-known");
  // Its sender gives up.
  Capture given_up = Altered(capture, 1, "REJ.message_rejected", 2).capture;
  given_up = Altered(given_up, 1, "REJ.reason", 4).capture;
  given_up = Altered(given_up, 1, "REJ.reject_info_length", 8).capture;
  const auto cid = mad::ValueOf(capture.frames[0].frame, "REQ.local_cid");
  given_up = Altered(given_up, 1, "REJ.local_cid", *cid).capture;
  given_up = Altered(given_up, 1, "REJ.remote_cid", 0).capture;
  given_up.frames[1].frame = Reversed(given_up.frames[1].frame);
  EXPECT_EQ(WhatIsWrong({.whole = true}, given_up), "");
  // A damaged REP, and its sender's end of the connection.
  Capture replied = Usual();
  replied.frames[1].frame.icrc.value ^= 1;
  replied.frames[2].frame =
      With(StoredCapture("reject_by_consumer").frames[1].frame, "REJ.message_rejected", 2);
  const auto same = [&](const char* to, const char* from) {
    replied = Altered(replied, 2, to, *mad::ValueOf(Usual().frames[1].frame, from)).capture;
  };
  same("REJ.local_cid", "REP.local_cid");
  same("REJ.remote_cid", "REP.remote_cid");
  same("mad.tid", "mad.tid");
  replied.frames.resize(3);
  EXPECT_EQ(WhatIsWrong({.whole = true}, replied), "");
  // The REJ does not end the repetition of the REP.
  replied.frames.push_back(Usual().frames[1]);
  EXPECT_EQ(WhatIsWrong({.whole = true}, replied), "");
  replied.frames.erase(replied.frames.begin() + 1);
  EXPECT_NE(WhatIsWrong({.whole = true}, replied), "");
}

TEST(Judge, RefusesARepetitionThatIsNotTheSame) {
  const Capture& capture = StoredCapture("request_lost_once");
  EXPECT_EQ(OnlyViolation({}, Altered(capture, 1, "REQ.starting_psn", 5).capture).rule,
            "mad-again");
}

TEST(Judge, RefusesARepetitionBeforeItsTime) {
  Capture capture = StoredCapture("request_lost_every_time");
  EXPECT_EQ(WhatIsWrong({}, capture), "");
  capture.frames[1].nanoseconds -= 3'000'000'000;
  EXPECT_EQ(OnlyViolation({}, capture).rule, "wire-too-early");
}

TEST(Judge, RefusesOneRepetitionMoreThanTheRequestSays) {
  Capture capture = StoredCapture("request_lost_every_time");
  capture.frames.push_back(capture.frames.back());
  capture.frames.back().nanoseconds += 6'400'000'000;
  EXPECT_EQ(OnlyViolation({}, capture).rule, "wire-repetitions");
}

// The network duplicates packets, and `tcpdump -i any` captures a packet on two interfaces twice.
TEST(Judge, TakesAPacketThatIsThereTwiceForSaidOnce) {
  for (const Capture& capture : StoredCaptures()) {
    Capture doubled = capture;
    doubled.frames.clear();
    for (const Captured& one : capture.frames) {
      doubled.frames.push_back(one);
      doubled.frames.push_back({one.nanoseconds + 1'000, one.frame});
    }
    EXPECT_EQ(WhatIsWrong({.whole = true, .profiles = {FindProfile("6.1-rxe")}}, doubled), "")
        << capture.name;
  }
}

TEST(Judge, PermitsASecondAnswerToAPacketThatIsThereTwiceAndNoThird) {
  const Capture& usual = Usual();
  const mad::Frame& dreq = usual.frames[3].frame;
  const mad::Frame again = With(usual.frames[4].frame, "bth.psn", 99);
  Capture capture = Inserted(usual, 3, "doubled", dreq, 1).capture;
  capture.frames.push_back({capture.frames.back().nanoseconds + 1'000, again});
  EXPECT_EQ(WhatIsWrong({.whole = true}, capture), "");
  capture.frames.push_back(
      {capture.frames.back().nanoseconds + 1'000, With(again, "bth.psn", 100)});
  EXPECT_THAT(WhatIsWrong({.whole = true}, capture), HasSubstr("wire-one-answer"));
}

// Its PSN makes it another packet.
TEST(Judge, RefusesARetransmissionWhoseFrameIsFilledOtherwise) {
  const Capture& capture = StoredCapture("connect_disconnect_no_answer");
  const size_t again = 5;  // the second DREQ
  ASSERT_EQ(capture.frames[again].frame.mad.header.kind(), MadKind::kDreq);
  EXPECT_THAT(WhatIsWrong({}, Altered(capture, again, "bth.solicited_event", 1).capture),
              testing::HasSubstr("solicited_event"));
}

TEST(Judge, RefusesAMessageThatIsSaidAgainAtOnceInAnotherPacket) {
  for (const size_t index : {0u, 1u, 2u, 3u, 4u}) {
    const mad::Frame again = With(Usual().frames[index].frame, "bth.psn", 99);
    EXPECT_NE(WhatIsWrong({}, Inserted(Usual(), index, "again", again, 1'000).capture), "")
        << index;
  }
}

// The rest shows that its REQ had been answered before.
TEST(Judge, RefusesTheRequestOfAConnectionThatIsThereAlready) {
  const Capture& usual = Usual();
  for (const size_t first : {2u, 3u, 4u}) {
    Capture capture = usual;
    capture.frames = {usual.frames[first], usual.frames[0]};
    EXPECT_EQ(OnlyViolation({}, capture).rule, "wire-request-over") << first;
  }
  Capture repeated = usual;  // the REP of an earlier REQ may have been lost
  repeated.frames = {usual.frames[1], usual.frames[0], usual.frames[2]};
  EXPECT_EQ(WhatIsWrong({}, repeated), "");
}

TEST(Judge, TakesAPacketWithAWrongChecksumForSentAndNotForReceived) {
  Capture capture = Usual();
  auto* ip = std::get_if<mad::Ipv4>(&capture.frames[1].frame.ip);
  ip->checksum ^= 1;
  EXPECT_THAT(WhatIsWrong({.whole = true}, capture), HasSubstr("ib-rtu-1"));
  EXPECT_THAT(WhatIsWrong({.strict = true}, capture), HasSubstr("wire-checksum"));
  ip->checksum = 0;  // checksum offload
  EXPECT_EQ(WhatIsWrong({.whole = true, .strict = true}, capture), "");
}

std::vector<uint8_t> Between(const std::vector<uint8_t>& bytes, size_t at,
                             const std::vector<uint8_t>& more) {
  std::vector<uint8_t> longer = bytes;
  longer.insert(longer.begin() + static_cast<ptrdiff_t>(at), more.begin(), more.end());
  return longer;
}

TEST(Judge, FindsThePacketWhateverTheLinkHasAroundIt) {
  const std::vector<uint8_t> plain = Sealed(Usual().frames[0].frame);
  const std::vector<std::vector<uint8_t>> frames = {
      Between(plain, plain.size(), {1, 2, 3, 4}),              // a frame check sequence
      Between(plain, 12, {0x81, 0, 0, 5}),                     // a VLAN
      Between(plain, 12, {0x88, 0xa8, 0, 7, 0x81, 0, 0, 5})};  // one within another
  for (const auto& frame : frames) {
    const Totals totals = TotalsOf({.strict = true}, {frame});
    EXPECT_EQ(totals.messages, 1u) << frame.size();
    EXPECT_EQ(totals.violations, 0u) << frame.size();
  }
}

TEST(Judge, SkipsWhatEndsBeforeItIsOfRoce) {
  const std::vector<uint8_t> plain = Sealed(Usual().frames[0].frame);
  for (const size_t size : {0, 3, 14, 20, 34, 41, 45}) {
    const std::vector<uint8_t> cut(plain.begin(), plain.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_EQ(TotalsOf({}, {cut}).foreign, 1u) << size;
    EXPECT_EQ(TotalsOf({}, {cut}).violations, 0u) << size;
  }
}

// Options of IPv4, such as Router Alert, or another version: no message of a CM has either.
TEST(Judge, SkipsWhatHasAnotherIpHeader) {
  std::vector<uint8_t> options =
      Between(Sealed(Usual().frames[0].frame), 34, {0x94, 0x04, 0x00, 0x00});
  options[14] = 0x46;
  options[17] += 4;
  options[40] = 0, options[41] = 53;  // to DNS
  std::vector<uint8_t> version = Sealed(Usual().frames[0].frame);
  version[14] = 0x55;
  const Totals totals = TotalsOf({.whole = true, .strict = true}, {options, version});
  EXPECT_EQ(totals.foreign, 2u);
  EXPECT_EQ(totals.violations, 0u);
}

TEST(Judge, RefusesReservedBitsThatAreSetInFrontOfTheMessage) {
  for (const char* field : {"bth.reserved_8", "deth.reserved_4"})
    EXPECT_EQ(OnlyViolation({}, Altered(Usual(), 1, field, 1).capture).rule, "mad-reserved");
  // FECN, BECN and the bits beside them may change on the way, and no CRC covers them.
  EXPECT_EQ(WhatIsWrong({}, Altered(Usual(), 1, "bth.reserved_4", 1).capture), "");
}

TEST(Judge, KnowsWhatLinuxPutsIntoTheRequestsOfRoce) {
  const JudgeOptions known{.profiles = {FindProfile("6.1-rxe")}};
  const auto rule = [&](const std::string& capture, size_t index, const char* field,
                        uint64_t value) {
    return OnlyViolation(known, Altered(StoredCapture(capture), index, field, value).capture).rule;
  };
  const std::string usual = "connect_disconnect";
  EXPECT_EQ(rule(usual, 0, "REQ.primary_local_lid", 1), "linux-req-local-lid");
  EXPECT_EQ(rule(usual, 0, "REQ.primary_remote_lid", 1), "linux-req-remote-lid");
  EXPECT_EQ(rule(usual, 0, "REQ.primary_subnet_local", 1), "linux-req-subnet-local");
  EXPECT_EQ(rule(usual, 0, "REQ.alternate_remote_lid", 1), "linux-req-alternate-remote-lid");
  // Three other fields depend on it: the sender is still Linux.
  EXPECT_EQ(OnlyViolation({}, Altered(Usual(), 0, "REQ.primary_hop_limit", 1).capture).rule,
            "linux-req-subnet-local");
  EXPECT_EQ(rule(usual, 0, "REQ.service_id", 0x0111'1d2f), "wire-service");
  EXPECT_EQ(rule("datagram_sidr", 0, "SIDR_REQ.service_id", 0x0106'1d2f), "wire-service");
  EXPECT_EQ(rule("datagram_sidr_refused", 1, "SIDR_REP.qpn", 17), "linux-sidr-rep-qpn");
}

TEST(Judge, RefusesAnExtendedTransportOfARequestThatNamesAnother) {
  const Violation wrong =
      OnlyViolation({}, Altered(Usual(), 0, "REQ.extended_transport_type", 1).capture);
  EXPECT_EQ(wrong.rule, "req-extended-type");
  EXPECT_EQ(wrong.saw, "REQ.extended_transport_type = 0x1");
}

// An application that connects or accepts without a queue pair of the id gives a number, and the
// kernel passes it on. source: linux 6.1 cma.c rdma_connect_locked, rdma_accept; ucma.c
// ucma_copy_conn_param
TEST(Judge, PermitsAnyQueuePairThatAnApplicationNames) {
  Capture zero = Altered(Usual(), 0, "REQ.local_qpn", 0).capture;
  zero = Altered(zero, 1, "REP.local_qpn", 0).capture;
  zero = Altered(zero, 3, "DREQ.remote_qpn_eecn", 0).capture;
  EXPECT_EQ(WhatIsWrong({.profiles = {FindProfile("6.1-rxe")}}, zero), "");
}

// The usual connection, disconnected by its passive side with the TID of the REQ.
Capture EndedWithTheTidOfTheReq(uint32_t passive_cid) {
  const Capture& usual = Usual();
  const uint32_t active_cid = JudgedIn({}, usual).front().active_cid;
  Capture capture = Altered(usual, 1, "REP.local_cid", passive_cid).capture;
  capture = Altered(capture, 2, "RTU.remote_cid", passive_cid).capture;
  for (const size_t index : {size_t{3}, size_t{4}})
    capture.frames[index].frame = Reversed(capture.frames[index].frame);
  const uint64_t qpn = *mad::ValueOf(usual.frames[0].frame.mad, "REQ.local_qpn");
  capture = Altered(capture, 3, "DREQ.local_cid", passive_cid).capture;
  capture = Altered(capture, 3, "DREQ.remote_cid", active_cid).capture;
  capture = Altered(capture, 3, "DREQ.remote_qpn_eecn", qpn).capture;
  capture = Altered(capture, 4, "DREP.local_cid", active_cid).capture;
  return Altered(capture, 4, "DREP.remote_cid", passive_cid).capture;
}

// A TID is composed of the number of an agent and of the id: TIDs of two hosts may be equal.
// source: linux 6.1 cm.c cm_form_tid
TEST(Judge, PermitsADreqWithTheTidOfTheReqOnlyWhereBothIdsAreTheSame) {
  EXPECT_EQ(WhatIsWrong({}, EndedWithTheTidOfTheReq(0x55edc1bd)), "");
  const Violation wrong = OnlyViolation({}, EndedWithTheTidOfTheReq(0x56edc1bd));
  EXPECT_EQ(wrong.rule, "dreq-tid");
  EXPECT_THAT(wrong.saw, HasSubstr("mad.tid"));
  EXPECT_THAT(wrong.permitted, HasSubstr("DREQ.local_cid 0x55edc1bd as in the REQ"));
}

TEST(Judge, JudgesTimersAndFixedFieldsByProfile) {
  const JudgeOptions later{.profiles = {FindProfile("6.12-rxe")}};
  EXPECT_EQ(WhatIsWrong(later, Usual()), "");
  const Capture patient = Altered(Usual(), 0, "REQ.remote_cm_response_timeout", 21).capture;
  EXPECT_EQ(OnlyViolation({}, patient).rule, "linux-req-remote-timeout");
  EXPECT_EQ(OnlyViolation(later, patient).rule, "linux-req-remote-timeout");
}

// Values of a hardware adapter: it numbers its ports otherwise, and requests no acknowledgement.
Capture FromAdapters(Capture capture) {
  for (Captured& one : capture.frames) {
    one.frame = With(one.frame, "udp.source_port", 0xc123);
    one.frame = With(one.frame, "bth.ack_request", 0);
    one.frame = With(one.frame, "bth.migration_state", 1);
  }
  return capture;
}

TEST(Judge, JudgesWhoFillsPacketsOrRequestsOtherwiseByTheProtocolAlone) {
  const Capture patient = Altered(Usual(), 0, "REQ.remote_cm_response_timeout", 21).capture;
  EXPECT_EQ(WhatIsWrong({}, FromAdapters(patient)), "");
  EXPECT_EQ(WhatIsWrong({}, Altered(patient, 0, "REQ.max_cm_retries", 3).capture), "");
  // The answering side is judged separately.
  const Capture late =
      Altered(Altered(patient, 0, "REQ.max_cm_retries", 3).capture, 1, "REP.target_ack_delay", 3)
          .capture;
  EXPECT_EQ(OnlyViolation({}, late).rule, "linux-rep-ack-delay");
  EXPECT_EQ(WhatIsWrong({}, FromAdapters(late)), "");
}

TEST(Judge, PermitsARecognisedNodeWhatEveryReleaseDoes) {
  for (const uint64_t timeout : {16, 17, 19, 20})  // applications may set it
    EXPECT_EQ(
        WhatIsWrong({}, Altered(Usual(), 0, "REQ.primary_local_ack_timeout", timeout).capture), "");
  EXPECT_EQ(
      OnlyViolation({}, Altered(Usual(), 0, "REQ.primary_local_ack_timeout", 14).capture).rule,
      "linux-req-ack-timeout");
}

TEST(FilledBy, SaysWhatAllOfTheFamilyDo) {
  Profile patient = *FindProfile("6.1-rxe");
  patient.timing.mra_service_timeout = 20;
  Profile elsewhere = patient;
  elsewhere.transport = Transport::kInfiniband;
  const auto mras = [](const ProfileSet& profiles) {
    std::vector<uint64_t> values;
    for (const mad::Constraint& row : FilledBy(profiles))
      if (row.id == "linux-mra-timeout") values.push_back(row.low);
    return values;
  };
  EXPECT_THAT(mras({FindProfile("6.1-rxe"), FindProfile("7.2-rxe")}), testing::ElementsAre(24));
  EXPECT_THAT(mras({FindProfile("6.1-rxe"), &patient}), testing::ElementsAre(24, 20));
  const auto ids = [](const ProfileSet& profiles) {
    std::vector<std::string_view> all;
    for (const mad::Constraint& row : FilledBy(profiles)) all.push_back(row.id);
    return all;
  };
  EXPECT_THAT(ids({&patient}), testing::Contains("linux-req-pkey"));
  EXPECT_THAT(ids({&patient, &elsewhere}), testing::Not(testing::Contains("linux-req-pkey")));
  EXPECT_THAT(FilledBy({}), IsEmpty());
}

TEST(Judge, SkipsOtherProtocolsAndCountsThem) {
  std::vector<uint8_t> arp(60, 0);
  arp[12] = 0x08, arp[13] = 0x06;
  std::vector<uint8_t> tcp = Sealed(Usual().frames[0].frame);
  tcp[23] = 6;
  std::vector<uint8_t> data = Sealed(Usual().frames[0].frame);
  data[42] = 0x04;  // RC SEND ONLY
  const Totals totals = TotalsOf({.whole = true}, {arp, tcp, data});
  EXPECT_EQ(totals.foreign, 3u);
  EXPECT_EQ(totals.messages, 0u);
  EXPECT_EQ(totals.violations, 0u);
}

TEST(Judge, CountsWhatTheCaptureCutShort) {
  const auto bytes = Sealed(Usual().frames[0].frame);
  Judge judge({}, [](const Verdict&) {});
  judge.Take(1, 0, std::span(bytes).first(96), bytes.size(), mad::LinkType::kEthernet);
  EXPECT_EQ(judge.totals().cut, 1u);
  EXPECT_EQ(judge.totals().violations, 0u);
}

// Ids that a node draws, each connection at another time; finished ones are not kept.
TEST(Judge, ForgetsConnectionsThatAreOver) {
  constexpr uint32_t kConnections = 4000;
  constexpr int64_t kApart = 1'000'000'000;
  size_t most = 0, given = 0;
  Judge judge({.whole = true}, [&](const Verdict& verdict) {
    ++given;
    EXPECT_FALSE(verdict.violation);
  });
  uint64_t number = 0;
  for (uint32_t i = 0; i < kConnections; ++i) {
    for (const Captured& captured : Usual().frames) {
      mad::Frame frame = captured.frame;
      std::visit(
          [i](auto& message) {
            if constexpr (requires { message.local_cid; }) message.local_cid += i * 2;
            if constexpr (requires { message.remote_cid; }) message.remote_cid += i * 2;
          },
          frame.mad.message);
      frame.mad.header.tid = uint64_t{2} << 32 | (0x55edc1bd + i * 2);
      judge.Take(++number, i * kApart + captured.nanoseconds, Sealed(frame), 322,
                 mad::LinkType::kEthernet);
    }
    most = std::max(most, judge.live());
  }
  judge.Finish();
  EXPECT_EQ(given, kConnections);
  EXPECT_LT(most, 2000u);
}

}  // namespace
}  // namespace cm::wire
