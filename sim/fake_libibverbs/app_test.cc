// Starts a program that was built without the fake libibverbs with the fake libibverbs preloaded.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "sim/fake_libibverbs/by_hand.h"
#include "sim/fake_libibverbs/fake_backend.h"
#include "sim/uapi/framing.h"
#include "sim/uapi/level.h"

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::Answer;
using uapi::Connection;
using uapi::Message;
using uapi::Op;
using uapi::Request;
using uapi::Watch;

constexpr int64_t kSecond = 1'000'000'000;

// Owns the machine of one program. Its clock moves when the program sleeps; an event arrives during
// the sleep.
class Owner {
 public:
  // Both must outlive this object.
  Owner(FakeBackend* backend, Listening* listening) : backend_(backend), listening_(listening) {
    listening_->ShareTime(now_);
    backend->instead = [this](const Request& request, Answer* answer) {
      return Instead(request, answer);
    };
  }

  // Returns when the thread of the program has ended. Each thread needs one that calls this.
  void Serve(Connection* connection) {
    while (std::optional<Message> message = Hear(connection)) {
      const std::lock_guard held(lock_);
      if (const auto* watch = std::get_if<Watch>(&*message)) Keep(*watch, connection);
      if (const auto* gone = std::get_if<uapi::Unwatch>(&*message)) watched_.erase(gone->name);
      const auto* request = std::get_if<Request>(&*message);
      if (request == nullptr) continue;
      const Answer answer = backend_->Ask(*request);
      for (auto& [name, watched] : watched_)
        watched.level->Set(backend_->Ask(watched.readable).value == 1);
      connection->Send(answer);
    }
  }

  size_t watches() const { return watched_.size(); }
  // In microseconds.
  uint32_t longest_interval() const { return longest_interval_; }

 private:
  struct Watched {
    std::unique_ptr<uapi::Level> level;
    Request readable;
  };

  bool Instead(const Request& request, Answer* answer) {
    if (request.op == Op::kSleep) {
      now_ = static_cast<int64_t>(request.more);
      listening_->ShareTime(now_);
    }
    if (request.op == Op::kNow) answer->value = now_;
    if (request.op == Op::kPollFile) answer->value = now_ >= 3600 * kSecond ? 1 : 0;
    return request.op == Op::kSleep || request.op == Op::kNow || request.op == Op::kPollFile;
  }

  void Keep(const Watch& watch, Connection* connection) {
    Watched& watched = watched_[watch.name];
    watched.readable = watch.readable;
    if (watch.readable.op == Op::kPollTime)
      longest_interval_ = std::max(longest_interval_, watch.readable.on);
    if (watch.has_descriptor)
      watched.level = std::make_unique<uapi::Level>(connection->TakeDescriptor());
  }

  FakeBackend* backend_;
  Listening* listening_;
  std::mutex lock_;
  int64_t now_ = 0;
  std::map<uint64_t, Watched> watched_;
  uint32_t longest_interval_ = 0;
};

// Returns what the program prints and how it ends.
std::string OutputOf(const std::string& socket, const std::string& argument = "") {
  std::array<char, 4096> directory{};
  if (getcwd(directory.data(), directory.size()) == nullptr) return "no directory";
  const std::string here = directory.data();
  // A sanitizer must be loaded first, and reports the memory that the library still holds at exit.
  const std::string command =
      "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 LD_PRELOAD=" + here +
      "/sim/fake_libibverbs/libcmsim_app.so CMSIM_SOCKET=" + socket + " " + here +
      "/sim/fake_libibverbs/probe " + argument;
  FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) return "not started";
  std::string text;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output))
    text.push_back(static_cast<char>(c));
  const int status = pclose(output);
  return text + "status " + std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1) + "\n";
}

TEST(App, AProgramFindsTheMachineAndItsTime) {
  Listening listening;
  FakeBackend backend;
  backend.guid_of_ids = FakeBackend::kGuid;
  Owner owner(&backend, &listening);
  std::string output;
  std::thread program([&] { output = OutputOf(listening.path()); });
  Connection connection(listening.Accept());
  owner.Serve(&connection);
  program.join();
  EXPECT_EQ(output,
            "device rxe0\n"
            "readable 0\n"
            "slept 3600, left 0\n"
            "readable 1\n"
            "status 0\n");
  EXPECT_EQ(owner.watches(), 1U) << "the library keeps its devices open";
}

// A timer of timer_create has a thread. What is open in a child are the ends of both pipes that the
// machine writes to.
TEST(App, TimersOfAProgramAreOutOfItsWay) {
  Listening listening;
  FakeBackend backend;
  Owner owner(&backend, &listening);
  std::string output;
  std::thread program([&] { output = OutputOf(listening.path(), "timers"); });
  Connection first(listening.Accept());
  std::thread of_the_timer([&] {
    Connection second(listening.Accept());
    owner.Serve(&second);
  });
  owner.Serve(&first);
  of_the_timer.join();
  program.join();
  EXPECT_EQ(output,
            "low read ends: 0 more\n"
            "open in a child: 2 more\n"
            "status 0\n");
  EXPECT_EQ(owner.longest_interval(), UINT32_MAX) << "5000 seconds are more";
}

TEST(App, AProgramWithoutItsOwnerHasNoDevice) {
  EXPECT_EQ(OutputOf("/nowhere/cmsim.1"), "rdma_create_event_channel: No such device\nstatus 1\n");
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
