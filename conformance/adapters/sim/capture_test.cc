// Captures of conversations: our own codec decodes every frame to the message that was sent.
#include "conformance/adapters/sim/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/scenarios/golden.h"
#include "conformance/scenarios/on_sim.h"
#include "model/capture/judge.h"
#include "model/conversation/parse.h"
#include "model/mad/cma_header.h"
#include "model/mad/frame.h"
#include "model/mad/pcap.h"
#include "model/vocabulary/profile.h"

namespace cm {
namespace {

using testing::HasSubstr;

struct Timed {
  int64_t nanoseconds = 0;
  mad::Frame frame;
};

Conversation Read(const std::string& file) {
  return std::get<Golden>(ReadGolden(TextOf("conformance/scenarios/" + file))).conversation;
}

std::variant<Capture, std::string> CaptureOfFile(const Conversation& conversation,
                                                 CaptureOptions options = {}) {
  return CaptureOf(conversation, *FindProfile(conversation.profile), options);
}

// The frames of a capture, without those of another version; any other malformed frame fails the
// test.
std::vector<Timed> FramesOf(const Capture& capture, size_t of_another_version = 0) {
  std::vector<Timed> frames;
  size_t refused = 0;
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(capture.file.data()),
                                       capture.file.size());
  mad::PcapReader reader = mad::PcapReader::Open(bytes).value();
  while (const auto next = reader.Next()) {
    const mad::Decoded<mad::Frame> frame = mad::Decode(next->value().bytes, reader.link());
    if (!frame.ok()) {
      EXPECT_EQ(frame.error().expected, "base version 1");
      ++refused;
      continue;
    }
    frames.push_back({next->value().nanoseconds, frame.value()});
  }
  EXPECT_EQ(refused, of_another_version);
  return frames;
}

std::vector<Timed> FramesOf(const std::string& file, CaptureOptions options = {}) {
  return FramesOf(std::get<Capture>(CaptureOfFile(Read(file), options)));
}

// Lines of messages that the conversation marks as having a wrong checksum.
size_t SaidToBeCorrupt(std::string_view text) {
  constexpr std::string_view kEnd = " corrupt\n";
  size_t lines = 0;
  for (size_t at = text.find(kEnd); at != text.npos; at = text.find(kEnd, at + 1)) ++lines;
  return lines;
}

TEST(Capture, HasOfEveryConversationFramesWithARightCrcButForCorruptOnes) {
  size_t frames = 0;
  size_t corrupt = 0;
  for (const std::string& file : ConversationFiles("conformance/scenarios")) {
    SCOPED_TRACE(file);
    const std::string text = TextOf(file);
    const Golden golden = std::get<Golden>(ReadGolden(text));
    const auto made = CaptureOfFile(golden.conversation);
    if (std::holds_alternative<std::string>(made)) {
      EXPECT_EQ(FindProfile(golden.conversation.profile)->transport, Transport::kIwarp);
      continue;
    }
    size_t wrong = 0;
    for (const Timed& timed :
         FramesOf(std::get<Capture>(made), SentWithAnotherVersion(golden.conversation))) {
      ++frames;
      if (mad::IcrcOf(timed.frame) != timed.frame.icrc.value) ++wrong;
    }
    EXPECT_EQ(wrong, SaidToBeCorrupt(text));
    corrupt += wrong;
  }
  EXPECT_GT(frames, 500u);
  EXPECT_GT(corrupt, 0u);
}

// All messages are lost: one request, and fifteen retransmissions.
TEST(Capture, RepeatsAMessageByteForByte) {
  const std::vector<Timed> frames = FramesOf("loss/every_request.conv");
  ASSERT_GE(frames.size(), 16u);
  for (size_t i = 1; i < 16; ++i) {
    EXPECT_EQ(frames[i].frame.mad, frames[0].frame.mad);
    EXPECT_NE(frames[i].frame.bth.psn, frames[i - 1].frame.bth.psn);
    EXPECT_EQ(frames[i].nanoseconds - frames[i - 1].nanoseconds, 6'144'000'000);
  }
}

TEST(Capture, LeavesOutWhatIsLostWhenAsked) {
  const Conversation conversation = Read("loss/first_reply.conv");
  const auto whole = std::get<Capture>(CaptureOfFile(conversation));
  const auto received = std::get<Capture>(CaptureOfFile(conversation, {.with_lost = false}));
  EXPECT_EQ(whole.lost, 1u);
  EXPECT_EQ(received.frames + 1, whole.frames);
}

// Unequal at sender and receiver; so it differs from a retransmission.
TEST(Capture, HasThePacketTwiceThatArrivesTwice) {
  const Conversation conversation = Read("loss/doubled.conv");
  const std::vector<Timed> frames = FramesOf("loss/doubled.conv");
  ASSERT_GE(frames.size(), 2u);
  EXPECT_EQ(frames[0].frame, frames[1].frame);
  const Profile* profile = FindProfile(conversation.profile);
  wire::Judge judge({.whole = true, .profiles = {profile}}, [](const wire::Verdict& verdict) {
    EXPECT_FALSE(verdict.violation) << verdict.violation->rule << verdict.violation->saw;
  });
  uint64_t number = 0;
  for (const Timed& timed : frames) {
    const mad::FrameBytes bytes = mad::Encode(timed.frame);
    judge.Take(++number, timed.nanoseconds, bytes.view(), bytes.size(), mad::LinkType::kEthernet);
  }
  judge.Finish();
  EXPECT_EQ(judge.totals().messages, number);
}

// The judge of captures accepts messages between two conforming kernels under all its options.
TEST(Capture, OfEveryConversationIsPermittedUnlessMessagesAreMadeByHand) {
  size_t judged = 0;
  for (const std::string& file : ConversationFiles("conformance/scenarios")) {
    const Conversation conversation = std::get<Golden>(ReadGolden(TextOf(file))).conversation;
    const Profile* profile = FindProfile(conversation.profile);
    const bool by_hand = std::ranges::any_of(conversation.topology->devices, &DeviceInfo::tester);
    if (by_hand || profile->transport == Transport::kIwarp) continue;
    const std::vector<Timed> frames = FramesOf(std::get<Capture>(CaptureOfFile(conversation)));
    ++judged;
    for (const wire::JudgeOptions& manner :
         {wire::JudgeOptions{}, wire::JudgeOptions{.whole = true},
          wire::JudgeOptions{.profiles = {profile}}}) {
      wire::Judge judge(manner, [&](const wire::Verdict& verdict) {
        if (!verdict.violation) return;
        ADD_FAILURE() << file << ": " << verdict.violation->rule << ' ' << verdict.violation->saw;
      });
      uint64_t number = 0;
      for (const Timed& timed : frames) {
        const mad::FrameBytes bytes = mad::Encode(timed.frame);
        judge.Take(++number, timed.nanoseconds, bytes.view(), bytes.size(),
                   mad::LinkType::kEthernet);
      }
      judge.Finish();
    }
  }
  EXPECT_GT(judged, 200u);
}

TEST(Capture, EchoesCommunicationIdsAndTransactions) {
  const std::vector<Timed> frames = FramesOf("establishment/whole_life.conv");
  std::optional<mad::Req> req;
  std::optional<mad::Rep> rep;
  uint64_t tid = 0;
  for (const Timed& timed : frames) {
    const mad::Message& message = timed.frame.mad.message;
    if (const auto* r = std::get_if<mad::Req>(&message)) {
      req = *r;
      tid = timed.frame.mad.header.tid;
    } else if (const auto* p = std::get_if<mad::Rep>(&message)) {
      rep = *p;
      ASSERT_TRUE(req);
      EXPECT_EQ(p->remote_cid, req->local_cid);
      EXPECT_EQ(timed.frame.mad.header.tid, tid);
    } else if (const auto* u = std::get_if<mad::Rtu>(&message)) {
      ASSERT_TRUE(rep);
      EXPECT_EQ(u->local_cid, req->local_cid);
      EXPECT_EQ(u->remote_cid, rep->local_cid);
    } else if (const auto* d = std::get_if<mad::Dreq>(&message)) {
      const bool from_active = d->local_cid == req->local_cid;
      EXPECT_EQ(d->remote_qpn_eecn, from_active ? rep->local_qpn : req->local_qpn);
    }
  }
  EXPECT_TRUE(rep);
}

// Also those that a tester asks with. source: linux 6.1 cma.c cma_get_roce_udp_flow_label
TEST(Capture, HasFlowLabelsOfThePortsThatARequestIsBetween) {
  size_t by_hand = 0;
  for (const std::string& file : ConversationFiles("conformance/scenarios/protocol")) {
    const Conversation conversation = Read(file.substr(std::strlen("conformance/scenarios/")));
    if (FindProfile(conversation.profile)->transport != Transport::kRoce) continue;
    const auto made = std::get<Capture>(CaptureOfFile(conversation));
    for (const Timed& timed : FramesOf(made, SentWithAnotherVersion(conversation))) {
      const auto* const req = std::get_if<mad::Req>(&timed.frame.mad.message);
      if (req == nullptr) continue;
      const uint64_t from = mad::CmaHeaderOf(*req).port;
      const uint64_t to = req->service_id & 0xffff;
      EXPECT_EQ(req->primary_flow_label, (from * 31 + to) & 0xfffff) << file;
      by_hand += std::ranges::any_of(conversation.topology->devices, &DeviceInfo::tester);
    }
  }
  EXPECT_GT(by_hand, 0u);
}

TEST(Capture, SaysThatIwarpHasNoMessagesOfTheCm) {
  const auto made = CaptureOfFile(Read("iwarp/life_and_end.conv"));
  ASSERT_TRUE(std::holds_alternative<std::string>(made));
  EXPECT_THAT(std::get<std::string>(made), HasSubstr("MPA"));
}

}  // namespace
}  // namespace cm
