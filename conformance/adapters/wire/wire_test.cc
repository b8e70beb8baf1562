// The tester's conversations through frames, with the simulator behind the door.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "conformance/adapters/wire/drawn.h"
#include "conformance/adapters/wire/sim_peer.h"
#include "conformance/adapters/wire/socket_door.h"
#include "conformance/adapters/wire/trial.h"
#include "conformance/process/descriptor.h"
#include "model/base/files.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"

namespace cm::live {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace fs = std::filesystem;

constexpr Ends kEnds{.us = {.mac = {2, 0, 0, 0, 0, 1},
                            .v4 = 0x0a00004d,
                            .v6 = {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x77}},
                     .peer = {.mac = {2, 0, 0, 0, 0, 2},
                              .v4 = 0x0a000101,
                              .v6 = {0xfd, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}};

// A door that does something to what the peer says.
class Meddling : public Door {
 public:
  using Meddle = std::function<std::optional<Bytes>(Bytes)>;
  Meddling(std::unique_ptr<Door> door, Meddle meddle)
      : door_(std::move(door)), meddle_(std::move(meddle)) {}
  Instant Now() override { return door_->Now(); }
  void Send(std::span<const uint8_t> frame) override { door_->Send(frame); }
  Driver* application() override { return door_->application(); }
  std::optional<Bytes> Receive(Instant until) override {
    while (auto frame = door_->Receive(until))
      if (auto other = meddle_(std::move(*frame))) return other;
    return std::nullopt;
  }

 private:
  std::unique_ptr<Door> door_;
  Meddle meddle_;
};

class WireTest : public testing::Test {
 protected:
  static Trial With(const std::string& profile, Meddling::Meddle meddle = {}) {
    return With(FindProfile(profile), std::move(meddle));
  }
  // `peer` must outlive what is returned.
  static Trial With(const Profile* peer, Meddling::Meddle meddle = {}) {
    Ends ends = kEnds;
    ends.peer.mac = {};  // the simulator's
    return Trial({.open = [peer, meddle](const Ends& ends,
                                         const Conversation* by_lines) -> std::unique_ptr<Door> {
                    auto door = MakeSimPeer(peer, ends, by_lines);
                    if (!meddle) return door;
                    return std::make_unique<Meddling>(std::move(door), meddle);
                  },
                  .ends = ends,
                  .with_driver = true,
                  .profile = *FindProfile("6.1-rxe"),
                  .first = {.first_cid = 0x100}});
  }
  static Conversation Read(const std::string& lines) {
    auto parsed = ParseConversation("topology tester\nprofile 6.1-rxe\ncapabilities time tester\n" +
                                    (lines.starts_with("active")
                                         ? ""
                                         : "passive listening L on=S port=7471\n" + std::string()) +
                                    lines);
    EXPECT_TRUE(std::holds_alternative<Conversation>(parsed)) << lines;
    return std::get<Conversation>(parsed);
  }
  static std::vector<std::string> Said(const Course& course) {
    std::vector<std::string> said;
    for (const Passing& frame : course.frames)
      if (!frame.ours && frame.at < course.end) said.push_back(frame.text);
    return said;
  }
};

// source: docs/sources/cm_protocol.md 3.3 M4, S26, S54, L10
TEST_F(WireTest, APeerAnswersAsTheProtocolSays) {
  const auto said = [](const std::string& lines) {
    return Said(With("6.1-rxe").Try(Read(lines)).seen);
  };
  EXPECT_THAT(said("tester sends REQ to=passive port=7471 response=8 retries=3\n"),
              ElementsAre("REP", "REP", "REP", "REP"));
  EXPECT_THAT(said("tester sends REQ to=passive port=7471 uc\n"),
              ElementsAre("REJ reason=28 of=REQ unnamed"));
  EXPECT_THAT(said("tester sends REQ to=passive port=7\n"),
              ElementsAre("REJ reason=8 of=REQ unnamed"));
  EXPECT_THAT(said("tester sends DREQ to=passive remote=99 qp=17\n"), ElementsAre("DREP"));
  EXPECT_THAT(said("tester sends REQ to=passive port=7471\npassive accepting P on=S\n"
                   "tester sends RTU to=passive remote=P\n"
                   "tester sends DREQ to=passive remote=P\n"),
              ElementsAre("REP", "DREP"));
  EXPECT_THAT(said("tester sends REQ to=passive port=7471 unresolvable\npass 2s\n"), IsEmpty());
}

TEST_F(WireTest, TheSimulatorIsAsItIs) {
  Trial trial = With("6.1-rxe");
  for (uint64_t i = 0; i < 60; ++i) {
    const Tried tried = trial.Try(Draw(1, i, "6.1-rxe"));
    ASSERT_THAT(tried.differences, IsEmpty())
        << tried.differences.front().cause << ToText(tried.conversation);
  }
}

constexpr Manner kEveryManner{.active = true, .v6 = true};

TEST_F(WireTest, TheSimulatorIsAsItIsInEveryManner) {
  Trial trial = With("6.1-rxe");
  int active = 0;
  int v6 = 0;
  for (uint64_t i = 0; i < 90; ++i) {
    const Conversation conversation = Draw(2, i, "6.1-rxe", kEveryManner);
    const Tried tried = trial.Try(conversation);
    ASSERT_THAT(tried.differences, IsEmpty())
        << tried.differences.front().cause << tried.differences.front().saw
        << ToText(tried.conversation);
    active += PeerSideOf(conversation) == kActiveSide ? 1 : 0;
    v6 += std::ranges::any_of(tried.seen.frames, [](const Passing& frame) {
      return !frame.ours && frame.bytes.size() > 13 && frame.bytes[12] == 0x86;
    });
  }
  EXPECT_EQ(active, 30);
  EXPECT_GT(v6, 15) << "answered over IPv6";
}

TEST_F(WireTest, TheSimulatorIsWrittenToWhereItWritesFrom) {
  Trial trial = With("6.1-rxe");
  for (const char* lines : {"tester sends REQ to=passive port=7\n",
                            "active connecting A on=C to=tester:7471\n"
                            "tester sends REP to=active local=7 remote=A\n"}) {
    const Tried tried = trial.Try(Read(lines));
    ASSERT_THAT(Said(tried.seen), Not(IsEmpty())) << lines;
    std::optional<mad::Mac> peer;
    for (const Passing& passing : tried.seen.frames) {
      const auto frame = mad::Decode(passing.bytes, mad::LinkType::kEthernet).value();
      const auto& link = std::get<mad::Ethernet>(frame.link);
      EXPECT_EQ(passing.ours ? link.source : link.destination, kEnds.us.mac) << passing.text;
      const mad::Mac& other = passing.ours ? link.destination : link.source;
      EXPECT_EQ(other, peer.value_or(other)) << passing.text;
      peer = other;
    }
    EXPECT_NE(peer, mad::Mac{}) << lines;
  }
}

// source: docs/sources/cm_protocol.md R13, L10
TEST_F(WireTest, AnActivePeerIsAnsweredAndItsApplicationJudged) {
  const Conversation answered = Read(
      "active connecting A on=C to=tester:7471\ntester sends REP to=active local=7 remote=A\n"
      "active taking C\ntester sends REP to=active local=7 remote=A\n"
      "active rdma_disconnect A\nsettle\n");
  Tried tried = With("6.1-rxe").Try(answered);
  EXPECT_THAT(tried.differences, IsEmpty());
  EXPECT_THAT(Said(tried.seen), ElementsAre("REQ", "RTU", "RTU", "DREQ"));
  ASSERT_TRUE(tried.seen.history);
  const auto causes = [](const std::vector<Difference>& differences) {
    std::vector<std::string> all;
    for (const Difference& one : differences) all.push_back(one.cause);
    return all;
  };
  // An answer that no row permits, and nothing on the wire.
  const auto last = std::ranges::find_if(
      tried.seen.history->records.rbegin(), tried.seen.history->records.rend(),
      [](const Record& one) { return std::holds_alternative<seen::Answered>(one.seen); });
  std::get<seen::Answered>(last->seen).reply = Reply::Refused(Errno::kInval);
  EXPECT_THAT(causes(Differences(tried.expected, tried.seen, *FindProfile("6.1-rxe"))),
              ElementsAre("answer of active rdma_disconnect A"));
  // A frame that is not sent, and nothing at the application.
  const auto without_dreqs = [](Bytes frame) -> std::optional<Bytes> {
    const auto decoded = mad::Decode(frame, mad::LinkType::kEthernet);
    if (decoded.value().mad.header.kind() == MadKind::kDreq) return std::nullopt;
    return frame;
  };
  EXPECT_THAT(causes(With("6.1-rxe", without_dreqs).Try(answered).differences),
              ElementsAre("DREQ missing"));
}

// The RTU names the connection whose request a fetch has waited for: the reply is said once.
TEST_F(WireTest, ARequestIsNamedByAFetchThatWaitsForIt) {
  const Tried tried = With("6.1-rxe").Try(
      Read("passive rdma_create_id U on=S ps=RDMA_PS_UDP\n"  // so that lines are carried out
           "passive/2 rdma_get_cm_event S as=e id=P\n"
           "tester sends REQ to=passive port=7471 response=16 retries=3\n"
           "passive rdma_create_qp P\npassive rdma_accept P\n"
           "tester sends RTU to=passive remote=P\npass 2s\n"));
  EXPECT_THAT(tried.differences, IsEmpty());
  ASSERT_TRUE(tried.seen.history);
  EXPECT_THAT(ToText(*tried.seen.history), HasSubstr("-> blocked"));
  EXPECT_THAT(Said(tried.seen), ElementsAre("REP"));
}

TEST_F(WireTest, TwoRequestsAtOnceAreThoseOfTheirIds) {
  const Tried tried = With("6.1-rxe").Try(
      Read("active rdma_create_event_channel C\nactive resolving A on=C to=tester:7471\n"
           "active resolving B on=C to=tester:7471\nactive rdma_create_qp A\n"
           "active rdma_create_qp B\nactive rdma_connect A\nactive rdma_connect B\nsettle\n"
           "tester sends REP to=active local=20 remote=A qp=30\nsettle\n"
           "active rdma_get_cm_event C as=z\nsettle\n"));
  EXPECT_THAT(tried.differences, IsEmpty());
  EXPECT_THAT(Said(tried.seen), ElementsAre("REQ", "REQ", "RTU"));
}

TEST_F(WireTest, EveryConversationOfATesterIsCarriedOut) {
  Trial trial = With("6.1-rxe");
  int carried_out = 0;
  for (const fs::path& file : FilesIn("conformance/scenarios/protocol/tester", ".conv")) {
    auto parsed = ParseConversation(*ReadFile(file));
    ASSERT_TRUE(std::holds_alternative<Conversation>(parsed)) << file;
    const auto& conversation = std::get<Conversation>(parsed);
    if (const std::string why = WhyNot(conversation, true); !why.empty()) {
      EXPECT_EQ(why, "it needs more than one peer") << file;
      continue;
    }
    ++carried_out;
    const Tried tried = trial.Try(conversation);
    EXPECT_THAT(tried.differences, IsEmpty())
        << file << "\n"
        << tried.differences.front().cause << tried.differences.front().saw;
  }
  EXPECT_EQ(carried_out, 38);
}

TEST_F(WireTest, WhatIsFoundIsShrunk) {
  const auto without_dreps = [](Bytes frame) -> std::optional<Bytes> {
    const auto decoded = mad::Decode(frame, mad::LinkType::kEthernet);
    if (decoded.value().mad.header.kind() == MadKind::kDrep) return std::nullopt;
    return frame;
  };
  Trial trial = With("6.1-rxe", without_dreps);
  const Conversation long_one = Read(
      "tester sends REQ to=passive port=7471 response=8 retries=3\nsettle\npass 20ms\n"
      "tester sends DREQ to=passive remote=99 qp=17\n"
      "tester sends REQ to=passive port=7471 local=2 qp=30 uc\npass 1s\n");
  const Tried tried = trial.Try(long_one);
  ASSERT_THAT(tried.differences, Not(IsEmpty()));
  EXPECT_EQ(tried.differences.front().cause, "DREP missing");
  const Tried shrunk = trial.Shrink(tried, 100, {});
  EXPECT_EQ(shrunk.differences.front().cause, "DREP missing");
  const auto sends = std::ranges::count_if(shrunk.conversation.lines, [](const Line& line) {
    return !std::holds_alternative<line::Calls>(line);
  });
  EXPECT_LE(sends, 2) << ToText(shrunk.conversation);
}

TEST_F(WireTest, WhatIsLostLateOrAlteredIsFound) {
  const Conversation refused = Read("tester sends REQ to=passive port=7\nsettle\npass 1s\n");
  const auto cause = [&](Meddling::Meddle meddle) {
    const Tried tried = With("6.1-rxe", std::move(meddle)).Try(refused);
    return tried.differences.empty() ? std::string() : tried.differences.front().cause;
  };
  EXPECT_EQ(cause([](Bytes frame) { return frame; }), "");
  EXPECT_EQ(cause([](const Bytes&) { return std::nullopt; }), "REJ missing");
  const auto with = [](auto alter) {
    return [alter](const Bytes& bytes) {
      auto frame = mad::Decode(bytes, mad::LinkType::kEthernet).value();
      alter(frame);
      const auto altered = mad::Seal(frame);
      return Bytes(altered.view().begin(), altered.view().end());
    };
  };
  EXPECT_EQ(cause(with([](mad::Frame& frame) {
              std::get<mad::Rej>(frame.mad.message).reason = RejReason::kConsumerDefined;
            })),
            "REJ reason=28 of=REQ unnamed for REJ reason=8 of=REQ unnamed");
  // What only the judge of captures sees.
  EXPECT_THAT(cause(with([](mad::Frame& frame) { frame.mad.header.tid ^= 1; })),
              HasSubstr("rule "));
}

// The same answer to four messages: the fourth comes a little sooner after the third than expected,
// and is no repetition of it.
TEST_F(WireTest, AnAnswerIsNotTakenForARepetitionOfTheOneBefore) {
  const Conversation stray = Read(
      "tester sends DREQ to=passive remote=99 qp=17\n"
      "tester sends DREQ to=passive remote=99 qp=17\npass 60ms\n"
      "tester sends DREQ to=passive remote=99 qp=17\npass 150ms\n"
      "tester sends DREQ to=passive remote=99 qp=17\nsettle\n");
  Tried tried = With("6.1-rxe").Try(stray);
  ASSERT_THAT(tried.differences, IsEmpty());
  const auto last = std::ranges::find(tried.seen.frames.rbegin(), tried.seen.frames.rend(), false,
                                      &Passing::ours);
  ASSERT_NE(last, tried.seen.frames.rend());
  const Profile& profile = *FindProfile("6.1-rxe");
  for (int i = 0; i < 60; ++i) {
    EXPECT_THAT(Differences(tried.expected, tried.seen, profile), IsEmpty()) << i;
    last->at = last->at + Duration::Milliseconds(-1);
  }
}

// source: docs/sources/cm_protocol.md R2
TEST_F(WireTest, ARequestIsAnsweredOverItsFamilyOfAddresses) {
  Tried tried = With("6.1-rxe").Try(
      Read("active rdma_create_event_channel C\nactive rdma_create_id A on=C\n"
           "active rdma_resolve_addr A src=active.v6:0 dst=tester.v6:7471\nactive taking C\n"
           "active rdma_resolve_route A\nactive taking C\nactive rdma_create_qp A\n"
           "active rdma_connect A\ntester sends REP to=active local=7 remote=A\n"
           "active taking C\n"));
  EXPECT_THAT(Said(tried.seen), ElementsAre("REQ", "RTU"));
  for (Passing& passing : tried.seen.frames) {
    auto frame = mad::Decode(passing.bytes, mad::LinkType::kEthernet).value();
    EXPECT_TRUE(std::holds_alternative<mad::Ipv6>(frame.ip)) << passing.text;
    // One that comes over the other family breaks a rule; the kernel takes it by its ids.
    if (frame.mad.header.kind() != MadKind::kRep) continue;
    frame.ip = mad::Ipv4{.source = kEnds.us.v4, .destination = kEnds.peer.v4};
    const auto altered = mad::Seal(frame);
    passing.bytes.assign(altered.view().begin(), altered.view().end());
  }
  EXPECT_THAT(Differences(tried.expected, tried.seen, *FindProfile("6.1-rxe")), IsEmpty());
}

std::vector<Passing*> RequestsIn(Tried* tried) {
  std::vector<Passing*> requests;
  for (Passing& frame : tried->seen.frames)
    if (frame.text.starts_with("REQ")) requests.push_back(&frame);
  return requests;
}

// Each of the timers is late by the slot of a kernel's timer wheel, an eighth at most.
// source: docs/sources/cm_protocol.md 3.4
TEST_F(WireTest, ARepetitionMayBeLateEachTime) {
  Profile kernel = *FindProfile("6.1-rxe");
  kernel.timing.clock = TimerClock::kWheel;
  const Conversation hurried = Read(
      "active connecting A on=C to=tester:7471\n"
      "tester sends MRA to=active remote=A timeout=8\npass 30s\n");
  Tried tried = With(&kernel).Try(hurried);
  ASSERT_THAT(tried.differences, IsEmpty()) << tried.differences.front().cause;
  const std::vector<Passing*> requests = RequestsIn(&tried);
  ASSERT_GT(requests.size(), 10U);
  const auto causes = [&] {
    std::vector<std::string> all;
    for (const Difference& one : Differences(tried.expected, tried.seen, *FindProfile("6.1-rxe")))
      all.push_back(one.cause);
    return all;
  };
  // One wait that is longer than any timer's.
  for (size_t i = 8; i < requests.size(); ++i)
    requests[i]->at = requests[i]->at + Duration::Milliseconds(500);
  EXPECT_THAT(causes(), ElementsAre("REQ late"));
}

// The step of the wheel for timers of 18 s, which is more than the profile's per cent.
TEST_F(WireTest, ARepetitionMayBeLateByAStepOfTheTimerWheel) {
  Profile kernel = *FindProfile("6.1-rxe");
  kernel.timing.clock = TimerClock::kWheel;
  const Conversation delayed = Read(
      "active connecting A on=C to=tester:7471\n"
      "tester sends MRA to=active remote=A timeout=22\npass 60s\n");
  Tried tried = With(&kernel).Try(delayed);
  ASSERT_THAT(tried.differences, IsEmpty()) << tried.differences.front().cause;
  const std::vector<Passing*> requests = RequestsIn(&tried);
  ASSERT_GE(requests.size(), 3U);
  EXPECT_GT(requests[2]->at - requests[1]->at, Duration::Milliseconds(18'432 + 2'000));
  for (size_t i = 2; i < requests.size(); ++i)
    requests[i]->at = requests[i]->at + Duration::Milliseconds(500);
  const auto late = Differences(tried.expected, tried.seen, *FindProfile("6.1-rxe"));
  ASSERT_THAT(late, Not(IsEmpty()));
  EXPECT_EQ(late.front().cause, "REQ late");
}

// The last timer puts the end off, and what answers the farewells follows it.
TEST_F(WireTest, TheEndMayBeAsLateAsAllTimersBeforeIt) {
  Profile kernel = *FindProfile("6.1-rxe");
  kernel.timing.clock = TimerClock::kWheel;
  auto parsed = ParseConversation(
      *ReadFile("conformance/scenarios/protocol/tester/s56-mra-that-hurries.conv"));
  const Tried tried = With(&kernel).Try(std::get<Conversation>(parsed));
  EXPECT_GT(tried.seen.end - tried.expected.end, Duration::Seconds(3));
  EXPECT_THAT(tried.differences, IsEmpty()) << tried.differences.front().cause;
}

// Short, as that of a socket has to be.
std::string PathOf(const std::string& name) {
  return fs::temp_directory_path() / ("wire_test." + std::to_string(getpid()) + "." + name);
}

std::unique_ptr<Door> Opened(const std::string& here, const std::string& there) {
  return std::get<std::unique_ptr<Door>>(OpenPaths(PathOf(here), PathOf(there)));
}

std::string WhyNotOpened(const std::string& here) {
  const auto opened = OpenPaths(PathOf(here), PathOf("there"));
  const auto* const why = std::get_if<std::string>(&opened);
  return why == nullptr ? "" : *why;
}

TEST(SocketDoorTest, FramesGoThrough) {
  const std::unique_ptr<Door> here = Opened("here", "there");
  const std::unique_ptr<Door> there = Opened("there", "here");
  EXPECT_EQ(here->Receive(here->Now()), std::nullopt);
  there->Send(Bytes{1, 2, 3});
  EXPECT_EQ(here->Receive(Instant::Never()), (Bytes{1, 2, 3}));
}

TEST(SocketDoorTest, TakesThePathOfAProcessThatWasKilled) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  PathOf("left").copy(address.sun_path, sizeof address.sun_path - 1);
  {
    const Descriptor killed(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(bind(killed.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(WhyNotOpened("left"), PathOf("left") + ": Address already in use") << "it lives";
  }
  EXPECT_EQ(WhyNotOpened("left"), "");
  EXPECT_FALSE(fs::exists(PathOf("left")));
  std::ofstream(PathOf("left")) << "a file";
  EXPECT_EQ(WhyNotOpened("left"), PathOf("left") + ": Address already in use");
  EXPECT_TRUE(fs::remove(PathOf("left")));
}

TEST(SocketDoorTest, AnAddressOfOnesOwnRoceIsKnown) {
  const fs::path folder = fs::path(testing::TempDir()) / "infiniband";
  const fs::path gids = folder / "rxe7" / "ports" / "1" / "gids";
  fs::create_directories(gids);
  std::ofstream(gids / "0") << "fe80:0000:0000:0000:0200:00ff:fe00:0001\n";
  std::ofstream(gids / "1") << "0000:0000:0000:0000:0000:ffff:0a00:0201\n";
  EXPECT_EQ(OwnRoce(0x0a000201, folder.string()), "rxe7");
  EXPECT_EQ(OwnRoce(0x0a000202, folder.string()), "");
  EXPECT_EQ(OwnRoce(0x0a000201, (folder / "none").string()), "");
}

TEST(NeighbourTest, AnswersForItsOwnAddress) {
  const Neighbour us{.mac = {2, 0, 0, 0, 0, 1}, .v4 = 0x0a000201};
  const Neighbour asker{.mac = {2, 0, 0, 0, 0, 2}, .v4 = 0x0a000101};
  const Arp asks{Asks::kRequest, asker, {.mac = {}, .v4 = us.v4}};
  const Bytes frame = Encode(asks);
  EXPECT_EQ(DecodeArp(frame), asks);
  ASSERT_TRUE(AnswerTo(frame, us));
  EXPECT_EQ(DecodeArp(*AnswerTo(frame, us)), (Arp{Asks::kReply, us, asker}));
  EXPECT_FALSE(AnswerTo(frame, asker));
  for (const size_t damaged : {12, 13, 15, 17, 18, 21}) {
    Bytes other = frame;
    other[damaged] ^= 0x40;
    EXPECT_FALSE(DecodeArp(other)) << damaged;
  }
  EXPECT_FALSE(DecodeArp(std::span(frame).first(41)));
}

TEST(NeighbourTest, AnswersForItsIpv6Address) {
  Neighbour us = kEnds.us;
  const Neighbour& asker = kEnds.peer;
  // source: RFC 4861 4.3; to the group of RFC 4291 2.7.1, by the address of RFC 2464 7
  const Bytes frame = {0x33, 0x33, 0xff, 0, 0,  0x77, 2,   0,    0,    0,   0, 2, 0x86, 0xdd, 0x60,
                       0,    0,    0,    0, 32, 58,   255, 0xfd, 0,    0,   1, 0, 0,    0,    0,
                       0,    0,    0,    0, 0,  0,    0,   1,    0xff, 2,   0, 0, 0,    0,    0,
                       0,    0,    0,    0, 1,  0xff, 0,   0,    0x77, 135, 0, 0, 0,    0,    0,
                       0,    0,    0xfd, 0, 0,  0,    0,   0,    0,    0,   0, 0, 0,    0,    0,
                       0,    0,    0x77, 1, 1,  2,    0,   0,    0,    0,   2};
  const auto asks = DecodeSolicitation(frame);
  ASSERT_TRUE(asks);
  EXPECT_EQ(asks->target, us.v6);
  EXPECT_EQ(asks->sender.mac, asker.mac);
  EXPECT_EQ(asks->sender.v6, asker.v6);
  const auto answer = AnswerTo(frame, us);
  ASSERT_TRUE(answer);
  // As tshark 4.0 dissects it: an advertisement of fd00::77 at 02:00:00:00:00:01, checksum right.
  const Bytes expected = {
      2, 0, 0, 0, 0, 2, 2, 0, 0,    0, 0, 1, 0x86, 0xdd, 0x60, 0,    0,    0, 0, 32, 58, 255, 0xfd,
      0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0,    0,    0x77, 0xfd, 0,    0, 1, 0,  0,  0,   0,
      0, 0, 0, 0, 0, 0, 0, 1, 136,  0, 0, 0, 0x60, 0,    0,    0,    0xfd, 0, 0, 0,  0,  0,   0,
      0, 0, 0, 0, 0, 0, 0, 0, 0x77, 2, 1, 2, 0,    0,    0,    0,    1};
  Bytes without_checksum = *answer;
  without_checksum[56] = without_checksum[57] = 0;
  EXPECT_EQ(without_checksum, expected);
  EXPECT_FALSE(AnswerTo(frame, asker));
  us.v6 = {};
  EXPECT_FALSE(AnswerTo(frame, us)) << "there is no address";
  for (const size_t damaged : {12, 13, 20, 21, 54}) {
    Bytes other = frame;
    other[damaged] ^= 0x40;
    EXPECT_FALSE(DecodeSolicitation(other)) << damaged;
  }
  EXPECT_FALSE(DecodeSolicitation(std::span(frame).first(77)));
}

}  // namespace
}  // namespace cm::live
