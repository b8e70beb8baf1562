#include "conformance/adapters/exec/serve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/vocabulary/profile.h"

namespace cm {
namespace {

using testing::HasSubstr;

// Each call takes the next of these times, and has this reply.
class TimedSession : public Session, public Driver, public Environment {
 public:
  TimedSession(std::vector<Duration> times, Reply reply, std::string inconclusive)
      : times_(std::move(times)), reply_(reply), inconclusive_(std::move(inconclusive)) {}

  Driver& driver() override { return *this; }
  Environment& environment() override { return *this; }

  seen::Answered Submit(Lane /*lane*/, const Call& /*call*/) override {
    now_ = Instant() + times_.at(made_++);
    return {.reply = reply_};
  }
  std::optional<seen::Released> Released(Lane /*lane*/) override { return std::nullopt; }
  bool Readable(Lane /*lane*/, ChannelRef /*channel*/, Duration /*within*/) override {
    return false;
  }
  Instant Now() override { return now_; }

  seen::Done Pass(Duration /*span*/) override { return {}; }
  seen::Done Settle() override { return {}; }
  seen::Done Inject(const Fault& /*fault*/) override { return {}; }
  seen::Done Heal() override { return {}; }

  std::string Inconclusive() const override { return inconclusive_; }

 private:
  std::vector<Duration> times_;
  Reply reply_;
  std::string inconclusive_;
  size_t made_ = 0;
  Instant now_;
};

class Timed : public Implementation {
 public:
  Timed(std::vector<Duration> times, Reply reply, std::string inconclusive)
      : times_(std::move(times)), reply_(reply), inconclusive_(std::move(inconclusive)) {}
  std::string name() const override { return "timed"; }
  const Profile& profile() const override { return *FindProfile("6.1-rxe"); }
  Capabilities capabilities() const override { return {}; }
  std::unique_ptr<Session> Start(const Conversation& /*conversation*/) override {
    return std::make_unique<TimedSession>(times_, reply_, inconclusive_);
  }

 private:
  std::vector<Duration> times_;
  Reply reply_;
  std::string inconclusive_;
};

// What is answered to a conversation of two calls, behind the greeting. `inconclusive`: why the
// session is; empty: it is not.
std::string AnswersAt(const std::vector<Duration>& times, Reply reply = Reply::Returned(),
                      const std::string& inconclusive = "") {
  std::string asked =
      "topology two-kernels\nprofile 6.1-rxe\n"
      "active rdma_create_event_channel C\nactive rdma_destroy_event_channel C\n"
      "begin patience=1s\n"
      "active rdma_create_event_channel C\nactive rdma_destroy_event_channel C\nend\n";
  Timed timed(times, reply, inconclusive);
  std::FILE* const input = fmemopen(asked.data(), asked.size(), "r");
  char* text = nullptr;
  size_t size = 0;
  std::FILE* const output = open_memstream(&text, &size);
  EXPECT_TRUE(ServeConversations(timed, GreetingOf(timed), {}, input, output));
  std::fclose(input);
  std::fclose(output);
  std::string answers(text, size);
  std::free(text);
  return answers.substr(answers.find("ready\n") + 6);
}

TEST(Serve, EachAnswerHasItsTime) {
  EXPECT_EQ(AnswersAt({Duration::Seconds(1), Duration::Seconds(2)}),
            "0us begun\n1s 0\n2s 0\n2s ended\n");
}

// The clock of a virtual machine that a busy host held up.
TEST(Serve, TimesDoNotGoBackWithTheClock) {
  EXPECT_EQ(AnswersAt({Duration::Seconds(1), Duration::Milliseconds(995)}),
            "0us begun\n1s 0\n1s 0\n1s inconclusive the clock went back by 5ms\n");
}

TEST(Serve, SaysWhyAConversationIsInconclusive) {
  EXPECT_EQ(AnswersAt({Duration::Seconds(1), Duration::Seconds(2)}, Reply::Returned(),
                      "only \"0…\" came"),
            "0us begun\n1s 0\n2s 0\n2s inconclusive only \"0???\" came\n");
}

// An implementation behind a driver of its own has no answer when that driver has failed.
TEST(Serve, SaysThatItsOwnDriverHasFailed) {
  EXPECT_EQ(AnswersAt({Duration::Seconds(1), Duration::Seconds(2)}, Reply::NotApplicable()),
            "0us begun\nerror its own driver has failed\nerror its own driver has failed\n"
            "2s ended\n");
}

}  // namespace
}  // namespace cm
