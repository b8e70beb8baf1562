// Retransmission and giving up of requests: on an exact clock, on the timer wheel of an idle host,
// and with a limit of outstanding requests. The numbers were observed on real kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/ib_cm/ib_cm.h"

namespace cm::sim {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;
using testing::SizeIs;

constexpr Duration kTurn = Duration::Milliseconds(256);  // slot of the wheel, for a few seconds

Profile WithClock(std::string_view name, TimerClock clock) {
  Profile profile = *FindProfile(name);
  profile.timing.clock = clock;
  return profile;
}

// Two hosts; the second one accepts every request.
class Hosts : private IbCmUser {
 public:
  explicit Hosts(Profile profile)
      : profile_(std::move(profile)), fabric_(FindTopology("two-kernels"), &profile_) {
    fabric_.watches = true;
  }

  IbIndex Connect() {
    const IbIndex ib = ib_.Create(0, 0, CmIdIndex(), 0);
    ib_.SetUser(ib, CmIdIndex(ib.value()));
    Mad req;
    req.qp_num = ++numbers_;
    const auto lifetime = static_cast<uint8_t>(profile_.timing.packet_lifetime);
    EXPECT_EQ(ib_.SendReq(Context(), ib, 1, lifetime, req), Errno::kNone);
    return ib;
  }
  void Disconnect(IbIndex ib) { EXPECT_EQ(ib_.SendDreq(Context(), ib), Errno::kNone); }
  void Destroy(IbIndex ib) { ib_.Destroy(Context(), ib); }
  void Loses(MadKind kind) {
    for (const uint8_t side : {0, 1})
      fabric_.Install({.kind = FaultKind::kDrop, .side = side, .messages = MadKinds(kind)}, Now());
  }
  void RunUntil(Instant when) {
    while (agenda_.NextAt() && *agenda_.NextAt() <= when) Step();
    agenda_.AdvanceTo(when);
  }
  void RunToTheEnd() {
    while (agenda_.NextAt()) Step();
  }
  Instant Now() const { return agenda_.Now(); }

  // Times of sent messages of the kind.
  std::vector<Instant> Sent(MadKind kind) const {
    std::vector<Instant> times;
    for (const WireNote& note : fabric_.wire_notes)
      if (note.mad.kind == kind) times.push_back(note.at);
    return times;
  }
  // Times of reported events of the kind.
  std::vector<Instant> Heard(IbEventKind kind) const {
    std::vector<Instant> times;
    for (const auto& [what, at] : heard_)
      if (what == kind) times.push_back(at);
    return times;
  }

 private:
  IbCm::Context Context() { return {&agenda_, &fabric_, this, &profile_}; }
  void Step() {
    const Event event = agenda_.Take();
    if (event.kind() == EventKind::kMadTimer) ib_.OnMadTimer(Context(), IbIndex(event.on()));
    if (event.kind() == EventKind::kTimewaitOver)
      ib_.OnTimewaitOver(Context(), IbIndex(event.on()));
    if (event.kind() != EventKind::kPacketArrives) return;
    const Packet* const packet = fabric_.Arrive(Now(), event.on());
    if (packet) ib_.Receive(Context(), packet->to, packet->mad);
    if (!request_) return;
    Mad rep;
    rep.qp_num = ++numbers_;
    EXPECT_EQ(ib_.SendRep(Context(), *request_, rep), Errno::kNone);
    request_.reset();
  }
  bool Listens(uint8_t, const Mad&) override { return true; }
  RequestVerdict OnRequest(IbIndex ib, uint8_t, const Mad&) override {
    ib_.SetUser(ib, CmIdIndex(ib.value()));
    request_ = ib;
    return RequestVerdict::kTaken;
  }
  void OnIbEvent(CmIdIndex user, IbEventKind kind, const Mad*) override {
    const IbIndex ib(user.value());
    heard_.push_back({kind, Now()});
    Errno answered = Errno::kNone;
    if (kind == IbEventKind::kRepReceived) answered = ib_.SendRtu(Context(), ib);
    if (kind == IbEventKind::kDreqReceived) answered = ib_.SendDrep(Context(), ib);
    EXPECT_EQ(answered, Errno::kNone);
  }
  void OnIbGone(CmIdIndex) override {}

  struct HeardEvent {
    IbEventKind kind;
    Instant at;
  };

  Profile profile_;
  Agenda agenda_;
  Fabric fabric_;
  IbCm ib_;
  uint32_t numbers_ = 0;
  std::optional<IbIndex> request_;
  std::vector<HeardEvent> heard_;
};

std::vector<Duration> Gaps(const std::vector<Instant>& times) {
  std::vector<Duration> gaps;
  for (size_t i = 1; i < times.size(); ++i) gaps.push_back(times[i] - times[i - 1]);
  return gaps;
}

// The first gap is shorter by the rest of the wheel's slot when it begins.
void ExpectQuietHost(const Hosts& hosts, MadKind kind, Duration nominal, Duration steady) {
  const std::vector<Instant> sent = hosts.Sent(kind);
  ASSERT_THAT(sent, SizeIs(16));
  const std::vector<Duration> gaps = Gaps(sent);
  EXPECT_THAT(gaps.front(), AllOf(Ge(nominal), Le(steady)));
  EXPECT_THAT(std::vector<Duration>(gaps.begin() + 1, gaps.end()), Each(steady));
}

TEST(AWheel, RepeatsRequestsAsLateAsAQuietHostDoes) {
  struct Observed {
    std::string_view profile;
    int64_t nominal_ms, steady_ms, given_up_ms;
  };
  for (const Observed& seen :
       {Observed{"6.1-rxe", 6144, 6400, 102360}, Observed{"7.2-rxe", 4608, 4864, 77630}}) {
    Hosts hosts(WithClock(seen.profile, TimerClock::kWheel));
    hosts.Loses(MadKind::kReq);
    const Duration steady = Duration::Milliseconds(seen.steady_ms);
    const Duration given_up = Duration::Milliseconds(seen.given_up_ms);
    // The first gap in that observation.
    const Duration first = given_up - steady * 15;
    hosts.RunUntil(Instant() + (kTurn - (first - (steady - kTurn))));
    const Instant began = hosts.Now();
    hosts.Connect();
    hosts.RunToTheEnd();
    ExpectQuietHost(hosts, MadKind::kReq, Duration::Milliseconds(seen.nominal_ms), steady);
    ASSERT_THAT(hosts.Heard(IbEventKind::kReqError), SizeIs(1));
    const Duration lasted = hosts.Heard(IbEventKind::kReqError).front() - began;
    EXPECT_THAT(lasted, AllOf(Ge(given_up - Duration::Milliseconds(4)),
                              Le(given_up + Duration::Milliseconds(4))))
        << seen.profile;
  }
}

TEST(AWheel, RepeatsRepliesAsLateAsAQuietHostDoes) {
  Hosts hosts(WithClock("6.12-rxe", TimerClock::kWheel));
  hosts.Loses(MadKind::kRtu);
  hosts.Connect();
  hosts.RunToTheEnd();
  ExpectQuietHost(hosts, MadKind::kRep, Duration::Milliseconds(4096), Duration::Milliseconds(4352));
}

// Observed: 2.06 to 2.31 s on 6.1, 0.51 to 0.55 s on 6.12; the slots are 256 and 32 ms.
TEST(AWheel, EndsTimewaitLateAndNeverEarly) {
  struct Nominal {
    std::string_view profile;
    int64_t timewait_ms, turn_ms;
  };
  for (const Nominal& one : {Nominal{"6.1-rxe", 2048, 256}, Nominal{"6.12-rxe", 512, 32}}) {
    for (int64_t phase_ms = 0; phase_ms < 300; phase_ms += 7) {
      Hosts hosts(WithClock(one.profile, TimerClock::kWheel));
      const IbIndex ib = hosts.Connect();
      hosts.RunUntil(Instant() + Duration::Milliseconds(1 + phase_ms));
      hosts.Disconnect(ib);
      hosts.RunToTheEnd();
      ASSERT_THAT(hosts.Heard(IbEventKind::kTimewaitExit), SizeIs(2));
      const Instant over = hosts.Heard(IbEventKind::kTimewaitExit).back();
      const Duration lasted = over - hosts.Heard(IbEventKind::kDrepReceived).front();
      const Duration nominal = Duration::Milliseconds(one.timewait_ms);
      EXPECT_THAT(lasted, AllOf(Ge(nominal), Le(nominal + Duration::Milliseconds(one.turn_ms))));
    }
  }
}

TEST(AnExactClock, IsThatOfEveryProfileUnlessSaidOtherwise) {
  for (const Profile& profile : Profiles())
    EXPECT_EQ(profile.timing.clock, TimerClock::kExact) << profile.name;
}

// Times when 200 unanswered requests are given up.
std::vector<Instant> GivenUp(std::string_view profile, TimerClock clock) {
  Hosts hosts(WithClock(profile, clock));
  hosts.Loses(MadKind::kReq);
  for (int i = 0; i < 200; ++i) hosts.Connect();
  hosts.RunToTheEnd();
  EXPECT_THAT(hosts.Sent(MadKind::kReq), SizeIs(200 * 16)) << profile;
  return hosts.Heard(IbEventKind::kReqError);
}

constexpr Instant At(int64_t seconds) { return Instant() + Duration::Seconds(seconds); }

// Observed with 200 connects: 7.2 permits 128 outstanding requests, so that the others are late.
TEST(AKernelThatLimitsRequests, GivesThemUpLater) {
  for (const TimerClock clock : {TimerClock::kExact, TimerClock::kWheel}) {
    const std::vector<Instant> unlimited = GivenUp("6.12-rxe", clock);
    ASSERT_THAT(unlimited, SizeIs(200));
    EXPECT_THAT(unlimited, Each(AllOf(Ge(At(73)), Le(At(86)))));
    const std::vector<Instant> limited = GivenUp("7.2-rxe", clock);
    ASSERT_THAT(limited, SizeIs(200));
    EXPECT_THAT(limited, Each(AllOf(Ge(At(108)), Le(At(123)))));
  }
}

TEST(AKernelThatLimitsRequests, SendsAsManyAtOnceAsItMay) {
  Hosts hosts(WithClock("7.2-rxe", TimerClock::kExact));
  hosts.Loses(MadKind::kReq);
  for (int i = 0; i < 200; ++i) hosts.Connect();
  EXPECT_THAT(hosts.Sent(MadKind::kReq), SizeIs(128));
  hosts.RunUntil(At(4));
  EXPECT_THAT(hosts.Sent(MadKind::kReq), SizeIs(128));
  hosts.RunUntil(At(5));
  EXPECT_THAT(hosts.Sent(MadKind::kReq), SizeIs(256));
}

// A queued request that is cancelled is never sent, and the next one moves up.
TEST(AKernelThatLimitsRequests, ForgetsOneThatIsDestroyedBeforeItsTurn) {
  Hosts hosts(WithClock("7.2-rxe", TimerClock::kExact));
  hosts.Loses(MadKind::kReq);
  std::vector<IbIndex> ids;
  for (int i = 0; i < 130; ++i) ids.push_back(hosts.Connect());
  hosts.Destroy(ids[128]);
  EXPECT_THAT(hosts.Sent(MadKind::kReq), SizeIs(128));
  EXPECT_THAT(hosts.Sent(MadKind::kRej), SizeIs(1));
  hosts.Destroy(ids[0]);
  EXPECT_THAT(hosts.Sent(MadKind::kReq), SizeIs(129)) << "the last one has its turn";
}

}  // namespace
}  // namespace cm::sim
