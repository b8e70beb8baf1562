#include "sim/fake_libibverbs/client.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <future>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "sim/fake_libibverbs/by_hand.h"
#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/uapi/framing.h"

extern "C" void cmsim_retire(uint64_t instructions);  // of synthetic_counter.cc

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

int64_t Look(Client* client) { return client->Ask({.op = Op::kNow}).value; }

TEST(Client, SpendsTimeByItselfUntilOthersHaveToComeAsFar) {
  Listening broker;
  broker.ShareTime(100, {.reading = 3, .look = 0, .request = 10});
  Client client(broker.path().c_str());
  std::thread owner([&] {
    Connection connection(broker.Accept());
    HearA<Hello>(&connection);
    EXPECT_EQ(HearA<Request>(&connection).op, Op::kDevices);
    broker.time()->SetUntil(120);
    connection.Send(Answer{});
    const Request spent = HearA<Request>(&connection);
    EXPECT_EQ(spent.op, Op::kSleep);
    EXPECT_EQ(spent.on, static_cast<uint32_t>(uapi::SleepKind::kSpends));
    EXPECT_EQ(spent.more, 122U);
    broker.time()->SetUntil(1'000);
    broker.ShareTime(122);
    connection.Send(Answer{});
  });
  std::thread asker([&] {
    EXPECT_EQ(Look(&client), 103) << "no request was sent";
    client.Ask({.op = Op::kDevices});
    EXPECT_EQ(Look(&client), 116);
    EXPECT_EQ(Look(&client), 119);
    EXPECT_EQ(Look(&client), 122);
    EXPECT_EQ(Look(&client), 125);
  });
  asker.join();
  owner.join();
}

TEST(Client, SpendsWhatTheThreadHasComputed) {
  Listening broker;
  broker.ShareTime(0, {.reading = 3, .look = 5, .request = 10, .instructions = 1'000'000'000});
  Client client(broker.path().c_str());
  std::thread owner([&] {
    Connection connection(broker.Accept());
    HearA<Hello>(&connection);
    EXPECT_EQ(HearA<Request>(&connection).op, Op::kDevices);
    broker.time()->SetUntil(20'000);
    connection.Send(Answer{});
    const Request spent = HearA<Request>(&connection);
    EXPECT_EQ(spent.on, static_cast<uint32_t>(uapi::SleepKind::kSpends));
    EXPECT_EQ(spent.more, 30'024U);
    broker.time()->SetUntil(31'000);
    connection.Send(Answer{});
    EXPECT_EQ(HearA<Request>(&connection).on, static_cast<uint32_t>(uapi::SleepKind::kTurn));
    connection.Send(Answer{});
    EXPECT_EQ(HearA<Request>(&connection).on, static_cast<uint32_t>(uapi::SleepKind::kSpends));
    broker.time()->SetUntil(1'000'000);
    connection.Send(Answer{});
  });
  std::thread asker([&] {
    client.BeginComputation();
    cmsim_retire(5'400);
    EXPECT_EQ(Look(&client), 5'003);
    cmsim_retire(599);
    EXPECT_EQ(Look(&client), 5'006);
    cmsim_retire(1);
    EXPECT_EQ(client.Shown(), 5'006) << "it takes no time";
    EXPECT_EQ(Look(&client), 6'009);
    cmsim_retire(2'000);
    client.Ask({.op = Op::kDevices});
    cmsim_retire(2'000);
    EXPECT_TRUE(client.SpendLook());
    EXPECT_EQ(client.Shown(), 10'024);
    cmsim_retire(20'003);
    client.SpendComputation();
    EXPECT_EQ(Look(&client), 30'027);
    cmsim_retire(7'000);
    client.Ask({.op = Op::kSleep, .on = static_cast<uint32_t>(uapi::SleepKind::kTurn)});
    EXPECT_EQ(Look(&client), 37'030) << "when it had its turn";
  });
  asker.join();
  owner.join();
}

TEST(Client, CountsNothingInTheObjectAndNothingBeforeItsConnection) {
  Listening broker;
  broker.ShareTime(0, {.reading = 3, .instructions = 1'000'000'000});
  Client client(broker.path().c_str());
  std::thread owner([&] {
    Connection connection(broker.Accept());
    HearA<Hello>(&connection);
    EXPECT_FALSE(Hear(&connection));
  });
  std::thread asker([&] {
    cmsim_retire(1'000'000);
    EXPECT_EQ(Look(&client), 3);
    client.BeginComputation();
    EXPECT_EQ(Look(&client), 6);
    {
      const InObject outer;
      cmsim_retire(1'000'000);
      {
        const InObject inner;
        cmsim_retire(1'000'000);
      }
      cmsim_retire(1'000'000);
      EXPECT_EQ(Look(&client), 9);
    }
    cmsim_retire(4'000);
    EXPECT_EQ(Look(&client), 4'012);
  });
  asker.join();
  owner.join();
}

TEST(Client, CountsNothingWithoutARate) {
  Listening broker;
  broker.ShareTime(0, {.reading = 3});
  Client client(broker.path().c_str());
  std::thread asker([&] {
    client.BeginComputation();
    cmsim_retire(1'000'000);
    client.SpendComputation();
    EXPECT_EQ(Look(&client), 3);
  });
  asker.join();
}

// A command for id 5, with an answer at that address.
Request Command(uint64_t place) {
  std::vector<uint8_t> bytes(24);
  std::memcpy(bytes.data() + 8, &place, sizeof place);
  bytes[16] = 5;
  return {.op = Op::kWrite, .on = 2, .bytes = bytes};
}

TEST(Client, TakesWhatWasForeseenWhileNothingElseHappens) {
  Listening broker;
  broker.ShareTime(0, {.request = 10});
  Client client(broker.path().c_str());
  const uint64_t happened = broker.time()->happened();
  std::thread owner([&] {
    Connection connection(broker.Accept());
    HearA<Hello>(&connection);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(HearA<Request>(&connection).op, Op::kDevices);
      connection.Send(uapi::Foreseen{happened, Command(1), {.value = 31}});
      connection.Send(uapi::Foreseen{happened, Command(1), {.value = 32}});
      connection.Send(Answer{.value = 30});
    }
    EXPECT_EQ(HearA<uapi::Foretold>(&connection).request.bytes, Command(9).bytes);
    EXPECT_EQ(HearA<Request>(&connection).op, Op::kPort) << "what was expected then is void";
    connection.Send(Answer{.value = 40});
    EXPECT_EQ(HearA<Request>(&connection).op, Op::kWrite);
    connection.Send(uapi::Foreseen{happened, Command(1), {.value = 33}});
    connection.Send(Answer{.value = 50});
    EXPECT_EQ(HearA<Request>(&connection).op, Op::kWrite) << "something has happened";
    connection.Send(Answer{.value = 60});
  });
  std::thread asker([&] {
    client.Ask({.op = Op::kDevices});
    client.Ask({.op = Op::kDevices});
    EXPECT_EQ(client.Ask(Command(9)).value, 31);
    EXPECT_EQ(client.Ask({.op = Op::kPort}).value, 40);
    EXPECT_EQ(client.Ask(Command(9)).value, 50);
    broker.time()->NoteHappened();
    EXPECT_EQ(client.Ask(Command(9)).value, 60);
  });
  asker.join();
  owner.join();
}

TEST(Client, ReadsTheClockWithoutARequestBeforeItsFirstOne) {
  Listening broker;
  broker.ShareTime(0, {.reading = 3});
  Client client(broker.path().c_str());
  broker.time()->SetUntil(10);
  std::thread asker([&] {
    for (const int64_t shown : {3, 6, 9, 10, 10}) EXPECT_EQ(Look(&client), shown);
    broker.ShareTime(20);
    EXPECT_EQ(Look(&client), 20) << "it is after the limit";
  });
  asker.join();
}

TEST(Client, AsksAgainWhereNothingWasOnlyWhenSomethingHasHappened) {
  Listening broker;
  broker.ShareTime(0, {.look = 5});
  Client client(broker.path().c_str());
  const Request poll = {.op = Op::kPoll, .on = 1, .more = 1};
  std::thread owner([&] {
    Connection connection(broker.Accept());
    HearA<Hello>(&connection);
    EXPECT_EQ(HearA<Request>(&connection).on, 1U);
    connection.Send(Answer{});
    EXPECT_EQ(HearA<Request>(&connection).on, 2U) << "another queue";
    broker.time()->NoteHappened();
    connection.Send(Answer{.bytes = {1}});
    EXPECT_EQ(HearA<Request>(&connection).on, 1U);
    connection.Send(Answer{.bytes = {2}});
  });
  std::thread asker([&] {
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(client.Ask(poll).bytes.empty());
    EXPECT_EQ(Look(&client), 99 * 5);
    EXPECT_FALSE(client.Ask({.op = Op::kPoll, .on = 2, .more = 1}).bytes.empty());
    EXPECT_FALSE(client.Ask(poll).bytes.empty());
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
