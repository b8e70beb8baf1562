#include "sim/uapi/framing.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "sim/uapi/level.h"

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
