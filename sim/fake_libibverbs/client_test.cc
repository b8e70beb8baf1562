#include "sim/fake_libibverbs/client.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <future>
#include <optional>
#include <thread>
#include <variant>

#include "sim/fake_libibverbs/by_hand.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/uapi/framing.h"

namespace cm::sim::fake_libibverbs {

// Each test constructs the client under test.
Backend* BackendOfEnvironment() { return nullptr; }

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
  Client client(broker.path().c_str());
  std::thread owner([&broker] {
    Connection connection(broker.Accept());
    const Hello hello = HearA<Hello>(&connection);
    EXPECT_EQ(hello.process, 12U);
    EXPECT_EQ(hello.pid, getpid());
    EXPECT_NE(hello.tid, 0);
    EXPECT_EQ(HearA<Request>(&connection).op, Op::kDevices);
    connection.Send(Answer{.value = 41});
    EXPECT_EQ(HearA<Request>(&connection).op, Op::kOpen);
    connection.Send(Answer{.value = -EMFILE});
  });
  std::thread asker([&client] {
    EXPECT_EQ(client.Ask({.op = Op::kDevices}).value, 41);
    EXPECT_EQ(client.Ask({.op = Op::kOpen}).value, -EMFILE);
  });
  asker.join();
  owner.join();
}

TEST(Client, SeesTheTimeAndIsHeardWhenItLooksVeryOften) {
  Listening broker;
  broker.ShareTime(41);
  Client client(broker.path().c_str());
  std::thread owner([&] {
    Connection connection(broker.Accept());
    HearA<Hello>(&connection);
    EXPECT_EQ(HearA<Request>(&connection).op, Op::kNow);
    broker.ShareTime(43);
    connection.Send(Answer{.value = 43});
  });
  std::thread asker([&] {
    const auto look = [&client] { return client.Ask({.op = Op::kNow}).value; };
    EXPECT_EQ(look(), 41) << "no request was sent";
    broker.ShareTime(42);
    int looks = 0;
    while (look() == 42 && looks < 1'000'000) ++looks;
    EXPECT_GT(looks, 1'000);
    EXPECT_LT(looks, 100'000);
    EXPECT_EQ(look(), 43);
  });
  asker.join();
  owner.join();
}

TEST(Client, HasNoDeviceWithoutABroker) {
  Client client("/nowhere/cmsim.1");
  EXPECT_EQ(client.Ask({.op = Op::kNow}).value, -ENODEV);
  EXPECT_EQ(client.Ask({.op = Op::kOpen}).value, -ENODEV);
}

TEST(Client, FailsWhenTheBrokerGoesInTheMiddle) {
  std::optional<Listening> broker(std::in_place);
  Client client(broker->path().c_str());
  std::thread owner([&broker] {
    Connection connection(broker->Accept());
    HearA<Hello>(&connection);
    HearA<Request>(&connection);
  });
  std::thread asker([&] {
    EXPECT_EQ(client.Ask({.op = Op::kOpen}).value, -EIO);
    owner.join();
    broker.reset();
    EXPECT_EQ(client.Ask({.op = Op::kOpen}).value, -ENODEV);
  });
  asker.join();
}

TEST(Client, FailsWhenTheBrokerSpeaksNonsense) {
  const Listening broker;
  Client client(broker.path().c_str());
  std::thread owner([&broker] {
    Connection connection(broker.Accept());
    HearA<Hello>(&connection);
    HearA<Request>(&connection);
    connection.Send(Interrupt{});
    EXPECT_FALSE(Hear(&connection)) << "the client closes";
  });
  std::thread asker([&client] { EXPECT_EQ(client.Ask({.op = Op::kOpen}).value, -EIO); });
  asker.join();
  owner.join();
}

// A handler without SA_RESTART ends the wait, as in read(2).
TEST(Client, AsksForTheAnswerWhenASignalComes) {
  const Listening broker;
  Client client(broker.path().c_str());
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
  // The signal may arrive before the thread waits again; it is repeated until the thread sees it.
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
  Client client(broker.path().c_str());
  std::thread asker([&client] { client.Ask({.op = Op::kTakeEvent}); });
  Connection connection(broker.Accept());
  HearA<Hello>(&connection);
  HearA<Request>(&connection);
  pthread_cancel(asker.native_handle());
  EXPECT_FALSE(Hear(&connection));
  asker.join();
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
