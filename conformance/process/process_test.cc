#include "conformance/process/process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "conformance/process/pid_namespace.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

constexpr Duration kLong = Duration::Seconds(30);

Launch Shell(const std::string& command) { return {.arguments = {"sh", "-c", command}}; }

Process Started(const Launch& launch) {
  auto started = Process::Start(launch);
  if (const auto* problem = std::get_if<std::string>(&started)) ADD_FAILURE() << *problem;
  return std::get<Process>(std::move(started));
}

bool Exists(pid_t pid) { return kill(pid, 0) == 0; }

// Whether the process is gone, or is a zombie, within half a minute.
bool EndsSoon(pid_t pid) {
  for (int i = 0; i < 6000; ++i) {
    std::string state;
    std::ifstream("/proc/" + std::to_string(pid) + "/stat") >> state >> state >> state;
    if (state.empty() || state == "Z") return true;
    poll(nullptr, 0, 5);
  }
  return false;
}

std::string ReadLine(int fd) {
  std::string line;
  char c = 0;
  while (read(fd, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

using Found = std::variant<std::string, int>;

TEST(FindProgram, LooksInEveryFolderForAFileThatCanBeRun) {
  const fs::path folder = fs::path(::testing::TempDir()) / "find_program";
  fs::create_directories(folder / "a" / "tool");  // a folder is no program
  fs::create_directories(folder / "b");
  fs::create_directories(folder / "c");
  std::ofstream(folder / "b" / "tool") << "not to be run";
  std::ofstream(folder / "c" / "tool") << "#!/bin/sh\n";
  fs::permissions(folder / "c" / "tool", fs::perms::owner_all);
  const std::string f = folder.string();
  EXPECT_EQ(FindProgram("tool", f + "/a::" + f + "/b:" + f + "/c"), Found(f + "/c/tool"));
  EXPECT_EQ(FindProgram("tool", f + "/a"), Found(EACCES));
  EXPECT_EQ(FindProgram("no-tool", f + "/c"), Found(ENOENT));
  EXPECT_EQ(FindProgram(f + "/b/tool", ""), Found(EACCES));
}

TEST(MemoryFile, CanBeReadByAProcessThatInheritsIt) {
  const Descriptor file = MemoryFile("hello\n");
  std::optional<Ends> pipe = Pipe();
  ASSERT_TRUE(pipe);
  Launch launch = Shell("cat " + InheritedPath(file));
  launch.inherited = {file.get()};
  launch.output = pipe->second.get();
  Process process = Started(launch);
  EXPECT_EQ(ReadLine(pipe->first.get()), "hello");
  EXPECT_EQ(ReadFromStart(file), "hello\n");
  EXPECT_EQ(process.Wait(kLong), 0);
}

TEST(Process, InheritsNothingThatItWasNotGiven) {
  const Descriptor file = MemoryFile("secret");
  Process process = Started(Shell("test ! -e " + InheritedPath(file)));
  EXPECT_EQ(process.Wait(kLong), 0);
}

TEST(Process, SeesTheChangedEnvironmentAndTheRestOfOurs) {
  setenv("PROCESS_TEST_KEPT", "kept", 1);
  setenv("PROCESS_TEST_CHANGED", "old", 1);
  Launch launch = Shell("test $PROCESS_TEST_KEPT$PROCESS_TEST_CHANGED = keptnew");
  launch.environment = {"PROCESS_TEST_CHANGED=new"};
  Process process = Started(launch);
  EXPECT_EQ(process.Wait(kLong), 0);
}

TEST(Process, ThatDoesNotEndIsReportedAsSuch) {
  Process process = Started(Shell("exec sleep 1000"));
  EXPECT_FALSE(process.Wait(Duration::Milliseconds(20)));
  process.Kill();
}

TEST(Process, ThatIsNoneHasEnded) {
  errno = EINTR;
  EXPECT_EQ(Process().Wait(kLong), 0);
}

TEST(Process, ThatCannotStartIsReportedWithTheReason) {
  const std::string script = testing::TempDir() + "/script";
  std::ofstream(script) << "#!/nowhere/at/all\n";
  fs::permissions(script, fs::perms::owner_all);
  for (const std::string& name : {std::string("/nowhere/at/all"), script}) {
    const auto started = Process::Start({.arguments = {name}});
    const auto* const problem = std::get_if<std::string>(&started);
    ASSERT_NE(problem, nullptr);
    EXPECT_EQ(*problem, "cannot start " + name + ": No such file or directory");
  }
}

TEST(Process, RunsInItsFolderWithItsOwnStreams) {
  const Descriptor output = MemoryFile("");
  const Descriptor error = MemoryFile("");
  Launch launch = Shell("pwd; echo b >&2");
  launch.folder = "/usr";
  launch.output = output.get();
  launch.error = error.get();
  EXPECT_EQ(Started(launch).Wait(kLong), 0);
  EXPECT_EQ(ReadFromStart(output), "/usr\n");
  EXPECT_EQ(ReadFromStart(error), "b\n");
}

TEST(Process, ForkedOneRunsTheFunction) {
  const Descriptor file = MemoryFile("");
  std::optional<Process> process =
      Process::Fork([&] { static_cast<void>(!write(file.get(), "here", 4)); });
  ASSERT_TRUE(process.has_value());
  EXPECT_EQ(process->Wait(kLong), 0);
  EXPECT_EQ(ReadFromStart(file), "here");
}

TEST(RunProgram, ReturnsWhatWasSaidAndHowItEnded) {
  const std::optional<Ran> ran = RunProgram({"sh", "-c", "echo a; echo b >&2; exit 3"});
  ASSERT_TRUE(ran.has_value());
  EXPECT_EQ(ran->output, "a\nb\n");
  EXPECT_EQ(ran->exit_code, 3);
  EXPECT_EQ(RunProgram({"sh", "-c", "kill -9 $$"}).value_or(Ran{}).exit_code, 128 + 9);
  EXPECT_FALSE(RunProgram({"no-such-program-anywhere"}).has_value());
}

TEST(Process, DestructorKillsTheWholeGroup) {
  std::optional<Ends> pipe = Pipe();
  ASSERT_TRUE(pipe);
  pid_t leader = 0;
  pid_t child = 0;
  {
    Launch launch = Shell("sleep 1000 & echo $!; wait");
    launch.output = pipe->second.get();
    Process process = Started(launch);
    leader = process.pid();
    child = std::stoi(ReadLine(pipe->first.get()));
    EXPECT_TRUE(Exists(child));
  }
  EXPECT_FALSE(Exists(leader));
  EXPECT_TRUE(EndsSoon(child));
}

// The thread that starts processes is not there in a child.
TEST(Process, ForkedOneStartsAProgram) {
  ASSERT_TRUE(RunProgram({"true"}));
  std::optional<Process> process = Process::Fork([] {
    const std::optional<Ran> ran = RunProgram({"true"});
    _exit(ran && ran->exit_code == 0 ? 7 : 8);
  });
  ASSERT_TRUE(process);
  const std::optional<int> status = process->Wait(Duration::Seconds(60));
  ASSERT_TRUE(status) << "it has not ended";
  EXPECT_EQ(ExitCodeOf(*status), 7);
}

// Programs that a simulated host runs, after others have run elsewhere.
TEST(Process, IsInTheNetworkOfTheThreadThatAsksForIt) {
  ASSERT_TRUE(RunProgram({"true"}));
  std::thread([] {
    if (unshare(CLONE_NEWNET) != 0) return;  // it takes a privilege
    const std::string own = std::filesystem::read_symlink("/proc/thread-self/ns/net");
    const std::optional<Ran> ran = RunProgram({"readlink", "/proc/self/ns/net"});
    ASSERT_TRUE(ran);
    EXPECT_EQ(ran->output, own + "\n");
  }).join();
}

// The program's parent is in another namespace, and its child is adopted by the init.
TEST(Process, HasIdsAndAProcOfItsNamespace) {
  const auto ids = PidNamespace::Make(500);
  if (!ids) GTEST_SKIP() << "the system does not permit PID namespaces";
  for (const std::string own : {"500", "503"}) {
    std::optional<Ends> output = Pipe();
    ASSERT_TRUE(output);
    Launch launch = Shell("echo $$ $PPID; readlink /proc/self; sh -c 'exit 3' & exit 7");
    launch.output = output->second.get();
    launch.process_ids = ids->descriptor();
    Process process = Started(launch);
    const std::optional<int> status = process.Wait(kLong);
    ASSERT_TRUE(status);
    EXPECT_EQ(ExitCodeOf(*status), 7);
    std::array<char, 100> text{};
    ASSERT_GT(read(output->first.get(), text.data(), text.size() - 1), 0);
    EXPECT_EQ(std::string(text.data()), own + " 0\n" + std::to_string(std::stoi(own) + 1) + "\n");
  }
}

TEST(Process, EndsWithTheInitOfItsNamespace) {
  Process process;
  {
    auto ids = PidNamespace::Make(500);
    if (!ids) GTEST_SKIP() << "the system does not permit PID namespaces";
    Launch launch = Shell("exec sleep 1000");
    launch.process_ids = ids->descriptor();
    process = Started(launch);
    kill(ids->init(), SIGKILL);
    const std::optional<int> status = process.Wait(kLong);
    ASSERT_TRUE(status);
    EXPECT_EQ(ExitCodeOf(*status), 128 + SIGKILL);
  }
  // Later processes are in our namespace.
  EXPECT_TRUE(RunProgram({"true"}));
}

// The thread that starts a process may end before it; the process must survive.
TEST(Process, OutlivesTheThreadThatStartedIt) {
  Process process;
  std::thread([&] { process = Started(Shell("exec sleep 1000")); }).join();
  EXPECT_FALSE(process.Wait(Duration::Milliseconds(100)));
  EXPECT_TRUE(Exists(process.pid()));
}

// The program's behaviour with an argument: it starts a process, writes its number to the
// descriptor in the argument, and waits to be killed.
int BeAParent(int output) {
  Process process = Started(Shell("exec sleep 1000"));
  const std::string line = std::to_string(process.pid()) + "\n";
  if (write(output, line.data(), line.size()) < 0) return 1;
  for (;;) pause();
}

TEST(Process, EndsWhenWeAreKilled) {
  std::optional<Ends> pipe = Pipe();
  ASSERT_TRUE(pipe);
  // A child in our place, because we cannot be killed and observe it.
  Launch launch;
  launch.arguments = {"/proc/self/exe", std::to_string(pipe->second.get())};
  launch.inherited = {pipe->second.get()};
  Process parent = Started(launch);
  const pid_t child = std::stoi(ReadLine(pipe->first.get()));
  EXPECT_TRUE(Exists(child));
  parent.Kill();
  EXPECT_TRUE(EndsSoon(child));
}

}  // namespace
}  // namespace cm

int main(int argc, char** argv) {
  if (argc == 2 && argv[1][0] != '-') return cm::BeAParent(std::atoi(argv[1]));
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
