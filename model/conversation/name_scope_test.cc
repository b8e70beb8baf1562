#include "model/conversation/name_scope.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "model/conversation/parse.h"

namespace cm {
namespace {

// A conversation whose lines are carried out one by one.
class Followed {
 public:
  explicit Followed(std::string_view body, std::string_view capabilities = "none",
                    std::optional<Transport> over = std::nullopt)
      : conversation_(Read(body, capabilities)), scope_(conversation_, over) {}

  bool Applicable(size_t line) const { return !scope_.WhyNot(conversation_.lines[line]); }
  std::optional<NotMade> WhyNot(size_t line) const {
    return scope_.WhyNot(conversation_.lines[line]);
  }
  void Answer(uint32_t line, Reply reply) {
    scope_.Observe({.line = line, .seen = seen::Answered{.reply = reply}});
  }
  void Fetch(uint32_t line, const CmEvent& event) {
    scope_.Observe(
        {.line = line, .seen = seen::Answered{.reply = Reply::Returned(), .event = event}});
  }
  void Show(uint32_t line, const Shown& shown) {
    scope_.Observe(
        {.line = line, .seen = seen::Answered{.reply = Reply::Returned(), .shown = shown}});
  }
  void Release(uint32_t line, Reply reply) {
    scope_.Observe({.line = line, .seen = seen::Released{.reply = reply}});
  }
  void Done(uint32_t line) { scope_.Observe({.line = line, .seen = seen::Done{}}); }
  IdRef Id(std::string_view name) const { return *conversation_.names.ids.Find(name); }
  const NameScope& scope() const { return scope_; }

 private:
  static Conversation Read(std::string_view body, std::string_view capabilities) {
    auto parsed = ParseConversation("topology two-kernels\ncapabilities " +
                                    std::string(capabilities) + "\n" + std::string(body));
    if (const auto* problem = std::get_if<TextProblem>(&parsed)) {
      ADD_FAILURE() << problem->line << ": " << problem->what;
      return {.topology = FindTopology("two-kernels")};
    }
    return std::move(std::get<Conversation>(parsed));
  }

  Conversation conversation_;
  NameScope scope_;
};

constexpr std::string_view kIdOnChannel =
    "active rdma_create_event_channel C\n"   // 0
    "active rdma_create_id A on=C\n"         // 1
    "active rdma_listen A\n"                 // 2
    "active rdma_destroy_id A\n"             // 3
    "active rdma_destroy_event_channel C\n"  // 4
    "passive rdma_listen A\n"                // 5
    "active/2 rdma_listen A\n"               // 6
    "active rdma_get_cm_event C as=e\n"      // 7
    "active rdma_ack_cm_event e\n"           // 8
    "active rdma_resolve_route A\n"          // 9
    "active wait C within=1s\n"              // 10
    "settle\n"                               // 11
    "fault exit side=active\n";              // 12

TEST(ALine, AppliesOnlyToWhatCameToBe) {
  Followed run(kIdOnChannel);
  EXPECT_EQ(run.WhyNot(1), NotMade::kNeverMade);
  run.Answer(0, Reply::Returned());
  EXPECT_TRUE(run.Applicable(1));
  EXPECT_EQ(run.WhyNot(2), NotMade::kNeverMade);
  run.Answer(1, Reply::Refused(Errno::kNoMem));
  EXPECT_EQ(run.WhyNot(2), NotMade::kNeverMade);
  run.Answer(1, Reply::Returned());
  EXPECT_TRUE(run.Applicable(2));
}

TEST(ALine, DoesNotApplyToAnIdOfAnotherSide) {
  Followed run(kIdOnChannel);
  run.Answer(0, Reply::Returned());
  run.Answer(1, Reply::Returned());
  EXPECT_EQ(run.WhyNot(5), NotMade::kOfAnotherSide);
}

TEST(AnId, IsGoneOnceDestroyingItWasNotRefused) {
  for (const bool blocks : {false, true}) {
    Followed run(kIdOnChannel);
    run.Answer(0, Reply::Returned());
    run.Answer(1, Reply::Returned());
    run.Answer(3, Reply::Refused(Errno::kInval));
    EXPECT_TRUE(run.scope().IdIsLive(run.Id("A")));
    run.Answer(3, blocks ? Reply::Blocked() : Reply::Returned());
    EXPECT_FALSE(run.scope().IdIsLive(run.Id("A")));
    EXPECT_EQ(run.WhyNot(2), blocks ? NotMade::kLaneWaits : NotMade::kGone);
    EXPECT_EQ(run.WhyNot(6), NotMade::kGone) << "another lane of the side";
  }
}

TEST(AnId, IsGoneWithItsChannel) {
  Followed run(kIdOnChannel);
  run.Answer(0, Reply::Returned());
  run.Answer(1, Reply::Returned());
  run.Answer(4, Reply::Returned());
  EXPECT_EQ(run.WhyNot(2), NotMade::kGone);
  EXPECT_EQ(run.WhyNot(7), NotMade::kGone);
  EXPECT_EQ(run.WhyNot(10), NotMade::kGone);
}

TEST(ALane, TakesNothingWhileACallIsPending) {
  Followed run(kIdOnChannel);
  run.Answer(0, Reply::Returned());
  run.Answer(1, Reply::Returned());
  run.Answer(7, Reply::Blocked());
  EXPECT_EQ(run.WhyNot(2), NotMade::kLaneWaits);
  EXPECT_EQ(run.WhyNot(10), NotMade::kLaneWaits);
  EXPECT_TRUE(run.Applicable(6)) << "another lane of the side is free";
  EXPECT_TRUE(run.Applicable(11));
  run.Release(7, Reply::Returned());
  EXPECT_TRUE(run.Applicable(2));
}

TEST(AChannel, IsNotDestroyedUnderACallThatWaitsOnIt) {
  Followed run(
      "active rdma_create_event_channel C\nactive rdma_get_cm_event C as=e\n"
      "active/2 rdma_destroy_event_channel C\n");
  run.Answer(0, Reply::Returned());
  EXPECT_TRUE(run.Applicable(2));
  run.Answer(1, Reply::Blocked());
  EXPECT_EQ(run.WhyNot(2), NotMade::kChannelInUse);
}

TEST(AnEvent, IsAcknowledgedOnceAndNotBeforeItWasFetched) {
  Followed run(kIdOnChannel);
  run.Answer(0, Reply::Returned());
  run.Answer(1, Reply::Returned());
  EXPECT_EQ(run.WhyNot(8), NotMade::kNeverMade);
  run.Fetch(7, {.type = EventType::kDeviceRemoval, .id = run.Id("A")});
  EXPECT_TRUE(run.Applicable(8));
  run.Answer(8, Reply::Returned());
  EXPECT_EQ(run.WhyNot(8), NotMade::kGone);
}

TEST(ARequest, BringsItsIdIntoBeing) {
  Followed run(
      "passive listening L on=S port=1\npassive rdma_get_cm_event S as=e id=P\n"
      "passive rdma_reject P\n");
  for (const uint32_t line : {0u, 1u, 2u, 3u}) run.Answer(line, Reply::Returned());
  EXPECT_EQ(run.WhyNot(5), NotMade::kNeverMade);
  run.Fetch(4, {.type = EventType::kConnectRequest, .id = run.Id("P"), .listen_id = run.Id("L")});
  EXPECT_TRUE(run.Applicable(5));
}

TEST(AProcess, SaysNothingAfterItHasExited) {
  Followed run(kIdOnChannel);
  run.Answer(0, Reply::Returned());
  run.Answer(1, Reply::Returned());
  run.Done(12);
  for (const size_t line : {0u, 1u, 2u, 4u, 6u, 7u, 10u})
    EXPECT_EQ(run.WhyNot(line), NotMade::kExited) << line;
  EXPECT_TRUE(run.Applicable(11));
}

TEST(ARecord, SaysOfACallThatIsMadeWhatItMisuses) {
  for (const bool asked_for : {false, true}) {
    Followed run(kIdOnChannel, asked_for ? "misuse" : "none");
    run.Answer(0, Reply::Returned());
    run.Answer(1, Reply::Returned());
    run.Answer(3, Reply::Returned());
    Record record{.line = 2, .seen = seen::Answered{}};
    run.scope().Mark(&record);
    EXPECT_EQ(record.not_made, asked_for ? std::nullopt : std::optional(NotMade::kGone));
    EXPECT_EQ(record.misuse, asked_for ? std::optional(Misuse::kIdDestroyed) : std::nullopt);
  }
}

TEST(CallsAtOnce, ContendWhereOneTakesWhatTheOtherNeeds) {
  Followed run(kIdOnChannel);
  run.Answer(0, Reply::Returned());
  run.Answer(1, Reply::Returned());
  const IdRef a = run.Id("A");
  const EventRef e{0};
  const ChannelRef c{0};
  const Call listen = call::Listen{a};
  const Call destroy = call::DestroyId{a};
  const Call fetch = call::GetCmEvent{c, e, {}};
  const Call close = call::DestroyEventChannel{c};
  const Call ack = call::AckCmEvent{e};
  EXPECT_FALSE(run.scope().Contend(listen, listen));
  EXPECT_TRUE(run.scope().Contend(listen, destroy));
  EXPECT_TRUE(run.scope().Contend(destroy, listen));
  EXPECT_TRUE(run.scope().Contend(listen, call::BindAddr{a, {}}));
  EXPECT_FALSE(run.scope().Contend(fetch, destroy));
  EXPECT_FALSE(run.scope().Contend(fetch, fetch));
  EXPECT_FALSE(run.scope().Contend(ack, destroy));
  EXPECT_TRUE(run.scope().Contend(ack, ack));
  EXPECT_TRUE(run.scope().Contend(close, fetch));
  EXPECT_TRUE(run.scope().Contend(call::FreeDevices{HeldRef{0}}, call::FreeDevices{HeldRef{0}}));
  EXPECT_FALSE(run.scope().Contend(call::FreeDevices{HeldRef{0}}, call::FreeDevices{HeldRef{1}}));
  EXPECT_TRUE(run.scope().Contend(listen, close));
}

// rdma-core 44 cma.c: rdma_resolve_route reads id->verbs, which ADDR_RESOLVED sets.
constexpr std::string_view kMember = R"(active rdma_create_event_channel C
active rdma_create_id A on=C ps=RDMA_PS_UDP
active rdma_bind_addr A addr=active:0
active rdma_join_multicast A addr=group1:0
active rdma_get_cm_event C as=joined
active/2 rdma_leave_multicast A addr=group1:0
active rdma_ack_cm_event joined
active show A
fault remove-device side=active
)";

TEST(AGroup, IsLeftWithNothingElseBeingDoneToTheId) {
  Followed member(kMember);
  for (uint32_t line = 0; line < 4; ++line) member.Answer(line, Reply::Returned());
  member.Fetch(4, {.type = EventType::kMulticastJoin, .id = member.Id("A")});
  member.Answer(5, Reply::Blocked());
  EXPECT_EQ(member.WhyNot(7), NotMade::kIdInUse);
  EXPECT_TRUE(member.Applicable(6));
  member.Answer(6, Reply::Returned());
  member.Release(5, Reply::Returned());
  EXPECT_TRUE(member.Applicable(7));
}

TEST(AGroup, IsNotLeftWithoutItsDeviceWhileAnEventPointsToIt) {
  Followed member(kMember);
  for (uint32_t line = 0; line < 4; ++line) member.Answer(line, Reply::Returned());
  member.Done(8);
  EXPECT_EQ(member.WhyNot(5), NotMade::kWouldCrash);
  member.Fetch(4, {.type = EventType::kMulticastJoin, .id = member.Id("A")});
  EXPECT_EQ(member.WhyNot(5), NotMade::kWouldCrash);
  member.Answer(6, Reply::Returned());
  EXPECT_TRUE(member.Applicable(5));
}

TEST(ACrash, IsNotMadeUnlessAskedFor) {
  for (const bool asked_for : {false, true}) {
    Followed run(kIdOnChannel, asked_for ? "crashes" : "none");
    run.Answer(0, Reply::Returned());
    run.Answer(1, Reply::Returned());
    EXPECT_EQ(run.Applicable(9), asked_for);
    run.Fetch(7, {.type = EventType::kAddrResolved, .id = run.Id("A")});
    EXPECT_TRUE(run.Applicable(9));
  }
}

TEST(ACrash, EndsEveryCallThatFollows) {
  Followed run(kIdOnChannel, "crashes");
  run.Answer(0, Reply::Returned());
  run.Answer(1, Reply::Returned());
  run.Answer(9, Reply::Crashed());
  for (const size_t line : {0u, 2u, 7u, 10u}) EXPECT_FALSE(run.Applicable(line)) << line;
  EXPECT_TRUE(run.Applicable(11));
}

constexpr std::string_view kConnecting =
    "active rdma_create_event_channel C\n"  // 0
    "active rdma_create_id A on=C\n"        // 1
    "active rdma_get_cm_event C as=e\n"     // 2
    "active rdma_connect A\n"               // 3
    "active rdma_get_cm_event C as=f\n"     // 4
    "active/2 rdma_reject A\n"              // 5
    "active/2 rdma_accept A\n";             // 6

Followed Connecting(std::string_view profile, std::optional<Transport> over = std::nullopt) {
  Followed run("profile " + std::string(profile) + "\n" + std::string(kConnecting), "none", over);
  run.Answer(0, Reply::Returned());
  run.Answer(1, Reply::Returned());
  run.Fetch(2, {.type = EventType::kAddrResolved, .id = run.Id("A")});
  return run;
}

TEST(ACrash, OfTheKernelIsNotMadeEither) {
  Followed run = Connecting("6.1-siw");
  EXPECT_TRUE(run.Applicable(5)) << "before the attempt it is refused, and harms nothing";
  run.Answer(3, Reply::Blocked());
  for (const size_t line : {5u, 6u}) EXPECT_EQ(run.WhyNot(line), NotMade::kWouldCrash);
  run.Release(3, Reply::Returned());
  for (const size_t line : {5u, 6u}) EXPECT_EQ(run.WhyNot(line), NotMade::kWouldCrash);
  run.Fetch(4, {.type = EventType::kEstablished, .id = run.Id("A")});
  for (const size_t line : {5u, 6u}) EXPECT_TRUE(run.Applicable(line));
}

TEST(ACrash, OfTheKernelEndsWithAnAttemptThatFails) {
  Followed run = Connecting("6.1-siw");
  run.Answer(3, Reply::Blocked());
  run.Release(3, Reply::Refused(Errno::kConnRefused));
  EXPECT_TRUE(run.Applicable(5));
}

TEST(ACrash, OfTheKernelIsOfIwarpAlone) {
  Followed run = Connecting("6.1-rxe");
  run.Answer(3, Reply::Returned());
  EXPECT_TRUE(run.Applicable(5));
}

TEST(ACrash, OfTheKernelIsThatOfTheTransportWhateverTheNameOfTheProfile) {
  Followed over_iwarp = Connecting("mine.json", Transport::kIwarp);
  over_iwarp.Answer(3, Reply::Returned());
  EXPECT_EQ(over_iwarp.WhyNot(5), NotMade::kWouldCrash);
  Followed elsewhere = Connecting("6.1-siw", Transport::kRoce);
  elsewhere.Answer(3, Reply::Returned());
  EXPECT_TRUE(elsewhere.Applicable(5));
}

// The event that the call took for its own may be the written one.
TEST(Applicable, IsNoRouteOfAnIdWhoseEventMayHaveBeenAnothers) {
  for (const bool written : {false, true}) {
    Followed run(
        "active rdma_create_id A on=null\n"
        "active rdma_write_cm_event A\n"
        "active rdma_resolve_addr A dst=passive:7471\n"
        "active rdma_resolve_route A\n");
    run.Answer(0, Reply::Returned());
    run.Answer(1, written ? Reply::Returned() : Reply::Refused(Errno::kInval));
    run.Answer(2, Reply::Returned());
    EXPECT_EQ(run.Applicable(3), !written);
  }
}

TEST(Applicable, IsARouteOfAnIdThatHasShownItsDevice) {
  for (const bool shown : {false, true}) {
    Followed run(
        "active rdma_create_id A on=null\n"
        "active show A\n"
        "active rdma_resolve_route A\n");
    run.Answer(0, Reply::Returned());
    run.Show(1, {.device_known = shown});
    EXPECT_EQ(run.Applicable(2), shown);
  }
}

}  // namespace
}  // namespace cm
