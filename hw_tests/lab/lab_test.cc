// The lab itself: needs QEMU and, once, the distribution's archive. Keep the image between runs
// with --test_env=RDMA_CM_LAB_CACHE=FOLDER.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "hw_tests/lab/cache.h"
#include "hw_tests/lab/guest.h"
#include "hw_tests/lab/image.h"

namespace lab {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Caller Telling() {
  Caller caller;
  caller.progress = [](std::string_view line) { printf("%s\n", std::string(line).c_str()); };
  return caller;
}

const Image& TheImage() {
  static const Image* const image = [] {
    const Outcome<fs::path> chosen = DefaultCache();
    ImageSettings settings;
    settings.cache = chosen.ok() ? chosen.value() : fs::path(::testing::TempDir()) / "lab";
    return new Image(Image::Ensure(settings, Telling()).value());
  }();
  return *image;
}

Guest StartGuest(Topology topology, const fs::path& share = "") {
  GuestSettings settings;
  settings.topology = topology;
  settings.share = share;
  Outcome<Guest> guest = Guest::Start(TheImage(), settings, Telling());
  if (!guest.ok()) ADD_FAILURE() << guest.problem().line;
  return std::move(guest.value());
}

// The output of the command; a status other than 0 is a failure.
std::string Says(Guest& guest, const std::string& command) {
  const Outcome<Ended> ended = guest.Run(command, RunSettings());
  if (!ended.ok()) {
    ADD_FAILURE() << command << ": " << ended.problem().line;
    return "";
  }
  EXPECT_EQ(ended.value().status, 0) << command << ": " << ended.value().error;
  return ended.value().output;
}

constexpr const char* kPing4 =
    "rping -s -a 10.0.1.1 -C 2 & sleep 0.1; rping -c -a 10.0.1.1 -I 10.0.0.1 -C 2";
constexpr const char* kPing6 =
    "rping -s -a fd00:1::1 -C 2 & sleep 0.1; rping -c -a fd00:1::1 -I fd00::1 -C 2";

class EachTopology : public ::testing::TestWithParam<Topology> {};

INSTANTIATE_TEST_SUITE_P(Lab, EachTopology, ::testing::Values(Topology::kPair, Topology::kBond),
                         [](const auto& info) { return std::string(NameOf(info.param)); });

TEST_P(EachTopology, CarriesConnectionsWhoseMessagesCrossTheLink) {
  Guest guest = StartGuest(GetParam());
  for (const char* ping : {kPing4, kPing6}) {
    Says(guest, "cmfault clear");
    Says(guest, ping);
    EXPECT_THAT(Says(guest, "cmfault counts"), HasSubstr("REP active 1\n"));
    EXPECT_THAT(Says(guest, "cmfault counts"), HasSubstr("REQ passive 1\n"));
  }
}

TEST_P(EachTopology, IsMendedByTheResetWhateverWasBroken) {
  Guest guest = StartGuest(GetParam());
  const std::string active = GetParam() == Topology::kPair ? "veth0" : "bond0";
  const std::string baseline = Says(guest, "cat /lab/baseline");
  EXPECT_THAT(baseline, HasSubstr("topology " + std::string(NameOf(GetParam())) + "\n"));
  for (const std::string& fault :
       {std::string("true"), "ip link set " + active + " down",
        std::string("ip link set veth1 down"), std::string("rdma link del rxe0"),
        std::string("rdma link del rxe1"), std::string("ip link del veth1"),
        "ip link del " + active,
        "ip neigh replace 10.0.1.1 lladdr 02:00:00:00:00:99 dev " + active + " nud permanent",
        std::string("cmfault drop REQ passive"),
        "tc qdisc add dev " + active + " root netem delay 1s",
        std::string("nft add table ip f; nft add chain ip f c "
                    "'{type filter hook input priority 0;}'; nft add rule ip f c drop")}) {
    Says(guest, fault);
    EXPECT_EQ(Says(guest, "/lab/net_reset.sh"), baseline) << fault;
    Says(guest, kPing4);
  }
}

TEST_P(EachTopology, IsAPlaceForConversations) {
  const fs::path folder = fs::path(::testing::TempDir()) / "trial";
  fs::create_directories(folder);
  fs::copy_file("hw_tests/lab/linux_place_trial", folder / "trial",
                fs::copy_options::overwrite_existing);
  Guest guest = StartGuest(GetParam(), folder);
  RunSettings settings;
  settings.wall_limit = std::chrono::minutes(5);
  const Outcome<Ended> ended = guest.Run("cp /host/trial /tmp && /tmp/trial", settings);
  ASSERT_TRUE(ended.ok()) << ended.problem().line;
  EXPECT_EQ(ended.value().status, 0) << ended.value().output << ended.value().error;
}

TEST(Bond, CarriesConnectionsAfterAFailOver) {
  Guest guest = StartGuest(Topology::kBond);
  const std::string baseline = Says(guest, "cat /lab/baseline");
  Says(guest, "/lab/net_failover.sh b1");
  EXPECT_EQ(Says(guest, "cat /sys/class/net/bond0/address"), "02:00:00:00:00:11\n");
  Says(guest, kPing4);
  Says(guest, kPing6);
  EXPECT_EQ(Says(guest, "/lab/net_reset.sh"), baseline);
  EXPECT_EQ(Says(guest, "cat /sys/class/net/bond0/address"), "02:00:00:00:00:10\n");
  Says(guest, kPing4);
}

TEST(Bond, FailOverChangesTheAddressOfAConnectedId) {
  Guest guest = StartGuest(Topology::kBond);
  Says(guest,
       "rping -s -a 10.0.1.1 & sleep 0.1; "
       "rping -c -d -a 10.0.1.1 -I 10.0.0.1 >/tmp/client 2>&1 & sleep 0.5; "
       "/lab/net_failover.sh b1; sleep 1; killall rping");
  EXPECT_THAT(Says(guest, "cat /tmp/client"), HasSubstr("RDMA_CM_EVENT_ADDR_CHANGE"));
}

TEST(CmFault, LosesRepeatsAndDelaysWhatItIsTold) {
  Guest guest = StartGuest(Topology::kPair);
  Says(guest, "cmfault drop REQ passive 1 2; cmfault duplicate RTU passive");
  const Outcome<Ended> ended = guest.Run(kPing4, RunSettings());
  ASSERT_TRUE(ended.ok());
  EXPECT_GT(ended.value().guest_time, std::chrono::seconds(5)) << "a REQ is repeated after seconds";
  EXPECT_EQ(Says(guest, "cmfault show"),
            "drop REQ passive 1 2 seen 3 hit 2\nduplicate RTU passive seen 1 hit 1\n");
  Says(guest, "cmfault clear; cmfault delay 2500 REP active 1");
  const Outcome<Ended> delayed = guest.Run(kPing6, RunSettings());
  ASSERT_TRUE(delayed.ok());
  EXPECT_GT(delayed.value().guest_time, std::chrono::milliseconds(2500));
  EXPECT_LT(delayed.value().guest_time, std::chrono::milliseconds(4000));
}

TEST(LabGuest, WaitsForMinutesInNoTime) {
  Guest guest = StartGuest(Topology::kPair);
  const Outcome<Ended> ended = guest.Run("sleep 600", RunSettings());
  ASSERT_TRUE(ended.ok());
  EXPECT_GE(ended.value().guest_time, std::chrono::seconds(600));
  EXPECT_LT(ended.value().wall_time, std::chrono::seconds(30));
}

TEST(LabGuest, TakesTheNextCommandAfterOneThatWasKilled) {
  Guest guest = StartGuest(Topology::kPair);
  RunSettings settings;
  settings.wall_limit = std::chrono::milliseconds(500);
  const Outcome<Ended> ended = guest.Run("while :; do :; done", settings);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.problem().kind, ProblemKind::kTimedOut);
  EXPECT_EQ(Says(guest, "echo alive"), "alive\n");
}

TEST(LabGuest, ComesBackFreshAfterItsKernelPanicked) {
  Guest guest = StartGuest(Topology::kPair);
  const Outcome<Ended> ended = guest.Run("echo c >/proc/sysrq-trigger", RunSettings());
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.problem().kind, ProblemKind::kKernel);
  EXPECT_EQ(ended.problem().line,
            "the guest's kernel has failed: Kernel panic - not syncing: sysrq triggered crash");
  ASSERT_FALSE(guest.Restore());
  EXPECT_EQ(Says(guest, "echo alive"), "alive\n");
}

// As on a busy host. The clock goes back when it has counted for half its range, unread.
TEST(LabGuest, OfTwoHasAClockThatDoesNotGoBackWhenItIsHeldUp) {
  Guest guest = StartGuest(Topology::kNode);
  std::jthread holder([pid = guest.pid()] {
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(700));
      kill(pid, SIGSTOP);
      std::this_thread::sleep_for(std::chrono::seconds(3));
      kill(pid, SIGCONT);
    }
  });
  EXPECT_EQ(Says(guest, R"(last=0 i=0
    while [ $i -lt 6000 ]; do
      { read -r _; read -r _; read -r _ _ now _; } </proc/timer_list
      [ "$now" -ge "$last" ] || echo "$now after $last"
      last=$now i=$((i + 1))
    done)"),
            "");
}

TEST(LabGuest, SharesAFolderInBothDirections) {
  const fs::path folder = fs::path(::testing::TempDir()) / "shared, with a comma";
  fs::create_directories(folder);
  std::ofstream(folder / "from_host") << "hello\n";
  Guest guest = StartGuest(Topology::kPair, folder);
  EXPECT_EQ(Says(guest, "cat /host/from_host; echo bye >/host/from_guest"), "hello\n");
  std::string text;
  std::ifstream(folder / "from_guest") >> text;
  EXPECT_EQ(text, "bye");
}

TEST(LabGuest, TwoSideBySideSeeTheSameTimes) {
  std::chrono::nanoseconds times[2] = {};
  const auto run = [](std::chrono::nanoseconds* time) {
    Guest guest = StartGuest(Topology::kPair);
    const Outcome<Ended> ended = guest.Run(kPing4, RunSettings());
    ASSERT_TRUE(ended.ok());
    *time = ended.value().guest_time;
  };
  std::thread other(run, &times[0]);
  run(&times[1]);
  other.join();
  EXPECT_NEAR(static_cast<double>(times[0].count()), static_cast<double>(times[1].count()), 20e6);
}

}  // namespace
}  // namespace lab
