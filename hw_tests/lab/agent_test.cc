#include "hw_tests/lab/agent.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "conformance/process/descriptor.h"
#include "conformance/process/process.h"
#include "hw_tests/lab/frame.h"

namespace lab {
namespace {

constexpr int kPatienceMs = 30'000;

struct Answer {
  std::string output;
  std::string error;
  int status = -1;
};

// An agent in a process of its own, at the other end of a socket.
class AgentTest : public ::testing::Test {
 protected:
  AgentTest() {
    std::optional<cm::Ends> ends = cm::SocketPair(SOCK_STREAM);
    port_ = std::move(ends->first);
    auto agent = cm::Process::Fork([&] {
      port_.Close();
      fcntl(ends->second.get(), F_SETFL, O_NONBLOCK);
      ServeAgent(ends->second.get());
    });
    agent_ = std::move(agent.value());
    const std::optional<Frame> ready = Receive();
    EXPECT_TRUE(ready && ready->type == FrameType::kReady);
  }

  void Send(const Frame& frame) {
    const std::string bytes = Encode(frame);
    ASSERT_EQ(write(port_.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  // Empty when nothing arrives within the time limit of the tests.
  std::optional<Frame> Receive() {
    for (;;) {
      if (std::optional<Frame> frame = decoder_.Next()) return frame;
      pollfd ready = {port_.get(), POLLIN, 0};
      if (poll(&ready, 1, kPatienceMs) <= 0) return std::nullopt;
      std::array<char, 4096> buffer;
      const ssize_t n = read(port_.get(), buffer.data(), buffer.size());
      if (n <= 0) return std::nullopt;
      decoder_.Append({buffer.data(), static_cast<size_t>(n)});
    }
  }

  Answer AwaitExit() {
    Answer answer;
    while (const std::optional<Frame> frame = Receive()) {
      EXPECT_EQ(frame->command, command_);
      if (frame->type == FrameType::kOutput) answer.output += frame->payload;
      if (frame->type == FrameType::kError) answer.error += frame->payload;
      if (frame->type != FrameType::kExit) continue;
      answer.status = DecodeExit(frame->payload).value().status;
      return answer;
    }
    ADD_FAILURE() << "no exit";
    return answer;
  }

  Answer Run(const std::string& command) {
    Send({FrameType::kRun, ++command_, command});
    return AwaitExit();
  }

  // Numbers of the agent's descriptors.
  std::set<int> Open() const {
    std::set<int> open;
    const std::string folder = "/proc/" + std::to_string(agent_.pid()) + "/fd";
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      open.insert(std::stoi(entry.path().filename()));
    return open;
  }

  cm::Descriptor port_;
  cm::Process agent_;
  uint32_t command_ = 0;
  FrameDecoder decoder_;
};

TEST_F(AgentTest, KeepsOutputAndErrorsApartAndReportsTheExitCode) {
  const Answer answer = Run("echo out; echo err >&2; exit 7");
  EXPECT_EQ(answer.output, "out\n");
  EXPECT_EQ(answer.error, "err\n");
  EXPECT_EQ(answer.status, 7);
}

TEST_F(AgentTest, ReportsASignalAsTheShellDoes) { EXPECT_EQ(Run("kill -TERM $$").status, 143); }

TEST_F(AgentTest, RunsOneCommandAfterTheOther) {
  EXPECT_EQ(Run("echo 1").output, "1\n");
  EXPECT_EQ(Run("echo 2").output, "2\n");
}

TEST_F(AgentTest, PassesOnMoreThanAnyBufferHolds) {
  const Answer answer = Run("head -c 3000000 /dev/zero");
  EXPECT_EQ(answer.output.size(), 3'000'000u);
  EXPECT_EQ(answer.status, 0);
}

TEST_F(AgentTest, DoesNotWaitForBackgroundChildrenThatHoldTheOutput) {
  const Answer answer = Run("(sleep 1000; echo late) & echo early");
  EXPECT_EQ(answer.output, "early\n");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(Run("echo next").output, "next\n");
}

// The child would block on a full pipe, or die of a closed one, before it makes the file.
TEST_F(AgentTest, ThrowsAwayWhatBackgroundChildrenPrintLater) {
  const std::string file = ::testing::TempDir() + "/agent_background";
  unlink(file.c_str());
  const Answer answer =
      Run("(sleep 0.1; head -c 300000 /dev/zero; echo done >" + file + ") & true");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(Run("until [ -e " + file + " ]; do sleep 0.01; done; cat " + file).output, "done\n");
}

TEST_F(AgentTest, KillsACommandWithItsChildren) {
  Send({FrameType::kRun, ++command_, "sleep 1000 & echo $!; wait"});
  const std::optional<Frame> child = Receive();
  ASSERT_TRUE(child);
  Send({FrameType::kKill, command_, ""});
  EXPECT_EQ(AwaitExit().status, 137);
  EXPECT_EQ(Run("while kill -0 " + child->payload.substr(0, child->payload.size() - 1) +
                " 2>/dev/null; do sleep 0.01; done")
                .status,
            0);
}

TEST_F(AgentTest, KillWithoutACommandIsHarmless) {
  Send({FrameType::kKill, 0, ""});
  EXPECT_EQ(Run("echo here").output, "here\n");
}

// The agent may have three more descriptors: one pipe, and half of the other.
TEST_F(AgentTest, HasNothingOpenOfACommandWithoutPipes) {
  const std::set<int> before = Open();
  rlimit few = {};
  for (int room = 0; room < 3; ++few.rlim_cur)
    if (!before.contains(static_cast<int>(few.rlim_cur))) ++room;
  rlimit usual = {};
  ASSERT_EQ(prlimit(agent_.pid(), RLIMIT_NOFILE, nullptr, &usual), 0);
  few.rlim_max = usual.rlim_max;
  ASSERT_EQ(prlimit(agent_.pid(), RLIMIT_NOFILE, &few, nullptr), 0);
  const Answer refused = Run("true");
  EXPECT_EQ(refused.error, "agent: no more pipes\n");
  EXPECT_EQ(refused.status, 126);
  EXPECT_EQ(Open(), before);
  ASSERT_EQ(prlimit(agent_.pid(), RLIMIT_NOFILE, &usual, nullptr), 0);
  EXPECT_EQ(Run("echo here").output, "here\n");
}

TEST_F(AgentTest, EndsWhenTheStreamHasLostItsBoundaries) {
  const std::string rubbish(64, '\xff');
  ASSERT_EQ(write(port_.get(), rubbish.data(), rubbish.size()), 64);
  EXPECT_FALSE(Receive());
}

}  // namespace
}  // namespace lab
