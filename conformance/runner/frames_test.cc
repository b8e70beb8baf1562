// Frames of a conversation: what is altered in one is found, with the message and its rule.
#include "conformance/runner/frames.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/runner/verdict.h"
#include "conformance/scenarios/golden.h"
#include "conformance/scenarios/on_sim.h"
#include "model/conversation/parse.h"
#include "model/mad/frame.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Conversation Read(const std::string& file) {
  return std::get<Golden>(ReadGolden(TextOf("conformance/scenarios/" + file))).conversation;
}

// Both sides have connected, and the active one disconnects.
History Connected(std::string_view defect = {}) {
  return OnSim(Read("establishment/whole_life.conv"), defect);
}

const Profile& Reference() { return Profiles().front(); }

WireRecord& MessageOf(History* history, MadKind kind) {
  return *std::ranges::find(history->wire, kind, &WireRecord::kind);
}

template <typename Change>
void Alter(WireRecord* message, Change change) {
  mad::Frame frame = mad::Decode(message->frame, mad::LinkType::kEthernet).value();
  change(&frame);
  const mad::FrameBytes sealed = mad::Seal(frame);
  message->frame.assign(sealed.view().begin(), sealed.view().end());
}

std::vector<std::string> RulesBroken(const History& history) {
  std::vector<std::string> rules;
  for (const FrameViolation& found : JudgeFrames(history, Reference()).violations)
    rules.push_back(found.violation.rule);
  return rules;
}

TEST(Frames, OfAConformingConversationAreAllJudgedAndPermitted) {
  const History history = Connected();
  const JudgedFrames judged = JudgeFrames(history, Reference());
  EXPECT_EQ(judged.frames, history.wire.size());
  EXPECT_GE(judged.frames, 3u);
  EXPECT_THAT(judged.violations, IsEmpty());
}

TEST(Frames, WithAnotherIpVersionThanItsGidsIsFound) {
  History history = Connected();
  Alter(&MessageOf(&history, MadKind::kReq),
        [](mad::Frame* frame) { std::get<mad::Ipv4>(frame->ip).source ^= 1; });
  EXPECT_THAT(RulesBroken(history), testing::Contains("wire-addresses"));
}

TEST(Frames, ARepetitionThatDiffersInAByteIsFound) {
  History history = OnSim(Read("loss/first_reply.conv"));
  EXPECT_THAT(RulesBroken(history), IsEmpty());
  const auto first = std::ranges::find(history.wire, MadKind::kRep, &WireRecord::kind);
  const auto again = std::find_if(first + 1, history.wire.end(), [](const WireRecord& message) {
    return message.kind == MadKind::kRep;
  });
  ASSERT_NE(again, history.wire.end());
  Alter(&*again, [](mad::Frame* frame) { ++std::get<mad::Rep>(frame->mad.message).starting_psn; });
  EXPECT_THAT(RulesBroken(history), ElementsAre("mad-again"));
}

// The application says that the path has moved to an alternate one, of which there is none: no DREQ
// can be sent, and the id is in timewait unseen. source: linux 6.1 cm.c cm_migrate,
// cm_enter_timewait
TEST(Frames, OfOneThatHasLostItsPathSilentlyArePermitted) {
  const char* const text =
      "conversation 1\n"
      "topology one-kernel-two-devices\n"
      "profile 7.2-rxe\n"
      "passive rdma_create_event_channel c1\n"
      "passive rdma_create_id p1 on=c1\n"
      "passive rdma_bind_addr p1 addr=passive:28480\n"
      "passive rdma_listen p1 backlog=8\n"
      "active rdma_create_event_channel c2\n"
      "active rdma_create_id a2 on=c2\n"
      "active rdma_resolve_addr a2 dst=passive:28480 timeout_ms=2000\n"
      "active rdma_get_cm_event c2 as=e1\n"
      "active rdma_resolve_route a2 timeout_ms=2000\n"
      "settle\n"
      "active rdma_connect a2 qp_num=101\n"
      "active rdma_reject_ece a2 private=count:20\n"
      "passive rdma_get_cm_event c1 as=e3\n"
      "passive rdma_accept e3.id qp_num=104\n"
      "passive rdma_notify e3.id event=4\n"
      "passive rdma_notify e3.id event=6\n"
      "passive rdma_disconnect e3.id\n"
      "passive rdma_destroy_id p1\n";
  const History history = OnSim(std::get<Conversation>(ParseConversation(text)));
  const JudgedFrames judged = JudgeFrames(history, *FindProfile("7.2-rxe"));
  EXPECT_GE(judged.frames, 3u);
  EXPECT_THAT(judged.violations, IsEmpty());
}

// Both sides have named a queue pair of their own; of the active one's 32 bits the wire has 24.
History ConnectedByNumber() {
  const char* const text =
      "topology one-kernel-two-devices\nprofile 6.1-rxe\n"
      "passive listening L on=S port=7471\n"
      "active rdma_create_event_channel C\n"
      "active rdma_create_id A on=C\n"
      "active rdma_resolve_addr A dst=passive:7471 timeout_ms=2000\n"
      "active rdma_get_cm_event C as=e1\n"
      "active rdma_resolve_route A timeout_ms=2000\n"
      "active rdma_get_cm_event C as=e2\n"
      "active rdma_connect A qp_num=1610612837\n"
      "passive rdma_get_cm_event S as=e3 id=P\n"
      "passive rdma_accept P qp_num=102\n"
      "active rdma_get_cm_event C as=e4\n";
  return OnSim(std::get<Conversation>(ParseConversation(text)));
}

CmEvent& EventOf(History* history, EventType type) {
  for (Record& record : history->records)
    if (auto* answered = std::get_if<seen::Answered>(&record.seen))
      if (answered->event && answered->event->type == type) return *answered->event;
  ADD_FAILURE() << "no such event";
  std::abort();
}

TEST(Frames, CarryTheNumbersThatWereNamedAndShown) {
  History history = ConnectedByNumber();
  EXPECT_THAT(RulesBroken(history), IsEmpty());
  EXPECT_EQ(EventOf(&history, EventType::kConnectRequest).qp_num, 0x65u);
  EXPECT_EQ(EventOf(&history, EventType::kConnectResponse).qp_num, 102u);
}

// An accepting id that rdma_get_request has returned: its ESTABLISHED shows no number. source:
// linux 6.1 cma.c cma_ib_handler
TEST(Frames, NumbersAreNotShownToAnIdOfASynchronousListener) {
  const char* const text =
      "topology one-kernel-two-devices\nprofile 6.1-rxe\n"
      "passive rdma_create_id L on=null\n"
      "passive rdma_bind_addr L addr=passive:7471\n"
      "passive rdma_listen L\n"
      "active connecting A on=C to=passive:7471\n"
      "passive rdma_get_request L id=P\n"
      "passive rdma_create_qp P\n"
      "passive rdma_accept P\n"
      "active taking C\n"
      "settle\n"
      "passive show-event P\n";
  History history = OnSim(std::get<Conversation>(ParseConversation(text)));
  EXPECT_EQ(std::get<seen::Answered>(history.records.back().seen).event->type,
            EventType::kEstablished);
  EXPECT_THAT(RulesBroken(history), IsEmpty());
  ++EventOf(&history, EventType::kEstablished).qp_num;
  EXPECT_THAT(RulesBroken(history), ElementsAre("wire-number-shown"));
}

TEST(Frames, ACallThatNamesAnotherNumberIsFound) {
  History history = ConnectedByNumber();
  for (Line& line : history.conversation.lines)
    if (auto* calls = std::get_if<line::Calls>(&line))
      if (auto* accept = std::get_if<call::Accept>(&calls->call)) ++accept->param->qp_num;
  EXPECT_THAT(RulesBroken(history), ElementsAre("wire-number-named"));
}

// Of a queue pair the provider draws the number, and a call that fails sends nothing.
TEST(Frames, NumbersAreFreeWhereACallNamesNone) {
  for (const char* const text :
       {"topology one-kernel-two-devices\nprofile 6.1-rxe\n"
        "passive rdma_create_ep L src=passive:28704 passive qp ps=RDMA_PS_UDP\n"
        "passive rdma_listen L backlog=4\n"
        "active rdma_create_ep A dst=passive:28704 qp ps=RDMA_PS_UDP\n"
        "active rdma_connect A qp_num=101\n"
        "passive rdma_get_request L id=P\n"
        "passive rdma_accept P qp_num=102\n",
        "topology one-kernel-two-devices\nprofile 6.1-rxe\n"
        "active rdma_create_event_channel C\n"
        "active rdma_create_id A on=C\n"
        "active rdma_resolve_addr A dst=passive:7471 timeout_ms=2000\n"
        "active rdma_get_cm_event C as=e1\n"
        "active rdma_resolve_route A timeout_ms=2000\n"
        "active rdma_get_cm_event C as=e2\n"
        "active rdma_connect A qp_num=101\n"
        "active rdma_connect A qp_num=102\n"}) {
    const History history = OnSim(std::get<Conversation>(ParseConversation(text)));
    EXPECT_GE(JudgeFrames(history, Reference()).frames, 1u);
    EXPECT_THAT(RulesBroken(history), IsEmpty());
  }
}

TEST(Frames, AnEventWithAnotherNumberIsFound) {
  for (const EventType type : {EventType::kConnectRequest, EventType::kConnectResponse}) {
    History history = ConnectedByNumber();
    ++EventOf(&history, type).qp_num;
    EXPECT_THAT(RulesBroken(history), ElementsAre("wire-number-shown"));
  }
}

TEST(Frames, AnEventWithTheNumberOfALostMessageIsFound) {
  History history = ConnectedByNumber();
  MessageOf(&history, MadKind::kReq).lost = true;
  WireRecord arrived = MessageOf(&history, MadKind::kReq);
  arrived.lost = false;
  Alter(&arrived, [](mad::Frame* frame) {
    auto& req = std::get<mad::Req>(frame->mad.message);
    ++req.local_qpn;
  });
  history.wire.insert(history.wire.begin() + 1, arrived);
  EXPECT_THAT(RulesBroken(history), testing::Contains("wire-number-shown"));
}

void Tap(History* history) {
  for (WireRecord& message : history->wire) message.tapped = true;
}

// The driver sends each request in the call after the one that asks for it.
TEST(Frames, MayComeAfterTheirCallWhereTheyAreTapped) {
  std::string text =
      "topology one-kernel-two-devices\nprofile 6.1-rxe\n"
      "passive listening L on=S port=7471\n"
      "active rdma_create_event_channel C\n";
  for (const char* const id : {"A", "B"})
    text += fmt::format(
        "active rdma_create_id {0} on=C\n"
        "active rdma_resolve_addr {0} src=active:0 dst=passive:7471 timeout_ms=2000\n"
        "active rdma_get_cm_event C\n"
        "active rdma_resolve_route {0} timeout_ms=2000\n"
        "active rdma_get_cm_event C\n",
        id);
  text += "active rdma_connect A qp_num=101\nactive rdma_connect B qp_num=102\nsettle\n";
  History history = OnSim(std::get<Conversation>(ParseConversation(text)));
  EXPECT_THAT(RulesBroken(history), IsEmpty());
  for (WireRecord& message : history.wire)
    if (message.kind == MadKind::kReq) ++message.record;
  EXPECT_THAT(RulesBroken(history), ElementsAre("wire-number-named"));
  Tap(&history);
  EXPECT_THAT(RulesBroken(history), IsEmpty());
}

// One of two ids asks over the link, the other on its own device.
TEST(Frames, AreNotTappedWithinADevice) {
  std::string text =
      "topology one-kernel-two-devices\nprofile 6.1-rxe\n"
      "passive listening L on=S port=7471\n"
      "active rdma_create_event_channel C\n";
  for (const auto& [id, source] : {std::pair("A", "active"), std::pair("B", "passive")})
    text += fmt::format(
        "active rdma_create_id {0} on=C\n"
        "active rdma_resolve_addr {0} src={1}:0 dst=passive:7471 timeout_ms=2000\n"
        "active rdma_get_cm_event C\n"
        "active rdma_resolve_route {0} timeout_ms=2000\n"
        "active rdma_get_cm_event C\n",
        id, source);
  text +=
      "active rdma_connect A qp_num=101\nactive rdma_connect B qp_num=102\nsettle\n"
      "passive rdma_get_cm_event S\npassive rdma_get_cm_event S\n";
  History history = OnSim(std::get<Conversation>(ParseConversation(text)));
  EXPECT_THAT(RulesBroken(history), IsEmpty());
  std::erase_if(history.wire, [](const WireRecord& message) {
    const mad::Frame frame = mad::Decode(message.frame, mad::LinkType::kEthernet).value();
    const auto* req = std::get_if<mad::Req>(&frame.mad.message);
    return req != nullptr && req->local_qpn == 102;
  });
  EXPECT_THAT(RulesBroken(history), ElementsAre("wire-number-shown"));
  Tap(&history);
  EXPECT_THAT(RulesBroken(history), IsEmpty());
  for (Record& record : history.records)
    if (auto* answered = std::get_if<seen::Answered>(&record.seen))
      if (answered->event && answered->event->qp_num == 102) ++answered->event->qp_num;
  EXPECT_THAT(RulesBroken(history), ElementsAre("wire-number-shown"));
}

TEST(Frames, AreHeldAgainstTheirCallsWhereTheyAreTapped) {
  History history = ConnectedByNumber();
  Tap(&history);
  EXPECT_THAT(RulesBroken(history), IsEmpty());
  Alter(&MessageOf(&history, MadKind::kRep),
        [](mad::Frame* frame) { ++std::get<mad::Rep>(frame->mad.message).local_qpn; });
  EXPECT_THAT(RulesBroken(history), ElementsAre("wire-number-named", "wire-number-shown"));
}

// The link was down: its sender hears nothing of that.
TEST(Frames, MayLackAnRtuThatCouldNotLeave) {
  History history = Connected();
  std::erase_if(history.wire,
                [](const WireRecord& message) { return message.kind == MadKind::kRtu; });
  EXPECT_THAT(RulesBroken(history), Not(IsEmpty()));
  auto& first = history.conversation.lines[history.records.front().line];
  first = line::Injects{.fault = {.kind = FaultKind::kLinkDown}};
  EXPECT_THAT(RulesBroken(history), IsEmpty());
}

TEST(Frames, AreWholeWhereTheyAreTapped) {
  History history = Connected();
  history.wire.back().frame.pop_back();
  Tap(&history);
  EXPECT_THAT(RulesBroken(history), Not(IsEmpty()));
}

TEST(Frames, MayBelongToWhatWasBeforeWhereTheyAreTapped) {
  History history = Connected();
  history.wire.erase(history.wire.begin());
  EXPECT_THAT(RulesBroken(history), Not(IsEmpty()));
  Tap(&history);
  EXPECT_THAT(RulesBroken(history), IsEmpty());
}

TEST(Frames, WithoutFramesNothingIsJudged) {
  History history = Connected();
  for (WireRecord& message : history.wire) message.frame.clear();
  EXPECT_EQ(JudgeFrames(history, Reference()).frames, 0u);
}

TEST(Frames, AFindingNamesTheMessageTheRuleAndTheLine) {
  const SequenceResult result = Judge(Connected("reply-has-own-tid"), {}, Reference());
  ASSERT_EQ(result.findings.size(), 1u);
  const Finding& finding = result.findings.front();
  EXPECT_EQ(finding.id, kWireId);
  EXPECT_EQ(finding.about, "REP");
  EXPECT_THAT(finding.where, HasSubstr("rdma_accept"));
  EXPECT_THAT(finding.source, HasSubstr("linux 6.1 cm.c"));
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  EXPECT_THAT(Judge(Connected("reply-has-own-tid"), {}, Reference(), kRowsId).findings, IsEmpty());
}

}  // namespace
}  // namespace cm
