#include "sim/uapi/framing.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <variant>
#include <vector>

#include "sim/uapi/level.h"
#include "sim/uapi/shared_lines.h"

namespace cm::sim::uapi {
namespace {

struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) ADD_FAILURE() << errno;
    one.emplace(ends[0]);
    other.emplace(ends[1]);
  }
  std::optional<Connection> one;
  std::optional<Connection> other;
};

// With a line in memory: `one` is the program's end.
struct SharedPair : Pair {
  SharedPair() {
    one->ShareAsProgram(line.get());
    other->ShareAsMachine(line.get());
  }
  std::unique_ptr<SharedLine> line = std::make_unique<SharedLine>();
};

uint64_t NameOf(const std::optional<Message>& message) {
  if (message && std::holds_alternative<Unwatch>(*message)) return std::get<Unwatch>(*message).name;
  if (message && std::holds_alternative<Request>(*message)) return std::get<Request>(*message).more;
  return message && std::holds_alternative<Watch>(*message) ? std::get<Watch>(*message).name : 0;
}

std::span<const uint8_t> Body(const std::vector<uint8_t>& bytes) {
  return std::span(bytes).subspan(4);
}

TEST(Framing, CarriesARequestWhole) {
  Pair pair;
  const Request sent = {.op = Op::kWrite, .on = 7, .more = uint64_t{1} << 40, .bytes = {1, 2, 3}};
  ASSERT_EQ(pair.one->Send(sent), 0);
  ASSERT_EQ(pair.other->Read(), 0);
  const std::optional<Message> got = pair.other->Next();
  ASSERT_TRUE(got && std::holds_alternative<Request>(*got));
  const auto& request = std::get<Request>(*got);
  EXPECT_EQ(request.op, Op::kWrite);
  EXPECT_EQ(request.on, 7U);
  EXPECT_EQ(request.more, uint64_t{1} << 40);
  EXPECT_EQ(request.bytes, (std::vector<uint8_t>{1, 2, 3}));
  EXPECT_FALSE(pair.other->Next());
}

TEST(Framing, KeepsMessagesApartThatArriveTogether) {
  Pair pair;
  ASSERT_EQ(pair.one->Send(Hello{.process = 3, .pid = 4, .tid = 5}), 0);
  ASSERT_EQ(pair.one->Send(Interrupt{}), 0);
  ASSERT_EQ(pair.one->Send(Answer{.value = -EINTR}), 0);
  ASSERT_EQ(pair.other->Read(), 0);
  const auto hello = pair.other->Next();
  ASSERT_TRUE(hello && std::holds_alternative<Hello>(*hello));
  EXPECT_EQ(std::get<Hello>(*hello).process, 3U);
  const auto interrupt = pair.other->Next();
  ASSERT_TRUE(interrupt && std::holds_alternative<Interrupt>(*interrupt));
  const auto answer = pair.other->Next();
  ASSERT_TRUE(answer && std::holds_alternative<Answer>(*answer));
  EXPECT_EQ(std::get<Answer>(*answer).value, -EINTR);
}

TEST(Framing, WaitsForTheRestOfAMessage) {
  Pair pair;
  const std::vector<uint8_t> bytes = Encode(Unwatch{.name = 9});
  ASSERT_EQ(send(pair.one->socket(), bytes.data(), 5, 0), 5);
  ASSERT_EQ(pair.other->Read(), 0);
  EXPECT_FALSE(pair.other->Next());
  EXPECT_FALSE(pair.other->damaged());
  const auto rest = static_cast<ssize_t>(bytes.size() - 5);
  ASSERT_EQ(send(pair.one->socket(), bytes.data() + 5, bytes.size() - 5, 0), rest);
  ASSERT_EQ(pair.other->Read(), 0);
  EXPECT_TRUE(pair.other->Next());
}

TEST(Framing, RefusesEveryShortenedMessageWhoseShapeIsFixed) {
  for (const Message& message :
       {Message(Hello{.process = 1}), Message(Unwatch{.name = 2}), Message(Interrupt{})}) {
    const std::vector<uint8_t> bytes = Encode(message);
    ASSERT_TRUE(Decode(Body(bytes)));
    for (size_t length = 0; length < bytes.size() - 4; ++length)
      EXPECT_FALSE(Decode(Body(bytes).first(length))) << message.index() << " at " << length;
  }
}

TEST(Framing, CarriesWhatIsForeseenWhole) {
  const Foreseen sent = {.happened = 3,
                         .request = {.op = Op::kWrite, .on = 4, .more = 5, .bytes = {6, 7}},
                         .answer = {.value = 8, .bytes = {9}}};
  const std::vector<uint8_t> bytes = Encode(sent);
  const std::optional<Message> message = Decode(Body(bytes));
  ASSERT_TRUE(message && std::holds_alternative<Foreseen>(*message));
  const auto& come = std::get<Foreseen>(*message);
  EXPECT_EQ(come.happened, 3U);
  EXPECT_EQ(come.request.on, 4U);
  EXPECT_EQ(come.request.more, 5U);
  EXPECT_EQ(come.request.bytes, sent.request.bytes);
  EXPECT_EQ(come.answer.value, 8);
  EXPECT_EQ(come.answer.bytes, sent.answer.bytes);
  for (size_t length = 0; length < bytes.size() - 5; ++length)
    EXPECT_FALSE(Decode(Body(bytes).first(length))) << length;
}

TEST(Framing, RefusesAKindThatThereIsNot) {
  std::vector<uint8_t> bytes = Encode(Interrupt{});
  bytes[4] = 200;
  EXPECT_FALSE(Decode(Body(bytes)));
}

TEST(Framing, IsDamagedByALengthThatNothingHas) {
  Pair pair;
  const std::array<uint8_t, 4> length = {0xff, 0xff, 0xff, 0xff};
  ASSERT_EQ(send(pair.one->socket(), length.data(), length.size(), 0), 4);
  ASSERT_EQ(pair.other->Read(), 0);
  EXPECT_FALSE(pair.other->Next());
  EXPECT_TRUE(pair.other->damaged());
}

TEST(Framing, KeepsTheOrderOfMessagesInMemoryAndInTheSocket) {
  SharedPair pair;
  const std::vector<uint8_t> large(20'000, 7);
  ASSERT_EQ(pair.one->Send(Unwatch{.name = 1}), 0);
  ASSERT_EQ(pair.one->Send(Watch{.name = 2, .has_descriptor = true, .readable = {}}, 0), 0);
  ASSERT_EQ(pair.one->Send(Unwatch{.name = 3}), 0);
  ASSERT_EQ(pair.one->Send(Request{.op = Op::kWrite, .more = 4, .bytes = large}), 0);
  ASSERT_EQ(pair.one->Send(Unwatch{.name = 5}), 0);
  EXPECT_EQ(NameOf(pair.other->Next()), 1U);
  EXPECT_EQ(NameOf(pair.other->Next()), 2U);
  const int descriptor = pair.other->TakeDescriptor();
  EXPECT_GE(descriptor, 0);
  close(descriptor);
  EXPECT_EQ(NameOf(pair.other->Next()), 3U);
  const std::optional<Message> request = pair.other->Next();
  EXPECT_EQ(NameOf(request), 4U);
  EXPECT_EQ(std::get<Request>(*request).bytes, large);
  EXPECT_EQ(NameOf(pair.other->Next()), 5U);
  EXPECT_FALSE(pair.other->Next());
}

// As when the descriptors are looked at while a program writes.
TEST(Framing, KeepsTheOrderOfWhatIsReadBeforeItsPlaceInMemory) {
  SharedPair pair;
  const std::vector<uint8_t> watch =
      Encode(Watch{.name = 2, .has_descriptor = false, .readable = {}});
  ASSERT_EQ(pair.one->Send(Unwatch{.name = 1}), 0);
  ASSERT_EQ(send(pair.one->socket(), watch.data(), watch.size(), 0),
            static_cast<ssize_t>(watch.size()));
  ASSERT_EQ(pair.other->Read(), 0);
  EXPECT_EQ(NameOf(pair.other->Next()), 1U);
  EXPECT_EQ(NameOf(pair.other->Next()), 2U);
  ASSERT_TRUE(pair.line->to_machine.Put(std::array<uint8_t, 4>{}));
  ASSERT_EQ(pair.one->Send(Unwatch{.name = 3}), 0);
  EXPECT_EQ(NameOf(pair.other->Next()), 3U);
  EXPECT_FALSE(pair.other->Next());
}

TEST(Framing, GoesOnInMemoryWhereTheRingEnds) {
  SharedPair pair;
  for (uint64_t name = 1; name < 3'000; ++name) {
    ASSERT_EQ(pair.one->Send(Unwatch{.name = name}), 0);
    ASSERT_EQ(NameOf(pair.other->Next()), name);
  }
}

TEST(Framing, AnswersThroughMemoryWakeTheProgram) {
  SharedPair pair;
  std::thread program([&] {
    for (int64_t i = 0; i < 200; ++i) {
      const std::vector<uint8_t> bytes(i % 10 == 0 ? 10'000 : 5, 1);
      EXPECT_EQ(pair.one->Send(Request{.op = Op::kWrite, .bytes = bytes}), 0);
      std::optional<Message> answer;
      while (!(answer = pair.one->Next())) EXPECT_EQ(pair.one->Read(), 0);
      EXPECT_EQ(std::get<Answer>(*answer).value, i);
      EXPECT_EQ(std::get<Answer>(*answer).bytes, bytes);
    }
    EXPECT_EQ(pair.one->Read(), ECONNRESET);
  });
  for (int64_t i = 0; i < 200; ++i) {
    std::optional<Message> request;
    while (!(request = pair.other->Next())) std::this_thread::yield();
    ASSERT_EQ(pair.other->Send(Answer{.value = i, .bytes = std::get<Request>(*request).bytes}), 0);
  }
  pair.line->to_program.Close();
  program.join();
}

// A message that is longer than what is there, and counters that a program has overwritten.
TEST(Framing, RefusesDamagedMemory) {
  SharedPair longer;
  ASSERT_TRUE(longer.line->to_machine.Put(std::array<uint8_t, 8>{200, 0, 0, 0, 1, 2, 3, 4}));
  EXPECT_FALSE(longer.other->Next());
  EXPECT_TRUE(longer.other->damaged());
  SharedPair overwritten;
  const uint32_t written = 1U << 20U;
  std::memcpy(static_cast<void*>(&overwritten.line->to_machine), &written, sizeof written);
  std::memcpy(static_cast<void*>(&overwritten.line->to_program), &written, sizeof written);
  EXPECT_FALSE(overwritten.other->Next());
  EXPECT_TRUE(overwritten.other->damaged());
  EXPECT_EQ(overwritten.other->Send(Unwatch{.name = 1}), ECONNRESET);
}

// As when the machine is killed while its ring is full.
TEST(Framing, GivesUpWhereNothingMakesRoom) {
  SharedPair pair;
  pair.other.reset();
  int error = 0;
  for (int i = 0; error == 0 && i < 10'000; ++i) error = pair.one->Send(Unwatch{.name = 1});
  EXPECT_TRUE(error == EPIPE || error == ECONNRESET) << error;
}

// As when the machine is killed.
TEST(Framing, EndsTheWaitInMemoryWhereTheOtherEndIsGone) {
  SharedPair pair;
  pair.other.reset();
  EXPECT_EQ(pair.one->Read(), ECONNRESET);
}

TEST(Framing, ThreadThatIsCancelledUnwindsFromItsWaitInMemory) {
  SharedPair pair;
  bool unwound = false;
  std::thread program([&] {
    const std::shared_ptr<void> end(nullptr, [&](void*) { unwound = true; });
    static_cast<void>(pair.one->Send(Interrupt{}));
    static_cast<void>(pair.one->Read());
  });
  while (!pair.other->Next()) std::this_thread::yield();
  pthread_cancel(program.native_handle());
  program.join();
  EXPECT_TRUE(unwound);
}

TEST(Framing, NoticesTheEnd) {
  Pair pair;
  pair.one.reset();
  EXPECT_EQ(pair.other->Read(), ECONNRESET);
  EXPECT_EQ(pair.other->Send(Interrupt{}), EPIPE);
}

bool IsReadable(int fd) {
  pollfd one = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&one, 1, 0) == 1 && (one.revents & POLLIN) != 0;
}

TEST(Framing, PassesTheWriteEndWhoseLevelThePeerKeeps) {
  Pair pair;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  ASSERT_EQ(pair.one->Send(Watch{.name = 1, .has_descriptor = true, .readable = {}}, ends[1]), 0);
  close(ends[1]);
  ASSERT_EQ(pair.other->Read(), 0);
  ASSERT_TRUE(pair.other->Next());
  const int passed = pair.other->TakeDescriptor();
  ASSERT_GE(passed, 0);
  EXPECT_EQ(pair.other->TakeDescriptor(), -1);
  Level level(passed);
  EXPECT_FALSE(IsReadable(ends[0]));
  level.Set(true);
  level.Set(true);
  EXPECT_TRUE(IsReadable(ends[0]));
  level.Set(false);
  EXPECT_FALSE(IsReadable(ends[0]));
  level.Set(true);
  EXPECT_TRUE(IsReadable(ends[0]));
  close(ends[0]);
  pollfd end = {.fd = passed, .events = 0, .revents = 0};
  ASSERT_EQ(poll(&end, 1, 0), 1);
  EXPECT_TRUE((end.revents & POLLERR) != 0) << "the program's end is the last";
}

}  // namespace
}  // namespace cm::sim::uapi
