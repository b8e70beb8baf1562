// A node: agents and guardians are killed, and all is as before in the end.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/process/descriptor.h"
#include "conformance/process/process.h"
#include "hw_tests/node/guardian.h"
#include "hw_tests/node/held_back.h"
#include "hw_tests/node/node_fixture.h"
#include "hw_tests/node/node_place.h"
#include "hw_tests/node/record.h"
#include "model/base/choice.h"

namespace node {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// More of them by hand: CMCHECK_MOMENTS=100.
int Moments() {
  const char* const wanted = std::getenv("CMCHECK_MOMENTS");
  return wanted == nullptr ? 3 : std::atoi(wanted);
}

TEST_F(Node, EachFaultIsSeenAndUndone) {
  const std::unique_ptr<cm::Place> place = Open();
  ASSERT_NE(place, nullptr);
  for (const Fault& fault : kFaults) {
    const cm::seen::Done done = place->Inject(fault);
    EXPECT_TRUE(done.ok) << done.note;
    if (fault.kind != FaultKind::kLinkUp) {
      EXPECT_NE(State(), before_) << cm::ToString(fault.kind);
    }
    EXPECT_EQ(place->PutRight(), "") << cm::ToString(fault.kind);
    EXPECT_EQ(State(), before_) << cm::ToString(fault.kind);
  }
}

TEST_F(Node, HealingLeavesADeviceRemoved) {
  const std::unique_ptr<cm::Place> place = Open();
  ASSERT_NE(place, nullptr);
  for (const Fault& fault : kFaults) EXPECT_TRUE(place->Inject(fault).ok);
  EXPECT_TRUE(place->Heal().ok);
  EXPECT_FALSE(fs::exists(folder_ / "devices/rxe0"));
  fs::create_directory(folder_ / "devices/other");
  fs::rename(folder_ / "devices/other", folder_ / "devices/rxe0");
  Write(folder_ / "devices/rxe0/parent", "v0\n");
  EXPECT_EQ(State(), before_);
}

TEST_F(Node, HealingLeavesADeviceRemovedByAProgramOfTheSite) {
  settings_.allow = {
      {.name = "device", .gives = {Capability::kRemoveDevice}, .program = folder_ / "bin/site"}};
  const std::unique_ptr<cm::Place> place = Open();
  ASSERT_NE(place, nullptr);
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kRemoveDevice, .side = 0}).ok);
  EXPECT_TRUE(place->Heal().ok);
  EXPECT_TRUE(fs::exists(folder_ / "site"));
  EXPECT_EQ(place->PutRight(), "");
  EXPECT_EQ(State(), before_);
}

TEST_F(Node, ALinkThatComesUpHasItsRoutesAndNeighbours) {
  const std::unique_ptr<cm::Place> place = Open();
  ASSERT_NE(place, nullptr);
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kLinkDown, .side = 0}).ok);
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kLinkUp, .side = 0}).ok);
  EXPECT_EQ(State(), before_);
}

TEST_F(Node, ADropEndsWithItsTime) {
  const std::unique_ptr<cm::Place> place = Open();
  ASSERT_NE(place, nullptr);
  EXPECT_TRUE(
      place->Inject({.kind = FaultKind::kDrop, .side = 1, .window = Duration::Milliseconds(1)}).ok);
  while (State() != before_) continue;
}

TEST_F(Node, WhatFailsIsSaidAndTheRestUndone) {
  const std::unique_ptr<cm::Place> place = Open();
  ASSERT_NE(place, nullptr);
  fs::remove_all(folder_ / "devices");
  const cm::seen::Done done = place->Inject({.kind = FaultKind::kRemoveDevice, .side = 0});
  EXPECT_FALSE(done.ok);
  EXPECT_THAT(done.note, HasSubstr("rdma link del rxe0: status 1"));
}

TEST_F(Node, ADeviceThatAnEarlierProcessKeepsProvesNothing) {
  const std::unique_ptr<cm::Place> place = Open();
  ASSERT_NE(place, nullptr);
  HoldBack();
  const Fault remove = {.kind = FaultKind::kRemoveDevice, .side = 0};
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kLinkUp, .side = 0}).ok);
  EXPECT_FALSE(place->Disturbed()) << "a link is not what it keeps";
  EXPECT_TRUE(place->Inject(remove).ok);
  EXPECT_TRUE(place->Disturbed());
  EXPECT_EQ(place->PutRight(), "");
  EXPECT_TRUE(place->Disturbed()) << "the removal was";
  fs::remove_all(folder_ / "proc");
  EXPECT_EQ(place->Prepare(conversation_), "");
  EXPECT_FALSE(place->Disturbed());
  EXPECT_TRUE(place->Inject(remove).ok);
  EXPECT_EQ(place->PutRight(), "");
  EXPECT_FALSE(place->Disturbed());
}

TEST_F(Node, WhatIsNotPutRightWhileAProcessIsHeldBackProvesNothing) {
  const std::unique_ptr<cm::Place> place = Open();
  ASSERT_NE(place, nullptr);
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kRemoveDevice, .side = 0}).ok);
  fs::remove_all(folder_ / "devices");
  HoldBack();
  EXPECT_EQ(
      place->PutRight(),
      "not there: device rxe0 rxe, and the kernel holds back 180 (cmcheck), which was killed");
  EXPECT_TRUE(place->Disturbed());
  fs::remove_all(folder_ / "proc");
  fs::create_directory(folder_ / "devices");
  EXPECT_EQ(place->PutRight(), "");
  EXPECT_EQ(State(), before_);
}

TEST_F(Node, OnlyWhatIsKilledOrEndsIsHeldBack) {
  HoldBack();
  const std::string proc = settings_.processes;
  EXPECT_EQ(HeldBack(proc), "180 (cmcheck)");
  const fs::path task = folder_ / "proc/180/task/181";
  Write(task / "status", "State:\tD (disk sleep)\nSigPnd:\t0000000000000000\n");
  EXPECT_EQ(HeldBack(proc), "") << "it reads from a disk";
  Write(task / "stat", "181 (a) b) D 1 180 167 0 -1 4194372 57 0 0 0 0\n");
  EXPECT_EQ(HeldBack(proc), "180 (a) b)") << "it ends";
  Write(task / "stat", "181 (a) b) R 1 180 167 0 -1 4194372 57 0 0 0 0\n");
  EXPECT_EQ(HeldBack(proc), "") << "it runs";
  Write(task / "stat", "nonsense\n");
  EXPECT_EQ(HeldBack(proc), "");
}

TEST_F(Node, TouchesNoControlConnection) {
  settings_.control = "v0";
  EXPECT_EQ(WhyNot(), "nothing is done to v0: it carries the control connection");
  settings_.control = "";
  EXPECT_THAT(WhyNot(), HasSubstr("which interface carries the control connection is not known"));
  settings_.control = "v1";
  settings_.address = "10.77.0.3";
  EXPECT_EQ(WhyNot(), "no interface of this host has the address 10.77.0.3");
}

TEST_F(Node, HasWhatItNeeds) {
  fs::remove_all(folder_ / "devices/rxe0");
  EXPECT_THAT(WhyNot(), HasSubstr("needs a device on v0 that rdma, its driver or devlink"));
  settings_.allow.back().program = "/no/such/program";
  EXPECT_THAT(WhyNot(), HasSubstr("/no/such/program is no program of this host"));
}

// Of whatever number: what is open there would hide from the suite that its driver has ended.
TEST_F(Node, ItsGuardianHasNothingOpenOfTheAgent) {
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  std::optional<cm::Ends> pipe = cm::Pipe();
  ASSERT_TRUE(pipe);
  cm::Descriptor high(fcntl(pipe->second.get(), F_DUPFD_CLOEXEC, 2000));
  if (high.get() < 0) GTEST_SKIP() << "unsupported here: no descriptors of such numbers";
  const std::unique_ptr<cm::Place> place = Open();
  ASSERT_NE(place, nullptr);
  pipe->second.Close();
  high.Close();
  pollfd watched{.fd = pipe->first.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&watched, 1, static_cast<int>(kLongEnough.milliseconds())), 1);
}

TEST_F(Node, IsForOneAgentAtATime) {
  const std::unique_ptr<cm::Place> place = Open();
  ASSERT_NE(place, nullptr);
  const auto second = Record::Lock(settings_.folder, "v0", {});
  EXPECT_THAT(std::get<std::string>(second), HasSubstr("another run does faults on v0"));
}

TEST_F(Node, AnAgentEndsOrIsKilledAtAnyMoment) {
  const auto lives = [this](uint64_t seed) {
    return Agent([this, seed] {
      if (const std::unique_ptr<cm::Place> place = Open()) LiveThrough(*place, seed);
      _exit(0);  // it does not clean up
    });
  };
  uint64_t seed = 0;
  const int moments = [&] {
    cm::Process agent = lives(seed);
    agent.Wait(kLongEnough);
    AwaitGuardian();
    EXPECT_EQ(State(), before_) << "ended";
    return NumberIn(folder_ / "count");
  }();
  cm::StreamState state = cm::NamedStream(1, "moments");
  cm::RandomChoice choice(&state);
  int killed = 0;
  for (int i = 0; i < Moments(); ++i) {
    Write(folder_ / "count", "0\n");
    const int at = 1 + static_cast<int>(choice.Below(static_cast<uint64_t>(moments), "moment"));
    Kill("0", 1'000'000);
    cm::Process agent = Agent([this, at, i] {
      Kill(std::to_string(getpid()), at);
      if (const std::unique_ptr<cm::Place> place = Open())
        LiveThrough(*place, static_cast<uint64_t>(i));
      _exit(0);
    });
    const std::optional<int> status = agent.Wait(kLongEnough);
    ASSERT_TRUE(status);
    killed += WIFSIGNALED(*status) ? 1 : 0;
    Kill("0", 1'000'000);
    AwaitGuardian();
    ASSERT_EQ(State(), before_) << "killed at command " << at << " of seed " << i;
  }
  EXPECT_GT(killed, 0);
}

TEST_F(Node, AGuardianIsKilledAtAnyMomentAndItsRecordUndoneLater) {
  cm::StreamState state = cm::NamedStream(2, "moments");
  cm::RandomChoice choice(&state);
  int left = 0;
  for (int i = 0; i < Moments(); ++i) {
    Write(folder_ / "count", "0\n");
    Kill("guardian", 10 + static_cast<int>(choice.Below(60, "moment")));
    cm::Process agent = Agent([this, i] {
      if (const std::unique_ptr<cm::Place> place = Open())
        LiveThrough(*place, static_cast<uint64_t>(i));
      _exit(0);
    });
    ASSERT_TRUE(agent.Wait(kLongEnough));
    if (std::holds_alternative<std::string>(Record::Lock(settings_.folder, "v0", kLongEnough)))
      FAIL() << "a guardian does not end";
    Kill("0", 1'000'000);
    left += State() == before_ ? 0 : 1;
    std::vector<std::string> lines;
    EXPECT_TRUE(Restore(settings_.folder, &lines, settings_.devices)) << lines.front();
    ASSERT_EQ(State(), before_) << "seed " << i;
    EXPECT_THAT(RecordsIn(settings_.folder).interfaces, IsEmpty());
  }
  EXPECT_GT(left, 0) << "none was killed in time";
}

TEST_F(Node, AConnectionThatIsLostEndsAllFaults) {
  std::optional<cm::Ends> input = cm::Pipe();
  ASSERT_TRUE(input);
  settings_.input = input->first.get();
  const std::unique_ptr<cm::Place> place = Open();
  ASSERT_NE(place, nullptr);
  for (const Fault& fault : kFaults) EXPECT_TRUE(place->Inject(fault).ok);
  EXPECT_NE(State(), before_);
  input->second.Close();
  AwaitGuardian();
  EXPECT_EQ(State(), before_);
  EXPECT_THAT(place->Inject(kFaults.front()).note, HasSubstr("the guardian is gone"));
  EXPECT_EQ(State(), before_);
}

TEST_F(Node, ASuccessorUndoesWhatWasLeft) {
  Kill("guardian", 40);
  cm::Process agent = Agent([this] {
    if (const std::unique_ptr<cm::Place> place = Open())
      for (const Fault& fault : kFaults) static_cast<void>(place->Inject(fault));
    _exit(0);
  });
  ASSERT_TRUE(agent.Wait(kLongEnough));
  EXPECT_NE(State(), before_);
  const std::unique_ptr<cm::Place> place = Open();
  EXPECT_EQ(State(), before_);
}

}  // namespace
}  // namespace node
