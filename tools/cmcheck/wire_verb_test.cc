// `cmcheck wire` with the simulator, and with a foreign connection manager over a virtual cable
// between two network namespaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "model/base/files.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

TEST(Wire, TheSimulatorIsAsItsProfileSays) {
  const CmcheckFolder folder;
  const Ended ended = folder.Cmcheck({"wire", "--peer", "sim", "--sequences", "40"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("40 conversations, 40 as the profile permits, 0 not"));
  EXPECT_TRUE(fs::exists(folder.path() / "wire-report" / "drawn-1-39.pcapng"));
}

TEST(Wire, SaysWhatItCannotDo) {
  const CmcheckFolder folder;
  const auto why = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "wire");
    const Ended ended = folder.Cmcheck(arguments);
    EXPECT_EQ(ended.exit_code, 2) << ended.output;
    return ended.error;
  };
  EXPECT_THAT(why({}), HasSubstr("--peer is missing"));
  EXPECT_THAT(why({"--peer", "10.0.1"}), HasSubstr("either --interface or --paths"));
  EXPECT_THAT(why({"--peer", "10.0.1", "--interface", "lo"}), HasSubstr("no IPv4 address"));
  EXPECT_THAT(why({"--peer", "10.0.1.1", "--interface", "none0"}), HasSubstr("no interface"));
  EXPECT_THAT(why({"--peer", "10.0.1.1", "--interface", "lo"}), HasSubstr("no Ethernet frames"));
  EXPECT_THAT(why({"--peer", "sim", "--interface", "lo"}), HasSubstr("neither"));
  EXPECT_THAT(why({"--peer", "sim", "--profile", "6.1-siw"}), HasSubstr("iWARP"));
  EXPECT_THAT(why({"--peer", "sim", "--lab", "6.1-rxe"}), HasSubstr("its own peer"));
  for (const std::string option : {"--profile", "--peer-profile", "--address6", "--mac"})
    EXPECT_THAT(why({"--lab", "6.1-rxe", option, "6.1-rxe"}), HasSubstr("no " + option + "\n"));
  for (const std::string option : {"--listener", "--peer6", "--address6"})
    EXPECT_THAT(why({"--peer", "sim", option, "x"}), HasSubstr("no " + option + "\n"));
}

TEST(Wire, InterruptedSaysWhatWasCarriedOut) {
  const CmcheckFolder folder;
  Running running(folder.CommandOf({"wire", "--peer", "sim", "--sequences", "2000"}), {},
                  folder.path());
  ASSERT_TRUE(running.AwaitFile(folder.path() / "wire-report/drawn-1-0.pcapng"))
      << running.Wait().error;
  running.Signal(SIGINT);
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.error;
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr(" conversations, "), Not(HasSubstr("2000 conversations"))));
  EXPECT_TRUE(fs::exists(folder.path() / "wire-report/results.json"));
}

TEST(Wire, FindingsOfAnEarlierRunAreRemovedUnlessTheyAreGiven) {
  const CmcheckFolder folder;
  const std::string finding = "wire-report/findings/old.conv";
  fs::create_directories(folder.path() / "wire-report/findings");
  folder.Write(finding,
               "topology tester\nprofile 6.1-rxe\ncapabilities time tester\n"
               "passive listening L on=S port=7471\ntester sends REQ to=passive port=7\n");
  folder.Write("wire-report/findings/notes", "mine");
  folder.Write("wire-report/drawn-1-99.pcapng", "of an earlier run");
  folder.Write("wire-report/mine.pcapng", "mine");
  const Ended given = folder.Cmcheck({"wire", "--peer", "sim", "--conversations", finding});
  EXPECT_EQ(given.exit_code, 0) << given.output << given.error;
  EXPECT_TRUE(fs::exists(folder.path() / finding));
  EXPECT_EQ(folder.Cmcheck({"wire", "--peer", "sim", "--sequences", "1"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder.path() / finding));
  EXPECT_FALSE(fs::exists(folder.path() / "wire-report/drawn-1-99.pcapng"));
  EXPECT_EQ(folder.Read("wire-report/mine.pcapng"), "mine");
  EXPECT_EQ(folder.Read("wire-report/findings/notes"), "mine");
}

// Before an image is made: a guest knows the built-in profiles alone.
TEST(Wire, AGuestHasABuiltInProfile) {
  const CmcheckFolder folder;
  folder.Write("mine.json", R"({"name": "mine", "base": "6.1-rxe", "sentence": "Mine."})");
  for (const char* profile : {"mine.json", "6.1-rxe+7.2-rxe", "6.1-siw", "none"}) {
    const Ended ended = folder.Cmcheck({"wire", "--lab", profile});
    EXPECT_EQ(ended.exit_code, 2) << ended.output;
    EXPECT_THAT(ended.error, HasSubstr(std::string("--lab ") + profile + ": guests have"));
  }
}

// source: linux 5.10 cm.c cm_migrate, cm_alloc_msg
TEST(Wire, WhatEndsTheKernelIsLeftOut) {
  const CmcheckFolder folder;
  folder.Write("migrates.conv",
               "topology tester\nprofile 6.1-rxe\ncapabilities time tester\n"
               "active connecting A on=C to=tester:7471\n"
               "tester sends REP to=active local=7 remote=A\n"
               "active taking C\nactive rdma_notify A event=6\n");
  const auto tried = [&](const char* profile) {
    return folder.Cmcheck(
        {"wire", "--peer", "sim", "--profile", profile, "--conversations", "migrates.conv"});
  };
  const Ended fatal = tried("5.10-rxe");
  EXPECT_EQ(fatal.exit_code, 3) << fatal.output << fatal.error;
  EXPECT_THAT(fatal.output, HasSubstr("migrates.conv: left out, it ends a kernel"));
  EXPECT_EQ(tried("6.1-rxe").exit_code, 0);
}

// Where namespaces of users are permitted.
class Cable : public testing::Test {
 protected:
  void SetUp() override {
    const Ended tried = Shell("unshare -rn ip link add w0 type veth peer name w1");
    if (tried.exit_code != 0)
      GTEST_SKIP() << "unsupported here: no network namespaces of one's own: " << tried.error;
    fs::create_directory(cm());
    for (const auto& file : FilesIn(DataFile("conformance/adapters/exec/wire_cm"), ".py"))
      fs::copy_file(file, cm() / file.filename());
  }

  Ended Shell(const std::string& script) const {
    return Running({"/bin/sh", "-c", script}, {}, folder_.path()).Wait();
  }
  fs::path cm() const { return folder_.path() / "cm"; }

  // The foreign one has one line that is another.
  void Plant(const std::string& file, const std::string& line, const std::string& other) const {
    std::string text = *ReadFile(cm() / file);
    const size_t at = text.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    std::ofstream(cm() / file) << text.replace(at, line.size(), other);
  }

  // Its standard input ends with this script.
  Ended Try(const std::string& arguments, const std::string& peer = "10.0.1.1") const {
    std::string command;
    for (const std::string& word : folder_.CommandOf({"wire"})) command += word + " ";
    return Shell(R"(cat >ends.sh <<'END'
set -e
mkfifo far_ready near_ready far_input far_output
unshare -n sh -c 'echo >far_ready; read x <near_ready; ip link set w1 up
  exec /usr/bin/python3 cm/listen.py w1 10.0.1.1 7471 <far_input >far_output' & far=$!
read x <far_ready
ip link add w0 type veth peer name w1
ip link set w1 netns $far
ip link set w0 up
echo >near_ready
exec 9>far_input
read listening <far_output
set +e
)" + command + "--interface w0 --address 10.0.2.1 --peer " +
                 peer + " " + arguments + R"(
code=$?
exec 9>&-
wait $far
exit $code
END
unshare -rn sh ends.sh)");
  }

  CmcheckFolder folder_;
};

TEST_F(Cable, AForeignOneIsAsItsProfileSays) {
  const Ended ended = Try("--sequences 8 --seed 1 --pause 20 --late 20000");
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("8 conversations, 8 as the profile permits, 0 not"));
}

TEST_F(Cable, AnotherReasonIsFoundAndShrunk) {
  Plant("ib_cm.py", "TIMED_OUT, NO_LISTENER, STALE", "TIMED_OUT, STALE, NO_LISTENER");
  folder_.Write("one.conv",
                "topology tester\nprofile 6.1-rxe\ncapabilities time tester\n"
                "passive listening L on=S port=7471\n"
                "tester sends DREQ to=passive remote=99 qp=17\n"
                "tester sends REQ to=passive port=7\n");
  const Ended ended = Try("--conversations one.conv --pause 20 --late 20000");
  EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("saw        REJ reason=10 of=REQ unnamed"));
  EXPECT_THAT(ended.output, HasSubstr("permitted  REJ reason=8 of=REQ unnamed"));
  const std::string shortest = folder_.Read("wire-report/findings/one.conv");
  EXPECT_THAT(shortest, HasSubstr("tester sends REQ"));
  EXPECT_THAT(shortest, Not(HasSubstr("tester sends DREQ")));
}

TEST_F(Cable, AnAddressWithoutAHostIsSaidSo) {
  const Ended ended = Try("--sequences 1", "10.0.1.7");
  EXPECT_EQ(ended.exit_code, 2) << ended.output << ended.error;
  EXPECT_THAT(ended.error, HasSubstr("no host answers for the address 10.0.1.7"));
}

}  // namespace
}  // namespace cm
