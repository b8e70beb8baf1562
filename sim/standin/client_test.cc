#include "sim/standin/client.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <future>
#include <optional>
#include <thread>
#include <variant>

#include "sim/standin/asking.h"
#include "sim/standin/by_hand.h"
#include "sim/uapi/framing.h"

namespace cm::sim::standin {

// The client under test is made by each test.
Ground* GroundOfEnvironment() { return nullptr; }

namespace {

using uapi::Answer;
using uapi::Connection;
using uapi::Hello;
using uapi::Interrupt;
using uapi::Message;
using uapi::Op;
using uapi::Request;

template <typename T>
T HearA(Connection* connection) {
  const std::optional<Message> message = Hear(connection);
  if (message && std::holds_alternative<T>(*message)) return std::get<T>(*message);
  ADD_FAILURE() << "not what was expected";
  return {};
}

TEST(Client, SaysWhoItIsAndAsks) {
  const Listening broker;
  Client client(broker.path());
  std::thread owner([&broker] {
    Connection connection(broker.Accept());
    const Hello hello = HearA<Hello>(&connection);
    EXPECT_EQ(hello.process, 12U);
    EXPECT_EQ(hello.pid, getpid());
    EXPECT_NE(hello.tid, 0);
    EXPECT_EQ(HearA<Request>(&connection).op, Op::kNow);
    connection.Send(Answer{.value = 41});
    EXPECT_EQ(HearA<Request>(&connection).op, Op::kOpen);
    connection.Send(Answer{.value = -EMFILE});
  });
  std::thread asker([&client] {
    EXPECT_EQ(client.Ask({.op = Op::kNow}).value, 41);
    EXPECT_EQ(client.Ask({.op = Op::kOpen}).value, -EMFILE);
  });
  asker.join();
  owner.join();
}

TEST(Client, AsksForTheTimeAgainWhenItHasSleptOrLookedVeryOften) {
  const Listening broker;
  Client client(broker.path());
  std::atomic<int> asked = 0;
  std::thread owner([&] {
    Connection connection(broker.Accept());
    HearA<Hello>(&connection);
    while (Hear(&connection)) connection.Send(Answer{.value = ++asked});
  });
  std::thread asker([&] {
    const auto look = [&client] { return client.Ask({.op = Op::kNow}).value; };
    EXPECT_EQ(look(), 1);
    EXPECT_EQ(look(), 1) << "meanwhile it has been running, and time stood";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(look(), 2);
    EXPECT_EQ(client.Ask({.op = Op::kSleep}).value, 3);
    EXPECT_EQ(look(), 4) << "whether or not the answer was there at once";
    int looks = 0;
    while (look() == 4 && looks < 1'000'000) ++looks;
    EXPECT_GT(looks, 1'000);
    EXPECT_LT(looks, 100'000);
  });
  asker.join();
  owner.join();
}

TEST(Client, HasNoDeviceWithoutABroker) {
  Client client("/nowhere/cmsim.1");
  EXPECT_EQ(client.Ask({.op = Op::kNow}).value, -ENODEV);
}

TEST(Client, FailsWhenTheBrokerGoesInTheMiddle) {
  std::optional<Listening> broker(std::in_place);
  Client client(broker->path());
  std::thread owner([&broker] {
    Connection connection(broker->Accept());
    HearA<Hello>(&connection);
    HearA<Request>(&connection);
  });
  std::thread asker([&] {
    EXPECT_EQ(client.Ask({.op = Op::kNow}).value, -EIO);
    owner.join();
    broker.reset();
    EXPECT_EQ(client.Ask({.op = Op::kNow}).value, -ENODEV);
  });
  asker.join();
}

TEST(Client, FailsWhenTheBrokerSpeaksNonsense) {
  const Listening broker;
  Client client(broker.path());
  std::thread owner([&broker] {
    Connection connection(broker.Accept());
    HearA<Hello>(&connection);
    HearA<Request>(&connection);
    connection.Send(Interrupt{});
    EXPECT_FALSE(Hear(&connection)) << "the client closes";
  });
  std::thread asker([&client] { EXPECT_EQ(client.Ask({.op = Op::kNow}).value, -EIO); });
  asker.join();
  owner.join();
}

// A handler that does not restart calls ends the wait, as it does in read(2).
TEST(Client, AsksForTheAnswerWhenASignalComes) {
  const Listening broker;
  Client client(broker.path());
  struct sigaction quiet {};
  quiet.sa_handler = [](int) {};
  sigaction(SIGUSR1, &quiet, nullptr);
  std::promise<pthread_t> waits;
  std::thread asker([&] {
    waits.set_value(pthread_self());
    EXPECT_EQ(client.Ask({.op = Op::kTakeEvent}).value, -EINTR);
  });
  const pthread_t thread = waits.get_future().get();
  Connection connection(broker.Accept());
  HearA<Hello>(&connection);
  HearA<Request>(&connection);
  std::atomic<bool> heard = false;
  // The signal may come before the thread waits again; it is repeated until it is noticed.
  std::thread caller([&] {
    while (!heard) {
      pthread_kill(thread, SIGUSR1);
      sched_yield();
    }
  });
  HearA<Interrupt>(&connection);
  heard = true;
  caller.join();
  connection.Send(Answer{.value = -EINTR});
  asker.join();
}

TEST(Client, EndsTheConnectionOfACancelledThread) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer takes the unwinding of a cancelled thread for an overflow";
#endif
  const Listening broker;
  Client client(broker.path());
  std::thread asker([&client] { client.Ask({.op = Op::kTakeEvent}); });
  Connection connection(broker.Accept());
  HearA<Hello>(&connection);
  HearA<Request>(&connection);
  pthread_cancel(asker.native_handle());
  EXPECT_FALSE(Hear(&connection));
  asker.join();
}

}  // namespace
}  // namespace cm::sim::standin
