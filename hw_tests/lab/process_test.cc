#include "hw_tests/lab/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace lab {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kLong = std::chrono::seconds(30);

Launch Shell(const std::string& command) {
  Launch launch;
  launch.arguments = {"/bin/sh", "-c", command};
  return launch;
}

bool Exists(pid_t pid) { return kill(pid, 0) == 0; }

// Whether the process is gone, or is a zombie, within the limit.
bool EndsWithin(pid_t pid, milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < until) {
    std::string state;
    std::ifstream("/proc/" + std::to_string(pid) + "/stat") >> state >> state >> state;
    if (state.empty() || state == "Z") return true;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

std::string ReadLine(int fd) {
  std::string line;
  char c = 0;
  while (read(fd, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

TEST(FindProgram, LooksInEveryFolderForAFileThatCanBeRun) {
  const fs::path folder = fs::path(::testing::TempDir()) / "find_program";
  fs::create_directories(folder / "a" / "tool");  // a folder is no program
  fs::create_directories(folder / "b");
  fs::create_directories(folder / "c");
  std::ofstream(folder / "b" / "tool") << "not to be run";
  std::ofstream(folder / "c" / "tool") << "#!/bin/sh\n";
  fs::permissions(folder / "c" / "tool", fs::perms::owner_all);
  const std::string f = folder.string();
  EXPECT_EQ(FindProgram("tool", f + "/a::" + f + "/b:" + f + "/c"), f + "/c/tool");
  EXPECT_FALSE(FindProgram("tool", f + "/a"));
  EXPECT_FALSE(FindProgram("tool", ""));
}

TEST(MemoryFile, CanBeReadByAProcessThatInheritsIt) {
  const Descriptor file = MemoryFile("hello\n");
  std::optional<std::pair<Descriptor, Descriptor>> pipe = Pipe();
  ASSERT_TRUE(pipe);
  Launch launch = Shell("cat " + InheritedPath(file));
  launch.inherited = {file.get()};
  launch.output = pipe->second.get();
  Outcome<Process> process = Process::Start(launch);
  ASSERT_TRUE(process.ok());
  EXPECT_EQ(ReadLine(pipe->first.get()), "hello");
  EXPECT_EQ(ReadFromStart(file), "hello\n");
  EXPECT_EQ(process.value().Wait(kLong), 0);
}

TEST(Process, InheritsNothingThatItWasNotGiven) {
  const Descriptor file = MemoryFile("secret");
  Outcome<Process> process = Process::Start(Shell("test ! -e " + InheritedPath(file)));
  ASSERT_TRUE(process.ok());
  EXPECT_EQ(process.value().Wait(kLong), 0);
}

TEST(Process, SeesTheChangedEnvironmentAndTheRestOfOurs) {
  setenv("LAB_TEST_KEPT", "kept", 1);
  setenv("LAB_TEST_CHANGED", "old", 1);
  Launch launch = Shell("test $LAB_TEST_KEPT$LAB_TEST_CHANGED = keptnew");
  launch.environment = {"LAB_TEST_CHANGED=new"};
  Outcome<Process> process = Process::Start(launch);
  ASSERT_TRUE(process.ok());
  EXPECT_EQ(process.value().Wait(kLong), 0);
}

TEST(Process, ThatDoesNotEndIsReportedAsSuch) {
  Outcome<Process> process = Process::Start(Shell("exec sleep 1000"));
  ASSERT_TRUE(process.ok());
  EXPECT_FALSE(process.value().Wait(milliseconds(20)));
  process.value().Kill();
}

TEST(Process, ProgramThatIsNotThereEndsWith127) {
  Launch launch;
  launch.arguments = {"/nowhere/at/all"};
  Outcome<Process> process = Process::Start(launch);
  ASSERT_TRUE(process.ok());
  const std::optional<int> status = process.value().Wait(kLong);
  ASSERT_TRUE(status);
  EXPECT_EQ(WEXITSTATUS(*status), 127);
}

TEST(Process, DestructorKillsTheWholeGroup) {
  std::optional<std::pair<Descriptor, Descriptor>> pipe = Pipe();
  ASSERT_TRUE(pipe);
  pid_t leader = 0;
  pid_t child = 0;
  {
    Launch launch = Shell("sleep 1000 & echo $!; wait");
    launch.output = pipe->second.get();
    Outcome<Process> process = Process::Start(launch);
    ASSERT_TRUE(process.ok());
    leader = process.value().pid();
    child = std::stoi(ReadLine(pipe->first.get()));
    EXPECT_TRUE(Exists(child));
  }
  EXPECT_FALSE(Exists(leader));
  EXPECT_TRUE(EndsWithin(child, kLong));
}

// The thread that starts a process may end before it; the process must survive.
TEST(Process, OutlivesTheThreadThatStartedIt) {
  Process process;
  std::thread([&] {
    Outcome<Process> started = Process::Start(Shell("exec sleep 1000"));
    ASSERT_TRUE(started.ok());
    process = std::move(started.value());
  }).join();
  EXPECT_FALSE(process.Wait(milliseconds(100)));
  EXPECT_TRUE(Exists(process.pid()));
}

// The program's behaviour with an argument: it starts a process, writes its number to the
// descriptor in the argument, and waits to be killed.
int BeAParent(int output) {
  Outcome<Process> process = Process::Start(Shell("exec sleep 1000"));
  if (!process.ok()) return 1;
  const std::string line = std::to_string(process.value().pid()) + "\n";
  if (write(output, line.data(), line.size()) < 0) return 1;
  for (;;) pause();
}

TEST(Process, EndsWhenWeAreKilled) {
  std::optional<std::pair<Descriptor, Descriptor>> pipe = Pipe();
  ASSERT_TRUE(pipe);
  // A child in our place, because we cannot be killed and observe it.
  Launch launch;
  launch.arguments = {"/proc/self/exe", std::to_string(pipe->second.get())};
  launch.inherited = {pipe->second.get()};
  Outcome<Process> parent = Process::Start(launch);
  ASSERT_TRUE(parent.ok());
  const pid_t child = std::stoi(ReadLine(pipe->first.get()));
  EXPECT_TRUE(Exists(child));
  parent.value().Kill();
  EXPECT_TRUE(EndsWithin(child, kLong));
}

}  // namespace
}  // namespace lab

int main(int argc, char** argv) {
  if (argc == 2 && argv[1][0] != '-') return lab::BeAParent(std::atoi(argv[1]));
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
